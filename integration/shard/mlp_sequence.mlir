// A perceptron whose hidden layer is split, and whose input and result are split in rows:
// ranks gather the input, and each gets its rows of the sum. The bias is added once.
shard.grid @ranks(shape = ?)
func.func @main(%x: tensor<1x7x6xf32>, %w1: tensor<6x40xf32>, %w2: tensor<40x3xf32>, %b: tensor<1x7x3xf32>) -> (tensor<1x7x3xf32>, tensor<1x7x3xf32>) {
  %rows = shard.sharding @ranks split_axes = [[], [0]] : !shard.sharding
  %columns = shard.sharding @ranks split_axes = [[], [0]] : !shard.sharding
  %xs = shard.shard %x to %rows : tensor<1x7x6xf32>
  %w1s = shard.shard %w1 to %columns : tensor<6x40xf32>
  %zero = arith.constant 0.0 : f32
  %e1 = tensor.empty() : tensor<1x7x40xf32>
  %f1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<1x7x40xf32>) -> tensor<1x7x40xf32>
  %whole = shard.sharding @ranks split_axes = [[]] : !shard.sharding
  %xw = shard.shard %xs to %whole annotate_for_users : tensor<1x7x6xf32>
  %h = linalg.generic {indexing_maps = [affine_map<(n, i, j, k) -> (n, i, k)>, affine_map<(n, i, j, k) -> (k, j)>, affine_map<(n, i, j, k) -> (n, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%xw, %w1s : tensor<1x7x6xf32>, tensor<6x40xf32>) outs(%f1 : tensor<1x7x40xf32>) {
  ^bb0(%a: f32, %c: f32, %out: f32):
    %ac = arith.mulf %a, %c : f32
    %sum = arith.addf %out, %ac : f32
    linalg.yield %sum : f32
  } -> tensor<1x7x40xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(n, i, j, k) -> (n, i, k)>, affine_map<(n, i, j, k) -> (k, j)>, affine_map<(n, i, j, k) -> (n, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%h, %w2 : tensor<1x7x40xf32>, tensor<40x3xf32>) outs(%b : tensor<1x7x3xf32>) {
  ^bb0(%a: f32, %c: f32, %out: f32):
    %ac = arith.mulf %a, %c : f32
    %sum = arith.addf %out, %ac : f32
    linalg.yield %sum : f32
  } -> tensor<1x7x3xf32>
  %ys = shard.shard %y to %rows : tensor<1x7x3xf32>
  %er = tensor.empty() : tensor<1x7x3xf32>
  %r = linalg.add ins(%ys, %ys : tensor<1x7x3xf32>, tensor<1x7x3xf32>) outs(%er : tensor<1x7x3xf32>) -> tensor<1x7x3xf32>
  return %r, %ys : tensor<1x7x3xf32>, tensor<1x7x3xf32>
}

// RANKS: openmpi=2 mpich=3
// RANKS: openmpi=4 mpich=2 --memory=discrete
