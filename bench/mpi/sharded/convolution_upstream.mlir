// convolution.mlir as upstream's passes need it, which do not partition windows: ranks have
// ROWS rows each, and fill a border of one row.
#in = affine_map<(n, i, j, c) -> (n, i, j, c)>
#sum = affine_map<(n, i, j, c) -> (j, c)>
shard.grid @ranks(shape = GRID)
func.func @main(%x: tensor<1xROWSx64x16xf32>, %w1: tensor<3x3x16x16xf32>, %w2: tensor<3x3x16x16xf32>) -> tensor<64x16xf32> {
  %zero = arith.constant 0.0 : f32
  %padded1 = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%n: index, %i: index, %j: index, %c: index):
    tensor.yield %zero : f32
  } : tensor<1xROWSx64x16xf32> to tensor<1xPADDEDx66x16xf32>
  %around1 = shard.update_halo %padded1 on @ranks split_axes = [[], [0]] halo_sizes = [1, 1] : tensor<1xPADDEDx66x16xf32>
  %e1 = tensor.empty() : tensor<1xROWSx64x16xf32>
  %f1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<1xROWSx64x16xf32>) -> tensor<1xROWSx64x16xf32>
  %h1 = linalg.conv_2d_nhwc_hwcf ins(%around1, %w1 : tensor<1xPADDEDx66x16xf32>, tensor<3x3x16x16xf32>) outs(%f1 : tensor<1xROWSx64x16xf32>) -> tensor<1xROWSx64x16xf32>
  %padded2 = tensor.pad %h1 low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%n: index, %i: index, %j: index, %c: index):
    tensor.yield %zero : f32
  } : tensor<1xROWSx64x16xf32> to tensor<1xPADDEDx66x16xf32>
  %around2 = shard.update_halo %padded2 on @ranks split_axes = [[], [0]] halo_sizes = [1, 1] : tensor<1xPADDEDx66x16xf32>
  %e2 = tensor.empty() : tensor<1xROWSx64x16xf32>
  %f2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<1xROWSx64x16xf32>) -> tensor<1xROWSx64x16xf32>
  %h2 = linalg.conv_2d_nhwc_hwcf ins(%around2, %w2 : tensor<1xPADDEDx66x16xf32>, tensor<3x3x16x16xf32>) outs(%f2 : tensor<1xROWSx64x16xf32>) -> tensor<1xROWSx64x16xf32>
  %es = tensor.empty() : tensor<64x16xf32>
  %fs = linalg.fill ins(%zero : f32) outs(%es : tensor<64x16xf32>) -> tensor<64x16xf32>
  %s = linalg.generic {indexing_maps = [#in, #sum], iterator_types = ["reduction", "reduction", "parallel", "parallel"]} ins(%h2 : tensor<1xROWSx64x16xf32>) outs(%fs : tensor<64x16xf32>) {
  ^bb0(%a: f32, %b: f32):
    %t = arith.addf %b, %a : f32
    linalg.yield %t : f32
  } -> tensor<64x16xf32>
  %ss = shard.all_reduce %s on @ranks grid_axes = [0] : tensor<64x16xf32> -> tensor<64x16xf32>
  return %ss : tensor<64x16xf32>
}
