// Ops of torch-mlir's own dialect, in the syntax that it prints.

// Sums from the left of 1 2 3 and 4 5 6, and those of what stands further left.
// RUN: @sums device runner --memory=discrete
// RUN: @sums runner --memory=unified
// CHECK: ( ( 1, 3, 6 ), ( 4, 9, 15 ) )
// CHECK: ( ( 10, 11, 13 ), ( 10, 14, 19 ) )
// CHECK: ( 16, 25 )
func.func @sums() {
  %c0 = arith.constant 0 : index
  %none = arith.constant 0 : i64
  %ten = arith.constant 10 : i64
  %x = arith.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi64>
  %y = call @scan(%x, %none) : (tensor<2x3xi64>, i64) -> tensor<2x3xi64>
  %v = vector.transfer_read %y[%c0, %c0], %none {in_bounds = [true, true]} : tensor<2x3xi64>, vector<2x3xi64>
  vector.print %v : vector<2x3xi64>
  %d = tensor.cast %x : tensor<2x3xi64> to tensor<?x?xi64>
  %z:2 = call @scan_before(%d, %ten) : (tensor<?x?xi64>, i64) -> (tensor<?x?xi64>, tensor<?xi64>)
  %w = vector.transfer_read %z#0[%c0, %c0], %none {in_bounds = [true, true]} : tensor<?x?xi64>, vector<2x3xi64>
  vector.print %w : vector<2x3xi64>
  %l = vector.transfer_read %z#1[%c0], %none {in_bounds = [true]} : tensor<?xi64>, vector<2xi64>
  vector.print %l : vector<2xi64>
  return
}

func.func @scan(%x: tensor<2x3xi64>, %begin: i64) -> tensor<2x3xi64> {
  %e = tensor.empty() : tensor<2x3xi64>
  %l = tensor.empty() : tensor<2xi64>
  %f = linalg.fill ins(%begin : i64) outs(%e : tensor<2x3xi64>) -> tensor<2x3xi64>
  %b = linalg.fill ins(%begin : i64) outs(%l : tensor<2xi64>) -> tensor<2xi64>
  %r:2 = tm_tensor.scan dimension(1) inclusive(true) ins(%x : tensor<2x3xi64>) outs(%f, %b : tensor<2x3xi64>, tensor<2xi64>) {
  ^bb0(%p: i64, %q: i64):
    %s = arith.addi %p, %q : i64
    tm_tensor.yield %s : i64
  } -> tensor<2x3xi64>, tensor<2xi64>
  return %r#0 : tensor<2x3xi64>
}

func.func @scan_before(%x: tensor<?x?xi64>, %begin: i64) -> (tensor<?x?xi64>, tensor<?xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %x, %c0 : tensor<?x?xi64>
  %n = tensor.dim %x, %c1 : tensor<?x?xi64>
  %e = tensor.empty(%m, %n) : tensor<?x?xi64>
  %l = tensor.empty(%m) : tensor<?xi64>
  %b = linalg.fill ins(%begin : i64) outs(%l : tensor<?xi64>) -> tensor<?xi64>
  %r:2 = tm_tensor.scan dimension(1) inclusive(false) ins(%x : tensor<?x?xi64>) outs(%e, %b : tensor<?x?xi64>, tensor<?xi64>) {
  ^bb0(%p: i64, %q: i64):
    %s = arith.addi %p, %q : i64
    tm_tensor.yield %s : i64
  } -> tensor<?x?xi64>, tensor<?xi64>
  return %r#0, %r#1 : tensor<?x?xi64>, tensor<?xi64>
}

// Rows 2, 0 and 2 again get 1 1, 2 2 and 3 3; then each column from the greatest down,
// with the rows where its numbers were. What is equal keeps its order.
// RUN: @rows device runner --memory=discrete
// RUN: @rows runner --memory=unified
// CHECK: ( ( 2, 2 ), ( 0, 0 ), ( 4, 4 ), ( 0, 0 ) )
// CHECK: ( ( 4, 4 ), ( 2, 2 ), ( 0, 0 ), ( 0, 0 ) )
// CHECK: ( ( 2, 2 ), ( 0, 0 ), ( 1, 1 ), ( 3, 3 ) )
func.func @rows() {
  %c0 = arith.constant 0 : index
  %none = arith.constant 0.0 : f32
  %n = arith.constant 0 : i64
  %at = arith.constant dense<[[2], [0], [2]]> : tensor<3x1xi64>
  %updates = arith.constant dense<[[1.0, 1.0], [2.0, 2.0], [3.0, 3.0]]> : tensor<3x2xf32>
  %y:3 = call @add_and_sort(%updates, %at) : (tensor<3x2xf32>, tensor<3x1xi64>) -> (tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xi64>)
  %v = vector.transfer_read %y#0[%c0, %c0], %none {in_bounds = [true, true]} : tensor<4x2xf32>, vector<4x2xf32>
  vector.print %v : vector<4x2xf32>
  %w = vector.transfer_read %y#1[%c0, %c0], %none {in_bounds = [true, true]} : tensor<4x2xf32>, vector<4x2xf32>
  vector.print %w : vector<4x2xf32>
  %i = vector.transfer_read %y#2[%c0, %c0], %n {in_bounds = [true, true]} : tensor<4x2xi64>, vector<4x2xi64>
  vector.print %i : vector<4x2xi64>
  return
}

func.func @add_and_sort(%updates: tensor<3x2xf32>, %at: tensor<3x1xi64>) -> (tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xi64>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x2xf32>
  %o = linalg.fill ins(%zero : f32) outs(%e : tensor<4x2xf32>) -> tensor<4x2xf32>
  %x = tm_tensor.scatter {dimension_map = array<i64: 0>} unique_indices(false) ins(%updates, %at : tensor<3x2xf32>, tensor<3x1xi64>) outs(%o : tensor<4x2xf32>) {
  ^bb0(%u: f32, %old: f32):
    %s = arith.addf %u, %old : f32
    tm_tensor.yield %s : f32
  } -> tensor<4x2xf32>
  %ie = tensor.empty() : tensor<4x2xi64>
  %rows = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      outs(%ie : tensor<4x2xi64>) {
  ^bb0(%old: i64):
    %i = linalg.index 0 : index
    %v = arith.index_cast %i : index to i64
    linalg.yield %v : i64
  } -> tensor<4x2xi64>
  %y:2 = tm_tensor.sort dimension(0) outs(%x, %rows : tensor<4x2xf32>, tensor<4x2xi64>) {
  ^bb0(%a: f32, %b: f32, %i: i64, %j: i64):
    %c = arith.cmpf oge, %a, %b : f32
    tm_tensor.yield %c : i1
  } -> tensor<4x2xf32>, tensor<4x2xi64>
  return %x, %y#0, %y#1 : tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xi64>
}

// The two least of each row, and where they are: the first of equals.
// RUN: @least device runner --memory=discrete
// RUN: @least runner --memory=unified
// CHECK: ( ( 1, 2 ), ( 5, 5 ) )
// CHECK: ( ( 2, 1 ), ( 0, 2 ) )
func.func @least() {
  %c0 = arith.constant 0 : index
  %most = arith.constant 0x7F800000 : f32
  %last = arith.constant 2147483647 : i32
  %x = arith.constant dense<[[3.0, 2.0, 1.0, 2.0], [5.0, 7.0, 5.0, 5.0]]> : tensor<2x4xf32>
  %y:2 = call @keep_two(%x, %most, %last) : (tensor<2x4xf32>, f32, i32) -> (tensor<2x2xf32>, tensor<2x2xi32>)
  %v = vector.transfer_read %y#0[%c0, %c0], %most {in_bounds = [true, true]} : tensor<2x2xf32>, vector<2x2xf32>
  vector.print %v : vector<2x2xf32>
  %i = vector.transfer_read %y#1[%c0, %c0], %last {in_bounds = [true, true]} : tensor<2x2xi32>, vector<2x2xi32>
  vector.print %i : vector<2x2xi32>
  return
}

func.func @keep_two(%x: tensor<2x4xf32>, %most: f32, %last: i32) -> (tensor<2x2xf32>, tensor<2x2xi32>) {
  %e = tensor.empty() : tensor<2x2xf32>
  %ie = tensor.empty() : tensor<2x2xi32>
  %v = linalg.fill ins(%most : f32) outs(%e : tensor<2x2xf32>) -> tensor<2x2xf32>
  %i = linalg.fill ins(%last : i32) outs(%ie : tensor<2x2xi32>) -> tensor<2x2xi32>
  %y:2 = tm_tensor.topk dimension(1) ins(%x : tensor<2x4xf32>) outs(%v, %i : tensor<2x2xf32>, tensor<2x2xi32>) {
  ^bb0(%a: f32, %b: f32):
    %c = arith.cmpf olt, %a, %b : f32
    tm_tensor.yield %c : i1
  } -> tensor<2x2xf32>, tensor<2x2xi32>
  return %y#0, %y#1 : tensor<2x2xf32>, tensor<2x2xi32>
}

// One query that is as near to both keys, the second of which is masked in the second
// batch: the mean of the values 1 2 and 3 4, and the first of 5 6 and 7 8. The third row
// sees no key.
// RUN: @attention device runner --memory=discrete
// RUN: @attention runner --memory=unified
// CHECK: ( ( ( 2, 3 ) ), ( ( 5, 6 ) ), ( ( 0, 0 ) ) )
func.func @attention() {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %q = arith.constant dense<1.0> : tensor<3x1x4xf32>
  %k = arith.constant dense<0.5> : tensor<3x2x4xf32>
  %v = arith.constant dense<[[[1.0, 2.0], [3.0, 4.0]], [[5.0, 6.0], [7.0, 8.0]], [[9.0, 9.0], [9.0, 9.0]]]> : tensor<3x2x2xf32>
  %m = arith.constant dense<[[[0.0, 0.0]], [[0.0, 0xFF800000]], [[0xFF800000, 0xFF800000]]]> : tensor<3x1x2xf32>
  %y = call @attend(%q, %k, %v, %m) : (tensor<3x1x4xf32>, tensor<3x2x4xf32>, tensor<3x2x2xf32>, tensor<3x1x2xf32>) -> tensor<3x1x2xf32>
  %r = vector.transfer_read %y[%c0, %c0, %c0], %zero {in_bounds = [true, true, true]} : tensor<3x1x2xf32>, vector<3x1x2xf32>
  vector.print %r : vector<3x1x2xf32>
  return
}

func.func @attend(%q: tensor<3x1x4xf32>, %k: tensor<3x2x4xf32>, %v: tensor<3x2x2xf32>, %m: tensor<3x1x2xf32>) -> tensor<3x1x2xf32> {
  %e = tensor.empty() : tensor<3x1x2xf32>
  %y = tm_tensor.attention ins(%q, %k, %v, %m : tensor<3x1x4xf32>, tensor<3x2x4xf32>, tensor<3x2x2xf32>, tensor<3x1x2xf32>) outs(%e : tensor<3x1x2xf32>) -> tensor<3x1x2xf32>
  return %y : tensor<3x1x2xf32>
}
