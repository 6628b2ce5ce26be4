// y[i] += 2 x[i] for 1024 numbers; prints y[1000].
func.func private @printF32(f32)
func.func private @printNewline()
func.func @main() {
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c256 = arith.constant 256 : index
  %c1000 = arith.constant 1000 : index
  %a = arith.constant 2.0 : f32
  %three = arith.constant 3.0 : f32
  %x = gpu.alloc() : memref<1024xf32>
  %y = gpu.alloc host_shared() : memref<1024xf32>
  gpu.memset %x, %three : memref<1024xf32>, f32
  gpu.memset %y, %a : memref<1024xf32>, f32
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c4, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%nx = %c256, %ny = %c1, %nz = %c1) {
    %from = arith.muli %bx, %c256 : index
    %i = arith.addi %from, %tx : index
    %u = memref.load %x[%i] : memref<1024xf32>
    %v = memref.load %y[%i] : memref<1024xf32>
    %p = arith.mulf %a, %u : f32
    %s = arith.addf %p, %v : f32
    memref.store %s, %y[%i] : memref<1024xf32>
    gpu.terminator
  }
  %result = memref.load %y[%c1000] : memref<1024xf32>
  call @printF32(%result) : (f32) -> ()
  call @printNewline() : () -> ()
  gpu.dealloc %x : memref<1024xf32>
  gpu.dealloc %y : memref<1024xf32>
  return
}
