// A perceptron and its softmax, for as many rows as there are: each rank has a part of
// them, and some have nothing. Neither types nor the second tensor.empty say how many.
func.func @main(%x: tensor<?x6xf32>, %w1: tensor<6x8xf32>, %b1: tensor<8xf32>, %w2: tensor<8x3xf32>) -> (tensor<?x3xf32>, tensor<1xi64>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %n = tensor.dim %x, %c0 : tensor<?x6xf32>
  %e1 = tensor.empty(%n) : tensor<?x8xf32>
  %f1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<?x8xf32>) -> tensor<?x8xf32>
  %h = linalg.matmul ins(%x, %w1 : tensor<?x6xf32>, tensor<6x8xf32>) outs(%f1 : tensor<?x8xf32>) -> tensor<?x8xf32>
  %a = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%h, %b1 : tensor<?x8xf32>, tensor<8xf32>) outs(%e1 : tensor<?x8xf32>) {
  ^bb0(%in: f32, %b: f32, %out: f32):
    %sum = arith.addf %in, %b : f32
    %max = arith.maximumf %sum, %zero : f32
    linalg.yield %max : f32
  } -> tensor<?x8xf32>
  %m = tensor.dim %a, %c0 : tensor<?x8xf32>
  %e2 = tensor.empty(%m) : tensor<?x3xf32>
  %f2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<?x3xf32>) -> tensor<?x3xf32>
  %y = linalg.matmul ins(%a, %w2 : tensor<?x8xf32>, tensor<8x3xf32>) outs(%f2 : tensor<?x3xf32>) -> tensor<?x3xf32>
  %e3 = tensor.empty(%m) : tensor<?xf32>
  %f3 = linalg.fill ins(%low : f32) outs(%e3 : tensor<?xf32>) -> tensor<?xf32>
  %most = linalg.reduce {arith.maximumf} ins(%y : tensor<?x3xf32>) outs(%f3 : tensor<?xf32>) dimensions = [1]
  %p = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%y, %most : tensor<?x3xf32>, tensor<?xf32>) outs(%e2 : tensor<?x3xf32>) {
  ^bb0(%in: f32, %max: f32, %out: f32):
    %less = arith.subf %in, %max : f32
    %exp = math.exp %less : f32
    linalg.yield %exp : f32
  } -> tensor<?x3xf32>
  %rows = tensor.dim %p, %c0 : tensor<?x3xf32>
  %number = arith.index_cast %rows : index to i64
  %count = tensor.from_elements %number : tensor<1xi64>
  return %p, %count : tensor<?x3xf32>, tensor<1xi64>
}

// RANKS: openmpi=1,4 mpich=3 --shard=batch
// RANKS: mpich=2 --shard=rows --memory=discrete
// SIZES: 8
// SIZES: 7
// SIZES: 2
// SIZES: 0
