// Rounds of two windows on rows that are split: each rank computes the rows that need no
// halo while that is under way. The second window reaches to one side alone.
#at = affine_map<(i, j, di, dj) -> (i + di, j + dj)>
#above = affine_map<(i, j, di) -> (i + di, j)>
#window = affine_map<(i, j, di, dj) -> (di, dj)>
#column = affine_map<(i, j, di) -> (di)>
#out = affine_map<(i, j, di, dj) -> (i, j)>
#sum = affine_map<(i, j, di) -> (i, j)>
shard.grid @ranks(shape = 2)
func.func @main(%u: tensor<96x96xf64>, %w: tensor<5x5xf64>, %v: tensor<2xf64>, %rounds: index) -> tensor<96x96xf64> {
  %rows = shard.sharding @ranks split_axes = [[0]] : !shard.sharding
  %part = shard.shard %u to %rows : tensor<96x96xf64>
  %zero = arith.constant 0.0 : f64
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %round = %c0 to %rounds step %c1 iter_args(%now = %part) -> tensor<96x96xf64> {
    %padded = tensor.pad %now low[2, 2] high[2, 2] {
    ^bb0(%i: index, %j: index):
      tensor.yield %zero : f64
    } : tensor<96x96xf64> to tensor<100x100xf64>
    %e = tensor.empty() : tensor<96x96xf64>
    %f = linalg.fill ins(%zero : f64) outs(%e : tensor<96x96xf64>) -> tensor<96x96xf64>
    %wide = linalg.generic {indexing_maps = [#at, #window, #out], iterator_types = ["parallel", "parallel", "reduction", "reduction"]} ins(%padded, %w : tensor<100x100xf64>, tensor<5x5xf64>) outs(%f : tensor<96x96xf64>) {
    ^bb0(%a: f64, %b: f64, %out: f64):
      %ab = arith.mulf %a, %b : f64
      %s = arith.addf %out, %ab : f64
      linalg.yield %s : f64
    } -> tensor<96x96xf64>
    %lower = tensor.pad %wide low[1, 0] high[0, 0] {
    ^bb0(%i: index, %j: index):
      tensor.yield %zero : f64
    } : tensor<96x96xf64> to tensor<97x96xf64>
    %next = linalg.generic {indexing_maps = [#above, #column, #sum], iterator_types = ["parallel", "parallel", "reduction"]} ins(%lower, %v : tensor<97x96xf64>, tensor<2xf64>) outs(%f : tensor<96x96xf64>) {
    ^bb0(%a: f64, %b: f64, %out: f64):
      %ab = arith.mulf %a, %b : f64
      %s = arith.addf %out, %ab : f64
      linalg.yield %s : f64
    } -> tensor<96x96xf64>
    scf.yield %next : tensor<96x96xf64>
  }
  return %r : tensor<96x96xf64>
}

// RANKS: openmpi=2 --shard=interior=always
// RANKS: openmpi=2 mpich=2 --shard=interior=always --memory=discrete
