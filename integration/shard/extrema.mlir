// Maxima of numbers, one of which is a NaN that one rank has, and a diagonal, which
// cannot be cut out of the rows that a rank has.
#at = affine_map<(i) -> (i)>
#one = affine_map<(i) -> ()>
#scalar = affine_map<() -> ()>
shard.grid @ranks(shape = ?)
func.func @main(%x: tensor<7xf32>, %y: tensor<7x7xf32>) -> (tensor<i32>, tensor<f32>, tensor<7xf32>) {
  %split = shard.sharding @ranks split_axes = [[0]] : !shard.sharding
  %part = shard.shard %x to %split : tensor<7xf32>
  %nan = arith.constant 0x7FC00000 : f32
  %least = arith.constant 0xFF800000 : f32
  %empty = tensor.empty() : tensor<7xf32>
  %holed = linalg.generic {indexing_maps = [#at, #at], iterator_types = ["parallel"]} ins(%part : tensor<7xf32>) outs(%empty : tensor<7xf32>) {
  ^bb0(%a: f32, %b: f32):
    %i = linalg.index 0 : index
    %c5 = arith.constant 5 : index
    %is = arith.cmpi eq, %i, %c5 : index
    %s = arith.select %is, %nan, %a : f32
    linalg.yield %s : f32
  } -> tensor<7xf32>
  %none = tensor.empty() : tensor<f32>
  %begin = linalg.fill ins(%least : f32) outs(%none : tensor<f32>) -> tensor<f32>
  %maximum = linalg.generic {indexing_maps = [#at, #one], iterator_types = ["reduction"]} ins(%holed : tensor<7xf32>) outs(%begin : tensor<f32>) {
  ^bb0(%a: f32, %b: f32):
    %m = arith.maximumf %a, %b : f32
    linalg.yield %m : f32
  } -> tensor<f32>
  %maxnum = linalg.generic {indexing_maps = [#at, #one], iterator_types = ["reduction"]} ins(%holed : tensor<7xf32>) outs(%begin : tensor<f32>) {
  ^bb0(%a: f32, %b: f32):
    %m = arith.maxnumf %a, %b : f32
    linalg.yield %m : f32
  } -> tensor<f32>
  %number = tensor.empty() : tensor<i32>
  %is_nan = linalg.generic {indexing_maps = [#scalar, #scalar], iterator_types = []} ins(%maximum : tensor<f32>) outs(%number : tensor<i32>) {
  ^bb0(%a: f32, %b: i32):
    %u = arith.cmpf uno, %a, %a : f32
    %w = arith.extui %u : i1 to i32
    linalg.yield %w : i32
  } -> tensor<i32>
  %diagonal = linalg.generic {indexing_maps = [affine_map<(i) -> (i, i)>, #at], iterator_types = ["parallel"]} ins(%y : tensor<7x7xf32>) outs(%empty : tensor<7xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  } -> tensor<7xf32>
  %result = shard.shard %diagonal to %split : tensor<7xf32>
  return %is_nan, %maxnum, %result : tensor<i32>, tensor<f32>, tensor<7xf32>
}

// RANKS: openmpi=2 mpich=3
