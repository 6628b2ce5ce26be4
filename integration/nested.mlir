// Regions with kernels inside regions of the host: a recursion that halves a
// range and starts a kernel for each quarter of it.

func.func @fill(%data: memref<1024xi32>, %from: index, %to: index) {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c256 = arith.constant 256 : index
  %length = arith.subi %to, %from : index
  %small = arith.cmpi ule, %length, %c256 : index
  scf.if %small {
    %t = async.execute {
      gpu.launch blocks(%bx, %by, %bz) in (%gx = %length, %gy = %c1, %gz = %c1)
                 threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {
        %i = arith.addi %from, %bx : index
        %x = arith.index_cast %i : index to i32
        memref.store %x, %data[%i] : memref<1024xi32>
        gpu.terminator
      }
      async.yield
    }
    async.await %t : !async.token
  } else {
    %half = arith.divui %length, %c2 : index
    %middle = arith.addi %from, %half : index
    %t0 = async.execute {
      func.call @fill(%data, %from, %middle)
        : (memref<1024xi32>, index, index) -> ()
      async.yield
    }
    %t1 = async.execute {
      func.call @fill(%data, %middle, %to)
        : (memref<1024xi32>, index, index) -> ()
      async.yield
    }
    async.await %t0 : !async.token
    async.await %t1 : !async.token
  }
  return
}

// RUN: device schedules=200
// CHECK: 523776
func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c1024 = arith.constant 1024 : index
  %data = gpu.alloc() : memref<1024xi32>
  %t, %v = async.execute -> !async.value<i32> {
    %inner = async.execute {
      func.call @fill(%data, %c0, %c1024)
        : (memref<1024xi32>, index, index) -> ()
      async.yield
    }
    %host = memref.alloc() : memref<1024xi32>
    %copied = async.execute [%inner] {
      gpu.memcpy %host, %data : memref<1024xi32>, memref<1024xi32>
      async.yield
    }
    async.await %copied : !async.token
    %zero = arith.constant 0 : i32
    %sum = scf.for %i = %c0 to %c1024 step %c1 iter_args(%acc = %zero) -> i32 {
      %x = memref.load %host[%i] : memref<1024xi32>
      %next = arith.addi %acc, %x : i32
      scf.yield %next : i32
    }
    memref.dealloc %host : memref<1024xi32>
    async.yield %sum : i32
  }
  // 1023 * 1024 / 2
  %sum = async.await %v : !async.value<i32>
  vector.print %sum : i32
  gpu.dealloc %data : memref<1024xi32>
  return
}
