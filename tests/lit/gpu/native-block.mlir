// Each kernel gets a function that runs a block, and says what it is.
// RUN: async-gpu-opt %s --async-gpu-native-block --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-NOT: @vprintf
// CHECK: llvm.func internal @loops(%{{.*}}: i16, {{.*}}) attributes {no_inline, passthrough
// CHECK: llvm.func internal @agpu_native.m.first(%[[PARAMS:.*]]: !llvm.ptr, %[[BLOCK:.*]]: !llvm.ptr) attributes {agpu.image_name = "image", agpu.name = "first", agpu.param_sizes = array<i32: 2>, agpu.shared_bytes = 16 : i64}
// CHECK: call @agpu_native_expect_size
// CHECK: llvm.call @loops(
// CHECK-NEXT: llvm.return
// CHECK: llvm.func internal @calls({{.*}}) attributes {always_inline}
// CHECK: llvm.func internal @agpu_native.m.calls(
// CHECK: llvm.call @calls(
// CHECK: llvm.icmp "ult"
// CHECK: llvm.func internal @coroutines(
// CHECK: llvm.func internal @agpu_native.m.coroutines(
// CHECK: call @agpu_native_begin_block
// CHECK: call @agpu_native_run_block
gpu.module @m {
  llvm.func @vprintf(!llvm.ptr, !llvm.ptr) -> i32
  llvm.func @loops(%v: i16, %tx: i32, %ty: i32, %tz: i32, %nx: i32, %ny: i32, %nz: i32, %bx: i32, %by: i32, %bz: i32, %gx: i32, %gy: i32, %gz: i32, %s: !llvm.ptr, %d: !llvm.ptr) attributes {agpu.context = 1 : i32, agpu.name = "first", agpu.image_name = "image", agpu.shared_bytes = 16 : i64, agpu.threads = "loops", nvvm.kernel, nvvm.reqntid = array<i32: 8, 1, 1>} {
    llvm.return
  }
  llvm.func @calls(%tx: i32, %ty: i32, %tz: i32, %nx: i32, %ny: i32, %nz: i32, %bx: i32, %by: i32, %bz: i32, %gx: i32, %gy: i32, %gz: i32, %s: !llvm.ptr, %d: !llvm.ptr) attributes {agpu.context = 0 : i32, agpu.shared_bytes = 0 : i64, agpu.threads = "calls", nvvm.kernel} {
    llvm.return
  }
  llvm.func @coroutines(%tx: i32, %ty: i32, %tz: i32, %nx: i32, %ny: i32, %nz: i32, %bx: i32, %by: i32, %bz: i32, %gx: i32, %gy: i32, %gz: i32, %s: !llvm.ptr, %d: !llvm.ptr, %thread: !llvm.ptr) attributes {agpu.context = 0 : i32, agpu.shared_bytes = 0 : i64, agpu.threads = "coroutines", nvvm.kernel} {
    llvm.return
  }
}

// -----

gpu.module @missing {
  // expected-error @+1 {{has no valid attribute 'agpu.threads', which async-gpu-native-coroutines leaves: run that pass before}}
  llvm.func @threads(%tx: i32, %ty: i32, %tz: i32, %nx: i32, %ny: i32, %nz: i32, %bx: i32, %by: i32, %bz: i32, %gx: i32, %gy: i32, %gz: i32, %s: !llvm.ptr, %d: !llvm.ptr) attributes {agpu.context = 0 : i32, agpu.shared_bytes = 0 : i64, nvvm.kernel} {
    llvm.return
  }
  // expected-error @+1 {{has no valid attribute 'agpu.shared_bytes', which async-gpu-native-shared-memory leaves: run that pass before}}
  llvm.func @bytes(%tx: i32, %ty: i32, %tz: i32, %nx: i32, %ny: i32, %nz: i32, %bx: i32, %by: i32, %bz: i32, %gx: i32, %gy: i32, %gz: i32, %s: !llvm.ptr, %d: !llvm.ptr) attributes {agpu.context = 0 : i32, agpu.threads = "calls", nvvm.kernel} {
    llvm.return
  }
  // A coroutine takes the thread's record.
  // expected-error @+1 {{has no valid attribute 'agpu.context', which async-gpu-native-context leaves: run that pass before}}
  llvm.func @record(%tx: i32, %ty: i32, %tz: i32, %nx: i32, %ny: i32, %nz: i32, %bx: i32, %by: i32, %bz: i32, %gx: i32, %gy: i32, %gz: i32, %s: !llvm.ptr, %d: !llvm.ptr) attributes {agpu.context = 0 : i32, agpu.shared_bytes = 0 : i64, agpu.threads = "coroutines", nvvm.kernel} {
    llvm.return
  }
}
