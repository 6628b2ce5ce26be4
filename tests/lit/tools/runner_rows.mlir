// Rows of few threads in a loop whose iterations depend on each other: what LLVM is
// told of the row does not hold for the loop.
// RUN: async-gpu-runner %s | FileCheck %s
// RUN: async-gpu-runner -O3 %s | FileCheck %s
// RUN: async-gpu-runner -O0 %s | FileCheck %s

// CHECK: 0, 0, 3, 3, 6, 6, 9, 9, 12, 12, 15, 15, 18, 18, 21, 21
// CHECK: 30, 30, 30, 30, 33, 33, 33, 33, 36, 36, 36, 36, 39, 39, 39, 39
func.func @main() {
  call @rows_of_2() : () -> ()
  call @rows_of_4() : () -> ()
  return
}

func.func @rows_of_2() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c100 = arith.constant 100 : index
  %threads = arith.constant 2 : index
  %three = arith.constant 3 : i32
  %zero = arith.constant 0 : i32
  %memory = gpu.alloc host_shared () : memref<512xi32>
  %start = gpu.wait async
  %cleared = gpu.memset async [%start] %memory, %zero : memref<512xi32>, i32
  gpu.wait [%cleared]
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%sx = %threads, %sy = %c1, %sz = %c1) {
    scf.for %i = %c0 to %c100 step %c1 {
      %row = arith.muli %i, %threads : index
      %from = arith.addi %row, %tx : index
      %to = arith.addi %from, %threads : index
      %value = memref.load %memory[%from] : memref<512xi32>
      %sum = arith.addi %value, %three : i32
      memref.store %sum, %memory[%to] : memref<512xi32>
    }
    gpu.terminator
  }
  %at = arith.constant 0 : index
  %seen = vector.load %memory[%at] : memref<512xi32>, vector<16xi32>
  vector.print %seen : vector<16xi32>
  gpu.dealloc %memory : memref<512xi32>
  return
}

func.func @rows_of_4() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c100 = arith.constant 100 : index
  %threads = arith.constant 4 : index
  %three = arith.constant 3 : i32
  %zero = arith.constant 0 : i32
  %memory = gpu.alloc host_shared () : memref<512xi32>
  %start = gpu.wait async
  %cleared = gpu.memset async [%start] %memory, %zero : memref<512xi32>, i32
  gpu.wait [%cleared]
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%sx = %threads, %sy = %c1, %sz = %c1) {
    scf.for %i = %c0 to %c100 step %c1 {
      %row = arith.muli %i, %threads : index
      %from = arith.addi %row, %tx : index
      %to = arith.addi %from, %threads : index
      %value = memref.load %memory[%from] : memref<512xi32>
      %sum = arith.addi %value, %three : i32
      memref.store %sum, %memory[%to] : memref<512xi32>
    }
    gpu.terminator
  }
  %at = arith.constant 40 : index
  %seen = vector.load %memory[%at] : memref<512xi32>, vector<16xi32>
  vector.print %seen : vector<16xi32>
  gpu.dealloc %memory : memref<512xi32>
  return
}
