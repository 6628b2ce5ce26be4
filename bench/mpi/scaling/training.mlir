// Steps of training two layers, whose batch is split: each ends with sums of both gradients
// over all ranks. Words in capitals are what bench/scaling_ranks.py puts there.
#ik = affine_map<(i, j, k) -> (i, k)>
#ki = affine_map<(i, j, k) -> (k, i)>
#kj = affine_map<(i, j, k) -> (k, j)>
#jk = affine_map<(i, j, k) -> (j, k)>
#ij = affine_map<(i, j, k) -> (i, j)>
#xy = affine_map<(i, j) -> (i, j)>
shard.grid @ranks(shape = RANKS)
func.func @main() {
  %rounds = arith.constant 2 : index
  %xe = memref.alloc() : memref<BATCHxINPUTSxf32>
  %x = bufferization.to_tensor %xe restrict writable : memref<BATCHxINPUTSxf32> to tensor<BATCHxINPUTSxf32>
  %ye = memref.alloc() : memref<BATCHxOUTPUTSxf32>
  %y = bufferization.to_tensor %ye restrict writable : memref<BATCHxOUTPUTSxf32> to tensor<BATCHxOUTPUTSxf32>
  %u1e = memref.alloc() : memref<INPUTSxHIDDENxf32>
  %u1 = bufferization.to_tensor %u1e restrict writable : memref<INPUTSxHIDDENxf32> to tensor<INPUTSxHIDDENxf32>
  %u2e = memref.alloc() : memref<HIDDENxOUTPUTSxf32>
  %u2 = bufferization.to_tensor %u2e restrict writable : memref<HIDDENxOUTPUTSxf32> to tensor<HIDDENxOUTPUTSxf32>
  %rows = shard.sharding @ranks split_axes = [[0], []] : !shard.sharding
  %xs = shard.shard %x to %rows : tensor<BATCHxINPUTSxf32>
  %ys = shard.shard %y to %rows : tensor<BATCHxOUTPUTSxf32>
  %zero = arith.constant 0.0 : f32
  %rate = arith.constant 1.0e-6 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r1, %r2 = scf.for %round = %c0 to %rounds step %c1 iter_args(%w1 = %u1, %w2 = %u2) -> (tensor<INPUTSxHIDDENxf32>, tensor<HIDDENxOUTPUTSxf32>) {
    %eh = tensor.empty() : tensor<BATCHxHIDDENxf32>
    %fh = linalg.fill ins(%zero : f32) outs(%eh : tensor<BATCHxHIDDENxf32>) -> tensor<BATCHxHIDDENxf32>
    %h = linalg.matmul ins(%xs, %w1 : tensor<BATCHxINPUTSxf32>, tensor<INPUTSxHIDDENxf32>) outs(%fh : tensor<BATCHxHIDDENxf32>) -> tensor<BATCHxHIDDENxf32>
    %eo = tensor.empty() : tensor<BATCHxOUTPUTSxf32>
    %fo = linalg.fill ins(%zero : f32) outs(%eo : tensor<BATCHxOUTPUTSxf32>) -> tensor<BATCHxOUTPUTSxf32>
    %o = linalg.matmul ins(%h, %w2 : tensor<BATCHxHIDDENxf32>, tensor<HIDDENxOUTPUTSxf32>) outs(%fo : tensor<BATCHxOUTPUTSxf32>) -> tensor<BATCHxOUTPUTSxf32>
    %ed = tensor.empty() : tensor<BATCHxOUTPUTSxf32>
    %d = linalg.sub ins(%o, %ys : tensor<BATCHxOUTPUTSxf32>, tensor<BATCHxOUTPUTSxf32>) outs(%ed : tensor<BATCHxOUTPUTSxf32>) -> tensor<BATCHxOUTPUTSxf32>
    %e2 = tensor.empty() : tensor<HIDDENxOUTPUTSxf32>
    %f2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<HIDDENxOUTPUTSxf32>) -> tensor<HIDDENxOUTPUTSxf32>
    %g2 = linalg.matmul indexing_maps = [#ki, #kj, #ij] ins(%h, %d : tensor<BATCHxHIDDENxf32>, tensor<BATCHxOUTPUTSxf32>) outs(%f2 : tensor<HIDDENxOUTPUTSxf32>) -> tensor<HIDDENxOUTPUTSxf32>
    %edh = tensor.empty() : tensor<BATCHxHIDDENxf32>
    %fdh = linalg.fill ins(%zero : f32) outs(%edh : tensor<BATCHxHIDDENxf32>) -> tensor<BATCHxHIDDENxf32>
    %dh = linalg.matmul indexing_maps = [#ik, #jk, #ij] ins(%d, %w2 : tensor<BATCHxOUTPUTSxf32>, tensor<HIDDENxOUTPUTSxf32>) outs(%fdh : tensor<BATCHxHIDDENxf32>) -> tensor<BATCHxHIDDENxf32>
    %e1 = tensor.empty() : tensor<INPUTSxHIDDENxf32>
    %f1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<INPUTSxHIDDENxf32>) -> tensor<INPUTSxHIDDENxf32>
    %g1 = linalg.matmul indexing_maps = [#ki, #kj, #ij] ins(%xs, %dh : tensor<BATCHxINPUTSxf32>, tensor<BATCHxHIDDENxf32>) outs(%f1 : tensor<INPUTSxHIDDENxf32>) -> tensor<INPUTSxHIDDENxf32>
    %n1e = tensor.empty() : tensor<INPUTSxHIDDENxf32>
    %n1 = linalg.generic {indexing_maps = [#xy, #xy, #xy], iterator_types = ["parallel", "parallel"]} ins(%w1, %g1 : tensor<INPUTSxHIDDENxf32>, tensor<INPUTSxHIDDENxf32>) outs(%n1e : tensor<INPUTSxHIDDENxf32>) {
    ^bb0(%w: f32, %g: f32, %out: f32):
      %s = arith.mulf %g, %rate : f32
      %n = arith.subf %w, %s : f32
      linalg.yield %n : f32
    } -> tensor<INPUTSxHIDDENxf32>
    %n2e = tensor.empty() : tensor<HIDDENxOUTPUTSxf32>
    %n2 = linalg.generic {indexing_maps = [#xy, #xy, #xy], iterator_types = ["parallel", "parallel"]} ins(%w2, %g2 : tensor<HIDDENxOUTPUTSxf32>, tensor<HIDDENxOUTPUTSxf32>) outs(%n2e : tensor<HIDDENxOUTPUTSxf32>) {
    ^bb0(%w: f32, %g: f32, %out: f32):
      %s = arith.mulf %g, %rate : f32
      %n = arith.subf %w, %s : f32
      linalg.yield %n : f32
    } -> tensor<HIDDENxOUTPUTSxf32>
    scf.yield %n1, %n2 : tensor<INPUTSxHIDDENxf32>, tensor<HIDDENxOUTPUTSxf32>
  }
  %v1 = tensor.extract %r1[%c0, %c0] : tensor<INPUTSxHIDDENxf32>
  %v2 = tensor.extract %r2[%c0, %c0] : tensor<HIDDENxOUTPUTSxf32>
  vector.print %v1 : f32
  vector.print %v2 : f32
  return
}
