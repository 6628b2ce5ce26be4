func.func private @defined_nowhere(tensor<2x3xf32>) -> tensor<2x3xf32>
func.func @model(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %y = call @defined_nowhere(%x) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}
