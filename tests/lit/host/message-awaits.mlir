// In a program with messages a coroutine looks for them before it suspends.
// RUN: async-gpu-opt %s --async-gpu-coroutines | FileCheck %s
// RUN: async-gpu-opt %s --async-gpu-coroutines --async-gpu-runtime-calls | FileCheck %s --check-prefix=CALLS

func.func private @agpu_mpi_start() -> !async.token

// CHECK-LABEL: func.func private @receive(
// CHECK: %[[T:.*]] = call @agpu_mpi_start()
// CHECK: %[[READY:.*]] = "agpu.is_ready"(%[[T]])
// CHECK-NEXT: cf.cond_br %[[READY]], ^[[GO:bb[0-9]+]], ^[[LOOK:bb[0-9]+]]
// CHECK: ^[[LOOK]]:
// CHECK-NEXT: %[[SOON:.*]] = "agpu.is_ready_soon"(%[[T]])
// CHECK-NEXT: cf.cond_br %[[SOON]], ^[[GO]], ^[[WAIT:bb[0-9]+]]
// CHECK: ^[[WAIT]]:
// CHECK-NEXT: async.coro.save
// CHECK-NEXT: async.runtime.await_and_resume %[[T]],
// CHECK-NEXT: async.coro.suspend %{{.*}}, ^{{.*}}, ^[[GO]], ^
// CALLS: call @agpu_mpi_is_ready_soon(%{{.*}}) : (!llvm.ptr) -> i1
async.func private @receive() -> !async.token attributes {async_gpu.kind = "host"} {
  %t = func.call @agpu_mpi_start() : () -> !async.token
  await %t : !async.token
  return
}

// A plain function waits as ever.
// CHECK-LABEL: func.func @wait(
// CHECK-NOT: is_ready
// CHECK: "agpu.await"
func.func @wait() {
  %t = call @agpu_mpi_start() : () -> !async.token
  async.await %t : !async.token
  return
}
