// Registered host memory: used by a kernel from an async function, and by views
// of any dense layout. Device memory freed by a region two levels down, behind
// the work of the regions around it.

async.func @work(%d: memref<8xi32>, %m: memref<4x8xi32>) -> !async.token {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %u = memref.cast %m : memref<4x8xi32> to memref<*xi32>
  gpu.host_register %u : memref<*xi32>
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c4, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%sx = %c8, %sy = %c1, %sz = %c1) {
    %x = memref.load %d[%tx] : memref<8xi32>
    memref.store %x, %m[%bx, %tx] : memref<4x8xi32>
    gpu.terminator
  }
  gpu.host_unregister %u : memref<*xi32>
  return
}
// RUN: device schedules=200
// CHECK: 6
func.func @main() {
  %device = arith.constant 0 : i32
  gpu.set_default_device %device
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %six = arith.constant 6 : i32
  %d = gpu.alloc() : memref<8xi32>
  gpu.memset %d, %six : memref<8xi32>, i32
  %m = memref.alloc() : memref<4x8xi32>
  %t = async.call @work(%d, %m) : (memref<8xi32>, memref<4x8xi32>) -> !async.token
  %t2 = async.execute [%t] {
    %t3 = async.execute {
      gpu.dealloc %d : memref<8xi32>
      async.yield
    }
    async.await %t3 : !async.token
    async.yield
  }
  async.await %t2 : !async.token
  %x = memref.load %m[%c1, %c1] : memref<4x8xi32>
  vector.print %x : i32
  // Columns first: dense all the same.
  %tr = memref.transpose %m (i, j) -> (j, i) : memref<4x8xi32> to memref<8x4xi32, strided<[1, 8]>>
  %tu = memref.cast %tr : memref<8x4xi32, strided<[1, 8]>> to memref<*xi32>
  gpu.host_register %tu : memref<*xi32>
  gpu.host_unregister %tu : memref<*xi32>
  memref.dealloc %m : memref<4x8xi32>
  return
}
