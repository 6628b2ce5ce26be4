// A perceptron of two layers, whose batch is split: ranks have their rows of the input,
// and all of the weights, and meet at the end alone.
shard.grid @ranks(shape = ?)
func.func @main(%x: tensor<10x6xf32>, %w1: tensor<6x8xf32>, %b1: tensor<8xf32>, %w2: tensor<8x3xf32>) -> tensor<10x3xf32> {
  %rows = shard.sharding @ranks split_axes = [[0]] : !shard.sharding
  %part = shard.shard %x to %rows : tensor<10x6xf32>
  %zero = arith.constant 0.0 : f32
  %e1 = tensor.empty() : tensor<10x8xf32>
  %f1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<10x8xf32>) -> tensor<10x8xf32>
  %h = linalg.matmul ins(%part, %w1 : tensor<10x6xf32>, tensor<6x8xf32>) outs(%f1 : tensor<10x8xf32>) -> tensor<10x8xf32>
  %a = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%h, %b1 : tensor<10x8xf32>, tensor<8xf32>) outs(%e1 : tensor<10x8xf32>) {
  ^bb0(%in: f32, %b: f32, %out: f32):
    %sum = arith.addf %in, %b : f32
    %max = arith.maximumf %sum, %zero : f32
    linalg.yield %max : f32
  } -> tensor<10x8xf32>
  %e2 = tensor.empty() : tensor<10x3xf32>
  %f2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<10x3xf32>) -> tensor<10x3xf32>
  %y = linalg.matmul ins(%a, %w2 : tensor<10x8xf32>, tensor<8x3xf32>) outs(%f2 : tensor<10x3xf32>) -> tensor<10x3xf32>
  return %y : tensor<10x3xf32>
}

// RANKS: openmpi=1 mpich=4
