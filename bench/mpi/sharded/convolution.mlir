// Two convolutions of an image whose rows are split: each begins with the exchange of a
// row of 4 KiB with either side. Channels are added up at the end, so that the result is
// whole.
#in = affine_map<(n, i, j, c) -> (n, i, j, c)>
#sum = affine_map<(n, i, j, c) -> (j, c)>
shard.grid @ranks(shape = GRID)
func.func @main(%x: tensor<1x64x64x16xf32>, %w1: tensor<3x3x16x16xf32>, %w2: tensor<3x3x16x16xf32>) -> tensor<64x16xf32> {
  %rows = shard.sharding @ranks split_axes = [[], [0]] : !shard.sharding
  %part = shard.shard %x to %rows : tensor<1x64x64x16xf32>
  %zero = arith.constant 0.0 : f32
  %padded1 = tensor.pad %part low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%n: index, %i: index, %j: index, %c: index):
    tensor.yield %zero : f32
  } : tensor<1x64x64x16xf32> to tensor<1x66x66x16xf32>
  %e1 = tensor.empty() : tensor<1x64x64x16xf32>
  %f1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<1x64x64x16xf32>) -> tensor<1x64x64x16xf32>
  %h1 = linalg.conv_2d_nhwc_hwcf ins(%padded1, %w1 : tensor<1x66x66x16xf32>, tensor<3x3x16x16xf32>) outs(%f1 : tensor<1x64x64x16xf32>) -> tensor<1x64x64x16xf32>
  %padded2 = tensor.pad %h1 low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%n: index, %i: index, %j: index, %c: index):
    tensor.yield %zero : f32
  } : tensor<1x64x64x16xf32> to tensor<1x66x66x16xf32>
  %e2 = tensor.empty() : tensor<1x64x64x16xf32>
  %f2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<1x64x64x16xf32>) -> tensor<1x64x64x16xf32>
  %h2 = linalg.conv_2d_nhwc_hwcf ins(%padded2, %w2 : tensor<1x66x66x16xf32>, tensor<3x3x16x16xf32>) outs(%f2 : tensor<1x64x64x16xf32>) -> tensor<1x64x64x16xf32>
  %es = tensor.empty() : tensor<64x16xf32>
  %fs = linalg.fill ins(%zero : f32) outs(%es : tensor<64x16xf32>) -> tensor<64x16xf32>
  %s = linalg.generic {indexing_maps = [#in, #sum], iterator_types = ["reduction", "reduction", "parallel", "parallel"]} ins(%h2 : tensor<1x64x64x16xf32>) outs(%fs : tensor<64x16xf32>) {
  ^bb0(%a: f32, %b: f32):
    %t = arith.addf %b, %a : f32
    linalg.yield %t : f32
  } -> tensor<64x16xf32>
  return %s : tensor<64x16xf32>
}
