// Math that upstream has no conversion for, on the host and in kernels.
// RUN: async-gpu-opt %s --async-gpu-expand-math | FileCheck %s
// RUN: async-gpu-runner %s | FileCheck %s --check-prefix=PRINTS
// RUN: async-gpu-opt %s --async-gpu-lower=gpu-targets=ptx --emit=ptx -o /dev/null

// CHECK-LABEL: func.func private @class(
// CHECK: "llvm.intr.is.fpclass"(%{{.*}}) <{bit = 3 : i32}> : (f32) -> i1
// CHECK: "llvm.intr.is.fpclass"(%{{.*}}) <{bit = 516 : i32}> : (f32) -> i1
// CHECK: "llvm.intr.is.fpclass"(%{{.*}}) <{bit = 504 : i32}> : (f32) -> i1
// CHECK: "llvm.intr.is.fpclass"(%{{.*}}) <{bit = 264 : i32}> : (vector<4xf16>) -> vector<4xi1>
func.func private @class(%x: f32, %y: vector<4xf16>) -> (i1, i1, i1, vector<4xi1>) {
  %a = math.isnan %x : f32
  %b = math.isinf %x : f32
  %c = math.isfinite %x : f32
  %d = math.isnormal %y : vector<4xf16>
  return %a, %b, %c, %d : i1, i1, i1, vector<4xi1>
}

// CHECK-LABEL: func.func private @waves(
// CHECK: math.sin %{{.*}} : vector<2xf32>
// CHECK: math.cos %{{.*}} : vector<2xf32>
// CHECK: math.sincos %{{.*}} : f32
func.func private @waves(%x: vector<2xf32>, %y: f32) -> (vector<2xf32>, vector<2xf32>, f32, f32) {
  %a, %b = math.sincos %x : vector<2xf32>
  %c, %d = math.sincos %y : f32
  return %a, %b, %c, %d : vector<2xf32>, vector<2xf32>, f32, f32
}

// CHECK-LABEL: func.func private @power(
// CHECK-NOT: math.ipowi
// CHECK: scf.while
func.func private @power(%x: i64, %e: i64) -> i64 {
  %a = math.ipowi %x, %e : i64
  return %a : i64
}

func.func private @powers(%x: vector<4xi32>, %e: vector<4xi32>) -> vector<4xi32> {
  %a = math.ipowi %x, %e : vector<4xi32>
  return %a : vector<4xi32>
}

gpu.module @m {
  gpu.func @k(%x: memref<?xf16>, %y: memref<?xi1>, %z: memref<?xi8>) kernel {
    %t = gpu.thread_id x
    %v = memref.load %x[%t] : memref<?xf16>
    %a = math.isnormal %v : f16
    memref.store %a, %y[%t] : memref<?xi1>
    %w = memref.load %z[%t] : memref<?xi8>
    %b = math.ipowi %w, %w : i8
    memref.store %b, %z[%t] : memref<?xi8>
    gpu.return
  }
}

func.func @main() {
  %three = arith.constant 3 : i64
  %ten = arith.constant 10 : i64
  // PRINTS: 59049
  %p = func.call @power(%three, %ten) : (i64, i64) -> i64
  vector.print %p : i64
  %bases = arith.constant dense<[-1, 1, -1, 2]> : vector<4xi32>
  %exponents = arith.constant dense<[-3, -2, 0, -1]> : vector<4xi32>
  // PRINTS: ( -1, 1, 1, 0 )
  %q = func.call @powers(%bases, %exponents) : (vector<4xi32>, vector<4xi32>) -> vector<4xi32>
  vector.print %q : vector<4xi32>
  // The smallest normal number and the largest below it, infinity, one.
  %bits = arith.constant dense<[1024, 1023, 31744, 15360]> : vector<4xi16>
  %numbers = arith.bitcast %bits : vector<4xi16> to vector<4xf16>
  %one = arith.constant 1.0 : f32
  // PRINTS: ( 1, 0, 0, 1 )
  %a, %b, %c, %d = func.call @class(%one, %numbers) : (f32, vector<4xf16>) -> (i1, i1, i1, vector<4xi1>)
  vector.print %d : vector<4xi1>
  return
}
