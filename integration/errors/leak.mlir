// Memory that is never freed: a loop that allocates, and a buffer for both.
// RUN: @leak EMU_CHECK=memory EMU_MEMORY_POOLS=1|0
// WARNING: leak.mlir:[[@LINE+11]]:8: warning: 32 bytes of device memory, of 1 allocation, were not freed
// WARNING: leak.mlir:[[@LINE+7]]:10: warning: 48 bytes of device memory, of 3 allocations, were not freed
func.func @leak() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %zero = arith.constant 0 : i32
  scf.for %i = %c0 to %c3 step %c1 {
    %d = gpu.alloc() : memref<4xi32>
    gpu.memset %d, %zero : memref<4xi32>, i32
  }
  %s = gpu.alloc host_shared () : memref<8xi32>
  memref.store %zero, %s[%c0] : memref<8xi32>
  %freed = gpu.alloc() : memref<4xi32>
  gpu.memset %freed, %zero : memref<4xi32>, i32
  gpu.dealloc %freed : memref<4xi32>
  gpu.wait
  return
}
