// LLVM's intrinsics of matrices, which no target selects, are lowered at all levels, and
// in kernels. Matrices are stored by columns.
// RUN: async-gpu-runner %s | FileCheck %s
// RUN: async-gpu-runner -O0 %s | FileCheck %s
// RUN: async-gpu-opt --emit=ptx %s -o %t && FileCheck %s --check-prefix=PTX < %t
// PTX: .entry main_kernel

// CHECK: ( 23, 34, 31, 46 )
// CHECK: ( 1, 3, 2, 4 )
func.func @main() {
  %a = arith.constant dense<[1.0, 2.0, 3.0, 4.0]> : vector<4xf64>
  %b = arith.constant dense<[5.0, 6.0, 7.0, 8.0]> : vector<4xf64>
  %product = llvm.intr.matrix.multiply %a, %b
    {lhs_rows = 2 : i32, lhs_columns = 2 : i32, rhs_columns = 2 : i32}
    : (vector<4xf64>, vector<4xf64>) -> vector<4xf64>
  vector.print %product : vector<4xf64>

  %c1 = arith.constant 1 : index
  %memory = gpu.alloc host_shared () : memref<1xvector<4xf64>>
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {
    %turned = llvm.intr.matrix.transpose %a {rows = 2 : i32, columns = 2 : i32}
      : vector<4xf64> into vector<4xf64>
    memref.store %turned, %memory[%bx] : memref<1xvector<4xf64>>
    gpu.terminator
  }
  %c0 = arith.constant 0 : index
  %turned = memref.load %memory[%c0] : memref<1xvector<4xf64>>
  vector.print %turned : vector<4xf64>
  gpu.dealloc %memory : memref<1xvector<4xf64>>
  return
}
