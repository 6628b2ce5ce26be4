// Ops of tensor on parts, and where they need the whole of what they read.
// RUN: async-gpu-opt %s --async-gpu-shard | FileCheck %s

shard.grid @ranks(shape = 2)

// A slice of fewer dimensions is one of the whole tensor.
// CHECK-LABEL: func.func @row(
// CHECK: call @shard.call{{.*}} : (tensor<2x6xf32>, memref<4x6xf32>
// CHECK: %[[ALL:.*]] = bufferization.to_tensor
// CHECK: tensor.extract_slice %[[ALL]][0, 0] [1, 6] [1, 1] : tensor<4x6xf32> to tensor<6xf32>
func.func @row(%x: tensor<4x6xf32>) -> tensor<6xf32> {
  %s = shard.sharding @ranks split_axes = [[0]] : !shard.sharding
  %p = shard.shard %x to %s : tensor<4x6xf32>
  %r = tensor.extract_slice %p[0, 0] [1, 6] [1, 1] : tensor<4x6xf32> to tensor<6xf32>
  return %r : tensor<6xf32>
}

// So is what has the same size, but elements at other places. (Upstream folds a pad to the same
// type, wherever its elements go.)
// CHECK-LABEL: func.func @moved(
// CHECK: call @shard.call{{.*}} : (tensor<4xf32>, memref<8xf32>
// CHECK: %[[ALL:.*]] = bufferization.to_tensor
// CHECK: tensor.pad %[[ALL]] nofold low[1] high[-1]
func.func @moved(%x: tensor<8xf32>) -> tensor<8xf32> {
  %z = arith.constant 0.0 : f32
  %s = shard.sharding @ranks split_axes = [[0]] : !shard.sharding
  %p = shard.shard %x to %s : tensor<8xf32>
  %q = tensor.pad %p nofold low[1] high[-1] {
  ^bb0(%i: index):
    tensor.yield %z : f32
  } : tensor<8xf32> to tensor<8xf32>
  return %q : tensor<8xf32>
}

// CHECK-LABEL: func.func @reversed(
// CHECK: call @shard.call{{.*}} : (tensor<4xf32>, memref<8xf32>
// CHECK: %[[ALL:.*]] = bufferization.to_tensor
// CHECK: tensor.extract_slice %[[ALL]][7] [8] [-1]
func.func @reversed(%x: tensor<8xf32>) -> tensor<8xf32> {
  %s = shard.sharding @ranks split_axes = [[0]] : !shard.sharding
  %p = shard.shard %x to %s : tensor<8xf32>
  %q = tensor.extract_slice %p[7] [8] [-1] : tensor<8xf32> to tensor<8xf32>
  return %q : tensor<8xf32>
}

// Who asks for a size that is known does not need what is padded: of the part, the halo comes.
// CHECK-LABEL: func.func @asked(
// CHECK-NOT: memref<8xf32>
// CHECK: call @shard.call{{.*}} : (tensor<4xf32>, memref<?xf32>
// CHECK: linalg.conv_1d
// CHECK: return %{{.*}}, %c10
func.func @asked(%x: tensor<8xf32>, %w: tensor<3xf32>) -> (tensor<8xf32>, index) {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %s = shard.sharding @ranks split_axes = [[0]] : !shard.sharding
  %p = shard.shard %x to %s : tensor<8xf32>
  %q = tensor.pad %p low[1] high[1] {
  ^bb0(%i: index):
    tensor.yield %z : f32
  } : tensor<8xf32> to tensor<10xf32>
  %n = tensor.dim %q, %c0 : tensor<10xf32>
  %e = tensor.empty() : tensor<8xf32>
  %y = linalg.conv_1d ins(%q, %w : tensor<10xf32>, tensor<3xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  return %y, %n : tensor<8xf32>, index
}
