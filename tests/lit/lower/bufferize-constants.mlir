// Constants have names and places in the order of their uses, and not of the
// addresses of the functions that use them. No other symbol has their names.

// RUN: async-gpu-opt --async-gpu-bufferize %s | FileCheck %s

// CHECK: module
// CHECK-NEXT: memref.global "private" constant @__constant_2xi64_0 : memref<2xi64> = dense<[1, 2]>
// CHECK-NEXT: memref.global "private" constant @__constant_2xi64_1 : memref<2xi64> = dense<[3, 4]>
// CHECK-NEXT: memref.global "private" constant @__constant_2xf32_0 : memref<2xf32> = dense<[1.000000e+00, 2.000000e+00]>
// CHECK-NEXT: memref.global "private" constant @__constant_2xi64_2 : memref<2xi64> = dense<[5, 6]>
// CHECK-NEXT: memref.global "private" constant @__constant_2xi64_3 : memref<2xi64> = dense<[7, 8]>

// CHECK: memref.global constant @__constant_2xi64 : memref<2xi64> = dense<0>
func.func private @__constant_2xf32()
memref.global constant @__constant_2xi64 : memref<2xi64> = dense<0>

// CHECK-LABEL: func.func @first
// CHECK: memref.get_global @__constant_2xi64_0
// CHECK: memref.get_global @__constant_2xi64_1
func.func @first(%i: index) -> (i64, i64) {
  %a = arith.constant dense<[1, 2]> : tensor<2xi64>
  %b = arith.constant dense<[3, 4]> : tensor<2xi64>
  %0 = tensor.extract %a[%i] : tensor<2xi64>
  %1 = tensor.extract %b[%i] : tensor<2xi64>
  return %0, %1 : i64, i64
}

// CHECK-LABEL: func.func @second
// CHECK: memref.get_global @__constant_2xf32_0
// CHECK: memref.get_global @__constant_2xi64_2
func.func @second(%i: index) -> (f32, i64) {
  %a = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %b = arith.constant dense<[5, 6]> : tensor<2xi64>
  %0 = tensor.extract %a[%i] : tensor<2xf32>
  %1 = tensor.extract %b[%i] : tensor<2xi64>
  return %0, %1 : f32, i64
}

// CHECK-LABEL: func.func @third
// CHECK: memref.get_global @__constant_2xi64_1
// CHECK: memref.get_global @__constant_2xi64_3
// CHECK: memref.get_global @__constant_2xi64 :
func.func @third(%i: index) -> (i64, i64, i64) {
  %a = arith.constant dense<[3, 4]> : tensor<2xi64>
  %b = arith.constant dense<[7, 8]> : tensor<2xi64>
  %c = memref.get_global @__constant_2xi64 : memref<2xi64>
  %0 = tensor.extract %a[%i] : tensor<2xi64>
  %1 = tensor.extract %b[%i] : tensor<2xi64>
  %2 = memref.load %c[%i] : memref<2xi64>
  return %0, %1, %2 : i64, i64, i64
}
