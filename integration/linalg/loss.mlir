// What losses and rotary embeddings of front ends have: an element that a number
// chooses, an assertion about the number, and powers to numbers of 64 bits.

// The scores that the labels 2 and 0 choose are 3 and 4; what the first loop asserts
// is all that is left of it, for nobody reads what it gives.
// RUN: @chosen device runner --memory=discrete
// RUN: @chosen runner --memory=unified
// CHECK: -3
// CHECK: -4
func.func @chosen() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %scores = arith.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
  %labels = arith.constant dense<[2, 0]> : tensor<2xi64>
  %r = call @choose(%scores, %labels) : (tensor<2x3xf32>, tensor<2xi64>) -> tensor<2xf32>
  %a = tensor.extract %r[%c0] : tensor<2xf32>
  %b = tensor.extract %r[%c1] : tensor<2xf32>
  vector.print %a : f32
  vector.print %b : f32
  return
}

// A label that is none stops the program where it is asserted.
// RUN: @chosen_beyond failing runner
// ERROR: ...
// ERROR: {{.*}}loss.mlir:[[@LINE+28]]:5: {{.*}}assertion failed: a label is below 3
func.func @chosen_beyond() {
  %c0 = arith.constant 0 : index
  %scores = arith.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
  %labels = arith.constant dense<[2, 3]> : tensor<2xi64>
  %r = call @choose(%scores, %labels) : (tensor<2x3xf32>, tensor<2xi64>) -> tensor<2xf32>
  %a = tensor.extract %r[%c0] : tensor<2xf32>
  vector.print %a : f32
  return
}

func.func @choose(%scores: tensor<2x3xf32>, %labels: tensor<2xi64>) -> tensor<2xf32> {
  %zero = arith.constant 0 : i64
  %three = arith.constant 3 : i64
  %e = tensor.empty() : tensor<2xf32>
  %unused = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
      iterator_types = ["parallel"]} ins(%labels : tensor<2xi64>) outs(%e : tensor<2xf32>) {
  ^bb0(%label: i64, %o: f32):
    %from = arith.cmpi sge, %label, %zero : i64
    cf.assert %from, "a label is no less than 0"
    linalg.yield %o : f32
  } -> tensor<2xf32>
  %chosen = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
      iterator_types = ["parallel"]} ins(%labels : tensor<2xi64>) outs(%e : tensor<2xf32>) {
  ^bb0(%label: i64, %o: f32):
    %i = linalg.index 0 : index
    %j = arith.index_cast %label : i64 to index
    %below = arith.cmpi slt, %label, %three : i64
    cf.assert %below, "a label is below 3"
    %score = tensor.extract %scores[%i, %j] : tensor<2x3xf32>
    %loss = arith.negf %score : f32
    linalg.yield %loss : f32
  } -> tensor<2xf32>
  return %chosen : tensor<2xf32>
}

// 2, -3 and 10 to the power of 3, 3 and -2.
// RUN: @powers device runner --memory=discrete
// RUN: @powers runner --memory=unified
// CHECK: 8
// CHECK: -27
// CHECK: 0.01
func.func @powers() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %x = arith.constant dense<[2.0, -3.0, 10.0]> : tensor<3xf64>
  %n = arith.constant dense<[3, 3, -2]> : tensor<3xi64>
  %e = tensor.empty() : tensor<3xf64>
  %y = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>,
                                        affine_map<(i) -> (i)>],
      iterator_types = ["parallel"]}
      ins(%x, %n : tensor<3xf64>, tensor<3xi64>) outs(%e : tensor<3xf64>) {
  ^bb0(%b: f64, %k: i64, %o: f64):
    %p = math.fpowi %b, %k : f64, i64
    linalg.yield %p : f64
  } -> tensor<3xf64>
  scf.for %i = %c0 to %c3 step %c1 {
    %v = tensor.extract %y[%i] : tensor<3xf64>
    vector.print %v : f64
  }
  return
}
