// CHIPS: sm_90 sm_100
// Barriers in memory, blocks that work together, copies in bulk, small floats:
// instructions that stand in the source as they are.
// RUN: async-gpu-opt %s --async-gpu-kernels="targets=ptx chip=sm_90" --emit=ptx | FileCheck %s

gpu.module @m {
  // CHECK-LABEL: .entry barriers(
  // CHECK: mbarrier.init.shared.b64
  // CHECK: mbarrier.arrive
  // CHECK: mbarrier.arrive.noComplete
  // CHECK: mbarrier.arrive.expect_tx
  // CHECK: mbarrier.test_wait
  // CHECK: mbarrier.try_wait
  // CHECK: mbarrier.inval
  gpu.func @barriers(%b: !llvm.ptr<3>, %x: memref<?xi1>) kernel {
    %c0 = arith.constant 0 : index
    %n = arith.constant 32 : i32
    nvvm.mbarrier.init %b, %n : !llvm.ptr<3>, i32
    %s = nvvm.mbarrier.arrive %b : !llvm.ptr<3> -> i64
    %t = nvvm.mbarrier.arrive.nocomplete %b, %n : !llvm.ptr<3>, i32 -> i64
    nvvm.cp.async.mbarrier.arrive %b : !llvm.ptr<3>
    nvvm.mbarrier.arrive.expect_tx %b, %n : !llvm.ptr<3>, i32
    %d = nvvm.mbarrier.test.wait %b, %s : !llvm.ptr<3>, i64 -> i1
    %e = nvvm.mbarrier.try_wait %b, %t : !llvm.ptr<3>, i64 -> i1
    %f = arith.andi %d, %e : i1
    memref.store %f, %x[%c0] : memref<?xi1>
    nvvm.mbarrier.inval %b : !llvm.ptr<3>
    gpu.return
  }
  // CHECK-LABEL: .entry neighbours(
  // CHECK: mapa.shared::cluster
  // CHECK: barrier.cluster.arrive
  // CHECK: barrier.cluster.wait
  gpu.func @neighbours(%p: !llvm.ptr<3>, %r: i32, %x: memref<?xi32>) kernel {
    %c0 = arith.constant 0 : index
    %q = nvvm.mapa %p, %r : !llvm.ptr<3> -> !llvm.ptr<7>
    nvvm.cluster.arrive.relaxed
    nvvm.cluster.wait
    %v = llvm.load %q : !llvm.ptr<7> -> i32
    memref.store %v, %x[%c0] : memref<?xi32>
    gpu.return
  }
  // CHECK-LABEL: .entry bulk(
  // CHECK: cp.async.bulk.shared::cluster.global
  // CHECK: cp.async.bulk.global.shared::cta
  // CHECK: cp.async.bulk.prefetch.L2
  // CHECK: cp.async.bulk.commit_group
  // CHECK: cp.async.bulk.wait_group
  gpu.func @bulk(%d: !llvm.ptr<7>, %s: !llvm.ptr<1>, %b: !llvm.ptr<3>, %n: i32) kernel {
    nvvm.cp.async.bulk.shared.cluster.global %d, %s, %b, %n : !llvm.ptr<7>, !llvm.ptr<1>
    nvvm.cp.async.bulk.global.shared.cta %s, %b, %n : !llvm.ptr<1>, !llvm.ptr<3>
    nvvm.cp.async.bulk.prefetch %s, %n : !llvm.ptr<1>
    nvvm.cp.async.bulk.commit.group
    nvvm.cp.async.bulk.wait_group 0
    gpu.return
  }
  // CHECK-LABEL: .entry eights(
  // CHECK: cvt.rn.satfinite.e4m3x2.f32
  gpu.func @eights(%x: memref<?xi16>, %a: f32) kernel {
    %c0 = arith.constant 0 : index
    %v = nvvm.convert.f32x2.to.f8x2 %a, %a {rnd = #nvvm.fp_rnd_mode<rn>, sat = #nvvm.sat_mode<satfinite>} : i16 (f8E4M3FN)
    memref.store %v, %x[%c0] : memref<?xi16>
    gpu.return
  }
  // CHECK-LABEL: .entry text(
  // CHECK: ex2.approx.ftz.f32
  gpu.func @text(%x: memref<?xf32>) kernel {
    %c0 = arith.constant 0 : index
    %v = memref.load %x[%c0] : memref<?xf32>
    %p = nvvm.inline_ptx "ex2.approx.ftz.f32 {$w0}, {$r0};" ro(%v : f32) -> f32
    memref.store %p, %x[%c0] : memref<?xf32>
    gpu.return
  }
  // CHECK-LABEL: .entry register(
  // CHECK: %envreg3
  gpu.func @register(%x: memref<?xi32>) kernel {
    %c0 = arith.constant 0 : index
    %v = nvvm.read.ptx.sreg.envreg3 : i32
    memref.store %v, %x[%c0] : memref<?xi32>
    gpu.return
  }
}
