// A matrix whose rows are split is transformed along its rows, and then along its
// columns: in between all ranks exchange blocks with all others.
shard.grid @ranks(shape = ?)
func.func @main(%x: tensor<7x10xf32>, %rows: tensor<10x10xf32>, %columns: tensor<7x7xf32>) -> tensor<7x10xf32> {
  %by_rows = shard.sharding @ranks split_axes = [[0]] : !shard.sharding
  %by_columns = shard.sharding @ranks split_axes = [[], [0]] : !shard.sharding
  %part = shard.shard %x to %by_rows : tensor<7x10xf32>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<7x10xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<7x10xf32>) -> tensor<7x10xf32>
  %a = linalg.matmul ins(%part, %rows : tensor<7x10xf32>, tensor<10x10xf32>) outs(%f : tensor<7x10xf32>) -> tensor<7x10xf32>
  %moved = shard.shard %a to %by_columns annotate_for_users : tensor<7x10xf32>
  %y = linalg.matmul ins(%columns, %moved : tensor<7x7xf32>, tensor<7x10xf32>) outs(%f : tensor<7x10xf32>) -> tensor<7x10xf32>
  return %y : tensor<7x10xf32>
}

// RANKS: openmpi=2 mpich=8
