// The instructions of inline assembly raise the version of the PTX, and are looked
// for in what the chip has.
// CHIPS: sm_90
// RUN: async-gpu-opt %s --async-gpu-kernels="targets=ptx chip=sm_90" --emit=ptx | FileCheck %s
// RUN: not async-gpu-opt %s --async-gpu-kernels="targets=ptx chip=sm_75" 2>&1 | FileCheck %s --check-prefix=OLD

// OLD-DAG: inline-assembly-sm90.mlir:[[#@LINE+14]]:10: error: 'redux.sync.add.s32' cannot be compiled for sm_75: it needs sm_80 or later
// OLD-DAG: inline-assembly-sm90.mlir:[[#@LINE+15]]:5: error: 'fence.proxy.async' cannot be compiled for sm_75: it needs sm_90 or later
// OLD-DAG: inline-assembly-sm90.mlir:[[#@LINE+17]]:5: error: 'elect.sync' cannot be compiled for sm_75: it needs sm_90 or later
// OLD-NOT: error:

// 7.8 is the lowest version of sm_90.
// CHECK: .version 8.0
gpu.module @m {
  // CHECK: redux.sync.add.s32
  // CHECK: fence.proxy.async
  gpu.func @k(%out: memref<?xi32>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : i32
    // In a comment, nanosleep is not asked for.
    %r = llvm.inline_asm has_side_effects "{ // tcgen05.alloc\0A redux.sync.add.s32 $0, $1, 0xffffffff; }", "=r,r" %c1 : (i32) -> i32
    // Behind a label and a guard.
    llvm.inline_asm has_side_effects "{ .reg .pred p; setp.ne.u32 p, 0, 1;\0AL${:uid}: @p fence.proxy.async; }", "" : () -> ()
    memref.store %r, %out[%c0] : memref<?xi32>
    // Of the other op for it.
    nvvm.inline_ptx "{ .reg .pred q; elect.sync _|q, -1; }"
    gpu.return
  }
}
