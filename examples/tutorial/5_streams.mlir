// The tutorial's fifth step (docs/tutorial.md): four parts, each a copy, a kernel and a
// copy on a stream of its own, and behind each of them the host, which adds up that
// part while the device is at the others.
//
// Run it: scripts/run.sh examples/tutorial/5_streams.mlir

// RUN: device
// CHECK: sum: 333328333650000
func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c100 = arith.constant 100 : index
  %c250 = arith.constant 250 : index
  %c25000 = arith.constant 25000 : index
  %c100000 = arith.constant 100000 : index
  %zero = arith.constant 0 : i64

  // in[i] = i
  %in = memref.alloc() : memref<100000xi64>
  %out = memref.alloc() : memref<100000xi64>
  %sums = memref.alloc() : memref<4xi64>
  scf.for %i = %c0 to %c100000 step %c1 {
    %x = arith.index_cast %i : index to i64
    memref.store %x, %in[%i] : memref<100000xi64>
  }

  %parts = async.create_group %c4 : !async.group
  scf.for %part = %c0 to %c4 step %c1 {
    %first = arith.muli %part, %c25000 : index
    %from = memref.subview %in[%first] [25000] [1]
        : memref<100000xi64> to memref<25000xi64, strided<[1], offset: ?>>
    %to = memref.subview %out[%first] [25000] [1]
        : memref<100000xi64> to memref<25000xi64, strided<[1], offset: ?>>

    // The device: out[i] = in[i] * in[i] + 3, for this part
    %computed = async.execute {
      %d = gpu.alloc() : memref<25000xi64>
      gpu.memcpy %d, %from
          : memref<25000xi64>, memref<25000xi64, strided<[1], offset: ?>>
      gpu.launch blocks(%bx, %by, %bz) in (%gx = %c100, %gy = %c1, %gz = %c1)
                 threads(%tx, %ty, %tz) in (%sx = %c250, %sy = %c1, %sz = %c1) {
        %three = arith.constant 3 : i64
        %base = arith.muli %bx, %sx : index
        %i = arith.addi %base, %tx : index
        %x = memref.load %d[%i] : memref<25000xi64>
        %square = arith.muli %x, %x : i64
        %y = arith.addi %square, %three : i64
        memref.store %y, %d[%i] : memref<25000xi64>
        gpu.terminator
      }
      gpu.memcpy %to, %d
          : memref<25000xi64, strided<[1], offset: ?>>, memref<25000xi64>
      gpu.dealloc %d : memref<25000xi64>
      async.yield
    }

    // The host, behind it
    %added = async.execute [%computed] {
      %sum = scf.for %i = %c0 to %c25000 step %c1 iter_args(%acc = %zero) -> i64 {
        %y = memref.load %to[%i]
            : memref<25000xi64, strided<[1], offset: ?>>
        %next = arith.addi %acc, %y : i64
        scf.yield %next : i64
      }
      memref.store %sum, %sums[%part] : memref<4xi64>
      async.yield
    }
    %number = async.add_to_group %added, %parts : !async.token
  }
  async.await_all %parts

  %sum = scf.for %part = %c0 to %c4 step %c1 iter_args(%acc = %zero) -> i64 {
    %y = memref.load %sums[%part] : memref<4xi64>
    %next = arith.addi %acc, %y : i64
    scf.yield %next : i64
  }
  vector.print str "sum: "
  vector.print %sum : i64
  memref.dealloc %in : memref<100000xi64>
  memref.dealloc %out : memref<100000xi64>
  memref.dealloc %sums : memref<4xi64>
  return
}
