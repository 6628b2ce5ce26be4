// Lines of the source in the PTX, also of functions that were inlined.
// RUN: async-gpu-opt %s --async-gpu-kernels="targets=ptx line-info=true" --emit=ptx | FileCheck %s
// RUN: async-gpu-opt %s --async-gpu-kernels=targets=ptx --emit=ptx | FileCheck %s --check-prefix=NONE
// RUN: async-gpu-opt %s --async-gpu-kernels=line-info=true | mlir-translate --mlir-to-llvmir | FileCheck %s --check-prefix=NATIVE

// NONE-NOT: .loc
// NONE-NOT: .file
// The host's code stays as it is.
// NATIVE-NOT: DISubprogram
gpu.module @m {
  func.func @root(%v: f32) -> f32 {
    // CHECK-LABEL: .entry k(
    // CHECK: .loc [[#FILE:]] [[#@LINE+8]] {{[0-9]+}}
    // CHECK: ld.global.b32
    // CHECK: .loc [[#FILE]] [[#@LINE+1]]
    %r = math.sqrt %v : f32
    return %r : f32
  }
  gpu.func @k(%x: memref<?xf32>) kernel {
    %t = gpu.thread_id x
    %v = memref.load %x[%t] : memref<?xf32>
    // CHECK-NEXT: sqrt.rn.f32
    %r = func.call @root(%v) : (f32) -> f32
    // CHECK: .loc [[#FILE]] [[#@LINE+2]]
    // CHECK-NEXT: st.global.b32
    memref.store %r, %x[%t] : memref<?xf32>
    gpu.return
  }
  // CHECK: .file [[#FILE]] "{{.*}}kernels-lines.mlir"
}
