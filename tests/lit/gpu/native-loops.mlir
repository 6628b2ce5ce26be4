// Kernels become loops over the threads of a block where that can be.
// RUN: async-gpu-opt %s --async-gpu-native-loops --split-input-file --verify-diagnostics | FileCheck %s
// RUN: async-gpu-opt %s --async-gpu-native-loops=native-threads=coroutines --split-input-file --verify-diagnostics | FileCheck %s --check-prefix=COROUTINES

// Two loops with a barrier between them that has gone.
// CHECK-LABEL: llvm.func @barrier
// CHECK-SAME: agpu.threads = "loops"
// CHECK-NOT: agpu.atomic
// CHECK-NOT: nvvm.barrier0
// CHECK: llvm.add %{{.*}}, %{{.*}} overflow<nsw, nuw> : i32
// CHECK-NEXT: llvm.icmp "ult"
// CHECK-NEXT: llvm.cond_br
// CHECK: llvm.cond_br
// CHECK: llvm.cond_br
// CHECK: llvm.cond_br
// CHECK: llvm.cond_br
// CHECK: llvm.cond_br
// CHECK-NOT: nvvm.barrier0
// COROUTINES-LABEL: llvm.func @barrier
// COROUTINES-NOT: agpu.threads
// COROUTINES: nvvm.barrier0
// CHECK-LABEL: llvm.func @shuffle
// CHECK-NOT: agpu.threads
// CHECK: nvvm.shfl.sync
// COROUTINES-LABEL: llvm.func @alone
// COROUTINES-SAME: agpu.threads = "loops"
gpu.module @m {
  llvm.func @barrier(%p: !llvm.ptr, %tx: i32, %ty: i32, %tz: i32, %nx: i32, %ny: i32, %nz: i32, %bx: i32, %by: i32, %bz: i32, %gx: i32, %gy: i32, %gz: i32, %s: !llvm.ptr, %d: !llvm.ptr) attributes {agpu.context = 1 : i32, nvvm.kernel} {
    llvm.store %tx, %s {agpu.atomic} : i32, !llvm.ptr
    nvvm.barrier0
    llvm.store %tx, %p : i32, !llvm.ptr
    llvm.return
  }
  llvm.func @shuffle(%p: !llvm.ptr, %tx: i32, %ty: i32, %tz: i32, %nx: i32, %ny: i32, %nz: i32, %bx: i32, %by: i32, %bz: i32, %gx: i32, %gy: i32, %gz: i32, %s: !llvm.ptr, %d: !llvm.ptr) attributes {agpu.context = 1 : i32, nvvm.kernel} {
    %0 = nvvm.shfl.sync bfly %tx, %tx, %tx, %tx : i32 -> i32
    llvm.store %0, %p : i32, !llvm.ptr
    llvm.return
  }
  llvm.func @alone(%p: !llvm.ptr, %tx: i32, %ty: i32, %tz: i32, %nx: i32, %ny: i32, %nz: i32, %bx: i32, %by: i32, %bz: i32, %gx: i32, %gy: i32, %gz: i32, %s: !llvm.ptr, %d: !llvm.ptr) attributes {agpu.context = 1 : i32, nvvm.kernel} {
    llvm.store %tx, %p : i32, !llvm.ptr
    llvm.return
  }
}

// -----

// With checks each thread goes its way by itself.
// CHECK-LABEL: llvm.func @checked
// CHECK-NOT: agpu.threads
// CHECK: llvm.return
gpu.module @m attributes {agpu.check_accesses} {
  llvm.func @checked(%p: !llvm.ptr, %tx: i32, %ty: i32, %tz: i32, %nx: i32, %ny: i32, %nz: i32, %bx: i32, %by: i32, %bz: i32, %gx: i32, %gy: i32, %gz: i32, %s: !llvm.ptr, %d: !llvm.ptr) attributes {agpu.context = 1 : i32, nvvm.kernel} {
    llvm.return
  }
}

// -----

gpu.module @missing {
  // expected-error @+1 {{has no valid attribute 'agpu.context', which async-gpu-native-context leaves: run that pass before}}
  llvm.func @k(%n: i32) attributes {agpu.context = 1 : i32, nvvm.kernel} {
    llvm.return
  }
}
