// The kernels of native_math_test.c.

gpu.module @m {
  // Math without calls, of the f32 whose bits are %first and what follows.
  gpu.func @vectors(%first: i32, %out: memref<?x?xf32>) kernel {
    %t = gpu.thread_id x
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %i = arith.index_cast %t : index to i32
    %bits = arith.addi %first, %i : i32
    %v = arith.bitcast %bits : i32 to f32
    %0 = math.exp %v : f32
    memref.store %0, %out[%c0, %t] : memref<?x?xf32>
    %1 = math.tanh %v : f32
    memref.store %1, %out[%c1, %t] : memref<?x?xf32>
    %2 = math.erf %v : f32
    memref.store %2, %out[%c2, %t] : memref<?x?xf32>
    gpu.return
  }
  // One function after the other, for each thread's x, into out[k][thread].
  gpu.func @f32(%x: memref<?xf32>, %out: memref<?x?xf32>) kernel {
    %t = gpu.thread_id x
    %v = memref.load %x[%t] : memref<?xf32>
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %c4 = arith.constant 4 : index
    %c5 = arith.constant 5 : index
    %c6 = arith.constant 6 : index
    %c7 = arith.constant 7 : index
    %c8 = arith.constant 8 : index
    %c9 = arith.constant 9 : index
    %0 = math.exp %v : f32
    memref.store %0, %out[%c0, %t] : memref<?x?xf32>
    %1 = math.sqrt %v : f32
    memref.store %1, %out[%c1, %t] : memref<?x?xf32>
    %2 = math.fma %v, %0, %1 : f32
    memref.store %2, %out[%c2, %t] : memref<?x?xf32>
    %3 = math.tanh %v : f32
    memref.store %3, %out[%c3, %t] : memref<?x?xf32>
    %4 = math.erf %v : f32
    memref.store %4, %out[%c4, %t] : memref<?x?xf32>
    %5 = math.rsqrt %v : f32
    memref.store %5, %out[%c5, %t] : memref<?x?xf32>
    %6 = math.powf %v, %3 : f32
    memref.store %6, %out[%c6, %t] : memref<?x?xf32>
    %7 = arith.remf %0, %v : f32
    memref.store %7, %out[%c7, %t] : memref<?x?xf32>
    %8 = math.sin %v fastmath<afn> : f32
    memref.store %8, %out[%c8, %t] : memref<?x?xf32>
    %9 = math.cbrt %v : f32
    memref.store %9, %out[%c9, %t] : memref<?x?xf32>
    gpu.return
  }
  gpu.func @f64(%x: memref<?xf64>, %out: memref<?x?xf64>) kernel {
    %t = gpu.thread_id x
    %v = memref.load %x[%t] : memref<?xf64>
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %c4 = arith.constant 4 : index
    %c5 = arith.constant 5 : index
    %c6 = arith.constant 6 : index
    %c7 = arith.constant 7 : index
    %c8 = arith.constant 8 : index
    %c9 = arith.constant 9 : index
    %three = arith.constant 3 : i32
    %0 = math.log %v : f64
    memref.store %0, %out[%c0, %t] : memref<?x?xf64>
    %1 = math.log1p %v : f64
    memref.store %1, %out[%c1, %t] : memref<?x?xf64>
    %2 = math.floor %v : f64
    memref.store %2, %out[%c2, %t] : memref<?x?xf64>
    %3 = math.atan2 %v, %0 : f64
    memref.store %3, %out[%c3, %t] : memref<?x?xf64>
    %4 = math.fpowi %v, %three : f64, i32
    memref.store %4, %out[%c4, %t] : memref<?x?xf64>
    %5 = math.expm1 %v : f64
    memref.store %5, %out[%c5, %t] : memref<?x?xf64>
    %6 = math.copysign %v, %0 : f64
    memref.store %6, %out[%c6, %t] : memref<?x?xf64>
    %7 = math.roundeven %v : f64
    memref.store %7, %out[%c7, %t] : memref<?x?xf64>
    %n = math.isnan %0 : f64
    %8 = arith.uitofp %n : i1 to f64
    memref.store %8, %out[%c8, %t] : memref<?x?xf64>
    %9 = math.absf %0 : f64
    memref.store %9, %out[%c9, %t] : memref<?x?xf64>
    gpu.return
  }
  gpu.func @half(%x: memref<?xf16>, %y: memref<?xbf16>, %a: f16, %b: bf16)
      kernel {
    %t = gpu.thread_id x
    %v = memref.load %x[%t] : memref<?xf16>
    %w = arith.mulf %v, %a : f16
    %e = math.exp %w : f16
    memref.store %e, %x[%t] : memref<?xf16>
    %p = memref.load %y[%t] : memref<?xbf16>
    %q = arith.addf %p, %b : bf16
    memref.store %q, %y[%t] : memref<?xbf16>
    gpu.return
  }
  gpu.func @integers(%flag: i1, %a: i8, %b: i16, %c: i32, %d: i64, %e: index,
                     %out: memref<?xi64>) kernel {
    %t = gpu.thread_id x
    %a64 = arith.extsi %a : i8 to i64
    %b64 = arith.extui %b : i16 to i64
    %c64 = arith.extsi %c : i32 to i64
    %e64 = arith.index_cast %e : index to i64
    %t64 = arith.index_cast %t : index to i64
    %0 = arith.addi %a64, %b64 : i64
    %1 = arith.muli %0, %c64 : i64
    %2 = arith.floordivsi %1, %d : i64
    %3 = arith.select %flag, %2, %e64 : i64
    %4 = arith.shli %3, %t64 : i64
    %5 = math.ctpop %4 : i64
    %6 = math.absi %4 : i64
    %7 = arith.addi %5, %6 : i64
    memref.store %7, %out[%t] : memref<?xi64>
    gpu.return
  }
  gpu.func @complex(%c: complex<f32>, %v: vector<3xf32>, %out: memref<?xf32>)
      kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %m = complex.mul %c, %c : complex<f32>
    %re = complex.re %m : complex<f32>
    %im = complex.im %m : complex<f32>
    %s = vector.reduction <add>, %v : vector<3xf32> into f32
    memref.store %re, %out[%c0] : memref<?xf32>
    memref.store %im, %out[%c1] : memref<?xf32>
    memref.store %s, %out[%c2] : memref<?xf32>
    gpu.return
  }
}
