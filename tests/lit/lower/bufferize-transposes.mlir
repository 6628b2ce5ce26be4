// Transposes of constants are made when the program is compiled, of resources too;
// others are read through.

// RUN: async-gpu-opt %s --async-gpu-bufferize=fuse=true --split-input-file | FileCheck %s

// CHECK-DAG: memref.global {{.*}} : memref<3x2xi16> = dense<{{\[}}[1, 4], [2, 5], [3, 6]]>
// CHECK-DAG: memref.global {{.*}} : memref<4x3x2xi8> = dense<{{\[}}{{\[}}[0, 12], [4, 16], [8, 20]], {{\[}}[1, 13], [5, 17], [9, 21]], {{\[}}[2, 14], [6, 18], [10, 22]], {{\[}}[3, 15], [7, 19], [11, 23]]]>
// CHECK-DAG: memref.global {{.*}} : memref<2x2xf32> = dense_resource<[[BLOB:[a-z_0-9]+]]>
// CHECK-LABEL: func.func @constants
// CHECK-NOT:   linalg
// CHECK:       return
// CHECK:       [[BLOB]]: "0x040000000000803F000040400000004000008040"
func.func @constants() -> (tensor<3x2xi16>, tensor<2x2xf32>, tensor<4x3x2xi8>) {
  %a = arith.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi16>
  %e = tensor.empty() : tensor<3x2xi16>
  %t = linalg.transpose ins(%a : tensor<2x3xi16>) outs(%e : tensor<3x2xi16>) permutation = [1, 0]
  %b = arith.constant dense_resource<weights> : tensor<2x2xf32>
  %f = tensor.empty() : tensor<2x2xf32>
  %u = linalg.transpose ins(%b : tensor<2x2xf32>) outs(%f : tensor<2x2xf32>) permutation = [1, 0]
  %c = arith.constant dense<[[[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]],
                             [[12, 13, 14, 15], [16, 17, 18, 19], [20, 21, 22, 23]]]> : tensor<2x3x4xi8>
  %g = tensor.empty() : tensor<4x3x2xi8>
  %v = linalg.transpose ins(%c : tensor<2x3x4xi8>) outs(%g : tensor<4x3x2xi8>) permutation = [2, 1, 0]
  return %t, %u, %v : tensor<3x2xi16>, tensor<2x2xf32>, tensor<4x3x2xi8>
}

{-#
  dialect_resources: {
    builtin: {
      // 1, 2, 3, 4
      weights: "0x040000000000803F000000400000404000008040"
    }
  }
#-}

// -----

// CHECK-LABEL: func.func @product(%arg0: memref<8x16xf32>, %arg1: memref<4x16xf32>)
// CHECK:       linalg.generic {{.*}}"reduction"{{.*}} ins(%arg0, %arg1 :
// CHECK-NOT:   linalg.generic
// CHECK:       return
func.func @product(%x: tensor<8x16xf32>, %w: tensor<4x16xf32>) -> tensor<8x4xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<16x4xf32>
  %t = linalg.transpose ins(%w : tensor<4x16xf32>) outs(%e : tensor<16x4xf32>) permutation = [1, 0]
  %o = tensor.empty() : tensor<8x4xf32>
  %f = linalg.fill ins(%zero : f32) outs(%o : tensor<8x4xf32>) -> tensor<8x4xf32>
  %c = linalg.matmul ins(%x, %t : tensor<8x16xf32>, tensor<16x4xf32>) outs(%f : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %c : tensor<8x4xf32>
}

// -----

// A resource that is not there stays; upstream drops what has no elements.
// CHECK-LABEL: func.func @left
// CHECK:       linalg.generic {{.*}} ins({{.*}} : memref<2x3xf32>)
func.func @left(%s: f32) -> (tensor<3x2xf32>, tensor<0x2xf32>) {
  %b = arith.constant dense_resource<__elided__> : tensor<2x3xf32>
  %e = tensor.empty() : tensor<3x2xf32>
  %t = linalg.transpose ins(%b : tensor<2x3xf32>) outs(%e : tensor<3x2xf32>) permutation = [1, 0]
  %c = arith.constant dense_resource<__elided__> : tensor<2x0xf32>
  %f = tensor.empty() : tensor<0x2xf32>
  %u = linalg.transpose ins(%c : tensor<2x0xf32>) outs(%f : tensor<0x2xf32>) permutation = [1, 0]
  return %t, %u : tensor<3x2xf32>, tensor<0x2xf32>
}
