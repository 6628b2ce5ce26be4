// RUN: async-gpu-opt %s --async-gpu-shard="ranks=2 remarks=true" 2>&1 | FileCheck %s
// RUN: async-gpu-opt %s --async-gpu-shard="remarks=true" 2>&1 | FileCheck %s --check-prefix=ANY

// With a known number of ranks parts have known sizes, and a split of the outermost
// dimension of a group is one of what the group is collapsed into.

// CHECK: shard-reshape.mlir:26:3: remark: shard.all_gather of dimension 0 of tensor<2x6x8xf32>
// CHECK-NOT: all_gather {{.*}}6x8xf32>
// CHECK-LABEL: func.func @main
// CHECK: tensor.extract_slice {{.*}} : tensor<4x6x8xf32> to tensor<2x6x8xf32>
// CHECK: tensor.collapse_shape {{.*}} : tensor<2x6x8xf32> into tensor<12x8xf32>
// CHECK: tensor.expand_shape {{.*}} output_shape [2, 6, 8] : tensor<12x8xf32> into tensor<2x6x8xf32>

// Ranks of any number may not divide it evenly.
// ANY: remark: shard.all_gather of dimension 0 of tensor<?x6x8xf32>
// ANY-LABEL: func.func @main
// ANY: tensor.collapse_shape {{.*}} : tensor<4x6x8xf32> into tensor<24x8xf32>
shard.grid @ranks(shape = ?)
func.func @main(%x: tensor<4x6x8xf32>) -> tensor<4x6x8xf32> {
  %rows = shard.sharding @ranks split_axes = [[0]] : !shard.sharding
  %part = shard.shard %x to %rows : tensor<4x6x8xf32>
  %flat = tensor.collapse_shape %part [[0, 1], [2]] : tensor<4x6x8xf32> into tensor<24x8xf32>
  %e = tensor.empty() : tensor<24x8xf32>
  %y = linalg.add ins(%flat, %flat : tensor<24x8xf32>, tensor<24x8xf32>) outs(%e : tensor<24x8xf32>) -> tensor<24x8xf32>
  %z = tensor.expand_shape %y [[0, 1], [2]] output_shape [4, 6, 8] : tensor<24x8xf32> into tensor<4x6x8xf32>
  return %z : tensor<4x6x8xf32>
}

// A second dimension of a group is not split, nor is one of size 1.
// CHECK-LABEL: func.func @inner
// CHECK: call @shard.call.{{[0-9]+}}({{.*}}) : (tensor<4x3xf32>, memref<4x6xf32>
// CHECK: tensor.collapse_shape {{.*}} : tensor<4x6xf32> into tensor<24xf32>
// CHECK-LABEL: func.func @ones
// CHECK: tensor.collapse_shape {{.*}} : tensor<1x?x1xf32> into tensor<?xf32>
// ANY-LABEL: func.func @ones
// ANY: tensor.collapse_shape {{.*}} : tensor<1x?x1xf32> into tensor<?xf32>
func.func @inner(%x: tensor<4x6xf32>) -> tensor<24xf32> {
  %columns = shard.sharding @ranks split_axes = [[], [0]] : !shard.sharding
  %part = shard.shard %x to %columns : tensor<4x6xf32>
  %flat = tensor.collapse_shape %part [[0, 1]] : tensor<4x6xf32> into tensor<24xf32>
  return %flat : tensor<24xf32>
}
func.func @ones(%x: tensor<1x5x1xf32>) -> tensor<5xf32> {
  %rows = shard.sharding @ranks split_axes = [[], [0]] : !shard.sharding
  %part = shard.shard %x to %rows : tensor<1x5x1xf32>
  %flat = tensor.collapse_shape %part [[0, 1, 2]] : tensor<1x5x1xf32> into tensor<5xf32>
  return %flat : tensor<5xf32>
}

// One tensor.empty for results that are split and for others, as CSE leaves it: it says
// nothing of how what is written into it is split.
// CHECK-LABEL: func.func @shared
// CHECK: linalg.transpose {{.*}} outs({{.*}} : tensor<8x8xf32>)
// CHECK: linalg.matmul {{.*}} -> tensor<4x8xf32>
func.func @shared(%x: tensor<8x8xf32>, %w: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %rows = shard.sharding @ranks split_axes = [[0]] : !shard.sharding
  %part = shard.shard %x to %rows : tensor<8x8xf32>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x8xf32>
  %t = linalg.transpose ins(%w : tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) permutation = [1, 0]
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<8x8xf32>) -> tensor<8x8xf32>
  %y = linalg.matmul ins(%part, %t : tensor<8x8xf32>, tensor<8x8xf32>) outs(%f : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %y : tensor<8x8xf32>
}

// What the program says of it holds.
// CHECK-LABEL: func.func @annotated
// CHECK: linalg.matmul {{.*}} -> tensor<4x8xf32>
func.func @annotated(%x: tensor<8x8xf32>, %w: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %rows = shard.sharding @ranks split_axes = [[0]] : !shard.sharding
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x8xf32>
  %part = shard.shard %e to %rows annotate_for_users : tensor<8x8xf32>
  %f = linalg.fill ins(%zero : f32) outs(%part : tensor<8x8xf32>) -> tensor<8x8xf32>
  %y = linalg.matmul ins(%x, %w : tensor<8x8xf32>, tensor<8x8xf32>) outs(%f : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %y : tensor<8x8xf32>
}
