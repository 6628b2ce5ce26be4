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
  // A function of several lines that is inlined twice: each time its own lines.
  func.func private @scale(%v: f32, %k: f32) -> f32 {
    // CHECK-LABEL: .entry twice(
    // CHECK: .loc [[#FILE]] [[#@LINE+2]] {{[0-9]+}}
    // CHECK-NEXT: mul.rn.f32
    %a = arith.mulf %v, %k : f32
    // CHECK-NEXT: .loc [[#FILE]] [[#@LINE+2]] {{[0-9]+}}
    // CHECK-NEXT: sqrt.rn.f32
    %b = math.sqrt %a : f32
    // CHECK-NEXT: .loc [[#FILE]] [[#@LINE+2]] {{[0-9]+}}
    // CHECK-NEXT: add.rn.f32
    %c = arith.addf %b, %k : f32
    // CHECK: .loc [[#FILE]] [[#@LINE-7]] {{[0-9]+}}
    // CHECK-NEXT: mul.rn.f32
    // CHECK-NEXT: .loc [[#FILE]] [[#@LINE-6]] {{[0-9]+}}
    // CHECK-NEXT: sqrt.rn.f32
    // CHECK-NEXT: .loc [[#FILE]] [[#@LINE-5]] {{[0-9]+}}
    // CHECK-NEXT: add.rn.f32
    return %c : f32
  }
  gpu.func @twice(%x: memref<?xf32>, %k: f32) kernel {
    %t = gpu.thread_id x
    %v = memref.load %x[%t] : memref<?xf32>
    %r = func.call @scale(%v, %k) : (f32, f32) -> f32
    %s = func.call @scale(%r, %k) : (f32, f32) -> f32
    // CHECK: .loc [[#FILE]] [[#@LINE+2]]
    // CHECK-NEXT: st.global.b32
    memref.store %s, %x[%t] : memref<?xf32>
    gpu.return
  }
  // CHECK: .file [[#FILE]] "{{.*}}kernels-lines.mlir"
}
