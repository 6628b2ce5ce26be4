// What is the GPU's own becomes what a host can compute; functions that wait are
// inlined; symbols have their names in the program.
// RUN: async-gpu-opt %s --async-gpu-native-legalize --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: gpu.module @m {
// CHECK: func.func private @asinhf(f32) -> f32
// CHECK-NOT: @waits
// CHECK: llvm.mlir.global {{.*}}@agpu_global.m.table
// CHECK: llvm.func @agpu_device.m.twice(
// CHECK: llvm.func @agpu_body.m.k({{.*}}) attributes {agpu.image_name = "k", agpu.name = "k", nvvm.kernel}
// CHECK: llvm.intr.floor
// CHECK: call @asinhf(
// CHECK: llvm.fence seq_cst
// CHECK: llvm.call @agpu_device.m.twice
// CHECK: llvm.mlir.addressof @agpu_global.m.table
// CHECK: nvvm.barrier0
// CHECK: nvvm.read.ptx.sreg.tid.x
// CHECK-NOT: nvvm.exit
// CHECK: llvm.return
gpu.module @m {
  llvm.func @__nv_floorf(f32) -> f32
  llvm.func @__nv_asinhf(f32) -> f32
  llvm.mlir.global internal @table(dense<1> : tensor<4xi32>) : !llvm.array<4 x i32>
  llvm.mlir.global internal @unused(dense<1> : tensor<4xi32>) : !llvm.array<4 x i32>
  llvm.func @waits() {
    nvvm.barrier0
    llvm.return
  }
  llvm.func @twice(%v: i32) -> i32 attributes {no_inline} {
    %0 = llvm.add %v, %v : i32
    llvm.return %0 : i32
  }
  llvm.func @k(%x: f32, %p: !llvm.ptr) attributes {nvvm.kernel} {
    %0 = llvm.call @__nv_floorf(%x) : (f32) -> f32
    %1 = llvm.call @__nv_asinhf(%0) : (f32) -> f32
    llvm.store %1, %p : f32, !llvm.ptr
    nvvm.memory.barrier <gpu>
    %2 = llvm.mlir.constant(1 : i32) : i32
    %3 = llvm.call @twice(%2) : (i32) -> i32
    %4 = llvm.mlir.addressof @table : !llvm.ptr
    llvm.store %3, %4 : i32, !llvm.ptr
    llvm.call @waits() : () -> ()
    %5 = nvvm.read.ptx.sreg.tid.x : i32
    llvm.store %5, %p : i32, !llvm.ptr
    nvvm.exit
    llvm.return
  }
}

// -----

// What async-gpu-kernel-targets has not let pass is an error.
gpu.module @m {
  llvm.func @k() attributes {nvvm.kernel} {
    // expected-error @+1 {{a tensor core operation ('nvvm.tcgen05.relinquish_alloc_permit') is not supported on the emulated device}}
    nvvm.tcgen05.relinquish_alloc_permit
    llvm.return
  }
}

// -----

// What it has let pass fails when it is launched.
// CHECK-LABEL: gpu.module @unsupported {
// CHECK: llvm.func @agpu_body.unsupported.k(%{{.*}}: i32) attributes {agpu.image_name = "k", agpu.name = "k", nvvm.kernel}
// CHECK: call @agpu_native_refuse
// CHECK-NEXT: llvm.return
// CHECK-NOT: nvvm.tcgen05
gpu.module @unsupported {
  llvm.func @k(%v: i32) attributes {nvvm.kernel, agpu.unsupported = ["a tensor core operation", "here:1:2"]} {
    nvvm.tcgen05.relinquish_alloc_permit
    llvm.return
  }
}

// -----

// A module that is for another target stays as it is.
// CHECK-LABEL: gpu.module @ptx
// CHECK: llvm.func @k()
// CHECK: nvvm.tcgen05.relinquish_alloc_permit
gpu.module @ptx attributes {agpu.target = "ptx"} {
  llvm.func @k() attributes {nvvm.kernel} {
    nvvm.tcgen05.relinquish_alloc_permit
    llvm.return
  }
}
