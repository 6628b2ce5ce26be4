// Layers of a transformer that are split as Megatron-LM does: ranks have heads of the attention
// and columns of the hidden layer, and each of the two ends with a sum over all ranks. Words
// in capitals are what bench/scaling_ranks.py puts there.
#all = affine_map<(h, i, j) -> (h, i, j)>
#row = affine_map<(h, i, j) -> (h, i)>
#hik = affine_map<(h, i, j, k) -> (h, i, k)>
#hjk = affine_map<(h, i, j, k) -> (h, j, k)>
#ik = affine_map<(h, i, j, k) -> (i, k)>
#hkj = affine_map<(h, i, j, k) -> (h, k, j)>
#hij = affine_map<(h, i, j, k) -> (h, i, j)>
#ij = affine_map<(i, j) -> (i, j)>
shard.grid @ranks(shape = RANKS)
func.func @main() {
  %rounds = arith.constant 2 : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %heads = shard.sharding @ranks split_axes = [[0], [], []] : !shard.sharding
  %columns = shard.sharding @ranks split_axes = [[], [0]] : !shard.sharding
  %rows = shard.sharding @ranks split_axes = [[0], []] : !shard.sharding
  %whole = shard.sharding @ranks split_axes = [[], []] : !shard.sharding
  %xe = memref.alloc() : memref<TOKENSxWIDTHxf32>
  %x0 = bufferization.to_tensor %xe restrict writable : memref<TOKENSxWIDTHxf32> to tensor<TOKENSxWIDTHxf32>
  %wpe = memref.alloc() : memref<HEADSxWIDTHx64xf32>
  %wp0 = bufferization.to_tensor %wpe restrict writable : memref<HEADSxWIDTHx64xf32> to tensor<HEADSxWIDTHx64xf32>
  %wp = shard.shard %wp0 to %heads : tensor<HEADSxWIDTHx64xf32>
  %woe = memref.alloc() : memref<HEADSx64xWIDTHxf32>
  %wo0 = bufferization.to_tensor %woe restrict writable : memref<HEADSx64xWIDTHxf32> to tensor<HEADSx64xWIDTHxf32>
  %wo = shard.shard %wo0 to %heads : tensor<HEADSx64xWIDTHxf32>
  %w1e = memref.alloc() : memref<WIDTHxHIDDENxf32>
  %w10 = bufferization.to_tensor %w1e restrict writable : memref<WIDTHxHIDDENxf32> to tensor<WIDTHxHIDDENxf32>
  %w1 = shard.shard %w10 to %columns : tensor<WIDTHxHIDDENxf32>
  %w2e = memref.alloc() : memref<HIDDENxWIDTHxf32>
  %w20 = bufferization.to_tensor %w2e restrict writable : memref<HIDDENxWIDTHxf32> to tensor<HIDDENxWIDTHxf32>
  %w2 = shard.shard %w20 to %rows : tensor<HIDDENxWIDTHxf32>
  %xn = tensor.empty() : tensor<TOKENSxWIDTHxf32>
  %r = scf.for %layer = %c0 to %rounds step %c1 iter_args(%x = %x0) -> tensor<TOKENSxWIDTHxf32> {
    %ep = tensor.empty() : tensor<HEADSxTOKENSx64xf32>
    %fp = linalg.fill ins(%zero : f32) outs(%ep : tensor<HEADSxTOKENSx64xf32>) -> tensor<HEADSxTOKENSx64xf32>
    %q = linalg.generic {indexing_maps = [#ik, #hkj, #hij], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%x, %wp : tensor<TOKENSxWIDTHxf32>, tensor<HEADSxWIDTHx64xf32>) outs(%fp : tensor<HEADSxTOKENSx64xf32>) {
    ^bb0(%a: f32, %b: f32, %out: f32):
      %ab = arith.mulf %a, %b : f32
      %sum = arith.addf %out, %ab : f32
      linalg.yield %sum : f32
    } -> tensor<HEADSxTOKENSx64xf32>
    %es = tensor.empty() : tensor<HEADSxTOKENSxTOKENSxf32>
    %fs = linalg.fill ins(%zero : f32) outs(%es : tensor<HEADSxTOKENSxTOKENSxf32>) -> tensor<HEADSxTOKENSxTOKENSxf32>
    %s = linalg.batch_matmul indexing_maps = [#hik, #hjk, #hij] ins(%q, %q : tensor<HEADSxTOKENSx64xf32>, tensor<HEADSxTOKENSx64xf32>) outs(%fs : tensor<HEADSxTOKENSxTOKENSxf32>) -> tensor<HEADSxTOKENSxTOKENSxf32>
    %em = tensor.empty() : tensor<HEADSxTOKENSxf32>
    %m0 = linalg.fill ins(%low : f32) outs(%em : tensor<HEADSxTOKENSxf32>) -> tensor<HEADSxTOKENSxf32>
    %m = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "parallel", "reduction"]} ins(%s : tensor<HEADSxTOKENSxTOKENSxf32>) outs(%m0 : tensor<HEADSxTOKENSxf32>) {
    ^bb0(%a: f32, %b: f32):
      %max = arith.maximumf %a, %b : f32
      linalg.yield %max : f32
    } -> tensor<HEADSxTOKENSxf32>
    %pe = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s, %m : tensor<HEADSxTOKENSxTOKENSxf32>, tensor<HEADSxTOKENSxf32>) outs(%es : tensor<HEADSxTOKENSxTOKENSxf32>) {
    ^bb0(%a: f32, %b: f32, %out: f32):
      %d = arith.subf %a, %b : f32
      %exp = math.exp %d : f32
      linalg.yield %exp : f32
    } -> tensor<HEADSxTOKENSxTOKENSxf32>
    %t0 = linalg.fill ins(%zero : f32) outs(%em : tensor<HEADSxTOKENSxf32>) -> tensor<HEADSxTOKENSxf32>
    %t = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "parallel", "reduction"]} ins(%pe : tensor<HEADSxTOKENSxTOKENSxf32>) outs(%t0 : tensor<HEADSxTOKENSxf32>) {
    ^bb0(%a: f32, %b: f32):
      %sum = arith.addf %b, %a : f32
      linalg.yield %sum : f32
    } -> tensor<HEADSxTOKENSxf32>
    %n = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%pe, %t : tensor<HEADSxTOKENSxTOKENSxf32>, tensor<HEADSxTOKENSxf32>) outs(%es : tensor<HEADSxTOKENSxTOKENSxf32>) {
    ^bb0(%a: f32, %b: f32, %out: f32):
      %d = arith.divf %a, %b : f32
      linalg.yield %d : f32
    } -> tensor<HEADSxTOKENSxTOKENSxf32>
    %o = linalg.batch_matmul ins(%n, %q : tensor<HEADSxTOKENSxTOKENSxf32>, tensor<HEADSxTOKENSx64xf32>) outs(%fp : tensor<HEADSxTOKENSx64xf32>) -> tensor<HEADSxTOKENSx64xf32>
    %fx = linalg.fill ins(%zero : f32) outs(%xn : tensor<TOKENSxWIDTHxf32>) -> tensor<TOKENSxWIDTHxf32>
    %y = linalg.generic {indexing_maps = [affine_map<(i, c, h, d) -> (h, i, d)>, affine_map<(i, c, h, d) -> (h, d, c)>, affine_map<(i, c, h, d) -> (i, c)>], iterator_types = ["parallel", "parallel", "reduction", "reduction"]} ins(%o, %wo : tensor<HEADSxTOKENSx64xf32>, tensor<HEADSx64xWIDTHxf32>) outs(%fx : tensor<TOKENSxWIDTHxf32>) {
    ^bb0(%a: f32, %b: f32, %out: f32):
      %ab = arith.mulf %a, %b : f32
      %sum = arith.addf %out, %ab : f32
      linalg.yield %sum : f32
    } -> tensor<TOKENSxWIDTHxf32>
    %x1 = linalg.add ins(%x, %y : tensor<TOKENSxWIDTHxf32>, tensor<TOKENSxWIDTHxf32>) outs(%xn : tensor<TOKENSxWIDTHxf32>) -> tensor<TOKENSxWIDTHxf32>
    %x1s = shard.shard %x1 to %whole : tensor<TOKENSxWIDTHxf32>
    %eh = tensor.empty() : tensor<TOKENSxHIDDENxf32>
    %fh = linalg.fill ins(%zero : f32) outs(%eh : tensor<TOKENSxHIDDENxf32>) -> tensor<TOKENSxHIDDENxf32>
    %h = linalg.matmul ins(%x1s, %w1 : tensor<TOKENSxWIDTHxf32>, tensor<WIDTHxHIDDENxf32>) outs(%fh : tensor<TOKENSxHIDDENxf32>) -> tensor<TOKENSxHIDDENxf32>
    %g = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]} ins(%h : tensor<TOKENSxHIDDENxf32>) outs(%eh : tensor<TOKENSxHIDDENxf32>) {
    ^bb0(%in: f32, %out: f32):
      %max = arith.maximumf %in, %zero : f32
      linalg.yield %max : f32
    } -> tensor<TOKENSxHIDDENxf32>
    %z = linalg.matmul ins(%g, %w2 : tensor<TOKENSxHIDDENxf32>, tensor<HIDDENxWIDTHxf32>) outs(%fx : tensor<TOKENSxWIDTHxf32>) -> tensor<TOKENSxWIDTHxf32>
    %x2 = linalg.add ins(%x1s, %z : tensor<TOKENSxWIDTHxf32>, tensor<TOKENSxWIDTHxf32>) outs(%xn : tensor<TOKENSxWIDTHxf32>) -> tensor<TOKENSxWIDTHxf32>
    scf.yield %x2 : tensor<TOKENSxWIDTHxf32>
  }
  %v = tensor.extract %r[%c0, %c0] : tensor<TOKENSxWIDTHxf32>
  vector.print %v : f32
  return
}
