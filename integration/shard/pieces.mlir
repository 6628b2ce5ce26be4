// Two perceptrons, whose hidden layers are split: each sum over all ranks is cut along the
// rows, through which the activation and the next product work. The last sum has nobody
// behind it and stays whole.
#row = affine_map<(i, j) -> (i, j)>
#bias = affine_map<(i, j) -> (j)>
shard.grid @ranks(shape = ?)
func.func @main(%x: tensor<10x6xf64>, %w1: tensor<6x12xf64>, %w2: tensor<12x8xf64>, %b: tensor<8xf64>, %w3: tensor<8x9xf64>, %w4: tensor<9x5xf64>) -> tensor<10x5xf64> {
  %columns = shard.sharding @ranks split_axes = [[], [0]] : !shard.sharding
  %p1 = shard.shard %w1 to %columns : tensor<6x12xf64>
  %p3 = shard.shard %w3 to %columns : tensor<8x9xf64>
  %zero = arith.constant 0.0 : f64
  %e1 = tensor.empty() : tensor<10x12xf64>
  %f1 = linalg.fill ins(%zero : f64) outs(%e1 : tensor<10x12xf64>) -> tensor<10x12xf64>
  %h = linalg.matmul ins(%x, %p1 : tensor<10x6xf64>, tensor<6x12xf64>) outs(%f1 : tensor<10x12xf64>) -> tensor<10x12xf64>
  %e2 = tensor.empty() : tensor<10x8xf64>
  %f2 = linalg.fill ins(%zero : f64) outs(%e2 : tensor<10x8xf64>) -> tensor<10x8xf64>
  %y = linalg.matmul ins(%h, %w2 : tensor<10x12xf64>, tensor<12x8xf64>) outs(%f2 : tensor<10x8xf64>) -> tensor<10x8xf64>
  %a = linalg.generic {indexing_maps = [#row, #bias, #row], iterator_types = ["parallel", "parallel"]} ins(%y, %b : tensor<10x8xf64>, tensor<8xf64>) outs(%e2 : tensor<10x8xf64>) {
  ^bb0(%in: f64, %bias: f64, %out: f64):
    %sum = arith.addf %in, %bias : f64
    %max = arith.maximumf %sum, %zero : f64
    linalg.yield %max : f64
  } -> tensor<10x8xf64>
  %e3 = tensor.empty() : tensor<10x9xf64>
  %f3 = linalg.fill ins(%zero : f64) outs(%e3 : tensor<10x9xf64>) -> tensor<10x9xf64>
  %g = linalg.matmul ins(%a, %p3 : tensor<10x8xf64>, tensor<8x9xf64>) outs(%f3 : tensor<10x9xf64>) -> tensor<10x9xf64>
  %e4 = tensor.empty() : tensor<10x5xf64>
  %f4 = linalg.fill ins(%zero : f64) outs(%e4 : tensor<10x5xf64>) -> tensor<10x5xf64>
  %z = linalg.matmul ins(%g, %w4 : tensor<10x9xf64>, tensor<9x5xf64>) outs(%f4 : tensor<10x5xf64>) -> tensor<10x5xf64>
  return %z : tensor<10x5xf64>
}

// RANKS: openmpi=2,3 mpich=4 --shard=pieces=3
// RANKS: openmpi=2 --shard=pieces=3 --memory=discrete
