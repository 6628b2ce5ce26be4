// A layer of attention as frameworks export it: heads are made of columns, and batch and
// sequence are one dimension of products. Ranks keep their parts through all of it. Where
// rows of the batch do not divide evenly, what is reshaped is gathered first.
shard.grid @ranks(shape = ?)
func.func private @batch(%x: tensor<6x4x8xf32>, %w: tensor<8x10xf32>) -> tensor<6x4x10xf32> {
  %rows = shard.sharding @ranks split_axes = [[0]] : !shard.sharding
  %part = shard.shard %x to %rows : tensor<6x4x8xf32>
  %flat = tensor.collapse_shape %part [[0, 1], [2]] : tensor<6x4x8xf32> into tensor<24x8xf32>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<24x10xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<24x10xf32>) -> tensor<24x10xf32>
  %y = linalg.matmul ins(%flat, %w : tensor<24x8xf32>, tensor<8x10xf32>) outs(%f : tensor<24x10xf32>) -> tensor<24x10xf32>
  %z = tensor.expand_shape %y [[0, 1], [2]] output_shape [6, 4, 10] : tensor<24x10xf32> into tensor<6x4x10xf32>
  return %z : tensor<6x4x10xf32>
}

func.func private @heads(%x: tensor<5x8xf32>, %w: tensor<8x12xf32>) -> tensor<6x5xf32> {
  %columns = shard.sharding @ranks split_axes = [[], [0]] : !shard.sharding
  %part = shard.shard %w to %columns : tensor<8x12xf32>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<5x12xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<5x12xf32>) -> tensor<5x12xf32>
  %q = linalg.matmul ins(%x, %part : tensor<5x8xf32>, tensor<8x12xf32>) outs(%f : tensor<5x12xf32>) -> tensor<5x12xf32>
  %h = tensor.expand_shape %q [[0], [1, 2]] output_shape [5, 6, 2] : tensor<5x12xf32> into tensor<5x6x2xf32>
  %et = tensor.empty() : tensor<6x5x2xf32>
  %t = linalg.transpose ins(%h : tensor<5x6x2xf32>) outs(%et : tensor<6x5x2xf32>) permutation = [1, 0, 2]
  %es = tensor.empty() : tensor<6x5xf32>
  %fs = linalg.fill ins(%zero : f32) outs(%es : tensor<6x5xf32>) -> tensor<6x5xf32>
  %s = linalg.reduce {arith.addf} ins(%t : tensor<6x5x2xf32>) outs(%fs : tensor<6x5xf32>) dimensions = [2]
  return %s : tensor<6x5xf32>
}

// Any size, beside dimensions of size 1.
func.func private @squeezed(%x: tensor<?x1x4xf32>) -> tensor<1x?x4xf32> {
  %rows = shard.sharding @ranks split_axes = [[0]] : !shard.sharding
  %part = shard.shard %x to %rows : tensor<?x1x4xf32>
  %flat = tensor.collapse_shape %part [[0, 1], [2]] : tensor<?x1x4xf32> into tensor<?x4xf32>
  %c0 = arith.constant 0 : index
  %n = tensor.dim %flat, %c0 : tensor<?x4xf32>
  %e = tensor.empty(%n) : tensor<?x4xf32>
  %y = linalg.add ins(%flat, %flat : tensor<?x4xf32>, tensor<?x4xf32>) outs(%e : tensor<?x4xf32>) -> tensor<?x4xf32>
  %z = tensor.expand_shape %y [[0, 1], [2]] output_shape [1, %n, 4] : tensor<?x4xf32> into tensor<1x?x4xf32>
  return %z : tensor<1x?x4xf32>
}

// A cast keeps the split; the product of sizes that are not known cannot be divided.
func.func private @casts(%x: tensor<7x3xf32>) -> tensor<?xf32> {
  %rows = shard.sharding @ranks split_axes = [[0]] : !shard.sharding
  %part = shard.shard %x to %rows : tensor<7x3xf32>
  %any = tensor.cast %part : tensor<7x3xf32> to tensor<?x3xf32>
  %c0 = arith.constant 0 : index
  %n = tensor.dim %any, %c0 : tensor<?x3xf32>
  %e = tensor.empty(%n) : tensor<?x3xf32>
  %y = linalg.add ins(%any, %any : tensor<?x3xf32>, tensor<?x3xf32>) outs(%e : tensor<?x3xf32>) -> tensor<?x3xf32>
  %flat = tensor.collapse_shape %y [[0, 1]] : tensor<?x3xf32> into tensor<?xf32>
  return %flat : tensor<?xf32>
}

func.func @main(%x: tensor<6x4x8xf32>, %w: tensor<8x10xf32>, %r: tensor<5x8xf32>, %q: tensor<8x12xf32>, %d: tensor<?x1x4xf32>, %c: tensor<7x3xf32>) -> (tensor<6x4x10xf32>, tensor<6x5xf32>, tensor<1x?x4xf32>, tensor<?xf32>) {
  %0 = func.call @batch(%x, %w) : (tensor<6x4x8xf32>, tensor<8x10xf32>) -> tensor<6x4x10xf32>
  %1 = func.call @heads(%r, %q) : (tensor<5x8xf32>, tensor<8x12xf32>) -> tensor<6x5xf32>
  %2 = func.call @squeezed(%d) : (tensor<?x1x4xf32>) -> tensor<1x?x4xf32>
  %3 = func.call @casts(%c) : (tensor<7x3xf32>) -> tensor<?xf32>
  return %0, %1, %2, %3 : tensor<6x4x10xf32>, tensor<6x5xf32>, tensor<1x?x4xf32>, tensor<?xf32>
}

// RANKS: openmpi=2,4 mpich=3
// RANKS: mpich=2 --shard=ranks=0 --memory=discrete
// SIZES: 5
