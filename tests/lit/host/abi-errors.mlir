// The option `abi`.
// RUN: split-file %s %t
// RUN: not async-gpu-opt %t/none.mlir --async-gpu-coroutines=abi=other 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not async-gpu-opt %t/none.mlir --async-gpu-runtime-calls=abi=other 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not async-gpu-opt %t/none.mlir --async-gpu-lower=abi=other 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not async-gpu-opt %t/gpu.mlir --async-gpu-lower=abi=upstream 2>&1 | FileCheck %s --check-prefix=GPU
// RUN: not async-gpu-opt %t/group.mlir --async-gpu-lower=abi=upstream 2>&1 | FileCheck %s --check-prefix=GROUP
// RUN: not async-gpu-opt %t/none.mlir --async-gpu-starts=abi=upstream --async-gpu-runtime-calls=abi=async-gpu 2>&1 | FileCheck %s --check-prefix=DIFFER
// RUN: not async-gpu-opt %t/none.mlir --async-gpu-coroutines --async-gpu-check-sizes=abi=upstream 2>&1 | FileCheck %s --check-prefix=DEFAULT
// RUN: async-gpu-opt %t/sized.mlir --async-gpu-starts=abi=upstream --async-gpu-check-sizes | FileCheck %s --check-prefix=RECORDED

// DIFFER: none.mlir:{{.*}}: error: abi=async-gpu conflicts with abi=upstream, which earlier passes have lowered parts of this program for
// DEFAULT: none.mlir:{{.*}}: error: abi=upstream conflicts with abi=async-gpu
// RECORDED: module attributes {async_gpu.abi = "upstream"}
// RECORDED: cf.assert
// RECORDED-NOT: agpu_check_allocation
// UNKNOWN: none.mlir:{{.*}}: error: unknown abi 'other': it is async-gpu or upstream
// GPU: gpu.mlir:1:1: error: this function has GPU ops, which upstream's runtime has no calls for: abi=upstream is for programs without them
// GROUP: group.mlir:4:8: error: upstream's runtime has groups of tokens alone: add the token that the value came with (abi=upstream)

//--- none.mlir
func.func @main() {
  return
}
//--- gpu.mlir
func.func @main(%m: memref<f32>, %x: f32) {
  gpu.memset %m, %x : memref<f32>, f32
  return
}
//--- group.mlir
func.func @main(%v: !async.value<f32>) {
  %c1 = arith.constant 1 : index
  %g = async.create_group %c1 : !async.group
  %0 = async.add_to_group %v, %g : !async.value<f32>
  async.await_all %g
  return
}
//--- sized.mlir
func.func @main(%n: index) -> memref<?xf32> {
  %m = memref.alloc(%n) : memref<?xf32>
  return %m : memref<?xf32>
}
