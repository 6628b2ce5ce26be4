// Where a function that a region calls ends by an error, its stream goes back
// and the device of before is entered, as where it returns.
// RUN: async-gpu-opt %s --async-gpu-plan --async-gpu-failures --async-gpu-outline --async-gpu-devices --async-gpu-coroutines | FileCheck %s
// RUN: not async-gpu-runner %s 2>&1 | FileCheck %s --check-prefix=PRINTS

// CHECK-LABEL: func.func private @helper(
// CHECK: %[[OUTER:.*]] = "agpu.default_device"
// CHECK: %[[STREAM:.*]] = "agpu.stream_acquire"
// CHECK: %[[WORK:.*]] = "agpu.stream_record"(%[[STREAM]])
// CHECK-NEXT: "agpu.await_either"(%[[WORK]])
// CHECK-NEXT: "agpu.has_failed"(%[[WORK]])
// CHECK: "agpu.forward_error"(%{{.*}}, %[[WORK]])
// CHECK: "agpu.set_error"(%{{.*}}) {message = "no"}
// CHECK: ^{{.*}}(%[[ERROR:.*]]: !async.token):
// CHECK-NEXT: "agpu.stream_release"(%[[STREAM]])
// CHECK-NEXT: "agpu.enter_device"(%[[OUTER]])
// CHECK-NEXT: return %[[ERROR]]
// PRINTS: failures.mlir:[[#@LINE + 4]]:3: error: assertion failed: no
func.func private @helper(%ok: i1) attributes {async_gpu.device = 0 : i32} {
  %d = gpu.alloc () : memref<64xf32>
  gpu.dealloc %d : memref<64xf32>
  cf.assert %ok, "no"
  return
}
func.func @main() {
  %ok = arith.constant false
  %t = async.execute {
    func.call @helper(%ok) : (i1) -> ()
    async.yield
  }
  async.await %t : !async.token
  return
}
