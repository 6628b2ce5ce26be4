// Memory of the stack that the device uses is there until the device is done with
// it: at the end of a region, and of a scope, though no op of the host observes.

func.func private @write(%n: i64) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %m = memref.alloca() : memref<16xi64>
  scf.for %i = %c0 to %c16 step %c1 {
    memref.store %n, %m[%i] : memref<16xi64>
  }
  %x = memref.load %m[%c1] : memref<16xi64>
  vector.print %x : i64
  return
}

// Its work is not over when it returns.
func.func private @start(%to: memref<16xi64>, %by: memref<16xi64>,
                         %from: memref<16xi64>) -> !async.token {
  %t = async.execute {
    gpu.memcpy %by, %from : memref<16xi64>, memref<16xi64>
    gpu.memcpy %to, %by : memref<16xi64>, memref<16xi64>
    async.yield
  }
  return %t : !async.token
}

// RUN: device schedules=20
// CHECK: 3
// CHECK: 3
// CHECK: 3
// CHECK: 7
// CHECK: 7
// CHECK: 7
func.func @main() {
  %c1 = arith.constant 1 : index
  %three = arith.constant 3 : i64
  %seven = arith.constant 7 : i64
  %d = gpu.alloc() : memref<16xi64>
  %e = gpu.alloc() : memref<16xi64>
  %f = gpu.alloc() : memref<16xi64>
  %g = gpu.alloc() : memref<16xi64>
  gpu.memset %d, %seven : memref<16xi64>, i64
  %t = async.execute {
    %m = memref.alloca() : memref<16xi64>
    gpu.memcpy %m, %d : memref<16xi64>, memref<16xi64>
    gpu.memcpy %e, %m : memref<16xi64>, memref<16xi64>
    async.yield
  }
  func.call @write(%three) : (i64) -> ()
  async.await %t : !async.token
  memref.alloca_scope {
    %m = memref.alloca() : memref<16xi64>
    gpu.memcpy %m, %d : memref<16xi64>, memref<16xi64>
    gpu.memcpy %f, %m : memref<16xi64>, memref<16xi64>
  }
  func.call @write(%three) : (i64) -> ()
  memref.alloca_scope {
    %m = memref.alloca() : memref<16xi64>
    %u = func.call @start(%g, %m, %d)
      : (memref<16xi64>, memref<16xi64>, memref<16xi64>) -> !async.token
    async.await %u : !async.token
  }
  func.call @write(%three) : (i64) -> ()
  %h = memref.alloc() : memref<16xi64>
  gpu.memcpy %h, %e : memref<16xi64>, memref<16xi64>
  %v = memref.load %h[%c1] : memref<16xi64>
  vector.print %v : i64
  gpu.memcpy %h, %f : memref<16xi64>, memref<16xi64>
  %w = memref.load %h[%c1] : memref<16xi64>
  vector.print %w : i64
  gpu.memcpy %h, %g : memref<16xi64>, memref<16xi64>
  %x = memref.load %h[%c1] : memref<16xi64>
  vector.print %x : i64
  memref.dealloc %h : memref<16xi64>
  gpu.dealloc %d : memref<16xi64>
  gpu.dealloc %e : memref<16xi64>
  gpu.dealloc %f : memref<16xi64>
  gpu.dealloc %g : memref<16xi64>
  return
}
