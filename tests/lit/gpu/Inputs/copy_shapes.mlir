// A copy whose shapes differ, which only the run shows.
func.func @main() {
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %h = memref.alloc(%c3) : memref<2x?xf32>
  %t = gpu.wait async
  %d = gpu.alloc(%c4) : memref<2x?xf32>

  gpu.memcpy %h, %d : memref<2x?xf32>, memref<2x?xf32>
  gpu.wait [%t]
  return
}
