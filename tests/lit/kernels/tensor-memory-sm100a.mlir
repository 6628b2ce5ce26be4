// CHIPS: sm_100a
// Tensor memory, launches that are taken back, floats of four and six bits.
// RUN: async-gpu-opt %s --async-gpu-kernels="targets=ptx chip=sm_100a" --emit=ptx | FileCheck %s

gpu.module @m {
  // CHECK-LABEL: .entry memory(
  // CHECK: tcgen05.alloc
  // CHECK: tcgen05.ld
  // CHECK: tcgen05.wait::ld
  // CHECK: tcgen05.dealloc
  gpu.func @memory(%a: !llvm.ptr<3>, %t: !llvm.ptr<6>, %x: memref<?xi32>) kernel {
    %c0 = arith.constant 0 : index
    %n = arith.constant 32 : i32
    nvvm.tcgen05.alloc %a, %n : !llvm.ptr<3>, i32
    %v = nvvm.tcgen05.ld %t {shape = #nvvm.tcgen05_ldst_shape<shape_32x32b>} : i32
    nvvm.tcgen05.wait <load>
    memref.store %v, %x[%c0] : memref<?xi32>
    nvvm.tcgen05.dealloc %t, %n : !llvm.ptr<6>, i32
    gpu.return
  }
  // CHECK-LABEL: .entry cancel(
  // CHECK: clusterlaunchcontrol.try_cancel
  gpu.func @cancel(%a: !llvm.ptr<3>, %b: !llvm.ptr<3>) kernel {
    nvvm.clusterlaunchcontrol.try.cancel %a, %b
    gpu.return
  }
  // CHECK-LABEL: .entry small(
  // CHECK: cvt.rn.satfinite.e2m3x2.f32
  gpu.func @small(%x: memref<?xi16>, %a: f32) kernel {
    %c0 = arith.constant 0 : index
    %v = nvvm.convert.f32x2.to.f6x2 %a, %a : i16 (f6E2M3FN)
    memref.store %v, %x[%c0] : memref<?xi16>
    gpu.return
  }
}
