func.func @main(%x: tensor<8xf32>) -> f32 {
  %c0 = arith.constant 0 : index
  %y = tensor.extract %x[%c0] : tensor<8xf32>
  return %y : f32
}
