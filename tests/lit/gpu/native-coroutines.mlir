// Kernels that still wait become coroutines.
// RUN: async-gpu-opt %s --async-gpu-native-coroutines --split-input-file --verify-diagnostics | FileCheck %s

// CHECK: llvm.mlir.global {{.*}}constant @agpu_site.m.0()
// CHECK-LABEL: llvm.func @waits(
// CHECK-SAME: %[[THREAD:[^:]*]]: !llvm.ptr) attributes {agpu.context = 0 : i32, agpu.threads = "coroutines", nvvm.kernel, passthrough = ["presplitcoroutine"]}
// CHECK: %[[MEMORY:.*]] = {{.*}}call @agpu_native_frame(%[[THREAD]]
// CHECK: llvm.intr.coro.begin %{{.*}}, %[[MEMORY]]
// CHECK: llvm.mlir.addressof @agpu_site.m.0
// CHECK: llvm.intr.coro.suspend
// CHECK: llvm.intr.coro.end
// CHECK-LABEL: llvm.func @loops(
// CHECK-SAME: agpu.threads = "loops"
// CHECK: llvm.unreachable {agpu.ends_thread}
// CHECK-LABEL: llvm.func @calls(
// CHECK-SAME: agpu.threads = "calls"
// CHECK-NEXT: llvm.return
gpu.module @m {
  llvm.func @waits(%tx: i32, %ty: i32, %tz: i32, %nx: i32, %ny: i32, %nz: i32, %bx: i32, %by: i32, %bz: i32, %gx: i32, %gy: i32, %gz: i32, %s: !llvm.ptr, %d: !llvm.ptr) attributes {agpu.context = 0 : i32, nvvm.kernel} {
    nvvm.barrier0
    llvm.return
  }
  llvm.func @loops(%tx: i32, %ty: i32, %tz: i32, %nx: i32, %ny: i32, %nz: i32, %bx: i32, %by: i32, %bz: i32, %gx: i32, %gy: i32, %gz: i32, %s: !llvm.ptr, %d: !llvm.ptr) attributes {agpu.context = 0 : i32, agpu.threads = "loops", nvvm.kernel} {
    llvm.unreachable {agpu.ends_thread}
  }
  llvm.func @calls(%tx: i32, %ty: i32, %tz: i32, %nx: i32, %ny: i32, %nz: i32, %bx: i32, %by: i32, %bz: i32, %gx: i32, %gy: i32, %gz: i32, %s: !llvm.ptr, %d: !llvm.ptr) attributes {agpu.context = 0 : i32, nvvm.kernel} {
    llvm.unreachable {agpu.ends_thread}
  }
}

// -----

gpu.module @size {
  llvm.func @k(%n: i32, %tx: i32, %ty: i32, %tz: i32, %nx: i32, %ny: i32, %nz: i32, %bx: i32, %by: i32, %bz: i32, %gx: i32, %gy: i32, %gz: i32, %s: !llvm.ptr, %d: !llvm.ptr) attributes {agpu.context = 1 : i32, nvvm.kernel} {
    // expected-error @+1 {{memory of a thread's own needs a constant size in a kernel whose threads wait for each other}}
    %0 = llvm.alloca %n x i32 : (i32) -> !llvm.ptr
    nvvm.barrier0
    llvm.return
  }
}

// -----

gpu.module @missing {
  // expected-error @+1 {{has no valid attribute 'agpu.context', which async-gpu-native-context leaves: run that pass before}}
  llvm.func @k() attributes {nvvm.kernel} {
    llvm.return
  }
}
