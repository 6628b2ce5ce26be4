// Sums of -0.0 are -0.0, as the ops' loops have it: what threads begin with and
// what tiles are filled up with change no sum. -0.0 has the highest bit alone.

#whole = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>

// RUN: @sums device runner
// CHECK: -2147483648
func.func @sums() {
  %c0 = arith.constant 0 : index
  %a = arith.constant dense<-0.0> : tensor<2x512xf32>
  %start = arith.constant dense<-0.0> : tensor<2xf32>
  %s = linalg.generic {indexing_maps = [#whole, #row],
                       iterator_types = ["parallel", "reduction"]}
      ins(%a : tensor<2x512xf32>) outs(%start : tensor<2xf32>) {
  ^bb0(%x: f32, %sum: f32):
    %r = arith.addf %x, %sum : f32
    linalg.yield %r : f32
  } -> tensor<2xf32>
  %x = tensor.extract %s[%c0] : tensor<2xf32>
  %i = arith.bitcast %x : f32 to i32
  vector.print %i : i32
  return
}

// No tile fits; of integers, 19 times 3.
// RUN: @products device runner
// CHECK: -2147483648
// CHECK: 57
func.func @products() {
  %c0 = arith.constant 0 : index
  %a = arith.constant dense<-0.0> : tensor<33x19xf32>
  %b = arith.constant dense<1.0> : tensor<19x35xf32>
  %start = arith.constant dense<-0.0> : tensor<33x35xf32>
  %c = linalg.matmul ins(%a, %b : tensor<33x19xf32>, tensor<19x35xf32>)
                     outs(%start : tensor<33x35xf32>) -> tensor<33x35xf32>
  %x = tensor.extract %c[%c0, %c0] : tensor<33x35xf32>
  %i = arith.bitcast %x : f32 to i32
  vector.print %i : i32

  %d = arith.constant dense<3> : tensor<33x19xi32>
  %e = arith.constant dense<1> : tensor<19x35xi32>
  %none = arith.constant dense<0> : tensor<33x35xi32>
  %f = linalg.matmul ins(%d, %e : tensor<33x19xi32>, tensor<19x35xi32>)
                     outs(%none : tensor<33x35xi32>) -> tensor<33x35xi32>
  %y = tensor.extract %f[%c0, %c0] : tensor<33x35xi32>
  vector.print %y : i32
  return
}
