// Ops over the same rows, which one kernel does.

#cells = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#column = affine_map<(i, j) -> (j)>

// Row 0 is 32 times 5, then -1000: a thirty-second each, and nothing. Row 1 is 1000,
// then 0: all of it is the first, as the most is subtracted.
// RUN: @softmax device runner --memory=discrete
// RUN: @softmax runner --memory=unified
// CHECK: ( ( 0.03125, 0.03125 ), ( 1, 0 ) )
// CHECK: ( ( 0.03125, 0 ), ( 0, 0 ) )
func.func @softmax() {
  %c0 = arith.constant 0 : index
  %c31 = arith.constant 31 : index
  %none = arith.constant 0.0 : f32
  %five = arith.constant 5.0 : f32
  %low = arith.constant -1.0e3 : f32
  %high = arith.constant 1.0e3 : f32
  %x = tensor.generate {
  ^bb0(%i: index, %j: index):
    %is_first = arith.cmpi eq, %i, %c0 : index
    %is_begin = arith.cmpi eq, %j, %c0 : index
    %is_part = arith.cmpi ule, %j, %c31 : index
    %first = arith.select %is_part, %five, %low : f32
    %second = arith.select %is_begin, %high, %none : f32
    %v = arith.select %is_first, %first, %second : f32
    tensor.yield %v : f32
  } : tensor<2x36xf32>
  %y = call @softmax_of(%x) : (tensor<2x36xf32>) -> tensor<2x36xf32>
  %begin = vector.transfer_read %y[%c0, %c0], %none {in_bounds = [true, true]} : tensor<2x36xf32>, vector<2x2xf32>
  vector.print %begin : vector<2x2xf32>
  %end = vector.transfer_read %y[%c0, %c31], %none {in_bounds = [true, true]} : tensor<2x36xf32>, vector<2x2xf32>
  vector.print %end : vector<2x2xf32>
  return
}

func.func @softmax_of(%x: tensor<2x36xf32>) -> tensor<2x36xf32> {
  %lowest = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  %number = tensor.empty() : tensor<2xf32>
  %rows = tensor.empty() : tensor<2x36xf32>
  %f = linalg.fill ins(%lowest : f32) outs(%number : tensor<2xf32>) -> tensor<2xf32>
  %m = linalg.generic {indexing_maps = [#cells, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<2x36xf32>) outs(%f : tensor<2xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = arith.maximumf %a, %o : f32
    linalg.yield %r : f32
  } -> tensor<2xf32>
  %e = linalg.generic {indexing_maps = [#cells, #row, #cells], iterator_types = ["parallel", "parallel"]}
      ins(%x, %m : tensor<2x36xf32>, tensor<2xf32>) outs(%rows : tensor<2x36xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %d = arith.subf %a, %b : f32
    %r = math.exp %d : f32
    linalg.yield %r : f32
  } -> tensor<2x36xf32>
  %z = linalg.fill ins(%zero : f32) outs(%number : tensor<2xf32>) -> tensor<2xf32>
  %s = linalg.generic {indexing_maps = [#cells, #row], iterator_types = ["parallel", "reduction"]}
      ins(%e : tensor<2x36xf32>) outs(%z : tensor<2xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = arith.addf %a, %o : f32
    linalg.yield %r : f32
  } -> tensor<2xf32>
  %y = linalg.generic {indexing_maps = [#cells, #row, #cells], iterator_types = ["parallel", "parallel"]}
      ins(%e, %s : tensor<2x36xf32>, tensor<2xf32>) outs(%rows : tensor<2x36xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %r = arith.divf %a, %b : f32
    linalg.yield %r : f32
  } -> tensor<2x36xf32>
  return %y : tensor<2x36xf32>
}

// Row i is 10 (i + 1), and alternately 2 (i + 1) more and less: after the norm 1 and -1,
// times 0, 1, 2, and so on. The means go to the caller, too.
// RUN: @norm device runner --memory=discrete
// RUN: @norm runner --memory=unified
// CHECK: ( 10, 20, 30 )
// CHECK: ( ( 36, -37, 38, -39 ), ( 36, -37, 38, -39 ), ( 36, -37, 38, -39 ) )
func.func @norm() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c36 = arith.constant 36 : index
  %none = arith.constant 0.0 : f32
  %eight = arith.constant 8.0 : f32
  %twelve = arith.constant 12.0 : f32
  %x = tensor.generate {
  ^bb0(%i: index, %j: index):
    %odd = arith.remui %j, %c2 : index
    %is_odd = arith.cmpi eq, %odd, %c1 : index
    %one = arith.select %is_odd, %eight, %twelve : f32
    %next = arith.addi %i, %c1 : index
    %long = arith.index_cast %next : index to i64
    %times = arith.sitofp %long : i64 to f32
    %v = arith.mulf %one, %times : f32
    tensor.yield %v : f32
  } : tensor<3x40xf32>
  %w = tensor.generate {
  ^bb0(%j: index):
    %long = arith.index_cast %j : index to i64
    %v = arith.sitofp %long : i64 to f32
    tensor.yield %v : f32
  } : tensor<40xf32>
  %y:2 = call @norm_of(%x, %w) : (tensor<3x40xf32>, tensor<40xf32>) -> (tensor<3xf32>, tensor<3x40xf32>)
  %means = vector.transfer_read %y#0[%c0], %none {in_bounds = [true]} : tensor<3xf32>, vector<3xf32>
  vector.print %means : vector<3xf32>
  %end = vector.transfer_read %y#1[%c0, %c36], %none {in_bounds = [true, true]} : tensor<3x40xf32>, vector<3x4xf32>
  vector.print %end : vector<3x4xf32>
  return
}

func.func @norm_of(%x: tensor<3x40xf32>, %w: tensor<40xf32>) -> (tensor<3xf32>, tensor<3x40xf32>) {
  %zero = arith.constant 0.0 : f32
  %count = arith.constant 40.0 : f32
  %number = tensor.empty() : tensor<3xf32>
  %rows = tensor.empty() : tensor<3x40xf32>
  %z = linalg.fill ins(%zero : f32) outs(%number : tensor<3xf32>) -> tensor<3xf32>
  %s = linalg.generic {indexing_maps = [#cells, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<3x40xf32>) outs(%z : tensor<3xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = arith.addf %a, %o : f32
    linalg.yield %r : f32
  } -> tensor<3xf32>
  %m = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%s : tensor<3xf32>) outs(%number : tensor<3xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = arith.divf %a, %count : f32
    linalg.yield %r : f32
  } -> tensor<3xf32>
  %v = linalg.generic {indexing_maps = [#cells, #row, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x, %m : tensor<3x40xf32>, tensor<3xf32>) outs(%z : tensor<3xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %d = arith.subf %a, %b : f32
    %p = arith.mulf %d, %d : f32
    %r = arith.addf %p, %o : f32
    linalg.yield %r : f32
  } -> tensor<3xf32>
  %y = linalg.generic {indexing_maps = [#cells, #row, #row, #column, #cells], iterator_types = ["parallel", "parallel"]}
      ins(%x, %m, %v, %w : tensor<3x40xf32>, tensor<3xf32>, tensor<3xf32>, tensor<40xf32>) outs(%rows : tensor<3x40xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32, %g: f32, %o: f32):
    %d = arith.subf %a, %b : f32
    %p = arith.divf %c, %count : f32
    %q = math.sqrt %p : f32
    %n = arith.divf %d, %q : f32
    %r = arith.mulf %n, %g : f32
    linalg.yield %r : f32
  } -> tensor<3x40xf32>
  return %m, %y : tensor<3xf32>, tensor<3x40xf32>
}
