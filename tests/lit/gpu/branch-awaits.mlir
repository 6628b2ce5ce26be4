// Suspensions of a body with a stream whose blocks are alike but for their
// states: greedy rewriting does not merge them, as there can be no phi of a
// state, neither before nor behind the way to LLVM.
// RUN: async-gpu-opt %s --async-gpu-plan --async-gpu-outline --convert-scf-to-cf --async-gpu-coroutines --canonicalize | FileCheck %s
// RUN: async-gpu-opt %s --async-gpu-lower --canonicalize | FileCheck %s --check-prefix=LLVM

// CHECK-LABEL: func.func private @twice_region_
// CHECK-NOT: ^bb{{.*}}!async.coro.state
// CHECK: async.coro.suspend {{.*}}async_gpu.suspension = 2
// CHECK-NOT: ^bb{{.*}}!async.coro.state
// CHECK: async.coro.suspend {{.*}}async_gpu.suspension = 1
// CHECK-NOT: ^bb{{.*}}!async.coro.state
// CHECK: async.coro.suspend {{.*}}async_gpu.suspension = 0
// CHECK-NOT: ^bb{{.*}}!async.coro.state

// LLVM-NOT: ^bb{{.*}}!llvm.token
// LLVM-COUNT-3: llvm.intr.coro.suspend {{.*}}async_gpu.suspension
// LLVM-NOT: ^bb{{.*}}!llvm.token
func.func @twice(%b: i1, %d: memref<8xi32>, %v: i32) {
  %t = async.execute {
    gpu.memset %d, %v : memref<8xi32>, i32
    scf.if %b {
      %t1 = async.execute { async.yield }
      async.await %t1 : !async.token
    } else {
      %t2 = async.execute { async.yield }
      async.await %t2 : !async.token
      async.await %t2 : !async.token
    }
    async.yield
  }
  async.await %t : !async.token
  return
}
