// A step of training whose batch is split: the gradients of two layers are sums over all
// ranks, 1.5 MiB.
#ik = affine_map<(i, j, k) -> (i, k)>
#ki = affine_map<(i, j, k) -> (k, i)>
#kj = affine_map<(i, j, k) -> (k, j)>
#jk = affine_map<(i, j, k) -> (j, k)>
#ij = affine_map<(i, j, k) -> (i, j)>
shard.grid @ranks(shape = GRID)
func.func @main(%x: tensor<128x512xf32>, %y: tensor<128x256xf32>, %w1: tensor<512x512xf32>, %w2: tensor<512x256xf32>) -> (tensor<512x512xf32>, tensor<512x256xf32>) {
  %rows = shard.sharding @ranks split_axes = [[0], []] : !shard.sharding
  %whole = shard.sharding @ranks split_axes = [[], []] : !shard.sharding
  %xs = shard.shard %x to %rows : tensor<128x512xf32>
  %ys = shard.shard %y to %rows : tensor<128x256xf32>
  %w1s = shard.shard %w1 to %whole : tensor<512x512xf32>
  %w2s = shard.shard %w2 to %whole : tensor<512x256xf32>
  %zero = arith.constant 0.0 : f32
  %eh = tensor.empty() : tensor<128x512xf32>
  %fh = linalg.fill ins(%zero : f32) outs(%eh : tensor<128x512xf32>) -> tensor<128x512xf32>
  %h = linalg.matmul ins(%xs, %w1s : tensor<128x512xf32>, tensor<512x512xf32>) outs(%fh : tensor<128x512xf32>) -> tensor<128x512xf32>
  %hs = shard.shard %h to %rows : tensor<128x512xf32>
  %eo = tensor.empty() : tensor<128x256xf32>
  %fo = linalg.fill ins(%zero : f32) outs(%eo : tensor<128x256xf32>) -> tensor<128x256xf32>
  %o = linalg.matmul ins(%hs, %w2s : tensor<128x512xf32>, tensor<512x256xf32>) outs(%fo : tensor<128x256xf32>) -> tensor<128x256xf32>
  %os = shard.shard %o to %rows : tensor<128x256xf32>
  %ed = tensor.empty() : tensor<128x256xf32>
  %d = linalg.sub ins(%os, %ys : tensor<128x256xf32>, tensor<128x256xf32>) outs(%ed : tensor<128x256xf32>) -> tensor<128x256xf32>
  %ds = shard.shard %d to %rows : tensor<128x256xf32>
  %e2 = tensor.empty() : tensor<512x256xf32>
  %f2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<512x256xf32>) -> tensor<512x256xf32>
  %g2 = linalg.matmul indexing_maps = [#ki, #kj, #ij] ins(%hs, %ds : tensor<128x512xf32>, tensor<128x256xf32>) outs(%f2 : tensor<512x256xf32>) -> tensor<512x256xf32>
  %g2s = shard.shard %g2 to %whole : tensor<512x256xf32>
  %edh = tensor.empty() : tensor<128x512xf32>
  %fdh = linalg.fill ins(%zero : f32) outs(%edh : tensor<128x512xf32>) -> tensor<128x512xf32>
  %dh = linalg.matmul indexing_maps = [#ik, #jk, #ij] ins(%ds, %w2s : tensor<128x256xf32>, tensor<512x256xf32>) outs(%fdh : tensor<128x512xf32>) -> tensor<128x512xf32>
  %dhs = shard.shard %dh to %rows : tensor<128x512xf32>
  %e1 = tensor.empty() : tensor<512x512xf32>
  %f1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<512x512xf32>) -> tensor<512x512xf32>
  %g1 = linalg.matmul indexing_maps = [#ki, #kj, #ij] ins(%xs, %dhs : tensor<128x512xf32>, tensor<128x512xf32>) outs(%f1 : tensor<512x512xf32>) -> tensor<512x512xf32>
  %g1s = shard.shard %g1 to %whole : tensor<512x512xf32>
  return %g1s, %g2s : tensor<512x512xf32>, tensor<512x256xf32>
}
