// What is empty is legal, and does nothing.
// RUN: device
// CHECK: 7
func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %seven = arith.constant 7 : i32
  %host = memref.alloc(%c1) : memref<?xi32>
  memref.store %seven, %host[%c0] : memref<?xi32>
  %t = async.execute {
    %none = memref.subview %host[0] [%c0] [1] : memref<?xi32> to memref<?xi32, strided<[1]>>
    %d = gpu.alloc(%c0) : memref<?xi32>
    %e = gpu.alloc(%c1) : memref<?xi32>
    gpu.memcpy %e, %host : memref<?xi32>, memref<?xi32>
    gpu.memcpy %d, %none : memref<?xi32>, memref<?xi32, strided<[1]>>
    gpu.memset %d, %seven : memref<?xi32>, i32
    gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c0, %gz = %c1)
               threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {
      %zero = arith.constant 0 : i32
      memref.store %zero, %e[%bx] : memref<?xi32>
      gpu.terminator
    }
    gpu.memcpy %host, %e : memref<?xi32>, memref<?xi32>
    gpu.dealloc %d : memref<?xi32>
    gpu.dealloc %e : memref<?xi32>
    async.yield
  }
  async.await %t : !async.token
  %x = memref.load %host[%c0] : memref<?xi32>
  vector.print %x : i32
  memref.dealloc %host : memref<?xi32>
  return
}
