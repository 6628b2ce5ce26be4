// Memory that is freed twice.
func.func @main() {
  %t = async.execute {
    %d = gpu.alloc() : memref<4xi32>
    gpu.dealloc %d : memref<4xi32>
    gpu.dealloc %d : memref<4xi32>
    async.yield
  }
  async.await %t : !async.token
  return
}
