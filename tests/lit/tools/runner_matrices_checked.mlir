// The accesses of LLVM's intrinsics of matrices are checked like others, column by
// column: the second column of one thread is the first of the next where columns are
// as far apart as threads.
// RUN: not async-gpu-runner %s --device=emu --check=races -e meet 2>&1 | FileCheck %s
// CHECK: runner_matrices_checked.mlir:[[#@LINE+15]]:5: error: race: {{.*}} writes
// RUN: async-gpu-runner %s --device=emu --check=races -e apart
func.func private @store(%stride: i64) {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %memory = gpu.alloc () : memref<32xf64>
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%sx = %c2, %sy = %c1, %sz = %c1) {
    %base = memref.extract_aligned_pointer_as_index %memory : memref<32xf64> -> index
    %bytes = arith.constant 32 : index
    %offset = arith.muli %tx, %bytes : index
    %at = arith.addi %base, %offset : index
    %number = arith.index_cast %at : index to i64
    %pointer = llvm.inttoptr %number : i64 to !llvm.ptr
    %ones = arith.constant dense<1.0> : vector<4xf64>
    llvm.intr.matrix.column.major.store %ones, %pointer, <stride=%stride>
      {isVolatile = 0 : i1, rows = 2 : i32, columns = 2 : i32} : vector<4xf64> to !llvm.ptr stride i64
    gpu.terminator
  }
  gpu.dealloc %memory : memref<32xf64>
  return
}
func.func @meet() {
  %stride = arith.constant 4 : i64
  call @store(%stride) : (i64) -> ()
  return
}
func.func @apart() {
  %stride = arith.constant 8 : i64
  call @store(%stride) : (i64) -> ()
  return
}
