// Attention whose heads are split: ranks project for their heads, and add up results of
// 256 KiB.
#all = affine_map<(h, i, j) -> (h, i, j)>
#row = affine_map<(h, i, j) -> (h, i)>
shard.grid @ranks(shape = GRID)
func.func @main(%q: tensor<8x128x64xf32>, %k: tensor<8x64x128xf32>, %v: tensor<8x128x64xf32>, %w: tensor<8x64x512xf32>) -> tensor<128x512xf32> {
  %heads = shard.sharding @ranks split_axes = [[0], [], []] : !shard.sharding
  %whole = shard.sharding @ranks split_axes = [[], []] : !shard.sharding
  %qs = shard.shard %q to %heads : tensor<8x128x64xf32>
  %ks = shard.shard %k to %heads : tensor<8x64x128xf32>
  %vs = shard.shard %v to %heads : tensor<8x128x64xf32>
  %ws = shard.shard %w to %heads : tensor<8x64x512xf32>
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : tensor<8x128x128xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<8x128x128xf32>) -> tensor<8x128x128xf32>
  %s = linalg.batch_matmul ins(%qs, %ks : tensor<8x128x64xf32>, tensor<8x64x128xf32>) outs(%f : tensor<8x128x128xf32>) -> tensor<8x128x128xf32>
  %em = tensor.empty() : tensor<8x128xf32>
  %m0 = linalg.fill ins(%low : f32) outs(%em : tensor<8x128xf32>) -> tensor<8x128xf32>
  %m = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "parallel", "reduction"]} ins(%s : tensor<8x128x128xf32>) outs(%m0 : tensor<8x128xf32>) {
  ^bb0(%a: f32, %b: f32):
    %max = arith.maximumf %a, %b : f32
    linalg.yield %max : f32
  } -> tensor<8x128xf32>
  %ep = tensor.empty() : tensor<8x128x128xf32>
  %p = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s, %m : tensor<8x128x128xf32>, tensor<8x128xf32>) outs(%ep : tensor<8x128x128xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %d = arith.subf %a, %b : f32
    %exp = math.exp %d : f32
    linalg.yield %exp : f32
  } -> tensor<8x128x128xf32>
  %et = tensor.empty() : tensor<8x128xf32>
  %t0 = linalg.fill ins(%zero : f32) outs(%et : tensor<8x128xf32>) -> tensor<8x128xf32>
  %t = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "parallel", "reduction"]} ins(%p : tensor<8x128x128xf32>) outs(%t0 : tensor<8x128xf32>) {
  ^bb0(%a: f32, %b: f32):
    %sum = arith.addf %b, %a : f32
    linalg.yield %sum : f32
  } -> tensor<8x128xf32>
  %en = tensor.empty() : tensor<8x128x128xf32>
  %n = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%p, %t : tensor<8x128x128xf32>, tensor<8x128xf32>) outs(%en : tensor<8x128x128xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %d = arith.divf %a, %b : f32
    linalg.yield %d : f32
  } -> tensor<8x128x128xf32>
  %eo = tensor.empty() : tensor<8x128x64xf32>
  %fo = linalg.fill ins(%zero : f32) outs(%eo : tensor<8x128x64xf32>) -> tensor<8x128x64xf32>
  %o = linalg.batch_matmul ins(%n, %vs : tensor<8x128x128xf32>, tensor<8x128x64xf32>) outs(%fo : tensor<8x128x64xf32>) -> tensor<8x128x64xf32>
  %ey = tensor.empty() : tensor<128x512xf32>
  %fy = linalg.fill ins(%zero : f32) outs(%ey : tensor<128x512xf32>) -> tensor<128x512xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i, c, h, d) -> (h, i, d)>, affine_map<(i, c, h, d) -> (h, d, c)>, affine_map<(i, c, h, d) -> (i, c)>], iterator_types = ["parallel", "parallel", "reduction", "reduction"]} ins(%o, %ws : tensor<8x128x64xf32>, tensor<8x64x512xf32>) outs(%fy : tensor<128x512xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %ab = arith.mulf %a, %b : f32
    %sum = arith.addf %out, %ab : f32
    linalg.yield %sum : f32
  } -> tensor<128x512xf32>
  %ys = shard.shard %y to %whole : tensor<128x512xf32>
  return %ys : tensor<128x512xf32>
}
