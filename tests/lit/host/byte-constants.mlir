// Constants of 1 KiB or more are bytes in LLVM IR, where rows of floats would be an
// object each; smaller ones stay what they are. Loads find the same.
// RUN: async-gpu-opt %s --async-gpu-lower --emit=llvm -O0 | FileCheck %s
// RUN: async-gpu-runner %s --entry=sum --input=index=63 | FileCheck %s --check-prefix=SUM
// RUN: async-gpu-runner %s --entry=sum --input=index=63 -O0 | FileCheck %s --check-prefix=SUM

// CHECK-DAG: @weights = {{.*}}constant [1024 x i8] c"\00\00\00\00\00\00\00\00\01\00{{.*}}, align 8
// CHECK-DAG: @few = {{.*}}constant [2 x [2 x float]]
// SUM: 128
memref.global "private" constant @weights : memref<64x2xi64> = dense<[
  [0, 1], [2, 3], [4, 5], [6, 7], [8, 9], [10, 11], [12, 13], [14, 15],
  [16, 17], [18, 19], [20, 21], [22, 23], [24, 25], [26, 27], [28, 29], [30, 31],
  [32, 33], [34, 35], [36, 37], [38, 39], [40, 41], [42, 43], [44, 45], [46, 47],
  [48, 49], [50, 51], [52, 53], [54, 55], [56, 57], [58, 59], [60, 61], [62, 63],
  [64, 65], [66, 67], [68, 69], [70, 71], [72, 73], [74, 75], [76, 77], [78, 79],
  [80, 81], [82, 83], [84, 85], [86, 87], [88, 89], [90, 91], [92, 93], [94, 95],
  [96, 97], [98, 99], [100, 101], [102, 103], [104, 105], [106, 107], [108, 109], [110, 111],
  [112, 113], [114, 115], [116, 117], [118, 119], [120, 121], [122, 123], [124, 125], [126, 127]]>
memref.global "private" constant @few : memref<2x2xf32> = dense<[[1.0, 2.0], [3.0, 4.0]]>

func.func @sum(%row: index) -> i64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %w = memref.get_global @weights : memref<64x2xi64>
  %f = memref.get_global @few : memref<2x2xf32>
  %a = memref.load %w[%row, %c1] : memref<64x2xi64>
  %b = memref.load %f[%c0, %c0] : memref<2x2xf32>
  %c = arith.fptosi %b : f32 to i64
  %d = arith.addi %a, %c : i64
  return %d : i64
}
