// More memory than there is, in a region. LLVM does without memory that it sees
// nobody needs.
func.func private @use(%m: memref<?x?xf32>) attributes {passthrough = ["noinline"]} {
  %c0 = arith.constant 0 : index
  %x = arith.constant 1.0 : f32
  memref.store %x, %m[%c0, %c0] : memref<?x?xf32>
  vector.print %x : f32
  return
}

// RUN: device
// ERROR: host_out_of_memory.mlir:[[@LINE+4]]:10: error: allocation of 281474976710656 bytes on the host: out of memory
func.func @main() {
  %n = arith.constant 0x800000 : index
  %t = async.execute {
    %m = memref.alloc(%n, %n) : memref<?x?xf32>
    func.call @use(%m) : (memref<?x?xf32>) -> ()
    memref.dealloc %m : memref<?x?xf32>
    async.yield
  }
  async.await %t : !async.token
  return
}
