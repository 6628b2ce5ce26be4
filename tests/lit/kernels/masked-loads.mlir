// Lanes that are off are not read, and are what the op says.
// RUN: async-gpu-opt %s --async-gpu-kernels=targets=ptx --emit=ptx | FileCheck %s

gpu.module @m {
  // CHECK-LABEL: .entry some(
  // CHECK: ld.global.b32 [[A:%r[0-9]+]], [{{[^+]*}}];
  // CHECK-NEXT: ld.global.b32 [[B:%r[0-9]+]], [{{.*}}+8];
  // CHECK-NOT: ld.global
  // CHECK-DAG: st.global.b32 [{{[^+]*}}], [[A]];
  // CHECK-DAG: st.global.b32 [{{.*}}+4], 7;
  // CHECK-DAG: st.global.b32 [{{.*}}+8], [[B]];
  // CHECK-DAG: st.global.b32 [{{.*}}+12], 7;
  gpu.func @some(%x: memref<8xi32>, %y: memref<8xi32>) kernel {
    %c0 = arith.constant 0 : index
    %mask = arith.constant dense<[true, false, true, false]> : vector<4xi1>
    %other = arith.constant dense<7> : vector<4xi32>
    %v = vector.maskedload %x[%c0], %mask, %other : memref<8xi32>, vector<4xi1>, vector<4xi32> into vector<4xi32>
    vector.store %v, %y[%c0] : memref<8xi32>, vector<4xi32>
    gpu.return
  }
}
