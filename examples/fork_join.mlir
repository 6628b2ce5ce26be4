// One buffer goes to the device, two kernels read it side by side, the host
// works meanwhile, a third kernel joins their results, and the host checks.
//
//            copy in                    host: sum
//           /       \                      |
//     squares       triples                |
//           \       /                      |
//          join, copy out                  |
//                 \                        /
//                  host: check and print
//
// Run it: scripts/run.sh examples/fork_join.mlir

// RUN: device
// CHECK: squares[1000] + triples[1000] = 1003000
// CHECK: sum of the input, from the host: 523776
// CHECK: elements out of 1024 that are wrong: 0
func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c256 = arith.constant 256 : index
  %c1024 = arith.constant 1024 : index

  // in[i] = i
  %in = memref.alloc() : memref<1024xf32>
  %out = memref.alloc() : memref<1024xf32>
  scf.for %i = %c0 to %c1024 step %c1 {
    %i64 = arith.index_cast %i : index to i64
    %x = arith.sitofp %i64 : i64 to f32
    memref.store %x, %in[%i] : memref<1024xf32>
  }

  // Copy in.
  %copied, %source = async.execute -> !async.value<memref<1024xf32>> {
    %d = gpu.alloc() : memref<1024xf32>
    gpu.memcpy %d, %in : memref<1024xf32>, memref<1024xf32>
    async.yield %d : memref<1024xf32>
  }

  // squares[i] = in[i] * in[i]
  %t0, %squares = async.execute
      (%source as %s: !async.value<memref<1024xf32>>)
      -> !async.value<memref<1024xf32>> {
    %d = gpu.alloc() : memref<1024xf32>
    gpu.launch blocks(%bx, %by, %bz) in (%gx = %c4, %gy = %c1, %gz = %c1)
               threads(%tx, %ty, %tz) in (%sx = %c256, %sy = %c1, %sz = %c1) {
      %base = arith.muli %bx, %sx : index
      %i = arith.addi %base, %tx : index
      %x = memref.load %s[%i] : memref<1024xf32>
      %y = arith.mulf %x, %x : f32
      memref.store %y, %d[%i] : memref<1024xf32>
      gpu.terminator
    }
    async.yield %d : memref<1024xf32>
  }

  // triples[i] = 3 * in[i], beside the kernel above
  %t1, %triples = async.execute
      (%source as %s: !async.value<memref<1024xf32>>)
      -> !async.value<memref<1024xf32>> {
    %d = gpu.alloc() : memref<1024xf32>
    gpu.launch blocks(%bx, %by, %bz) in (%gx = %c4, %gy = %c1, %gz = %c1)
               threads(%tx, %ty, %tz) in (%sx = %c256, %sy = %c1, %sz = %c1) {
      %three = arith.constant 3.0 : f32
      %base = arith.muli %bx, %sx : index
      %i = arith.addi %base, %tx : index
      %x = memref.load %s[%i] : memref<1024xf32>
      %y = arith.mulf %x, %three : f32
      memref.store %y, %d[%i] : memref<1024xf32>
      gpu.terminator
    }
    async.yield %d : memref<1024xf32>
  }

  // The host, beside both kernels: the sum of in.
  %summed, %sum = async.execute -> !async.value<f32> {
    %zero = arith.constant 0.0 : f32
    %s = scf.for %i = %c0 to %c1024 step %c1 iter_args(%acc = %zero) -> f32 {
      %x = memref.load %in[%i] : memref<1024xf32>
      %next = arith.addf %acc, %x : f32
      scf.yield %next : f32
    }
    async.yield %s : f32
  }

  // out[i] = squares[i] + triples[i], copied back to the host.
  %joined = async.execute
      (%source as %s: !async.value<memref<1024xf32>>,
       %squares as %a: !async.value<memref<1024xf32>>,
       %triples as %b: !async.value<memref<1024xf32>>) {
    gpu.launch blocks(%bx, %by, %bz) in (%gx = %c4, %gy = %c1, %gz = %c1)
               threads(%tx, %ty, %tz) in (%sx = %c256, %sy = %c1, %sz = %c1) {
      %base = arith.muli %bx, %sx : index
      %i = arith.addi %base, %tx : index
      %x = memref.load %a[%i] : memref<1024xf32>
      %y = memref.load %b[%i] : memref<1024xf32>
      %z = arith.addf %x, %y : f32
      memref.store %z, %a[%i] : memref<1024xf32>
      gpu.terminator
    }
    gpu.memcpy %out, %a : memref<1024xf32>, memref<1024xf32>
    gpu.dealloc %a : memref<1024xf32>
    gpu.dealloc %b : memref<1024xf32>
    gpu.dealloc %s : memref<1024xf32>
    async.yield
  }

  // The host, behind everything: is out[i] = i * i + 3 * i?
  %checked = async.execute [%joined] (%sum as %s: !async.value<f32>) {
    %none = arith.constant 0 : i64
    %wrong = scf.for %i = %c0 to %c1024 step %c1
        iter_args(%count = %none) -> i64 {
      %three = arith.constant 3 : index
      %i3 = arith.addi %i, %three : index
      %product = arith.muli %i, %i3 : index
      %product64 = arith.index_cast %product : index to i64
      %expected = arith.sitofp %product64 : i64 to f32
      %x = memref.load %out[%i] : memref<1024xf32>
      %differs = arith.cmpf une, %x, %expected : f32
      %one = arith.extui %differs : i1 to i64
      %next = arith.addi %count, %one : i64
      scf.yield %next : i64
    }
    %c1000 = arith.constant 1000 : index
    %sample = memref.load %out[%c1000] : memref<1024xf32>
    %sample64 = arith.fptosi %sample : f32 to i64
    %sum64 = arith.fptosi %s : f32 to i64
    vector.print str "squares[1000] + triples[1000] = "
    vector.print %sample64 : i64
    vector.print str "sum of the input, from the host: "
    vector.print %sum64 : i64
    vector.print str "elements out of 1024 that are wrong: "
    vector.print %wrong : i64
    async.yield
  }
  async.await %checked : !async.token

  memref.dealloc %in : memref<1024xf32>
  memref.dealloc %out : memref<1024xf32>
  return
}
