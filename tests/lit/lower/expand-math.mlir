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

// To an i32, LLVM has powers of floats; narrower integers become that.
// CHECK-LABEL: func.func private @float_powers(
// CHECK: math.fpowi %{{.*}}, %{{.*}} : f64, i32
// CHECK: %[[WIDE:.*]] = arith.extsi %{{.*}} : i8 to i32
// CHECK: math.fpowi %{{.*}}, %[[WIDE]] : f64, i32
// CHECK-NOT: math.fpowi
// CHECK: scf.while {{.*}} : (f64, i64, f64)
// CHECK: arith.extf %{{.*}} : f16 to f32
// CHECK: scf.while {{.*}} : (f32, i64, f32)
func.func private @float_powers(%x: f64, %h: f16, %i: i32, %j: i8, %k: i64) -> (f64, f64, f64, f16) {
  %a = math.fpowi %x, %i : f64, i32
  %b = math.fpowi %x, %j : f64, i8
  %c = math.fpowi %x, %k : f64, i64
  %d = math.fpowi %h, %k : f16, i64
  return %a, %b, %c, %d : f64, f64, f64, f16
}

func.func private @row_powers(%x: vector<2x2xf32>, %i: vector<2x2xi8>, %k: vector<2x2xi64>) -> vector<2x2xf32> {
  %a = math.fpowi %x, %k : vector<2x2xf32>, vector<2x2xi64>
  %b = math.fpowi %a, %i : vector<2x2xf32>, vector<2x2xi8>
  return %b : vector<2x2xf32>
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
  %minus = arith.constant -2.0 : f64
  %half = arith.constant -0.5 : f16
  %i = arith.constant 5 : i32
  %j = arith.constant -1 : i8
  %k = arith.constant -3 : i64
  // PRINTS-NEXT: -32
  // PRINTS-NEXT: -0.5
  // PRINTS-NEXT: -0.125
  // PRINTS-NEXT: -8
  %e:4 = func.call @float_powers(%minus, %half, %i, %j, %k) : (f64, f16, i32, i8, i64) -> (f64, f64, f64, f16)
  vector.print %e#0 : f64
  vector.print %e#1 : f64
  vector.print %e#2 : f64
  vector.print %e#3 : f16
  // 2^62 + 1 is odd.
  // PRINTS-NEXT: -1
  %unit = arith.constant -1.0 : f64
  %odd = arith.constant 4611686018427387905 : i64
  %f:4 = func.call @float_powers(%unit, %half, %i, %j, %odd) : (f64, f16, i32, i8, i64) -> (f64, f64, f64, f16)
  vector.print %f#2 : f64
  // PRINTS-NEXT: ( ( 1, 0.5 ), ( 81, 1 ) )
  %g = arith.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : vector<2x2xf32>
  %m = arith.constant dense<[[5, -1], [2, 0]]> : vector<2x2xi64>
  %n = arith.constant dense<[[7, 1], [2, -3]]> : vector<2x2xi8>
  %o = func.call @row_powers(%g, %n, %m) : (vector<2x2xf32>, vector<2x2xi8>, vector<2x2xi64>) -> vector<2x2xf32>
  vector.print %o : vector<2x2xf32>
  // PRINTS-NEXT: 0.25
  %down = arith.constant -2 : index
  %base = arith.constant 2.0 : f32
  %inverse = func.call @index_power(%base, %down) : (f32, index) -> f32
  vector.print %inverse : f32
  return
}

// CHECK-LABEL: func.func private @index_power(
// CHECK-NOT: math.fpowi
func.func private @index_power(%x: f32, %e: index) -> f32 {
  %r = math.fpowi %x, %e : f32, index
  return %r : f32
}
