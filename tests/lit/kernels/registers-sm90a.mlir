// CHIPS: sm_90a
// What a warp may take of the registers, and order among grids.
// RUN: async-gpu-opt %s --async-gpu-kernels="targets=ptx chip=sm_90a" --emit=ptx | FileCheck %s
// RUN: async-gpu-opt %s --async-gpu-kernels=targets=native -o %t.mlir

gpu.module @m {
  // CHECK-LABEL: .entry k(
  // CHECK: griddepcontrol.wait
  // CHECK: setmaxnreg.inc.sync.aligned.u32
  gpu.func @k(%x: memref<?xi32>) kernel {
    %c0 = arith.constant 0 : index
    nvvm.griddepcontrol wait
    nvvm.setmaxregister increase 160
    %v = memref.load %x[%c0] : memref<?xi32>
    memref.store %v, %x[%c0] : memref<?xi32>
    gpu.return
  }
}
