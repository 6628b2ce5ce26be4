// What programs print, and how strided memrefs are copied, does not depend on
// whose utilities they are linked with.

// RUN: async-gpu-runner %s | FileCheck %s
// RUN: async-gpu-opt --emit=exe %s -o %t
// RUN: %t | FileCheck %s
// RUN: async-gpu-runner %s | sed 's/0x[0-9a-f]*//' > %t.upstream
// RUN: %t | sed 's/0x[0-9a-f]*//' > %t.ours
// RUN: diff %t.upstream %t.ours

// CHECK:      sizes = [2, 2, 2] strides = [4, 2, 1] data =
// CHECK:      sizes = [2, 2] strides = [2, 1] data =
// CHECK:      {{^}}[1,  -0.5,  65504,  6.09756e-05]
// CHECK:      {{^}}[(1,-2.5),  (1,-2.5)]
// CHECK:      rank = 0
// CHECK-NEXT: {{^}}[9]
// CHECK:      {{^}}  [3,    7]
// CHECK:      {{^}}( ( ( 1, 2.5 ), ( 3, 4 ) ), ( ( 5, 6 ), ( 7, 8 ) ) )
// CHECK:      {{^}}( 1, -0.5, 65504, 6.09756e-05 )

func.func private @printMemrefF32(memref<*xf32>) attributes {llvm.emit_c_interface}
func.func private @printMemrefC32(memref<*xcomplex<f32>>) attributes {llvm.emit_c_interface}
func.func private @printMemrefF16(memref<*xf16>) attributes {llvm.emit_c_interface}
func.func private @printMemrefI64(memref<*xi64>)
func.func @main() {
  %c0 = arith.constant 0 : index
  %c = arith.constant dense<[[[1.0,2.5],[3.0,4.0]],[[5.0,6.0],[7.0,8.0]]]> : vector<2x2x2xf32>
  %m = memref.alloc() : memref<2x2x2xf32>
  vector.transfer_write %c, %m[%c0,%c0,%c0] : vector<2x2x2xf32>, memref<2x2x2xf32>
  %u = memref.cast %m : memref<2x2x2xf32> to memref<*xf32>
  call @printMemrefF32(%u) : (memref<*xf32>) -> ()
  %s = memref.subview %m[1,0,0][1,2,2][1,1,1] : memref<2x2x2xf32> to memref<2x2xf32, strided<[2,1], offset: 4>>
  %us = memref.cast %s : memref<2x2xf32, strided<[2,1], offset: 4>> to memref<*xf32>
  call @printMemrefF32(%us) : (memref<*xf32>) -> ()
  %h = memref.alloc() : memref<4xf16>
  %hv = arith.constant dense<[1.0, -0.5, 65504.0, 6.1e-5]> : vector<4xf16>
  vector.transfer_write %hv, %h[%c0] : vector<4xf16>, memref<4xf16>
  %uh = memref.cast %h : memref<4xf16> to memref<*xf16>
  call @printMemrefF16(%uh) : (memref<*xf16>) -> ()
  %z = memref.alloc() : memref<2xcomplex<f32>>
  %zc = complex.constant [1.0 : f32, -2.5 : f32] : complex<f32>
  %c1 = arith.constant 1 : index
  memref.store %zc, %z[%c0] : memref<2xcomplex<f32>>
  memref.store %zc, %z[%c1] : memref<2xcomplex<f32>>
  %uz = memref.cast %z : memref<2xcomplex<f32>> to memref<*xcomplex<f32>>
  call @printMemrefC32(%uz) : (memref<*xcomplex<f32>>) -> ()
  %i = memref.alloc() : memref<i64>
  %k = arith.constant 9 : i64
  memref.store %k, %i[] : memref<i64>
  %ui = memref.cast %i : memref<i64> to memref<*xi64>
  call @printMemrefI64(%ui) : (memref<*xi64>) -> ()
  %tt = memref.transpose %m (a, b, c) -> (c, b, a) : memref<2x2x2xf32> to memref<2x2x2xf32, strided<[1, 2, 4]>>
  %n = memref.alloc() : memref<2x2x2xf32>
  memref.copy %tt, %n : memref<2x2x2xf32, strided<[1, 2, 4]>> to memref<2x2x2xf32>
  %un = memref.cast %n : memref<2x2x2xf32> to memref<*xf32>
  call @printMemrefF32(%un) : (memref<*xf32>) -> ()
  vector.print %c : vector<2x2x2xf32>
  vector.print %hv : vector<4xf16>
  memref.dealloc %m : memref<2x2x2xf32>
  memref.dealloc %h : memref<4xf16>
  memref.dealloc %z : memref<2xcomplex<f32>>
  memref.dealloc %i : memref<i64>
  memref.dealloc %n : memref<2x2x2xf32>
  return
}
