// stencil.mlir as upstream's passes need it, which do not partition windows: ranks have
// ROWS rows each, and fill a border of one row.
#at = affine_map<(i, j, di, dj) -> (i + di, j + dj)>
#window = affine_map<(i, j, di, dj) -> (di, dj)>
#out = affine_map<(i, j, di, dj) -> (i, j)>
#in = affine_map<(i, j) -> (i, j)>
#sum = affine_map<(i, j) -> (j)>
shard.grid @ranks(shape = GRID)
func.func @main(%u: tensor<ROWSx512xf32>, %w: tensor<3x3xf32>) -> tensor<512xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %rounds = arith.constant 50 : index
  %r = scf.for %round = %c0 to %rounds step %c1 iter_args(%now = %u) -> tensor<ROWSx512xf32> {
    %padded = tensor.pad %now low[1, 1] high[1, 1] {
    ^bb0(%i: index, %j: index):
      tensor.yield %zero : f32
    } : tensor<ROWSx512xf32> to tensor<PADDEDx514xf32>
    %around = shard.update_halo %padded on @ranks split_axes = [[0]] halo_sizes = [1, 1] : tensor<PADDEDx514xf32>
    %e = tensor.empty() : tensor<ROWSx512xf32>
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<ROWSx512xf32>) -> tensor<ROWSx512xf32>
    %next = linalg.generic {indexing_maps = [#at, #window, #out], iterator_types = ["parallel", "parallel", "reduction", "reduction"]} ins(%around, %w : tensor<PADDEDx514xf32>, tensor<3x3xf32>) outs(%f : tensor<ROWSx512xf32>) {
    ^bb0(%a: f32, %b: f32, %out: f32):
      %ab = arith.mulf %a, %b : f32
      %sum = arith.addf %out, %ab : f32
      linalg.yield %sum : f32
    } -> tensor<ROWSx512xf32>
    scf.yield %next : tensor<ROWSx512xf32>
  }
  %es = tensor.empty() : tensor<512xf32>
  %fs = linalg.fill ins(%zero : f32) outs(%es : tensor<512xf32>) -> tensor<512xf32>
  %s = linalg.generic {indexing_maps = [#in, #sum], iterator_types = ["reduction", "parallel"]} ins(%r : tensor<ROWSx512xf32>) outs(%fs : tensor<512xf32>) {
  ^bb0(%x: f32, %y: f32):
    %t = arith.addf %y, %x : f32
    linalg.yield %t : f32
  } -> tensor<512xf32>
  %ss = shard.all_reduce %s on @ranks grid_axes = [0] : tensor<512xf32> -> tensor<512xf32>
  return %ss : tensor<512xf32>
}
