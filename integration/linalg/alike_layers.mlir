// Two layers that are alike but for their constants, each of which is the other
// one's second: the native code of both is one function, which is given them.

func.func private @first(%x: tensor<4xf32>) -> tensor<4xf32> {
  %a = arith.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %b = arith.constant dense<[10.0, 20.0, 30.0, 40.0]> : tensor<4xf32>
  %e = tensor.empty() : tensor<4xf32>
  %y = linalg.generic {
      indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>,
                       affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
      iterator_types = ["parallel"]}
      ins(%x, %a, %b : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
      outs(%e : tensor<4xf32>) {
  ^bb0(%v: f32, %p: f32, %q: f32, %o: f32):
    %s = arith.addf %v, %p : f32
    %r = arith.mulf %s, %q : f32
    linalg.yield %r : f32
  } -> tensor<4xf32>
  return %y : tensor<4xf32>
}

func.func private @second(%x: tensor<4xf32>) -> tensor<4xf32> {
  %a = arith.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %b = arith.constant dense<[10.0, 20.0, 30.0, 40.0]> : tensor<4xf32>
  %e = tensor.empty() : tensor<4xf32>
  %y = linalg.generic {
      indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>,
                       affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
      iterator_types = ["parallel"]}
      ins(%x, %b, %a : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
      outs(%e : tensor<4xf32>) {
  ^bb0(%v: f32, %p: f32, %q: f32, %o: f32):
    %s = arith.addf %v, %p : f32
    %r = arith.mulf %s, %q : f32
    linalg.yield %r : f32
  } -> tensor<4xf32>
  return %y : tensor<4xf32>
}

func.func private @print(%y: tensor<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %i = %c0 to %c4 step %c1 {
    %v = tensor.extract %y[%i] : tensor<4xf32>
    vector.print %v : f32
  }
  return
}

// (1 2 3 4 + 1 2 3 4) * 10 20 30 40, and (1 2 3 4 + 10 20 30 40) * 1 2 3 4.
// RUN: device runner --memory=discrete
// RUN: runner --memory=unified
// CHECK: 20
// CHECK: 80
// CHECK: 180
// CHECK: 320
// CHECK: 11
// CHECK: 44
// CHECK: 99
// CHECK: 176
func.func @main() {
  %x = arith.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %y = func.call @first(%x) : (tensor<4xf32>) -> tensor<4xf32>
  func.call @print(%y) : (tensor<4xf32>) -> ()
  %z = func.call @second(%x) : (tensor<4xf32>) -> tensor<4xf32>
  func.call @print(%z) : (tensor<4xf32>) -> ()
  return
}
