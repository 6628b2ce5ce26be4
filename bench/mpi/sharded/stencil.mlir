// Heat that spreads in a plane whose rows are split, in a loop: each round begins with the
// exchange of a row with either side, 2 KiB each. Columns are added up at the end, so that
// the result is whole.
#at = affine_map<(i, j, di, dj) -> (i + di, j + dj)>
#window = affine_map<(i, j, di, dj) -> (di, dj)>
#out = affine_map<(i, j, di, dj) -> (i, j)>
#in = affine_map<(i, j) -> (i, j)>
#sum = affine_map<(i, j) -> (j)>
shard.grid @ranks(shape = GRID)
func.func @main(%u: tensor<512x512xf32>, %w: tensor<3x3xf32>) -> tensor<512xf32> {
  %rows = shard.sharding @ranks split_axes = [[0], []] : !shard.sharding
  %part = shard.shard %u to %rows : tensor<512x512xf32>
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %rounds = arith.constant 50 : index
  %r = scf.for %round = %c0 to %rounds step %c1 iter_args(%now = %part) -> tensor<512x512xf32> {
    %padded = tensor.pad %now low[1, 1] high[1, 1] {
    ^bb0(%i: index, %j: index):
      tensor.yield %zero : f32
    } : tensor<512x512xf32> to tensor<514x514xf32>
    %e = tensor.empty() : tensor<512x512xf32>
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<512x512xf32>) -> tensor<512x512xf32>
    %next = linalg.generic {indexing_maps = [#at, #window, #out], iterator_types = ["parallel", "parallel", "reduction", "reduction"]} ins(%padded, %w : tensor<514x514xf32>, tensor<3x3xf32>) outs(%f : tensor<512x512xf32>) {
    ^bb0(%a: f32, %b: f32, %out: f32):
      %ab = arith.mulf %a, %b : f32
      %sum = arith.addf %out, %ab : f32
      linalg.yield %sum : f32
    } -> tensor<512x512xf32>
    scf.yield %next : tensor<512x512xf32>
  }
  %es = tensor.empty() : tensor<512xf32>
  %fs = linalg.fill ins(%zero : f32) outs(%es : tensor<512xf32>) -> tensor<512xf32>
  %s = linalg.generic {indexing_maps = [#in, #sum], iterator_types = ["reduction", "parallel"]} ins(%r : tensor<512x512xf32>) outs(%fs : tensor<512xf32>) {
  ^bb0(%x: f32, %y: f32):
    %t = arith.addf %y, %x : f32
    linalg.yield %t : f32
  } -> tensor<512xf32>
  return %s : tensor<512xf32>
}
