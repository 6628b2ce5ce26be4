// The host or the device, by a condition known at run time: a branch yields the
// token and the value of one region or the other.

func.func @choose(%device: i1, %data: memref<16xi32>) -> !async.token {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %t = scf.if %device -> !async.token {
    %on_device = async.execute {
      gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
                 threads(%tx, %ty, %tz) in (%sx = %c16, %sy = %c1, %sz = %c1) {
        %one = arith.constant 1 : i32
        %x = memref.load %data[%tx] : memref<16xi32>
        %y = arith.addi %x, %one : i32
        memref.store %y, %data[%tx] : memref<16xi32>
        gpu.terminator
      }
      async.yield
    }
    scf.yield %on_device : !async.token
  } else {
    %on_host = async.execute {
      %ten = arith.constant 10 : i32
      scf.for %i = %c0 to %c16 step %c1 {
        %x = memref.load %data[%i] : memref<16xi32>
        %y = arith.addi %x, %ten : i32
        memref.store %y, %data[%i] : memref<16xi32>
      }
      async.yield
    }
    scf.yield %on_host : !async.token
  }
  return %t : !async.token
}

// RUN: device schedules=200
// CHECK: 23
func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c5 = arith.constant 5 : index
  %zero = arith.constant 0 : i32
  %data = gpu.alloc host_shared () : memref<16xi32>
  gpu.memset %data, %zero : memref<16xi32>, i32

  // Five rounds, on the device in rounds 0, 2 and 4: 3 * 1 + 2 * 10 = 23.
  scf.for %k = %c0 to %c5 step %c1 {
    %odd = arith.remui %k, %c2 : index
    %even = arith.cmpi eq, %odd, %c0 : index
    %t = func.call @choose(%even, %data) : (i1, memref<16xi32>) -> !async.token
    async.await %t : !async.token
  }
  %x = memref.load %data[%c3] : memref<16xi32>
  vector.print %x : i32
  gpu.dealloc %data : memref<16xi32>
  return
}
