// The whole way: what is left is the LLVM dialect, and it translates.
// RUN: async-gpu-opt %s --async-gpu-lower | FileCheck %s
// RUN: async-gpu-opt %s --async-gpu-lower | mlir-translate --mlir-to-llvmir | FileCheck %s --check-prefix=LLVM
// It may stand in a pipeline.
// RUN: async-gpu-opt %s --async-gpu-lower > %t.once
// RUN: async-gpu-opt %s --pass-pipeline='builtin.module(async-gpu-lower)' > %t.pipeline
// RUN: diff %t.once %t.pipeline
// What is lowered already may come again.
// RUN: async-gpu-opt %t.once --async-gpu-lower | FileCheck %s

// CHECK-NOT: async.execute
// CHECK-NOT: gpu.launch
// CHECK-DAG: llvm.func @agpu_stream_acquire(!llvm.ptr) -> !llvm.ptr
// CHECK-DAG: llvm.func @agpu_launch(
// CHECK-LABEL: llvm.func @main(
// CHECK: llvm.call @main_region_1(
// CHECK: llvm.call @main_region_2(
// CHECK: llvm.mlir.global internal @agpu_kernel.main_kernel.main_kernel()
// A device region starts in its caller, a host region on the executor.
// CHECK-LABEL: llvm.func internal @main_region_2(
// CHECK-SAME: presplitcoroutine
// CHECK: llvm.call @agpu_task_start_after(
// CHECK-LABEL: llvm.func internal @main_region_1(
// CHECK-NOT: presplitcoroutine
// CHECK: llvm.call @agpu_launch.0(
// CHECK: llvm.call @agpu_object_set_enqueued(
// CHECK-NOT: unrealized_conversion_cast

// LLVM: define ptr @main()
func.func @main() -> !async.token {
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %x = arith.constant 1.0 : f32
  %d = memref.alloc() : memref<8xf32>
  %t = async.execute {
    gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
               threads(%tx, %ty, %tz) in (%sx = %c8, %sy = %c1, %sz = %c1) {
      memref.store %x, %d[%tx] : memref<8xf32>
      gpu.terminator
    }
    async.yield
  }
  %u = async.execute [%t] {
    %y = memref.load %d[%c1] : memref<8xf32>
    vector.print %y : f32
    async.yield
  }
  return %u : !async.token
}
