// Layers as front ends hand them over: linalg on tensors, without a word of devices
// or of order. async-gpu-runner makes kernels of them; ahead of time they run on the
// host. Weights are constants of the program.

// A layer and its activation: rows 1 2 3 and 4 5 6 times the weights are 4 5 and
// 10 11, with the bias -1 6 and 5 12.
// RUN: @layer device runner --memory=discrete
// RUN: @layer runner --memory=unified
// CHECK: 0
// CHECK: 6
// CHECK: 5
// CHECK: 12
func.func @layer() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %x = arith.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
  %w = arith.constant dense<[[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]> : tensor<3x2xf32>
  %b = arith.constant dense<[-5.0, 1.0]> : tensor<2xf32>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x2xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<2x2xf32>) -> tensor<2x2xf32>
  %p = linalg.matmul ins(%x, %w : tensor<2x3xf32>, tensor<3x2xf32>)
      outs(%f : tensor<2x2xf32>) -> tensor<2x2xf32>
  %y = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>,
                       affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%p, %b : tensor<2x2xf32>, tensor<2xf32>) outs(%e : tensor<2x2xf32>) {
  ^bb0(%v: f32, %add: f32, %o: f32):
    %s = arith.addf %v, %add : f32
    %r = arith.maximumf %s, %zero : f32
    linalg.yield %r : f32
  } -> tensor<2x2xf32>
  scf.for %i = %c0 to %c2 step %c1 {
    scf.for %j = %c0 to %c2 step %c1 {
      %v = tensor.extract %y[%i, %j] : tensor<2x2xf32>
      vector.print %v : f32
    }
  }
  return
}

// A convolution of the numbers 1 to 9 in three rows by two filters: sums of four
// neighbours, and differences of those that are diagonal, which are -4 everywhere.
// The second channel's sum with the first is what is printed.
// RUN: @convolution device runner --memory=discrete
// RUN: @convolution runner --memory=unified
// CHECK: 8
// CHECK: 12
// CHECK: 20
// CHECK: 24
func.func @convolution() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %x = arith.constant dense<[[[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0]]]]> : tensor<1x1x3x3xf32>
  %w = arith.constant dense<[[[[1.0, 1.0], [1.0, 1.0]]], [[[1.0, 0.0], [0.0, -1.0]]]]> : tensor<2x1x2x2xf32>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x2x2x2xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x2x2x2xf32>) -> tensor<1x2x2x2xf32>
  %y = linalg.conv_2d_nchw_fchw ins(%x, %w : tensor<1x1x3x3xf32>, tensor<2x1x2x2xf32>)
      outs(%f : tensor<1x2x2x2xf32>) -> tensor<1x2x2x2xf32>
  %g = tensor.empty() : tensor<2x2xf32>
  %h = linalg.fill ins(%zero : f32) outs(%g : tensor<2x2xf32>) -> tensor<2x2xf32>
  %z = linalg.generic {
      indexing_maps = [affine_map<(i, j, n, c) -> (n, c, i, j)>,
                       affine_map<(i, j, n, c) -> (i, j)>],
      iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%y : tensor<1x2x2x2xf32>) outs(%h : tensor<2x2xf32>) {
  ^bb0(%v: f32, %o: f32):
    %s = arith.addf %v, %o : f32
    linalg.yield %s : f32
  } -> tensor<2x2xf32>
  scf.for %i = %c0 to %c2 step %c1 {
    scf.for %j = %c0 to %c2 step %c1 {
      %v = tensor.extract %z[%i, %j] : tensor<2x2xf32>
      vector.print %v : f32
    }
  }
  return
}

// Attention, where both keys fit both queries alike: half of each value, which are
// 2 4 and 6 8.
// RUN: @attention device runner --memory=discrete
// RUN: @attention runner --memory=unified
// CHECK: 4
// CHECK: 6
// CHECK: 4
// CHECK: 6
func.func @attention() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %q = arith.constant dense<[[1.0, 0.0], [1.0, 0.0]]> : tensor<2x2xf32>
  %k = arith.constant dense<[[1.0, 2.0], [1.0, 5.0]]> : tensor<2x2xf32>
  %v = arith.constant dense<[[2.0, 4.0], [6.0, 8.0]]> : tensor<2x2xf32>
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : tensor<2x2xf32>
  %r = tensor.empty() : tensor<2xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<2x2xf32>) -> tensor<2x2xf32>
  %scores = linalg.generic {
      indexing_maps = [affine_map<(i, j, d) -> (i, d)>, affine_map<(i, j, d) -> (j, d)>,
                       affine_map<(i, j, d) -> (i, j)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%q, %k : tensor<2x2xf32>, tensor<2x2xf32>) outs(%f : tensor<2x2xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  } -> tensor<2x2xf32>
  %lowest = linalg.fill ins(%low : f32) outs(%r : tensor<2xf32>) -> tensor<2xf32>
  %most = linalg.reduce { arith.maximumf } ins(%scores : tensor<2x2xf32>)
      outs(%lowest : tensor<2xf32>) dimensions = [1]
  %powers = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>,
                       affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%scores, %most : tensor<2x2xf32>, tensor<2xf32>) outs(%e : tensor<2x2xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %d = arith.subf %a, %b : f32
    %p = math.exp %d : f32
    linalg.yield %p : f32
  } -> tensor<2x2xf32>
  %none = linalg.fill ins(%zero : f32) outs(%r : tensor<2xf32>) -> tensor<2xf32>
  %sum = linalg.reduce { arith.addf } ins(%powers : tensor<2x2xf32>)
      outs(%none : tensor<2xf32>) dimensions = [1]
  %weights = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>,
                       affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%powers, %sum : tensor<2x2xf32>, tensor<2xf32>) outs(%e : tensor<2x2xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %d = arith.divf %a, %b : f32
    linalg.yield %d : f32
  } -> tensor<2x2xf32>
  %y = linalg.matmul ins(%weights, %v : tensor<2x2xf32>, tensor<2x2xf32>)
      outs(%f : tensor<2x2xf32>) -> tensor<2x2xf32>
  scf.for %i = %c0 to %c2 step %c1 {
    scf.for %j = %c0 to %c2 step %c1 {
      %x = tensor.extract %y[%i, %j] : tensor<2x2xf32>
      vector.print %x : f32
    }
  }
  return
}
