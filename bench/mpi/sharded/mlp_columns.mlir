// A perceptron whose hidden layer is split: ranks have columns of the first weights and
// rows of the second ones, and add up results of 1 MiB.
#ij = affine_map<(i, j) -> (i, j)>
shard.grid @ranks(shape = GRID)
func.func @main(%x: tensor<512x128xf32>, %w1: tensor<128x512xf32>, %w2: tensor<512x512xf32>) -> tensor<512x512xf32> {
  %whole = shard.sharding @ranks split_axes = [[], []] : !shard.sharding
  %columns = shard.sharding @ranks split_axes = [[], [0]] : !shard.sharding
  %rows = shard.sharding @ranks split_axes = [[0], []] : !shard.sharding
  %xs = shard.shard %x to %whole : tensor<512x128xf32>
  %w1s = shard.shard %w1 to %columns : tensor<128x512xf32>
  %w2s = shard.shard %w2 to %rows : tensor<512x512xf32>
  %zero = arith.constant 0.0 : f32
  %e1 = tensor.empty() : tensor<512x512xf32>
  %f1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<512x512xf32>) -> tensor<512x512xf32>
  %h = linalg.matmul ins(%xs, %w1s : tensor<512x128xf32>, tensor<128x512xf32>) outs(%f1 : tensor<512x512xf32>) -> tensor<512x512xf32>
  %er = tensor.empty() : tensor<512x512xf32>
  %r = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]} ins(%h : tensor<512x512xf32>) outs(%er : tensor<512x512xf32>) {
  ^bb0(%in: f32, %out: f32):
    %max = arith.maximumf %in, %zero : f32
    linalg.yield %max : f32
  } -> tensor<512x512xf32>
  %ey = tensor.empty() : tensor<512x512xf32>
  %fy = linalg.fill ins(%zero : f32) outs(%ey : tensor<512x512xf32>) -> tensor<512x512xf32>
  %y = linalg.matmul ins(%r, %w2s : tensor<512x512xf32>, tensor<512x512xf32>) outs(%fy : tensor<512x512xf32>) -> tensor<512x512xf32>
  %ys = shard.shard %y to %whole : tensor<512x512xf32>
  return %ys : tensor<512x512xf32>
}
