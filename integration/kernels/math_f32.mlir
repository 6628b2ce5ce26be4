// All functions of the math dialect on f32, within 8 units in the last place of
// what the C library gives on the host.

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @k(%out: memref<?x?xf32>) kernel {
      %g0 = gpu.global_id x
      %i32 = arith.index_cast %g0 : index to i32
      %k7 = arith.constant 7 : i32
      %k3 = arith.constant 3 : i32
      %m = arith.constant 3559 : i32
      %seed = arith.constant 1000 : i32
      %h0 = arith.muli %i32, %m : i32
      %h1 = arith.remui %h0, %seed : i32
      %w0 = arith.uitofp %h1 : i32 to f32
      %w1 = arith.constant 0.25 : f32
      %f0 = arith.addf %w0, %w1 : f32
      %d0 = arith.constant 1000.5 : f32
      %unit = arith.divf %f0, %d0 : f32
      %c16 = arith.constant 16.0 : f32
      %c8 = arith.constant 8.0 : f32
      %one = arith.constant 1.0 : f32
      %two = arith.constant 2.0 : f32
      %tenth = arith.constant 0.125 : f32
      %zero = arith.constant 0.0 : f32
      %s0 = arith.mulf %unit, %c16 : f32
      %s = arith.subf %s0, %c8 : f32
      %u0 = arith.mulf %unit, %two : f32
      %u = arith.subf %u0, %one : f32
      %p0 = arith.mulf %unit, %c8 : f32
      %p = arith.addf %p0, %tenth : f32
      %g = arith.addf %p0, %one : f32
      %k1 = arith.remui %i32, %k7 : i32
      %k = arith.subi %k1, %k3 : i32
      // Now and then infinite, or no number.
      %by4 = arith.constant 4 : i32
      %which = arith.remui %i32, %by4 : i32
      %is1 = arith.cmpi eq, %which, %k3 : i32
      %z0 = arith.select %is1, %zero, %one : f32
      %infinite = arith.divf %s, %z0 : f32
      %c2 = arith.constant 2 : i32
      %is2 = arith.cmpi eq, %which, %c2 : i32
      %z1 = arith.select %is2, %zero, %one : f32
      %n0 = arith.mulf %s, %z1 : f32
      %nan = arith.divf %n0, %z1 : f32
      %q = arith.select %is2, %nan, %infinite : f32
      %r0 = math.sin %s : f32
      %at0 = arith.constant 0 : index
      memref.store %r0, %out[%g0, %at0] : memref<?x?xf32>
      %r1 = math.cos %s : f32
      %at1 = arith.constant 1 : index
      memref.store %r1, %out[%g0, %at1] : memref<?x?xf32>
      %r2 = math.tan %s : f32
      %at2 = arith.constant 2 : index
      memref.store %r2, %out[%g0, %at2] : memref<?x?xf32>
      %r3 = math.sinh %s : f32
      %at3 = arith.constant 3 : index
      memref.store %r3, %out[%g0, %at3] : memref<?x?xf32>
      %r4 = math.cosh %s : f32
      %at4 = arith.constant 4 : index
      memref.store %r4, %out[%g0, %at4] : memref<?x?xf32>
      %r5 = math.tanh %s : f32
      %at5 = arith.constant 5 : index
      memref.store %r5, %out[%g0, %at5] : memref<?x?xf32>
      %r6 = math.asinh %s : f32
      %at6 = arith.constant 6 : index
      memref.store %r6, %out[%g0, %at6] : memref<?x?xf32>
      %r7 = math.atan %s : f32
      %at7 = arith.constant 7 : index
      memref.store %r7, %out[%g0, %at7] : memref<?x?xf32>
      %r8 = math.exp %s : f32
      %at8 = arith.constant 8 : index
      memref.store %r8, %out[%g0, %at8] : memref<?x?xf32>
      %r9 = math.exp2 %s : f32
      %at9 = arith.constant 9 : index
      memref.store %r9, %out[%g0, %at9] : memref<?x?xf32>
      %r10 = math.erf %s : f32
      %at10 = arith.constant 10 : index
      memref.store %r10, %out[%g0, %at10] : memref<?x?xf32>
      %r11 = math.erfc %s : f32
      %at11 = arith.constant 11 : index
      memref.store %r11, %out[%g0, %at11] : memref<?x?xf32>
      %r12 = math.cbrt %s : f32
      %at12 = arith.constant 12 : index
      memref.store %r12, %out[%g0, %at12] : memref<?x?xf32>
      %r13 = math.floor %s : f32
      %at13 = arith.constant 13 : index
      memref.store %r13, %out[%g0, %at13] : memref<?x?xf32>
      %r14 = math.ceil %s : f32
      %at14 = arith.constant 14 : index
      memref.store %r14, %out[%g0, %at14] : memref<?x?xf32>
      %r15 = math.round %s : f32
      %at15 = arith.constant 15 : index
      memref.store %r15, %out[%g0, %at15] : memref<?x?xf32>
      %r16 = math.roundeven %s : f32
      %at16 = arith.constant 16 : index
      memref.store %r16, %out[%g0, %at16] : memref<?x?xf32>
      %r17 = math.trunc %s : f32
      %at17 = arith.constant 17 : index
      memref.store %r17, %out[%g0, %at17] : memref<?x?xf32>
      %r18 = math.absf %s : f32
      %at18 = arith.constant 18 : index
      memref.store %r18, %out[%g0, %at18] : memref<?x?xf32>
      %r19 = math.asin %u : f32
      %at19 = arith.constant 19 : index
      memref.store %r19, %out[%g0, %at19] : memref<?x?xf32>
      %r20 = math.acos %u : f32
      %at20 = arith.constant 20 : index
      memref.store %r20, %out[%g0, %at20] : memref<?x?xf32>
      %r21 = math.atanh %u : f32
      %at21 = arith.constant 21 : index
      memref.store %r21, %out[%g0, %at21] : memref<?x?xf32>
      %r22 = math.log %p : f32
      %at22 = arith.constant 22 : index
      memref.store %r22, %out[%g0, %at22] : memref<?x?xf32>
      %r23 = math.log2 %p : f32
      %at23 = arith.constant 23 : index
      memref.store %r23, %out[%g0, %at23] : memref<?x?xf32>
      %r24 = math.log10 %p : f32
      %at24 = arith.constant 24 : index
      memref.store %r24, %out[%g0, %at24] : memref<?x?xf32>
      %r25 = math.sqrt %p : f32
      %at25 = arith.constant 25 : index
      memref.store %r25, %out[%g0, %at25] : memref<?x?xf32>
      %r26 = math.rsqrt %p : f32
      %at26 = arith.constant 26 : index
      memref.store %r26, %out[%g0, %at26] : memref<?x?xf32>
      %r27 = math.expm1 %p : f32
      %at27 = arith.constant 27 : index
      memref.store %r27, %out[%g0, %at27] : memref<?x?xf32>
      %r28 = math.log1p %p : f32
      %at28 = arith.constant 28 : index
      memref.store %r28, %out[%g0, %at28] : memref<?x?xf32>
      %r29 = math.acosh %g : f32
      %at29 = arith.constant 29 : index
      memref.store %r29, %out[%g0, %at29] : memref<?x?xf32>
      %r30 = math.atan2 %s, %u : f32
      %at30 = arith.constant 30 : index
      memref.store %r30, %out[%g0, %at30] : memref<?x?xf32>
      %r31 = math.powf %p, %u : f32
      %at31 = arith.constant 31 : index
      memref.store %r31, %out[%g0, %at31] : memref<?x?xf32>
      %r32 = math.fpowi %p, %k : f32, i32
      %at32 = arith.constant 32 : index
      memref.store %r32, %out[%g0, %at32] : memref<?x?xf32>
      %r33 = math.copysign %p, %s : f32
      %at33 = arith.constant 33 : index
      memref.store %r33, %out[%g0, %at33] : memref<?x?xf32>
      %r34 = math.fma %s, %u, %p : f32
      %at34 = arith.constant 34 : index
      memref.store %r34, %out[%g0, %at34] : memref<?x?xf32>
      %r35 = math.clampf %s to [%u, %g] : f32
      %at35 = arith.constant 35 : index
      memref.store %r35, %out[%g0, %at35] : memref<?x?xf32>
      %b36 = math.isnormal %q : f32
      %r36 = arith.uitofp %b36 : i1 to f32
      %at36 = arith.constant 36 : index
      memref.store %r36, %out[%g0, %at36] : memref<?x?xf32>
      %ki37 = math.ipowi %k, %k : i32
      %r37 = arith.sitofp %ki37 : i32 to f32
      %at37 = arith.constant 37 : index
      memref.store %r37, %out[%g0, %at37] : memref<?x?xf32>
      %r38, %r39 = math.sincos %s : f32
      %at38 = arith.constant 38 : index
      memref.store %r38, %out[%g0, %at38] : memref<?x?xf32>
      %at39 = arith.constant 39 : index
      memref.store %r39, %out[%g0, %at39] : memref<?x?xf32>
      %r40 = arith.remf %s, %p : f32
      %at40 = arith.constant 40 : index
      memref.store %r40, %out[%g0, %at40] : memref<?x?xf32>
      %b41 = math.isnan %q : f32
      %r41 = arith.uitofp %b41 : i1 to f32
      %at41 = arith.constant 41 : index
      memref.store %r41, %out[%g0, %at41] : memref<?x?xf32>
      %b42 = math.isinf %q : f32
      %r42 = arith.uitofp %b42 : i1 to f32
      %at42 = arith.constant 42 : index
      memref.store %r42, %out[%g0, %at42] : memref<?x?xf32>
      %b43 = math.isfinite %q : f32
      %r43 = arith.uitofp %b43 : i1 to f32
      %at43 = arith.constant 43 : index
      memref.store %r43, %out[%g0, %at43] : memref<?x?xf32>
      gpu.return
    }
  }

  // %k to the power of itself, for -3 to 3; nothing is left of -2 and -3.
  func.func private @power(%k: i32) -> i32 {
    %index = arith.index_cast %k : i32 to index
    %one = arith.constant 1 : i32
    %zero = arith.constant 0 : i32
    %minus = arith.constant -1 : i32
    %least = arith.constant -1 : i32
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %product = scf.for %i = %c0 to %index step %c1 iter_args(%p = %one) -> i32 {
      %next = arith.muli %p, %k : i32
      scf.yield %next : i32
    }
    %is_minus = arith.cmpi eq, %k, %minus : i32
    %is_less = arith.cmpi slt, %k, %least : i32
    %a = arith.select %is_less, %zero, %product : i32
    %b = arith.select %is_minus, %minus, %a : i32
    return %b : i32
  }

  // The same on the host, for row %g0.
  func.func @expect(%out: memref<?x?xf32>, %g0: index) {
    %i32 = arith.index_cast %g0 : index to i32
    %k7 = arith.constant 7 : i32
    %k3 = arith.constant 3 : i32
    %m = arith.constant 3559 : i32
    %seed = arith.constant 1000 : i32
    %h0 = arith.muli %i32, %m : i32
    %h1 = arith.remui %h0, %seed : i32
    %w0 = arith.uitofp %h1 : i32 to f32
    %w1 = arith.constant 0.25 : f32
    %f0 = arith.addf %w0, %w1 : f32
    %d0 = arith.constant 1000.5 : f32
    %unit = arith.divf %f0, %d0 : f32
    %c16 = arith.constant 16.0 : f32
    %c8 = arith.constant 8.0 : f32
    %one = arith.constant 1.0 : f32
    %two = arith.constant 2.0 : f32
    %tenth = arith.constant 0.125 : f32
    %zero = arith.constant 0.0 : f32
    %s0 = arith.mulf %unit, %c16 : f32
    %s = arith.subf %s0, %c8 : f32
    %u0 = arith.mulf %unit, %two : f32
    %u = arith.subf %u0, %one : f32
    %p0 = arith.mulf %unit, %c8 : f32
    %p = arith.addf %p0, %tenth : f32
    %g = arith.addf %p0, %one : f32
    %k1 = arith.remui %i32, %k7 : i32
    %k = arith.subi %k1, %k3 : i32
    // Now and then infinite, or no number.
    %by4 = arith.constant 4 : i32
    %which = arith.remui %i32, %by4 : i32
    %is1 = arith.cmpi eq, %which, %k3 : i32
    %z0 = arith.select %is1, %zero, %one : f32
    %infinite = arith.divf %s, %z0 : f32
    %c2 = arith.constant 2 : i32
    %is2 = arith.cmpi eq, %which, %c2 : i32
    %z1 = arith.select %is2, %zero, %one : f32
    %n0 = arith.mulf %s, %z1 : f32
    %nan = arith.divf %n0, %z1 : f32
    %q = arith.select %is2, %nan, %infinite : f32
    %r0 = math.sin %s : f32
    %at0 = arith.constant 0 : index
    memref.store %r0, %out[%g0, %at0] : memref<?x?xf32>
    %r1 = math.cos %s : f32
    %at1 = arith.constant 1 : index
    memref.store %r1, %out[%g0, %at1] : memref<?x?xf32>
    %r2 = math.tan %s : f32
    %at2 = arith.constant 2 : index
    memref.store %r2, %out[%g0, %at2] : memref<?x?xf32>
    %r3 = math.sinh %s : f32
    %at3 = arith.constant 3 : index
    memref.store %r3, %out[%g0, %at3] : memref<?x?xf32>
    %r4 = math.cosh %s : f32
    %at4 = arith.constant 4 : index
    memref.store %r4, %out[%g0, %at4] : memref<?x?xf32>
    %r5 = math.tanh %s : f32
    %at5 = arith.constant 5 : index
    memref.store %r5, %out[%g0, %at5] : memref<?x?xf32>
    %r6 = math.asinh %s : f32
    %at6 = arith.constant 6 : index
    memref.store %r6, %out[%g0, %at6] : memref<?x?xf32>
    %r7 = math.atan %s : f32
    %at7 = arith.constant 7 : index
    memref.store %r7, %out[%g0, %at7] : memref<?x?xf32>
    %r8 = math.exp %s : f32
    %at8 = arith.constant 8 : index
    memref.store %r8, %out[%g0, %at8] : memref<?x?xf32>
    %r9 = math.exp2 %s : f32
    %at9 = arith.constant 9 : index
    memref.store %r9, %out[%g0, %at9] : memref<?x?xf32>
    %r10 = math.erf %s : f32
    %at10 = arith.constant 10 : index
    memref.store %r10, %out[%g0, %at10] : memref<?x?xf32>
    %r11 = math.erfc %s : f32
    %at11 = arith.constant 11 : index
    memref.store %r11, %out[%g0, %at11] : memref<?x?xf32>
    %r12 = math.cbrt %s : f32
    %at12 = arith.constant 12 : index
    memref.store %r12, %out[%g0, %at12] : memref<?x?xf32>
    %r13 = math.floor %s : f32
    %at13 = arith.constant 13 : index
    memref.store %r13, %out[%g0, %at13] : memref<?x?xf32>
    %r14 = math.ceil %s : f32
    %at14 = arith.constant 14 : index
    memref.store %r14, %out[%g0, %at14] : memref<?x?xf32>
    %r15 = math.round %s : f32
    %at15 = arith.constant 15 : index
    memref.store %r15, %out[%g0, %at15] : memref<?x?xf32>
    %r16 = math.roundeven %s : f32
    %at16 = arith.constant 16 : index
    memref.store %r16, %out[%g0, %at16] : memref<?x?xf32>
    %r17 = math.trunc %s : f32
    %at17 = arith.constant 17 : index
    memref.store %r17, %out[%g0, %at17] : memref<?x?xf32>
    %r18 = math.absf %s : f32
    %at18 = arith.constant 18 : index
    memref.store %r18, %out[%g0, %at18] : memref<?x?xf32>
    %r19 = math.asin %u : f32
    %at19 = arith.constant 19 : index
    memref.store %r19, %out[%g0, %at19] : memref<?x?xf32>
    %r20 = math.acos %u : f32
    %at20 = arith.constant 20 : index
    memref.store %r20, %out[%g0, %at20] : memref<?x?xf32>
    %r21 = math.atanh %u : f32
    %at21 = arith.constant 21 : index
    memref.store %r21, %out[%g0, %at21] : memref<?x?xf32>
    %r22 = math.log %p : f32
    %at22 = arith.constant 22 : index
    memref.store %r22, %out[%g0, %at22] : memref<?x?xf32>
    %r23 = math.log2 %p : f32
    %at23 = arith.constant 23 : index
    memref.store %r23, %out[%g0, %at23] : memref<?x?xf32>
    %r24 = math.log10 %p : f32
    %at24 = arith.constant 24 : index
    memref.store %r24, %out[%g0, %at24] : memref<?x?xf32>
    %r25 = math.sqrt %p : f32
    %at25 = arith.constant 25 : index
    memref.store %r25, %out[%g0, %at25] : memref<?x?xf32>
    %r26 = math.rsqrt %p : f32
    %at26 = arith.constant 26 : index
    memref.store %r26, %out[%g0, %at26] : memref<?x?xf32>
    %r27 = math.expm1 %p : f32
    %at27 = arith.constant 27 : index
    memref.store %r27, %out[%g0, %at27] : memref<?x?xf32>
    %r28 = math.log1p %p : f32
    %at28 = arith.constant 28 : index
    memref.store %r28, %out[%g0, %at28] : memref<?x?xf32>
    %r29 = math.acosh %g : f32
    %at29 = arith.constant 29 : index
    memref.store %r29, %out[%g0, %at29] : memref<?x?xf32>
    %r30 = math.atan2 %s, %u : f32
    %at30 = arith.constant 30 : index
    memref.store %r30, %out[%g0, %at30] : memref<?x?xf32>
    %r31 = math.powf %p, %u : f32
    %at31 = arith.constant 31 : index
    memref.store %r31, %out[%g0, %at31] : memref<?x?xf32>
    %r32 = math.fpowi %p, %k : f32, i32
    %at32 = arith.constant 32 : index
    memref.store %r32, %out[%g0, %at32] : memref<?x?xf32>
    %r33 = math.copysign %p, %s : f32
    %at33 = arith.constant 33 : index
    memref.store %r33, %out[%g0, %at33] : memref<?x?xf32>
    %r34 = math.fma %s, %u, %p : f32
    %at34 = arith.constant 34 : index
    memref.store %r34, %out[%g0, %at34] : memref<?x?xf32>
    %clow = arith.minimumf %s, %u : f32
    %r35 = arith.maximumf %clow, %g : f32
    %at35 = arith.constant 35 : index
    memref.store %r35, %out[%g0, %at35] : memref<?x?xf32>
    %qsize = math.absf %q : f32
    %least = arith.constant 1.17549435E-38 : f32
    %finite = math.isfinite %q : f32
    %large = arith.cmpf oge, %qsize, %least : f32
    %b36 = arith.andi %finite, %large : i1
    %r36 = arith.uitofp %b36 : i1 to f32
    %at36 = arith.constant 36 : index
    memref.store %r36, %out[%g0, %at36] : memref<?x?xf32>
    %ki37 = func.call @power(%k) : (i32) -> i32
    %r37 = arith.sitofp %ki37 : i32 to f32
    %at37 = arith.constant 37 : index
    memref.store %r37, %out[%g0, %at37] : memref<?x?xf32>
    %r38 = math.sin %s : f32
    %at38 = arith.constant 38 : index
    memref.store %r38, %out[%g0, %at38] : memref<?x?xf32>
    %r39 = math.cos %s : f32
    %at39 = arith.constant 39 : index
    memref.store %r39, %out[%g0, %at39] : memref<?x?xf32>
    %r40 = arith.remf %s, %p : f32
    %at40 = arith.constant 40 : index
    memref.store %r40, %out[%g0, %at40] : memref<?x?xf32>
    %b41 = math.isnan %q : f32
    %r41 = arith.uitofp %b41 : i1 to f32
    %at41 = arith.constant 41 : index
    memref.store %r41, %out[%g0, %at41] : memref<?x?xf32>
    %b42 = math.isinf %q : f32
    %r42 = arith.uitofp %b42 : i1 to f32
    %at42 = arith.constant 42 : index
    memref.store %r42, %out[%g0, %at42] : memref<?x?xf32>
    %b43 = math.isfinite %q : f32
    %r43 = arith.uitofp %b43 : i1 to f32
    %at43 = arith.constant 43 : index
    memref.store %r43, %out[%g0, %at43] : memref<?x?xf32>
    return
  }

  // How many results are further than that from what the host computes.
  func.func @check(%blocks: index, %threads: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %count = arith.constant 44 : index
    %none = arith.constant 0 : i32
    %tolerance = arith.constant 1.0e-6 : f32
    %n = arith.muli %blocks, %threads : index
    %out = memref.alloc(%n, %count) : memref<?x?xf32>
    %want = memref.alloc(%n, %count) : memref<?x?xf32>
    %dout = gpu.alloc(%n, %count) : memref<?x?xf32>
    gpu.launch_func @kernels::@k
        blocks in (%blocks, %c1, %c1) threads in (%threads, %c1, %c1)
        args(%dout : memref<?x?xf32>)
    gpu.memcpy %out, %dout : memref<?x?xf32>, memref<?x?xf32>
    gpu.wait
    %wrong = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %none) -> i32 {
      func.call @expect(%want, %i) : (memref<?x?xf32>, index) -> ()
      %row = scf.for %j = %c0 to %count step %c1 iter_args(%w = %sum) -> i32 {
        %a = memref.load %out[%i, %j] : memref<?x?xf32>
        %e = memref.load %want[%i, %j] : memref<?x?xf32>
        %d = arith.subf %a, %e : f32
        %off = math.absf %d : f32
        %size = math.absf %e : f32
        %most = arith.mulf %size, %tolerance : f32
        // What is no number is wrong, too.
        %bad = arith.cmpf ugt, %off, %most : f32
        %is_bad = arith.extui %bad : i1 to i32
        %w1 = arith.addi %w, %is_bad : i32
        scf.yield %w1 : i32
      }
      scf.yield %row : i32
    }
    vector.print %wrong : i32
    gpu.dealloc %dout : memref<?x?xf32>
    memref.dealloc %out : memref<?x?xf32>
    memref.dealloc %want : memref<?x?xf32>
    return
  }

  // RUN: kernel
  // CHECK: 0
  // CHECK: 0
  // CHECK: 0
  // CHECK: 0
  // CHECK: 0
  // CHECK: 0
  func.func @main() {
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %c7 = arith.constant 7 : index
    %c31 = arith.constant 31 : index
    %c32 = arith.constant 32 : index
    %c33 = arith.constant 33 : index
    %c256 = arith.constant 256 : index
    %c1024 = arith.constant 1024 : index
    func.call @check(%c7, %c1) : (index, index) -> ()
    func.call @check(%c3, %c31) : (index, index) -> ()
    func.call @check(%c7, %c32) : (index, index) -> ()
    func.call @check(%c3, %c33) : (index, index) -> ()
    func.call @check(%c7, %c256) : (index, index) -> ()
    func.call @check(%c3, %c1024) : (index, index) -> ()
    return
  }
}
