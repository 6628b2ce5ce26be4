// Tensors that loops, branches and calls hand on, as recurrent networks and iterative
// solvers have them.

// Powers of a matrix: the numbers of Fibonacci.
func.func private @power(%a: tensor<2x2xf32>, %v0: tensor<2xf32>, %n: index) -> tensor<2xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%v = %v0) -> tensor<2xf32> {
    %e = tensor.empty() : tensor<2xf32>
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<2xf32>) -> tensor<2xf32>
    %m = linalg.matvec ins(%a, %v : tensor<2x2xf32>, tensor<2xf32>) outs(%f : tensor<2xf32>) -> tensor<2xf32>
    scf.yield %m : tensor<2xf32>
  }
  return %r : tensor<2xf32>
}
func.func private @powers() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %a = arith.constant dense<[[1.0, 1.0], [1.0, 0.0]]> : tensor<2x2xf32>
  %v = arith.constant dense<[1.0, 0.0]> : tensor<2xf32>
  %r = call @power(%a, %v, %c5) : (tensor<2x2xf32>, tensor<2xf32>, index) -> tensor<2xf32>
  %x = tensor.extract %r[%c0] : tensor<2xf32>
  vector.print %x : f32
  %y = tensor.extract %r[%c1] : tensor<2xf32>
  vector.print %y : f32
  return
}
// A state that takes a row of the input in each round: h = 2 h + x, of rows 1 1, 2 2
// and 3 3: 1, 4, 11.
func.func private @state() {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %x = arith.constant dense<[[1.0, 1.0], [2.0, 2.0], [3.0, 3.0]]> : tensor<3x2xf32>
  %w = arith.constant dense<[[2.0, 0.0], [0.0, 2.0]]> : tensor<2x2xf32>
  %e = tensor.empty() : tensor<1x2xf32>
  %h0 = linalg.fill ins(%zero : f32) outs(%e : tensor<1x2xf32>) -> tensor<1x2xf32>
  %r = scf.for %t = %c0 to %c3 step %c1 iter_args(%h = %h0) -> tensor<1x2xf32> {
    %row = tensor.extract_slice %x[%t, 0] [1, 2] [1, 1] : tensor<3x2xf32> to tensor<1x2xf32>
    %m = linalg.matmul ins(%h, %w : tensor<1x2xf32>, tensor<2x2xf32>) outs(%row : tensor<1x2xf32>) -> tensor<1x2xf32>
    scf.yield %m : tensor<1x2xf32>
  }
  %y = tensor.extract %r[%c0, %c1] : tensor<1x2xf32>
  vector.print %y : f32
  return
}
// Two tensors that change places: 1, 2, 3, 5, 8.
func.func private @pair() {
  %one = arith.constant 1.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %e0 = tensor.empty() : tensor<8xf32>
  %a = linalg.fill ins(%one : f32) outs(%e0 : tensor<8xf32>) -> tensor<8xf32>
  %e1 = tensor.empty() : tensor<8xf32>
  %b = linalg.add ins(%a, %a : tensor<8xf32>, tensor<8xf32>) outs(%e1 : tensor<8xf32>) -> tensor<8xf32>
  %r:2 = scf.for %i = %c0 to %c3 step %c1 iter_args(%p = %a, %q = %b) -> (tensor<8xf32>, tensor<8xf32>) {
    %e = tensor.empty() : tensor<8xf32>
    %s = linalg.add ins(%p, %q : tensor<8xf32>, tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
    scf.yield %q, %s : tensor<8xf32>, tensor<8xf32>
  }
  %x = tensor.extract %r#0[%c3] : tensor<8xf32>
  vector.print %x : f32
  %y = tensor.extract %r#1[%c3] : tensor<8xf32>
  vector.print %y : f32
  return
}
// Doubled until it is 100 or more.
func.func private @until() {
  %one = arith.constant 1.0 : f32
  %limit = arith.constant 100.0 : f32
  %c3 = arith.constant 3 : index
  %e0 = tensor.empty() : tensor<8xf32>
  %a = linalg.fill ins(%one : f32) outs(%e0 : tensor<8xf32>) -> tensor<8xf32>
  %r = scf.while (%t = %a) : (tensor<8xf32>) -> tensor<8xf32> {
    %x = tensor.extract %t[%c3] : tensor<8xf32>
    %c = arith.cmpf olt, %x, %limit : f32
    scf.condition(%c) %t : tensor<8xf32>
  } do {
  ^bb0(%t: tensor<8xf32>):
    %e = tensor.empty() : tensor<8xf32>
    %s = linalg.add ins(%t, %t : tensor<8xf32>, tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
    scf.yield %s : tensor<8xf32>
  }
  %x = tensor.extract %r[%c3] : tensor<8xf32>
  vector.print %x : f32
  return
}
// By a switch, of an argument or what is made of it: 3 + 3, and its square.
func.func private @squared(%t: tensor<8xf32>, %k: index) -> tensor<8xf32> {
  %r = scf.index_switch %k -> tensor<8xf32>
  case 2 {
    %e = tensor.empty() : tensor<8xf32>
    %s = linalg.mul ins(%t, %t : tensor<8xf32>, tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
    scf.yield %s : tensor<8xf32>
  }
  default {
    scf.yield %t : tensor<8xf32>
  }
  return %r : tensor<8xf32>
}
func.func private @switched() {
  %three = arith.constant 3.0 : f32
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  scf.for %k = %c1 to %c3 step %c1 {
    %e0 = tensor.empty() : tensor<8xf32>
    %a = linalg.fill ins(%three : f32) outs(%e0 : tensor<8xf32>) -> tensor<8xf32>
    %e1 = tensor.empty() : tensor<8xf32>
    %b = linalg.add ins(%a, %a : tensor<8xf32>, tensor<8xf32>) outs(%e1 : tensor<8xf32>) -> tensor<8xf32>
    %r = func.call @squared(%b, %k) : (tensor<8xf32>, index) -> tensor<8xf32>
    %x = tensor.extract %r[%c3] : tensor<8xf32>
    vector.print %x : f32
  }
  return
}
// A shape that is known only when the program runs.
func.func private @reshaped() {
  %one = arith.constant 1.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %e0 = tensor.empty() : tensor<8xf32>
  %a = linalg.fill ins(%one : f32) outs(%e0 : tensor<8xf32>) -> tensor<8xf32>
  %shape = tensor.from_elements %c2, %c4 : tensor<2xindex>
  %s = tensor.reshape %a(%shape) : (tensor<8xf32>, tensor<2xindex>) -> tensor<2x4xf32>
  %e1 = tensor.empty() : tensor<2x4xf32>
  %b = linalg.add ins(%s, %s : tensor<2x4xf32>, tensor<2x4xf32>) outs(%e1 : tensor<2x4xf32>) -> tensor<2x4xf32>
  %x = tensor.extract %b[%c1, %c2] : tensor<2x4xf32>
  vector.print %x : f32
  return
}
// RUN: @loops device runner --memory=discrete
// RUN: @loops runner --memory=unified
// CHECK: 8
// CHECK: 5
// CHECK: 11
// CHECK: 5
// CHECK: 8
// CHECK: 128
func.func @loops() {
  call @powers() : () -> ()
  call @state() : () -> ()
  call @pair() : () -> ()
  call @until() : () -> ()
  return
}
// RUN: @shapes device runner --memory=discrete
// RUN: @shapes runner --memory=unified
// CHECK: 6
// CHECK: 36
// CHECK: 2
func.func @shapes() {
  call @switched() : () -> ()
  call @reshaped() : () -> ()
  return
}
