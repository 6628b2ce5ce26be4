// The host reads what a copy writes, and awaits it too late.
func.func @main() {
  %c0 = arith.constant 0 : index
  %seven = arith.constant 7 : i32
  %h = memref.alloc() : memref<16xi32>
  %d = gpu.alloc() : memref<16xi32>
  gpu.memset %d, %seven : memref<16xi32>, i32
  %t = async.execute {
    gpu.memcpy %h, %d : memref<16xi32>, memref<16xi32>
    async.yield
  }
  %x = memref.load %h[%c0] : memref<16xi32>
  async.await %t : !async.token
  %wrong = arith.constant 99 : i32
  %fine = arith.cmpi ne, %x, %wrong : i32
  cf.assert %fine, "nobody has written this"
  memref.dealloc %h : memref<16xi32>
  gpu.dealloc %d : memref<16xi32>
  return
}
