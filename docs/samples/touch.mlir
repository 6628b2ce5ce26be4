// The host reads what only the device can.
func.func private @printF32(f32)
func.func @main() {
  %c3 = arith.constant 3 : index
  %one = arith.constant 1.0 : f32
  %d = gpu.alloc() : memref<4xf32>
  gpu.memset %d, %one : memref<4xf32>, f32
  %x = memref.load %d[%c3] : memref<4xf32>
  call @printF32(%x) : (f32) -> ()
  gpu.dealloc %d : memref<4xf32>
  return
}
