// A step of training whose batch is split. The gradients are sums over the batch: that of
// the second layer is added up over all ranks while that of the first one is computed.
shard.grid @ranks(shape = ?)
func.func @main(%x: tensor<12x6xf32>, %y: tensor<12x3xf32>, %w1: tensor<6x8xf32>, %w2: tensor<8x3xf32>) -> (tensor<6x8xf32>, tensor<8x3xf32>) {
  %rows = shard.sharding @ranks split_axes = [[0]] : !shard.sharding
  %part = shard.shard %x to %rows : tensor<12x6xf32>
  %zero = arith.constant 0.0 : f32
  %eh = tensor.empty() : tensor<12x8xf32>
  %fh = linalg.fill ins(%zero : f32) outs(%eh : tensor<12x8xf32>) -> tensor<12x8xf32>
  %h = linalg.matmul ins(%part, %w1 : tensor<12x6xf32>, tensor<6x8xf32>) outs(%fh : tensor<12x8xf32>) -> tensor<12x8xf32>
  %eo = tensor.empty() : tensor<12x3xf32>
  %fo = linalg.fill ins(%zero : f32) outs(%eo : tensor<12x3xf32>) -> tensor<12x3xf32>
  %o = linalg.matmul ins(%h, %w2 : tensor<12x8xf32>, tensor<8x3xf32>) outs(%fo : tensor<12x3xf32>) -> tensor<12x3xf32>
  %d = linalg.sub ins(%o, %y : tensor<12x3xf32>, tensor<12x3xf32>) outs(%eo : tensor<12x3xf32>) -> tensor<12x3xf32>
  %e2 = tensor.empty() : tensor<8x3xf32>
  %f2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<8x3xf32>) -> tensor<8x3xf32>
  %g2 = linalg.matmul indexing_maps = [affine_map<(i, j, k) -> (k, i)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>] ins(%h, %d : tensor<12x8xf32>, tensor<12x3xf32>) outs(%f2 : tensor<8x3xf32>) -> tensor<8x3xf32>
  %dh = linalg.matmul indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (j, k)>, affine_map<(i, j, k) -> (i, j)>] ins(%d, %w2 : tensor<12x3xf32>, tensor<8x3xf32>) outs(%fh : tensor<12x8xf32>) -> tensor<12x8xf32>
  %e1 = tensor.empty() : tensor<6x8xf32>
  %f1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<6x8xf32>) -> tensor<6x8xf32>
  %g1 = linalg.matmul indexing_maps = [affine_map<(i, j, k) -> (k, i)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>] ins(%part, %dh : tensor<12x6xf32>, tensor<12x8xf32>) outs(%f1 : tensor<6x8xf32>) -> tensor<6x8xf32>
  return %g1, %g2 : tensor<6x8xf32>, tensor<8x3xf32>
}

// RANKS: openmpi=3 mpich=2
