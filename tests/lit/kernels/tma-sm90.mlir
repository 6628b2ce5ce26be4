// Bulk copies by tensor maps, and the barriers in shared memory that they
// complete on.
// CHIPS: sm_90 sm_100
// RUN: async-gpu-opt %s --async-gpu-kernels="targets=ptx chip=sm_90" --emit=ptx | FileCheck %s

!tile = memref<64x64xf16, #gpu.address_space<workgroup>>
!map = !nvgpu.tensormap.descriptor<tensor = !tile, swizzle = none, l2promo = none, oob = zero, interleave = none>
!barrier = !nvgpu.mbarrier.group<memorySpace = #gpu.address_space<workgroup>>

gpu.module @m {
  // CHECK: .version 8.3
  // CHECK-LABEL: .entry tma(
  // The map, once, before it is used.
  // CHECK: ld.param.b64 [[MAP:%rd[0-9]+]], [tma_param_0];
  // CHECK: fence.proxy.tensormap::generic.acquire.sys {{\[}}[[MAP]]{{\]}}, 128;
  // CHECK-NOT: fence.proxy.tensormap
  // CHECK: prefetch.tensormap
  // CHECK: mbarrier.init.shared.b64
  // CHECK: cp.async.bulk.tensor.2d.shared::cluster.global
  // CHECK: mbarrier.try_wait.parity
  gpu.func @tma(%map: !map, %x: memref<?xf16>)
      workgroup(%s: !tile) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %ticks = arith.constant 1000 : index
    %bytes = arith.constant 8192 : index
    %false = arith.constant false
    %t = gpu.thread_id x
    nvgpu.tma.prefetch.descriptor %map : !map
    %b = nvgpu.mbarrier.create -> !barrier
    nvgpu.mbarrier.init %b[%c0], %c1 : !barrier
    nvgpu.mbarrier.arrive.expect_tx %b[%c0], %bytes : !barrier
    nvgpu.tma.async.load %map[%c0, %c0], %b[%c0] to %s : !map, !barrier -> !tile
    nvgpu.mbarrier.try_wait.parity %b[%c0], %false, %ticks : !barrier
    %v = memref.load %s[%c0, %t] : !tile
    memref.store %v, %x[%t] : memref<?xf16>
    gpu.return
  }

  // A map by value, or in constant memory, needs no fence; one whose address is
  // loaded has one where it is used.
  // CHECK-LABEL: .entry by_value(
  // CHECK-NOT: fence.proxy.tensormap
  // CHECK: prefetch{{.*}}tensormap
  llvm.func @by_value(%m: !llvm.ptr {llvm.align = 64, llvm.byval = !llvm.array<16 x i64>, nvvm.grid_constant}) attributes {gpu.kernel, nvvm.kernel} {
    nvvm.prefetch tensormap, %m : !llvm.ptr
    llvm.return
  }
  // CHECK-LABEL: .entry in_table(
  // CHECK: ld.global{{.*}} [[MAP:%rd[0-9]+]]
  // CHECK: fence.proxy.tensormap::generic.acquire.sys {{\[}}[[MAP]]{{\]}}, 128;
  // CHECK: prefetch.tensormap
  llvm.func @in_table(%table: !llvm.ptr) attributes {gpu.kernel, nvvm.kernel} {
    %m = llvm.load %table : !llvm.ptr -> !llvm.ptr
    nvvm.prefetch tensormap, %m : !llvm.ptr
    llvm.return
  }
}
