// W4: loops whose iterations are independent. The driver owns the arrays and
// looks at every element afterwards.

// y = 2 x + y: as fast as the memory where the arrays are large, and little
// work for a fork and a join where they are small.
func.func @saxpy(%x: memref<?xf32>, %y: memref<?xf32>)
    attributes {llvm.emit_c_interface} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = arith.constant 2.0 : f32
  %n = memref.dim %x, %c0 : memref<?xf32>
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %xi = memref.load %x[%i] : memref<?xf32>
    %yi = memref.load %y[%i] : memref<?xf32>
    %product = arith.mulf %a, %xi : f32
    %sum = arith.addf %product, %yi : f32
    memref.store %sum, %y[%i] : memref<?xf32>
    scf.reduce
  }
  return
}

// 256 dependent steps an element: as fast as the arithmetic.
func.func @iterate(%x: memref<?xf32>, %y: memref<?xf32>)
    attributes {llvm.emit_c_interface} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %steps = arith.constant 256 : index
  %a = arith.constant 0.999 : f32
  %b = arith.constant 0.001 : f32
  %n = memref.dim %x, %c0 : memref<?xf32>
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %xi = memref.load %x[%i] : memref<?xf32>
    %last = scf.for %k = %c0 to %steps step %c1 iter_args(%v = %xi) -> f32 {
      %product = arith.mulf %v, %a : f32
      %sum = arith.addf %product, %b : f32
      scf.yield %sum : f32
    }
    memref.store %last, %y[%i] : memref<?xf32>
    scf.reduce
  }
  return
}

// The sum of x y: a loop with a result.
func.func @dot(%x: memref<?xf32>, %y: memref<?xf32>) -> f32
    attributes {llvm.emit_c_interface} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %n = memref.dim %x, %c0 : memref<?xf32>
  %sum = scf.parallel (%i) = (%c0) to (%n) step (%c1) init (%zero) -> f32 {
    %xi = memref.load %x[%i] : memref<?xf32>
    %yi = memref.load %y[%i] : memref<?xf32>
    %product = arith.mulf %xi, %yi : f32
    scf.reduce(%product : f32) {
    ^bb0(%a: f32, %b: f32):
      %both = arith.addf %a, %b : f32
      scf.reduce.return %both : f32
    }
  }
  return %sum : f32
}
