// The sign of a zero, of the smaller floats: a product of -0.0 and of an integer
// has the integer's other sign; a negation changes it, a difference of equals
// has none. In a kernel and on the host.

module attributes {gpu.container_module} {

// Bits of -0.0 * x, -x, -0.0 - x and x - x, for a bf16 and an f16 x.
func.func @bits(%x: i8, %to: memref<8xi16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c5 = arith.constant 5 : index
  %c6 = arith.constant 6 : index
  %c7 = arith.constant 7 : index
  %b = arith.sitofp %x : i8 to bf16
  %zero_b = arith.constant -0.0 : bf16
  %product_b = arith.mulf %zero_b, %b : bf16
  %product_b_bits = arith.bitcast %product_b : bf16 to i16
  %negative_b = arith.negf %b : bf16
  %negative_b_bits = arith.bitcast %negative_b : bf16 to i16
  %sign = arith.constant -32768 : i16
  %sign_b = arith.andi %negative_b_bits, %sign : i16
  %difference_b = arith.subf %zero_b, %b : bf16
  %difference_b_bits = arith.bitcast %difference_b : bf16 to i16
  %same_b = arith.subf %b, %b : bf16
  %same_b_bits = arith.bitcast %same_b : bf16 to i16
  %h = arith.sitofp %x : i8 to f16
  %zero_h = arith.constant -0.0 : f16
  %product_h = arith.mulf %zero_h, %h : f16
  %product_h_bits = arith.bitcast %product_h : f16 to i16
  %negative_h = arith.negf %h : f16
  %negative_h_bits = arith.bitcast %negative_h : f16 to i16
  %sign_h = arith.andi %negative_h_bits, %sign : i16
  %difference_h = arith.subf %zero_h, %h : f16
  %difference_h_bits = arith.bitcast %difference_h : f16 to i16
  %same_h = arith.subf %h, %h : f16
  %same_h_bits = arith.bitcast %same_h : f16 to i16
  memref.store %product_b_bits, %to[%c0] : memref<8xi16>
  memref.store %sign_b, %to[%c1] : memref<8xi16>
  memref.store %difference_b_bits, %to[%c2] : memref<8xi16>
  memref.store %same_b_bits, %to[%c3] : memref<8xi16>
  memref.store %product_h_bits, %to[%c4] : memref<8xi16>
  memref.store %sign_h, %to[%c5] : memref<8xi16>
  memref.store %difference_h_bits, %to[%c6] : memref<8xi16>
  memref.store %same_h_bits, %to[%c7] : memref<8xi16>
  return
}

gpu.module @kernels {
  gpu.func @k(%x: i8, %to: memref<8xi16>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %c4 = arith.constant 4 : index
    %c5 = arith.constant 5 : index
    %c6 = arith.constant 6 : index
    %c7 = arith.constant 7 : index
    %b = arith.sitofp %x : i8 to bf16
    %zero_b = arith.constant -0.0 : bf16
    %product_b = arith.mulf %zero_b, %b : bf16
    %product_b_bits = arith.bitcast %product_b : bf16 to i16
    %negative_b = arith.negf %b : bf16
    %negative_b_bits = arith.bitcast %negative_b : bf16 to i16
    %sign = arith.constant -32768 : i16
    %sign_b = arith.andi %negative_b_bits, %sign : i16
    %difference_b = arith.subf %zero_b, %b : bf16
    %difference_b_bits = arith.bitcast %difference_b : bf16 to i16
    %same_b = arith.subf %b, %b : bf16
    %same_b_bits = arith.bitcast %same_b : bf16 to i16
    %h = arith.sitofp %x : i8 to f16
    %zero_h = arith.constant -0.0 : f16
    %product_h = arith.mulf %zero_h, %h : f16
    %product_h_bits = arith.bitcast %product_h : f16 to i16
    %negative_h = arith.negf %h : f16
    %negative_h_bits = arith.bitcast %negative_h : f16 to i16
    %sign_h = arith.andi %negative_h_bits, %sign : i16
    %difference_h = arith.subf %zero_h, %h : f16
    %difference_h_bits = arith.bitcast %difference_h : f16 to i16
    %same_h = arith.subf %h, %h : f16
    %same_h_bits = arith.bitcast %same_h : f16 to i16
    memref.store %product_b_bits, %to[%c0] : memref<8xi16>
    memref.store %sign_b, %to[%c1] : memref<8xi16>
    memref.store %difference_b_bits, %to[%c2] : memref<8xi16>
    memref.store %same_b_bits, %to[%c3] : memref<8xi16>
    memref.store %product_h_bits, %to[%c4] : memref<8xi16>
    memref.store %sign_h, %to[%c5] : memref<8xi16>
    memref.store %difference_h_bits, %to[%c6] : memref<8xi16>
    memref.store %same_h_bits, %to[%c7] : memref<8xi16>
    gpu.return
  }
}

func.func @print(%bits: memref<8xi16>) {
  %c0 = arith.constant 0 : index
  %v = vector.load %bits[%c0] : memref<8xi16>, vector<8xi16>
  vector.print %v : vector<8xi16>
  return
}

// RUN: kernel
// CHECK: ( 0, 0, 16256, 0, 0, 0, 15360, 0 )
// CHECK: ( 0, 0, 16256, 0, 0, 0, 15360, 0 )
// CHECK: ( -32768, -32768, -32768, 0, -32768, -32768, -32768, 0 )
// CHECK: ( -32768, -32768, -32768, 0, -32768, -32768, -32768, 0 )
// CHECK: ( -32768, -32768, -16512, 0, -32768, -32768, -17408, 0 )
// CHECK: ( -32768, -32768, -16512, 0, -32768, -32768, -17408, 0 )
func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %h = memref.alloc() : memref<8xi16>
  %d = gpu.alloc() : memref<8xi16>
  // -1, 0, 1
  scf.for %i = %c0 to %c3 step %c1 {
    %less = arith.subi %i, %c1 : index
    %x = arith.index_cast %less : index to i8
    func.call @bits(%x, %h) : (i8, memref<8xi16>) -> ()
    func.call @print(%h) : (memref<8xi16>) -> ()
    gpu.launch_func @kernels::@k blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%x : i8, %d : memref<8xi16>)
    gpu.memcpy %h, %d : memref<8xi16>, memref<8xi16>
    func.call @print(%h) : (memref<8xi16>) -> ()
  }
  gpu.dealloc %d : memref<8xi16>
  memref.dealloc %h : memref<8xi16>
  return
}

}
