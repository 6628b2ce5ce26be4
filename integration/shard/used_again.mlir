// A tensor that is exchanged twice, with products in between that are added to its memory:
// each exchange reads it where it stands.
shard.grid @ranks(shape = ?)
func.func @main(%a: tensor<6x6xf64>, %b: tensor<6x6xf64>) -> tensor<6x6xf64> {
  %columns = shard.sharding @ranks split_axes = [[], [0]] : !shard.sharding
  %part = shard.shard %a to %columns : tensor<6x6xf64>
  %zero = arith.constant 0.0 : f64
  %e = tensor.empty() : tensor<6x6xf64>
  %f = linalg.fill ins(%zero : f64) outs(%e : tensor<6x6xf64>) -> tensor<6x6xf64>
  %x = linalg.matmul ins(%b, %part : tensor<6x6xf64>, tensor<6x6xf64>) outs(%f : tensor<6x6xf64>) -> tensor<6x6xf64>
  %y = linalg.matmul ins(%b, %x : tensor<6x6xf64>, tensor<6x6xf64>) outs(%part : tensor<6x6xf64>) -> tensor<6x6xf64>
  %u = linalg.matmul ins(%x, %y : tensor<6x6xf64>, tensor<6x6xf64>) outs(%f : tensor<6x6xf64>) -> tensor<6x6xf64>
  %v = linalg.matmul ins(%u, %x : tensor<6x6xf64>, tensor<6x6xf64>) outs(%u : tensor<6x6xf64>) -> tensor<6x6xf64>
  %w = linalg.matmul ins(%part, %y : tensor<6x6xf64>, tensor<6x6xf64>) outs(%v : tensor<6x6xf64>) -> tensor<6x6xf64>
  %z = linalg.matmul ins(%v, %u : tensor<6x6xf64>, tensor<6x6xf64>) outs(%u : tensor<6x6xf64>) -> tensor<6x6xf64>
  %all = linalg.add ins(%z, %w : tensor<6x6xf64>, tensor<6x6xf64>) outs(%e : tensor<6x6xf64>) -> tensor<6x6xf64>
  return %all : tensor<6x6xf64>
}

// RANKS: openmpi=3 mpich=2
