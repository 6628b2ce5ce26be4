// Attention whose heads are split. Ranks project for their heads, and add up what the
// heads give.
#all = affine_map<(h, i, j) -> (h, i, j)>
#row = affine_map<(h, i, j) -> (h, i)>
shard.grid @ranks(shape = ?)
func.func @main(%q: tensor<6x4x8xf32>, %k: tensor<6x8x4xf32>, %v: tensor<6x4x8xf32>, %w: tensor<6x8x5xf32>) -> tensor<4x5xf32> {
  %heads = shard.sharding @ranks split_axes = [[0]] : !shard.sharding
  %part = shard.shard %q to %heads : tensor<6x4x8xf32>
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : tensor<6x4x4xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<6x4x4xf32>) -> tensor<6x4x4xf32>
  %s = linalg.batch_matmul ins(%part, %k : tensor<6x4x8xf32>, tensor<6x8x4xf32>) outs(%f : tensor<6x4x4xf32>) -> tensor<6x4x4xf32>
  %er = tensor.empty() : tensor<6x4xf32>
  %m0 = linalg.fill ins(%low : f32) outs(%er : tensor<6x4xf32>) -> tensor<6x4xf32>
  %m = linalg.reduce {arith.maximumf} ins(%s : tensor<6x4x4xf32>) outs(%m0 : tensor<6x4xf32>) dimensions = [2]
  %p = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s, %m : tensor<6x4x4xf32>, tensor<6x4xf32>) outs(%e : tensor<6x4x4xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %d = arith.subf %a, %b : f32
    %x = math.exp %d : f32
    linalg.yield %x : f32
  } -> tensor<6x4x4xf32>
  %t0 = linalg.fill ins(%zero : f32) outs(%er : tensor<6x4xf32>) -> tensor<6x4xf32>
  %t = linalg.reduce {arith.addf} ins(%p : tensor<6x4x4xf32>) outs(%t0 : tensor<6x4xf32>) dimensions = [2]
  %n = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%p, %t : tensor<6x4x4xf32>, tensor<6x4xf32>) outs(%e : tensor<6x4x4xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %d = arith.divf %a, %b : f32
    linalg.yield %d : f32
  } -> tensor<6x4x4xf32>
  %eo = tensor.empty() : tensor<6x4x8xf32>
  %fo = linalg.fill ins(%zero : f32) outs(%eo : tensor<6x4x8xf32>) -> tensor<6x4x8xf32>
  %o = linalg.batch_matmul ins(%n, %v : tensor<6x4x4xf32>, tensor<6x4x8xf32>) outs(%fo : tensor<6x4x8xf32>) -> tensor<6x4x8xf32>
  %ey = tensor.empty() : tensor<4x5xf32>
  %fy = linalg.fill ins(%zero : f32) outs(%ey : tensor<4x5xf32>) -> tensor<4x5xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i, c, h, d) -> (h, i, d)>, affine_map<(i, c, h, d) -> (h, d, c)>, affine_map<(i, c, h, d) -> (i, c)>], iterator_types = ["parallel", "parallel", "reduction", "reduction"]} ins(%o, %w : tensor<6x4x8xf32>, tensor<6x8x5xf32>) outs(%fy : tensor<4x5xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %ab = arith.mulf %a, %b : f32
    %sum = arith.addf %out, %ab : f32
    linalg.yield %sum : f32
  } -> tensor<4x5xf32>
  return %y : tensor<4x5xf32>
}

// RANKS: openmpi=2 mpich=3
