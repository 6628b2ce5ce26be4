// The same perceptron, whose hidden layer is split: ranks have columns of the first
// weights and rows of the second ones, and add up what they have. The second bias is
// added once.
shard.grid @ranks(shape = ?)
func.func @main(%x: tensor<5x6xf32>, %w1: tensor<6x10xf32>, %b1: tensor<10xf32>, %w2: tensor<10x3xf32>, %b2: tensor<5x3xf32>) -> tensor<5x3xf32> {
  %columns = shard.sharding @ranks split_axes = [[], [0]] : !shard.sharding
  %part = shard.shard %w1 to %columns : tensor<6x10xf32>
  %zero = arith.constant 0.0 : f32
  %e1 = tensor.empty() : tensor<5x10xf32>
  %f1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<5x10xf32>) -> tensor<5x10xf32>
  %h = linalg.matmul ins(%x, %part : tensor<5x6xf32>, tensor<6x10xf32>) outs(%f1 : tensor<5x10xf32>) -> tensor<5x10xf32>
  %a = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%h, %b1 : tensor<5x10xf32>, tensor<10xf32>) outs(%e1 : tensor<5x10xf32>) {
  ^bb0(%in: f32, %b: f32, %out: f32):
    %sum = arith.addf %in, %b : f32
    %max = arith.maximumf %sum, %zero : f32
    linalg.yield %max : f32
  } -> tensor<5x10xf32>
  %y = linalg.matmul ins(%a, %w2 : tensor<5x10xf32>, tensor<10x3xf32>) outs(%b2 : tensor<5x3xf32>) -> tensor<5x3xf32>
  return %y : tensor<5x3xf32>
}

// RANKS: openmpi=3 mpich=2
