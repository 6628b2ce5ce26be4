// Two products on a grid of two axes. The first result is split in blocks; the second
// product wants its rows along both axes, so that blocks change places.
shard.grid @ranks(shape = 2x?)
func.func @main(%a: tensor<8x6xf32>, %b: tensor<6x10xf32>, %c: tensor<10x5xf32>) -> tensor<8x5xf32> {
  %rows = shard.sharding @ranks split_axes = [[0], []] : !shard.sharding
  %columns = shard.sharding @ranks split_axes = [[], [1]] : !shard.sharding
  %all_rows = shard.sharding @ranks split_axes = [[0, 1]] : !shard.sharding
  %as = shard.shard %a to %rows : tensor<8x6xf32>
  %bs = shard.shard %b to %columns : tensor<6x10xf32>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x10xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<8x10xf32>) -> tensor<8x10xf32>
  %ab = linalg.matmul ins(%as, %bs : tensor<8x6xf32>, tensor<6x10xf32>) outs(%f : tensor<8x10xf32>) -> tensor<8x10xf32>
  %moved = shard.shard %ab to %all_rows annotate_for_users : tensor<8x10xf32>
  %e2 = tensor.empty() : tensor<8x5xf32>
  %f2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<8x5xf32>) -> tensor<8x5xf32>
  %y = linalg.matmul ins(%moved, %c : tensor<8x10xf32>, tensor<10x5xf32>) outs(%f2 : tensor<8x5xf32>) -> tensor<8x5xf32>
  return %y : tensor<8x5xf32>
}

// RANKS: openmpi=4 mpich=2
