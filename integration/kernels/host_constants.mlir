// Constants of the host's that kernels use: they have copies of their own.

memref.global "private" constant @table : memref<4xi32> = dense<[10, 20, 30, 40]>
memref.global "private" constant @matrix : memref<2x2xi32> = dense<[[1, 2], [3, 4]]>

// RUN: kernel
// CHECK: 23
// CHECK: 34
// CHECK: 30
// CHECK: 40
// CHECK: 20
func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %t = memref.get_global @table : memref<4xi32>
  %m = memref.get_global @matrix : memref<2x2xi32>
  %row = memref.subview %m[1, 0] [1, 2] [1, 1] : memref<2x2xi32> to memref<2xi32, strided<[1], offset: 2>>
  %out = gpu.alloc host_shared () : memref<4xi32>
  %k = async.execute {
    gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
        threads(%tx, %ty, %tz) in (%sx = %c4, %sy = %c1, %sz = %c1) {
      %x = memref.load %t[%tx] : memref<4xi32>
      memref.store %x, %out[%tx] : memref<4xi32>
      gpu.terminator
    }
    gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
        threads(%tx, %ty, %tz) in (%sx = %c2, %sy = %c1, %sz = %c1) {
      %x = memref.load %row[%tx] : memref<2xi32, strided<[1], offset: 2>>
      %y = memref.load %t[%c0] : memref<4xi32>
      %z = memref.load %out[%tx] : memref<4xi32>
      %s = arith.addi %x, %y : i32
      %r = arith.addi %s, %z : i32
      memref.store %r, %out[%tx] : memref<4xi32>
      gpu.terminator
    }
    async.yield
  }
  async.await %k : !async.token
  scf.for %i = %c0 to %c4 step %c1 {
    %x = memref.load %out[%i] : memref<4xi32>
    vector.print %x : i32
  }
  // The host has its own.
  %y = memref.load %t[%c1] : memref<4xi32>
  vector.print %y : i32
  gpu.dealloc %out : memref<4xi32>
  return
}
