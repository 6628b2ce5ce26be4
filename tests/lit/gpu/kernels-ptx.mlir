// What the PTX looks like, and the options that it depends on.
// RUN: async-gpu-opt %s --async-gpu-kernels=targets=ptx | FileCheck %s
// RUN: async-gpu-opt %s --async-gpu-kernels="targets=ptx chip=sm_90 features=+ptx80" | FileCheck %s --check-prefix=CHIP
// RUN: async-gpu-opt %s --async-gpu-kernels="targets=ptx opt-level=0" | FileCheck %s --check-prefix=O0

// RUN: not async-gpu-opt %s --async-gpu-kernels=chip=sm_999 2>&1 | FileCheck %s --check-prefix=BAD-CHIP
// RUN: not async-gpu-opt %s --async-gpu-kernels=chip=gfx90a 2>&1 | FileCheck %s --check-prefix=NO-CHIP
// RUN: not async-gpu-opt %s --async-gpu-kernels=features=+ptx99 2>&1 | FileCheck %s --check-prefix=BAD-PTX
// RUN: not async-gpu-opt %s --async-gpu-kernels=targets=ptx,amd 2>&1 | FileCheck %s --check-prefix=BAD-TARGET
// RUN: not async-gpu-opt %s --async-gpu-kernels=opt-level=9 2>&1 | FileCheck %s --check-prefix=BAD-LEVEL

// BAD-CHIP: kernels-ptx.mlir:[[#@LINE+5]]:1: error: unknown chip 'sm_999' in option chip='sm_999'
// NO-CHIP: error: unknown chip 'gfx90a' in option chip='gfx90a'
// BAD-PTX: error: unknown PTX version in option features='+ptx99'
// BAD-TARGET: error: unknown target in option targets='ptx,amd'
// BAD-LEVEL: error: option opt-level=9 is not in 0 to 3
gpu.module @m {
  // Helpers are inlined or local; only kernels are entries.
  func.func private @helper(%x: f32) -> f32 {
    %r = math.sqrt %x : f32
    return %r : f32
  }
  // A name that PTX cannot spell is escaped, in the image and its descriptor.
  gpu.func @"a-b"(%x: memref<?xf32>)
      kernel attributes {known_block_size = array<i32: 64, 2, 1>} {
    %t = gpu.thread_id x
    %v = memref.load %x[%t] : memref<?xf32>
    %h = func.call @helper(%v) : (f32) -> f32
    %f = math.fma %h, %v, %v : f32
    memref.store %f, %x[%t] : memref<?xf32>
    gpu.return
  }
}

// CHECK: llvm.mlir.global private {{.*}}constant @{{.*}}("a_$2db\00")
// CHECK: @agpu_ptx.m.sm_75("
// CHECK-SAME: .version 6.3
// CHECK-SAME: .target sm_75
// CHECK-SAME: .visible .entry a_$2db(
// CHECK-SAME: .reqntid 64, 2, 1
// Math that is one instruction needs no libdevice.
// CHECK-SAME: {{sqrt.rn.f32.*fma.rn.f32|fma.rn.f32.*sqrt.rn.f32}}
// CHECK: @"agpu_kernel.m.a-b"

// O0: @agpu_ptx.m.sm_75("
// O0-SAME: .func (.param .b32 func_retval0) helper(
// O0-SAME: .visible .entry a_$2db(

// CHIP: .version 8.0
// CHIP-SAME: .target sm_90
// CHIP: llvm.mlir.constant(90 : i32)
