// The first step alone: everything in a gpu.module becomes LLVM and NVVM.
// RUN: async-gpu-opt %s --async-gpu-kernels-to-nvvm | FileCheck %s
// Doing it twice changes nothing.
// RUN: async-gpu-opt %s --async-gpu-kernels-to-nvvm --async-gpu-kernels-to-nvvm | FileCheck %s

// CHECK-LABEL: gpu.module @m
gpu.module @m {
  // CHECK: llvm.mlir.global private {{.*}}constant @table
  memref.global "private" constant @table : memref<2xf32> = dense<[1.0, 2.0]>

  // A device function has no twin for callers in C.
  // CHECK-NOT: _mlir_ciface
  // CHECK: llvm.func @square(%{{.*}}: f32) -> f32
  // CHECK-NOT: emit_c_interface
  func.func private @square(%x: f32) -> f32 {
    %r = arith.mulf %x, %x : f32
    return %r : f32
  }

  // A memref is the members of its descriptor, index is i64.
  // CHECK: llvm.func @k(%[[N:.*]]: i64, %{{.*}}: !llvm.ptr, %[[X:.*]]: !llvm.ptr, %{{.*}}: i64, %{{.*}}: i64, %{{.*}}: i64)
  // CHECK-SAME: nvvm.kernel
  gpu.func @k(%n: index, %x: memref<?xf32>) kernel {
    // CHECK: nvvm.read.ptx.sreg.tid.x
    %t = gpu.thread_id x
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    // CHECK-NOT: scf.for
    scf.for %i = %t to %n step %c1 {
      // CHECK: llvm.load
      %v = memref.load %x[%i] : memref<?xf32>
      // CHECK: llvm.call @square
      %s = func.call @square(%v) : (f32) -> f32
      %table = memref.get_global @table : memref<2xf32>
      %f = memref.load %table[%c1] : memref<2xf32>
      // CHECK: llvm.call @__nv_expf
      %e = math.exp %s : f32
      // CHECK: llvm.fmul
      %r = arith.mulf %e, %f : f32
      // CHECK: llvm.store
      memref.store %r, %x[%i] : memref<?xf32>
    }
    // CHECK-NOT: affine.for
    affine.for %i = 0 to 4 {
      %v = affine.load %x[%i] : memref<?xf32>
      affine.store %v, %x[%i + 4] : memref<?xf32>
    }
    // CHECK: llvm.return
    gpu.return
  }
}
