// Rounds of a stencil on a plane whose rows are split: each begins with an exchange of rows
// with either side. Words in capitals are what bench/scaling_ranks.py puts there.
#at = affine_map<(i, j, di, dj) -> (i + di, j + dj)>
#window = affine_map<(i, j, di, dj) -> (di, dj)>
#out = affine_map<(i, j, di, dj) -> (i, j)>
shard.grid @ranks(shape = RANKS)
func.func @main() {
  %rounds = arith.constant 2 : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %split = shard.sharding @ranks split_axes = [[0]] : !shard.sharding
  %ue = memref.alloc() : memref<ROWSxCOLUMNSxf32>
  %u0 = bufferization.to_tensor %ue restrict writable : memref<ROWSxCOLUMNSxf32> to tensor<ROWSxCOLUMNSxf32>
  %u = shard.shard %u0 to %split : tensor<ROWSxCOLUMNSxf32>
  %we = memref.alloc() : memref<5x5xf32>
  %w = bufferization.to_tensor %we restrict writable : memref<5x5xf32> to tensor<5x5xf32>
  %r = scf.for %round = %c0 to %rounds step %c1 iter_args(%now = %u) -> tensor<ROWSxCOLUMNSxf32> {
    %padded = tensor.pad %now low[2, 2] high[2, 2] {
    ^bb0(%i: index, %j: index):
      tensor.yield %zero : f32
    } : tensor<ROWSxCOLUMNSxf32> to tensor<PADDED_ROWSxPADDED_COLUMNSxf32>
    %e = tensor.empty() : tensor<ROWSxCOLUMNSxf32>
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<ROWSxCOLUMNSxf32>) -> tensor<ROWSxCOLUMNSxf32>
    %next = linalg.generic {indexing_maps = [#at, #window, #out], iterator_types = ["parallel", "parallel", "reduction", "reduction"]} ins(%padded, %w : tensor<PADDED_ROWSxPADDED_COLUMNSxf32>, tensor<5x5xf32>) outs(%f : tensor<ROWSxCOLUMNSxf32>) {
    ^bb0(%a: f32, %b: f32, %out: f32):
      %ab = arith.mulf %a, %b : f32
      %sum = arith.addf %out, %ab : f32
      linalg.yield %sum : f32
    } -> tensor<ROWSxCOLUMNSxf32>
    scf.yield %next : tensor<ROWSxCOLUMNSxf32>
  }
  %e0 = tensor.empty() : tensor<f32>
  %f0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<f32>) -> tensor<f32>
  %s = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> ()>], iterator_types = ["reduction", "reduction"]} ins(%r : tensor<ROWSxCOLUMNSxf32>) outs(%f0 : tensor<f32>) {
  ^bb0(%a: f32, %b: f32):
    %sum = arith.addf %b, %a : f32
    linalg.yield %sum : f32
  } -> tensor<f32>
  %v = tensor.extract %s[] : tensor<f32>
  vector.print %v : f32
  return
}
