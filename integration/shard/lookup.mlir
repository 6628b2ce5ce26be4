// An embedding: rows of a table, which ranks have parts of, are looked up in the body of
// an op, by numbers of which each rank has its own. There the table is whole.
shard.grid @ranks(shape = ?)
func.func @main(%table: tensor<7x3xf32>, %which: tensor<5xi64>) -> tensor<5x3xf32> {
  %rows = shard.sharding @ranks split_axes = [[0]] : !shard.sharding
  %part = shard.shard %table to %rows : tensor<7x3xf32>
  %e = tensor.empty() : tensor<7x3xf32>
  %doubled = linalg.add ins(%part, %part : tensor<7x3xf32>, tensor<7x3xf32>) outs(%e : tensor<7x3xf32>) -> tensor<7x3xf32>
  %mine = shard.shard %which to %rows : tensor<5xi64>
  %three = arith.constant 3 : i64
  %e1 = tensor.empty() : tensor<5x3xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%mine : tensor<5xi64>) outs(%e1 : tensor<5x3xf32>) {
  ^bb0(%number: i64, %out: f32):
    %from_zero = arith.addi %number, %three : i64
    %row = arith.index_cast %from_zero : i64 to index
    %column = linalg.index 1 : index
    %element = tensor.extract %doubled[%row, %column] : tensor<7x3xf32>
    linalg.yield %element : f32
  } -> tensor<5x3xf32>
  return %y : tensor<5x3xf32>
}

// RANKS: openmpi=1,3 mpich=2,4
