// A product of matrices on a grid of three axes: rows of the first along one, columns of
// the second along another, and the sum along the third.
shard.grid @ranks(shape = 1x?x2)
func.func @main(%a: tensor<7x12xf32>, %b: tensor<12x9xf32>) -> tensor<7x9xf32> {
  %left = shard.sharding @ranks split_axes = [[0], [2]] : !shard.sharding
  %right = shard.sharding @ranks split_axes = [[2], [1]] : !shard.sharding
  %as = shard.shard %a to %left annotate_for_users : tensor<7x12xf32>
  %bs = shard.shard %b to %right annotate_for_users : tensor<12x9xf32>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<7x9xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<7x9xf32>) -> tensor<7x9xf32>
  %c = linalg.matmul ins(%as, %bs : tensor<7x12xf32>, tensor<12x9xf32>) outs(%f : tensor<7x9xf32>) -> tensor<7x9xf32>
  return %c : tensor<7x9xf32>
}

// RANKS: openmpi=2 mpich=4
