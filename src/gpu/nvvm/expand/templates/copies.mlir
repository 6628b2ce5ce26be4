// Copies inside of kernels (copies.c).
//
// {{type}}: memref<?x8xf32>
// {{dimension}}: 1

// What is done with each index.
func.func private @inside(index)

func.func @each_index(%a: {{type}}) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %d = arith.constant {{dimension}} : index
  %n = memref.dim %a, %d : {{type}}
  scf.for %i = %zero to %n step %one {
    func.call @inside(%i) : (index) -> ()
  }
  return
}
