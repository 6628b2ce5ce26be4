// Tensors whose sizes types do not have, carried by loops: one keeps its size, and stays
// split; one loses a row in each round, and is whole between rounds.
shard.grid @ranks(shape = ?)
func.func @main(%x: tensor<?x6xf32>) -> (tensor<?x6xf32>, tensor<?x6xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %rows = shard.sharding @ranks split_axes = [[0]] : !shard.sharding
  %part = shard.shard %x to %rows : tensor<?x6xf32>
  %same = scf.for %i = %c0 to %c2 step %c1 iter_args(%a = %part) -> tensor<?x6xf32> {
    %n = tensor.dim %a, %c0 : tensor<?x6xf32>
    %e = tensor.empty(%n) : tensor<?x6xf32>
    %y = linalg.add ins(%a, %part : tensor<?x6xf32>, tensor<?x6xf32>) outs(%e : tensor<?x6xf32>) -> tensor<?x6xf32>
    scf.yield %y : tensor<?x6xf32>
  }
  %less = scf.for %i = %c0 to %c2 step %c1 iter_args(%a = %part) -> tensor<?x6xf32> {
    %n = tensor.dim %a, %c0 : tensor<?x6xf32>
    %m = arith.subi %n, %c1 : index
    %t = tensor.extract_slice %a[0, 0] [%m, 6] [1, 1] : tensor<?x6xf32> to tensor<?x6xf32>
    %e = tensor.empty(%m) : tensor<?x6xf32>
    %q = shard.shard %t to %rows : tensor<?x6xf32>
    %y = linalg.add ins(%q, %q : tensor<?x6xf32>, tensor<?x6xf32>) outs(%e : tensor<?x6xf32>) -> tensor<?x6xf32>
    scf.yield %y : tensor<?x6xf32>
  }
  return %same, %less : tensor<?x6xf32>, tensor<?x6xf32>
}

// RANKS: openmpi=3 mpich=2,4
// SIZES: 7
// SIZES: 3
