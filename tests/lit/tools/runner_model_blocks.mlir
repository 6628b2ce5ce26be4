// Products of matrices have kernels for as many blocks as the modelled card has
// multiprocessors: of 40, 32 are enough, of 108, 64, and of 132, 128.

// RUN: env ASYNC_GPU_DEVICE=emu async-gpu-runner --model=t4 %s --mlir-print-ir-after=async-gpu-map-linalg 2>&1 | FileCheck %s --check-prefix=T4
// RUN: env ASYNC_GPU_DEVICE=emu async-gpu-runner --model=a100 %s --mlir-print-ir-after=async-gpu-map-linalg 2>&1 | FileCheck %s --check-prefix=A100
// RUN: env ASYNC_GPU_DEVICE=emu async-gpu-runner --model=h100 %s --mlir-print-ir-after=async-gpu-map-linalg 2>&1 | FileCheck %s --check-prefix=H100

// T4: workgroup({{.*}} : memref<32x20xf32, {{.*}} : memref<16x68xf32,
// A100: workgroup({{.*}} : memref<32x36xf32, {{.*}} : memref<32x36xf32,
// H100: workgroup({{.*}} : memref<16x36xf32, {{.*}} : memref<32x36xf32,
func.func @main() {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %e = tensor.empty() : tensor<256x256xf32>
  %a = linalg.fill ins(%one : f32) outs(%e : tensor<256x256xf32>) -> tensor<256x256xf32>
  %c = linalg.fill ins(%zero : f32) outs(%e : tensor<256x256xf32>) -> tensor<256x256xf32>
  %p = linalg.matmul ins(%a, %a : tensor<256x256xf32>, tensor<256x256xf32>) outs(%c : tensor<256x256xf32>) -> tensor<256x256xf32>
  %i = arith.constant 7 : index
  %x = tensor.extract %p[%i, %i] : tensor<256x256xf32>
  vector.print %x : f32
  return
}
