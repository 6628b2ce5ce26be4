// Two convolutions of images whose rows are split: with padding, and with strides. Each
// rank gets from those beside it the rows that its windows reach into.
shard.grid @ranks(shape = ?)
func.func @main(%x: tensor<2x11x9x3xf32>, %w1: tensor<3x3x3x4xf32>, %w2: tensor<3x3x4x2xf32>) -> tensor<2x5x4x2xf32> {
  %rows = shard.sharding @ranks split_axes = [[], [0]] : !shard.sharding
  %part = shard.shard %x to %rows : tensor<2x11x9x3xf32>
  %zero = arith.constant 0.0 : f32
  %padded = tensor.pad %part low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%n: index, %i: index, %j: index, %c: index):
    tensor.yield %zero : f32
  } : tensor<2x11x9x3xf32> to tensor<2x13x11x3xf32>
  %e1 = tensor.empty() : tensor<2x11x9x4xf32>
  %f1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<2x11x9x4xf32>) -> tensor<2x11x9x4xf32>
  %h = linalg.conv_2d_nhwc_hwcf ins(%padded, %w1 : tensor<2x13x11x3xf32>, tensor<3x3x3x4xf32>) outs(%f1 : tensor<2x11x9x4xf32>) -> tensor<2x11x9x4xf32>
  %e2 = tensor.empty() : tensor<2x5x4x2xf32>
  %f2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<2x5x4x2xf32>) -> tensor<2x5x4x2xf32>
  %y = linalg.conv_2d_nhwc_hwcf {strides = dense<2> : tensor<2xi64>} ins(%h, %w2 : tensor<2x11x9x4xf32>, tensor<3x3x4x2xf32>) outs(%f2 : tensor<2x5x4x2xf32>) -> tensor<2x5x4x2xf32>
  return %y : tensor<2x5x4x2xf32>
}

// RANKS: openmpi=3
// RANKS: mpich=2 --memory=discrete
