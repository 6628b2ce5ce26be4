// A product of matrices on a grid of two axes: rows of the first along one, the sum along
// the other. Its columns are added up along the first, so that the result is whole.
#in = affine_map<(i, j) -> (i, j)>
#sum = affine_map<(i, j) -> (j)>
shard.grid @ranks(shape = GRID)
func.func @main(%a: tensor<512x256xf32>, %b: tensor<256x512xf32>) -> tensor<512xf32> {
  %left = shard.sharding @ranks split_axes = [[0], [1]] : !shard.sharding
  %right = shard.sharding @ranks split_axes = [[1], []] : !shard.sharding
  %rows = shard.sharding @ranks split_axes = [[0], []] : !shard.sharding
  %whole = shard.sharding @ranks split_axes = [[]] : !shard.sharding
  %as = shard.shard %a to %left : tensor<512x256xf32>
  %bs = shard.shard %b to %right : tensor<256x512xf32>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<512x512xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<512x512xf32>) -> tensor<512x512xf32>
  %c = linalg.matmul ins(%as, %bs : tensor<512x256xf32>, tensor<256x512xf32>) outs(%f : tensor<512x512xf32>) -> tensor<512x512xf32>
  %cs = shard.shard %c to %rows : tensor<512x512xf32>
  %es = tensor.empty() : tensor<512xf32>
  %fs = linalg.fill ins(%zero : f32) outs(%es : tensor<512xf32>) -> tensor<512xf32>
  %s = linalg.generic {indexing_maps = [#in, #sum], iterator_types = ["reduction", "parallel"]} ins(%cs : tensor<512x512xf32>) outs(%fs : tensor<512xf32>) {
  ^bb0(%x: f32, %y: f32):
    %t = arith.addf %y, %x : f32
    linalg.yield %t : f32
  } -> tensor<512xf32>
  %ss = shard.shard %s to %whole : tensor<512xf32>
  return %ss : tensor<512xf32>
}
