// What computes from the values that it writes over is made once, and not where it is
// read: there it would start from its own result.

#cells = affine_map<(i, j) -> (i, j)>
#first_of_row = affine_map<(i, j) -> (j, 0)>

func.func @add(%a: tensor<5x1xf32>, %b: tensor<3x5xf32>) -> tensor<3x5xf32> {
  %e = tensor.empty() : tensor<5x1xf32>
  %start = linalg.copy ins(%a : tensor<5x1xf32>) outs(%e : tensor<5x1xf32>) -> tensor<5x1xf32>
  %twice = linalg.generic {indexing_maps = [#cells, #cells], iterator_types = ["parallel", "parallel"]}
      ins(%a : tensor<5x1xf32>) outs(%start : tensor<5x1xf32>) {
  ^bb0(%x: f32, %o: f32):
    %s = arith.addf %x, %o : f32
    linalg.yield %s : f32
  } -> tensor<5x1xf32>
  %f = tensor.empty() : tensor<3x5xf32>
  %sum = linalg.generic {indexing_maps = [#cells, #first_of_row, #cells],
                         iterator_types = ["parallel", "parallel"]}
      ins(%b, %twice : tensor<3x5xf32>, tensor<5x1xf32>) outs(%f : tensor<3x5xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %s = arith.addf %x, %y : f32
    linalg.yield %s : f32
  } -> tensor<3x5xf32>
  return %sum : tensor<3x5xf32>
}

// RUN: @main device runner --memory=discrete
// RUN: @main runner --memory=unified
// CHECK: ( ( 102, 104, 106, 108, 110 ), ( 202, 204, 206, 208, 210 ), ( 302, 304, 306, 308, 310 ) )
func.func @main() {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %a = arith.constant dense<[[1.0], [2.0], [3.0], [4.0], [5.0]]> : tensor<5x1xf32>
  %b = arith.constant dense<[[100.0, 100.0, 100.0, 100.0, 100.0],
                             [200.0, 200.0, 200.0, 200.0, 200.0],
                             [300.0, 300.0, 300.0, 300.0, 300.0]]> : tensor<3x5xf32>
  %sum = call @add(%a, %b) : (tensor<5x1xf32>, tensor<3x5xf32>) -> tensor<3x5xf32>
  %v = vector.transfer_read %sum[%c0, %c0], %zero : tensor<3x5xf32>, vector<3x5xf32>
  vector.print %v : vector<3x5xf32>
  return
}
