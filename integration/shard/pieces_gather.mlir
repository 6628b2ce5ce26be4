// A perceptron whose weights are split in columns, and whose layers are gathered: each piece
// of rows is gathered while the next is computed, and the next layer begins with it.
shard.grid @ranks(shape = 2)
func.func @main(%x: tensor<10x6xf64>, %w1: tensor<6x12xf64>, %w2: tensor<12x8xf64>, %w3: tensor<8x5xf64>, %z: tensor<10x12xf64>) -> (tensor<10x5xf64>, tensor<8x10xf64>) {
  %columns = shard.sharding @ranks split_axes = [[], [0]] : !shard.sharding
  %rows = shard.sharding @ranks split_axes = [[0], []] : !shard.sharding
  %whole = shard.sharding @ranks split_axes = [[], []] : !shard.sharding
  %zero = arith.constant 0.0 : f64
  %p1 = shard.shard %w1 to %columns : tensor<6x12xf64>
  %e1 = tensor.empty() : tensor<10x12xf64>
  %f1 = linalg.fill ins(%zero : f64) outs(%e1 : tensor<10x12xf64>) -> tensor<10x12xf64>
  %h1 = linalg.matmul ins(%x, %p1 : tensor<10x6xf64>, tensor<6x12xf64>) outs(%f1 : tensor<10x12xf64>) -> tensor<10x12xf64>
  %g1 = shard.shard %h1 to %whole : tensor<10x12xf64>
  %p2 = shard.shard %w2 to %columns : tensor<12x8xf64>
  %e2 = tensor.empty() : tensor<10x8xf64>
  %f2 = linalg.fill ins(%zero : f64) outs(%e2 : tensor<10x8xf64>) -> tensor<10x8xf64>
  %h2 = linalg.matmul ins(%g1, %p2 : tensor<10x12xf64>, tensor<12x8xf64>) outs(%f2 : tensor<10x8xf64>) -> tensor<10x8xf64>
  %g2 = shard.shard %h2 to %whole : tensor<10x8xf64>
  %e3 = tensor.empty() : tensor<10x5xf64>
  %f3 = linalg.fill ins(%zero : f64) outs(%e3 : tensor<10x5xf64>) -> tensor<10x5xf64>
  %y = linalg.matmul ins(%g2, %w3 : tensor<10x8xf64>, tensor<8x5xf64>) outs(%f3 : tensor<10x5xf64>) -> tensor<10x5xf64>

  // A sum of which each rank has rows, and its transpose.
  %q1 = shard.shard %z to %columns : tensor<10x12xf64>
  %q2 = shard.shard %w2 to %rows : tensor<12x8xf64>
  %s = linalg.matmul ins(%q1, %q2 : tensor<10x12xf64>, tensor<12x8xf64>) outs(%f2 : tensor<10x8xf64>) -> tensor<10x8xf64>
  %r = shard.shard %s to %rows : tensor<10x8xf64>
  %e5 = tensor.empty() : tensor<8x10xf64>
  %t = linalg.transpose ins(%r : tensor<10x8xf64>) outs(%e5 : tensor<8x10xf64>) permutation = [1, 0]
  return %y, %t : tensor<10x5xf64>, tensor<8x10xf64>
}

// RANKS: openmpi=2 mpich=2 --shard=pieces=3
// RANKS: openmpi=2 --shard=pieces=3 --memory=discrete
