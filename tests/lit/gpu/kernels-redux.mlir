// Chips that have redux.sync use it, whatever else code is made for: beside native
// code, which has it too, and beside chips that have to shuffle.
// RUN: async-gpu-opt %s --async-gpu-kernels=chip=sm_80 --emit=ptx | FileCheck %s
// RUN: async-gpu-opt %s --async-gpu-kernels=chip=sm_90,sm_75 | FileCheck %s --check-prefix=MIXED
// RUN: async-gpu-opt %s --async-gpu-kernel-targets=chip=sm_90,sm_75,sm_80 | FileCheck %s --check-prefix=MODULES

// CHECK: redux.sync.add
// CHECK-NOT: shfl.sync
// MIXED: @agpu_ptx.m.sm_75("
// MIXED-NOT: redux.sync
// MIXED: @agpu_ptx.m.sm_90("
// MIXED-SAME: redux.sync
// MIXED: agpu_native_image.m
// MODULES: gpu.module @m attributes {agpu.chips = ["sm_75"], agpu.module = "m"
// MODULES: nvvm.shfl.sync
// MODULES-NOT: nvvm.redux.sync
// MODULES: gpu.module @m_native attributes {agpu.module = "m"
// MODULES: gpu.module @m_redux attributes {agpu.chips = ["sm_90", "sm_80"], agpu.module = "m"
// MODULES: nvvm.redux.sync
// MODULES-NOT: gpu.module
gpu.module @m {
  gpu.func @k(%x: memref<32xi32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %t = gpu.thread_id x
    %v = memref.load %x[%t] : memref<32xi32>
    %s = gpu.subgroup_reduce add %v : (i32) -> i32
    memref.store %s, %x[%t] : memref<32xi32>
    gpu.return
  }
}
