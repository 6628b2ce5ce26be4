// LLVM's intrinsics of matrices, which no target selects, are lowered at all levels, and
// in kernels. Matrices are stored by columns, or by rows; what else mlir-runner wants for
// them changes nothing.
// RUN: async-gpu-runner %s | FileCheck %s
// RUN: async-gpu-runner -enable-matrix -matrix-allow-contract -matrix-default-layout=row-major %s | FileCheck %s --check-prefix=ROWS
// ROWS: ( 19, 22, 43, 50 )
// ROWS: ( 1, 3, 2, 4 )
// RUN: not async-gpu-runner --matrix-default-layout=rows %s 2>&1 | FileCheck %s --check-prefix=LAYOUT
// LAYOUT: error: option '--matrix-default-layout' is column-major or row-major, not 'rows'
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
