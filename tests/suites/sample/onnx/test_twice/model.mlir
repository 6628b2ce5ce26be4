func.func @model(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %empty = tensor.empty() : tensor<2x3xf32>
  %y = linalg.add ins(%x, %x : tensor<2x3xf32>, tensor<2x3xf32>)
                  outs(%empty : tensor<2x3xf32>) -> tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}
