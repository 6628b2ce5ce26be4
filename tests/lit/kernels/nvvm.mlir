// NVVM ops that stand in the source as they are.
// RUN: async-gpu-opt %s --async-gpu-kernels=targets=ptx --emit=ptx | FileCheck %s

gpu.module @m {
  // CHECK-LABEL: .entry inline(
  // CHECK-DAG: bar.warp.sync
  // CHECK-DAG: vote.sync.ballot.b32
  // CHECK-DAG: membar.gl
  // CHECK-DAG: rcp.approx.ftz.f32
  // CHECK-DAG: %clock
  // CHECK-DAG: ex2.approx.ftz.f32
  gpu.func @inline(%x: memref<?xf32>, %y: memref<?xi32>, %c: i1) kernel {
    %t = gpu.thread_id x
    %m = arith.constant -1 : i32
    nvvm.bar.warp.sync %m : i32
    %b = nvvm.vote.sync ballot %m, %c -> i32
    nvvm.memory.barrier #nvvm.mem_scope<gpu>
    %v = memref.load %x[%t] : memref<?xf32>
    %r = nvvm.rcp.approx.ftz.f %v : f32
    %k = nvvm.read.ptx.sreg.clock : i32
    %p = nvvm.inline_ptx "ex2.approx.ftz.f32 {$w0}, {$r0};" ro(%r : f32) -> f32
    memref.store %p, %x[%t] : memref<?xf32>
    %s = arith.addi %b, %k : i32
    memref.store %s, %y[%t] : memref<?xi32>
    gpu.return
  }
}
