// Conversions between integers and floats that LLVM's optimiser or backend gets wrong
// by itself: beyond the range of f16, and of single bits.
// CHIPS: sm_90 sm_75

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @k(%in: memref<?xi32>, %out: memref<?xf32>) kernel {
      %c0 = arith.constant 0 : index
      %x = memref.load %in[%c0] : memref<?xi32>
      // Integers of which one bit is known to be set: 2^21 and 2^40 are infinity in f16,
      // and 2^15 is not.
      %zero = arith.constant 0 : i32
      %one = arith.constant 1 : i32
      %k15 = arith.constant 15 : i32
      %k21 = arith.constant 21 : i32
      %k40 = arith.constant 40 : i64
      %m = arith.andi %x, %one : i32
      %large = arith.shli %m, %k21 : i32
      %small = arith.shli %m, %k15 : i32
      %negative = arith.subi %zero, %large : i32
      %m64 = arith.extui %m : i32 to i64
      %larger = arith.shli %m64, %k40 : i64
      %h0 = arith.uitofp %large : i32 to f16
      %f0 = arith.extf %h0 : f16 to f32
      %i0 = arith.constant 0 : index
      memref.store %f0, %out[%i0] : memref<?xf32>
      %h1 = arith.sitofp %negative : i32 to f16
      %f1 = arith.extf %h1 : f16 to f32
      %i1 = arith.constant 1 : index
      memref.store %f1, %out[%i1] : memref<?xf32>
      %h2 = arith.uitofp %larger : i64 to f16
      %f2 = arith.extf %h2 : f16 to f32
      %i2 = arith.constant 2 : index
      memref.store %f2, %out[%i2] : memref<?xf32>
      %h3 = arith.uitofp %small : i32 to f16
      %f3 = arith.extf %h3 : f16 to f32
      %i3 = arith.constant 3 : index
      memref.store %f3, %out[%i3] : memref<?xf32>
      %h4 = arith.sitofp %small : i32 to f16
      %f4 = arith.extf %h4 : f16 to f32
      %i4 = arith.constant 4 : index
      memref.store %f4, %out[%i4] : memref<?xf32>
      %pair = vector.from_elements %large, %small : vector<2xi32>
      %halves = arith.uitofp %pair : vector<2xi32> to vector<2xf16>
      %floats = arith.extf %halves : vector<2xf16> to vector<2xf32>
      %lane0 = vector.extract %floats[0] : f32 from vector<2xf32>
      %i5 = arith.constant 5 : index
      memref.store %lane0, %out[%i5] : memref<?xf32>
      %lane1 = vector.extract %floats[1] : f32 from vector<2xf32>
      %i6 = arith.constant 6 : index
      memref.store %lane1, %out[%i6] : memref<?xf32>
      %wide = arith.uitofp %large : i32 to f32
      %narrow = arith.truncf %wide : f32 to f16
      %narrow_f = arith.extf %narrow : f16 to f32
      %i7 = arith.constant 7 : index
      memref.store %narrow_f, %out[%i7] : memref<?xf32>
      %b = arith.uitofp %large : i32 to bf16
      %whole = arith.fptoui %b : bf16 to i32
      %again = arith.uitofp %whole : i32 to f16
      %b_f = arith.extf %b : bf16 to f32
      %i8 = arith.constant 8 : index
      memref.store %b_f, %out[%i8] : memref<?xf32>
      %again_f = arith.extf %again : f16 to f32
      %i9 = arith.constant 9 : index
      memref.store %again_f, %out[%i9] : memref<?xf32>
      
      // A bit is -1 with a sign and 1 without; what is cut to -1 or 1 is that bit.
      %bit = arith.trunci %x : i32 to i1
      %half = arith.constant 0.5 : f32
      %k16 = arith.constant 16 : i32
      %xf = arith.uitofp %x : i32 to f32
      %part = arith.mulf %xf, %half : f32
      %s_f16 = arith.sitofp %bit : i1 to f16
      %sf_f16 = arith.extf %s_f16 : f16 to f32
      %i10 = arith.constant 10 : index
      memref.store %sf_f16, %out[%i10] : memref<?xf32>
      %u_f16 = arith.uitofp %bit : i1 to f16
      %uf_f16 = arith.extf %u_f16 : f16 to f32
      %i11 = arith.constant 11 : index
      memref.store %uf_f16, %out[%i11] : memref<?xf32>
      %part_f16 = arith.truncf %part : f32 to f16
      %neg_f16 = arith.negf %part_f16 : f16
      %one_f16 = arith.addf %part_f16, %part_f16 : f16
      %minus_f16 = arith.negf %one_f16 : f16
      %i1_f16_0 = arith.fptosi %minus_f16 : f16 to i1
      %n1_f16_0 = arith.uitofp %i1_f16_0 : i1 to f32
      %i12 = arith.constant 12 : index
      memref.store %n1_f16_0, %out[%i12] : memref<?xf32>
      %i1_f16_1 = arith.fptoui %one_f16 : f16 to i1
      %n1_f16_1 = arith.uitofp %i1_f16_1 : i1 to f32
      %i13 = arith.constant 13 : index
      memref.store %n1_f16_1, %out[%i13] : memref<?xf32>
      %i1_f16_2 = arith.fptosi %neg_f16 : f16 to i1
      %n1_f16_2 = arith.uitofp %i1_f16_2 : i1 to f32
      %i14 = arith.constant 14 : index
      memref.store %n1_f16_2, %out[%i14] : memref<?xf32>
      %i1_f16_3 = arith.fptoui %part_f16 : f16 to i1
      %n1_f16_3 = arith.uitofp %i1_f16_3 : i1 to f32
      %i15 = arith.constant 15 : index
      memref.store %n1_f16_3, %out[%i15] : memref<?xf32>
      %s_bf16 = arith.sitofp %bit : i1 to bf16
      %sf_bf16_b = arith.bitcast %s_bf16 : bf16 to i16
      %sf_bf16_i = arith.extui %sf_bf16_b : i16 to i32
      %sf_bf16_h = arith.shli %sf_bf16_i, %k16 : i32
      %sf_bf16 = arith.bitcast %sf_bf16_h : i32 to f32
      %i16 = arith.constant 16 : index
      memref.store %sf_bf16, %out[%i16] : memref<?xf32>
      %u_bf16 = arith.uitofp %bit : i1 to bf16
      %uf_bf16_b = arith.bitcast %u_bf16 : bf16 to i16
      %uf_bf16_i = arith.extui %uf_bf16_b : i16 to i32
      %uf_bf16_h = arith.shli %uf_bf16_i, %k16 : i32
      %uf_bf16 = arith.bitcast %uf_bf16_h : i32 to f32
      %i17 = arith.constant 17 : index
      memref.store %uf_bf16, %out[%i17] : memref<?xf32>
      %part_bf16 = arith.truncf %part : f32 to bf16
      %neg_bf16 = arith.negf %part_bf16 : bf16
      %one_bf16 = arith.addf %part_bf16, %part_bf16 : bf16
      %minus_bf16 = arith.negf %one_bf16 : bf16
      %i1_bf16_0 = arith.fptosi %minus_bf16 : bf16 to i1
      %n1_bf16_0 = arith.uitofp %i1_bf16_0 : i1 to f32
      %i18 = arith.constant 18 : index
      memref.store %n1_bf16_0, %out[%i18] : memref<?xf32>
      %i1_bf16_1 = arith.fptoui %one_bf16 : bf16 to i1
      %n1_bf16_1 = arith.uitofp %i1_bf16_1 : i1 to f32
      %i19 = arith.constant 19 : index
      memref.store %n1_bf16_1, %out[%i19] : memref<?xf32>
      %i1_bf16_2 = arith.fptosi %neg_bf16 : bf16 to i1
      %n1_bf16_2 = arith.uitofp %i1_bf16_2 : i1 to f32
      %i20 = arith.constant 20 : index
      memref.store %n1_bf16_2, %out[%i20] : memref<?xf32>
      %i1_bf16_3 = arith.fptoui %part_bf16 : bf16 to i1
      %n1_bf16_3 = arith.uitofp %i1_bf16_3 : i1 to f32
      %i21 = arith.constant 21 : index
      memref.store %n1_bf16_3, %out[%i21] : memref<?xf32>
      %s_f32 = arith.sitofp %bit : i1 to f32
      %i22 = arith.constant 22 : index
      memref.store %s_f32, %out[%i22] : memref<?xf32>
      %u_f32 = arith.uitofp %bit : i1 to f32
      %i23 = arith.constant 23 : index
      memref.store %u_f32, %out[%i23] : memref<?xf32>
      %neg_f32 = arith.negf %part : f32
      %one_f32 = arith.addf %part, %part : f32
      %minus_f32 = arith.negf %one_f32 : f32
      %i1_f32_0 = arith.fptosi %minus_f32 : f32 to i1
      %n1_f32_0 = arith.uitofp %i1_f32_0 : i1 to f32
      %i24 = arith.constant 24 : index
      memref.store %n1_f32_0, %out[%i24] : memref<?xf32>
      %i1_f32_1 = arith.fptoui %one_f32 : f32 to i1
      %n1_f32_1 = arith.uitofp %i1_f32_1 : i1 to f32
      %i25 = arith.constant 25 : index
      memref.store %n1_f32_1, %out[%i25] : memref<?xf32>
      %i1_f32_2 = arith.fptosi %neg_f32 : f32 to i1
      %n1_f32_2 = arith.uitofp %i1_f32_2 : i1 to f32
      %i26 = arith.constant 26 : index
      memref.store %n1_f32_2, %out[%i26] : memref<?xf32>
      %i1_f32_3 = arith.fptoui %part : f32 to i1
      %n1_f32_3 = arith.uitofp %i1_f32_3 : i1 to f32
      %i27 = arith.constant 27 : index
      memref.store %n1_f32_3, %out[%i27] : memref<?xf32>
      %s_f64 = arith.sitofp %bit : i1 to f64
      %sf_f64 = arith.truncf %s_f64 : f64 to f32
      %i28 = arith.constant 28 : index
      memref.store %sf_f64, %out[%i28] : memref<?xf32>
      %u_f64 = arith.uitofp %bit : i1 to f64
      %uf_f64 = arith.truncf %u_f64 : f64 to f32
      %i29 = arith.constant 29 : index
      memref.store %uf_f64, %out[%i29] : memref<?xf32>
      %part_f64 = arith.extf %part : f32 to f64
      %neg_f64 = arith.negf %part_f64 : f64
      %one_f64 = arith.addf %part_f64, %part_f64 : f64
      %minus_f64 = arith.negf %one_f64 : f64
      %i1_f64_0 = arith.fptosi %minus_f64 : f64 to i1
      %n1_f64_0 = arith.uitofp %i1_f64_0 : i1 to f32
      %i30 = arith.constant 30 : index
      memref.store %n1_f64_0, %out[%i30] : memref<?xf32>
      %i1_f64_1 = arith.fptoui %one_f64 : f64 to i1
      %n1_f64_1 = arith.uitofp %i1_f64_1 : i1 to f32
      %i31 = arith.constant 31 : index
      memref.store %n1_f64_1, %out[%i31] : memref<?xf32>
      %i1_f64_2 = arith.fptosi %neg_f64 : f64 to i1
      %n1_f64_2 = arith.uitofp %i1_f64_2 : i1 to f32
      %i32 = arith.constant 32 : index
      memref.store %n1_f64_2, %out[%i32] : memref<?xf32>
      %i1_f64_3 = arith.fptoui %part_f64 : f64 to i1
      %n1_f64_3 = arith.uitofp %i1_f64_3 : i1 to f32
      %i33 = arith.constant 33 : index
      memref.store %n1_f64_3, %out[%i33] : memref<?xf32>
      gpu.return
    }
  }

  // The same on the host.
  func.func private @convert(%x: i32, %out: memref<?xf32>) {
    // Integers of which one bit is known to be set: 2^21 and 2^40 are infinity in f16,
    // and 2^15 is not.
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %k15 = arith.constant 15 : i32
    %k21 = arith.constant 21 : i32
    %k40 = arith.constant 40 : i64
    %m = arith.andi %x, %one : i32
    %large = arith.shli %m, %k21 : i32
    %small = arith.shli %m, %k15 : i32
    %negative = arith.subi %zero, %large : i32
    %m64 = arith.extui %m : i32 to i64
    %larger = arith.shli %m64, %k40 : i64
    %h0 = arith.uitofp %large : i32 to f16
    %f0 = arith.extf %h0 : f16 to f32
    %i0 = arith.constant 0 : index
    memref.store %f0, %out[%i0] : memref<?xf32>
    %h1 = arith.sitofp %negative : i32 to f16
    %f1 = arith.extf %h1 : f16 to f32
    %i1 = arith.constant 1 : index
    memref.store %f1, %out[%i1] : memref<?xf32>
    %h2 = arith.uitofp %larger : i64 to f16
    %f2 = arith.extf %h2 : f16 to f32
    %i2 = arith.constant 2 : index
    memref.store %f2, %out[%i2] : memref<?xf32>
    %h3 = arith.uitofp %small : i32 to f16
    %f3 = arith.extf %h3 : f16 to f32
    %i3 = arith.constant 3 : index
    memref.store %f3, %out[%i3] : memref<?xf32>
    %h4 = arith.sitofp %small : i32 to f16
    %f4 = arith.extf %h4 : f16 to f32
    %i4 = arith.constant 4 : index
    memref.store %f4, %out[%i4] : memref<?xf32>
    %pair = vector.from_elements %large, %small : vector<2xi32>
    %halves = arith.uitofp %pair : vector<2xi32> to vector<2xf16>
    %floats = arith.extf %halves : vector<2xf16> to vector<2xf32>
    %lane0 = vector.extract %floats[0] : f32 from vector<2xf32>
    %i5 = arith.constant 5 : index
    memref.store %lane0, %out[%i5] : memref<?xf32>
    %lane1 = vector.extract %floats[1] : f32 from vector<2xf32>
    %i6 = arith.constant 6 : index
    memref.store %lane1, %out[%i6] : memref<?xf32>
    %wide = arith.uitofp %large : i32 to f32
    %narrow = arith.truncf %wide : f32 to f16
    %narrow_f = arith.extf %narrow : f16 to f32
    %i7 = arith.constant 7 : index
    memref.store %narrow_f, %out[%i7] : memref<?xf32>
    %b = arith.uitofp %large : i32 to bf16
    %whole = arith.fptoui %b : bf16 to i32
    %again = arith.uitofp %whole : i32 to f16
    %b_f = arith.extf %b : bf16 to f32
    %i8 = arith.constant 8 : index
    memref.store %b_f, %out[%i8] : memref<?xf32>
    %again_f = arith.extf %again : f16 to f32
    %i9 = arith.constant 9 : index
    memref.store %again_f, %out[%i9] : memref<?xf32>
    
    // A bit is -1 with a sign and 1 without; what is cut to -1 or 1 is that bit.
    %bit = arith.trunci %x : i32 to i1
    %half = arith.constant 0.5 : f32
    %k16 = arith.constant 16 : i32
    %xf = arith.uitofp %x : i32 to f32
    %part = arith.mulf %xf, %half : f32
    %s_f16 = arith.sitofp %bit : i1 to f16
    %sf_f16 = arith.extf %s_f16 : f16 to f32
    %i10 = arith.constant 10 : index
    memref.store %sf_f16, %out[%i10] : memref<?xf32>
    %u_f16 = arith.uitofp %bit : i1 to f16
    %uf_f16 = arith.extf %u_f16 : f16 to f32
    %i11 = arith.constant 11 : index
    memref.store %uf_f16, %out[%i11] : memref<?xf32>
    %part_f16 = arith.truncf %part : f32 to f16
    %neg_f16 = arith.negf %part_f16 : f16
    %one_f16 = arith.addf %part_f16, %part_f16 : f16
    %minus_f16 = arith.negf %one_f16 : f16
    %i1_f16_0 = arith.fptosi %minus_f16 : f16 to i1
    %n1_f16_0 = arith.uitofp %i1_f16_0 : i1 to f32
    %i12 = arith.constant 12 : index
    memref.store %n1_f16_0, %out[%i12] : memref<?xf32>
    %i1_f16_1 = arith.fptoui %one_f16 : f16 to i1
    %n1_f16_1 = arith.uitofp %i1_f16_1 : i1 to f32
    %i13 = arith.constant 13 : index
    memref.store %n1_f16_1, %out[%i13] : memref<?xf32>
    %i1_f16_2 = arith.fptosi %neg_f16 : f16 to i1
    %n1_f16_2 = arith.uitofp %i1_f16_2 : i1 to f32
    %i14 = arith.constant 14 : index
    memref.store %n1_f16_2, %out[%i14] : memref<?xf32>
    %i1_f16_3 = arith.fptoui %part_f16 : f16 to i1
    %n1_f16_3 = arith.uitofp %i1_f16_3 : i1 to f32
    %i15 = arith.constant 15 : index
    memref.store %n1_f16_3, %out[%i15] : memref<?xf32>
    %s_bf16 = arith.sitofp %bit : i1 to bf16
    %sf_bf16_b = arith.bitcast %s_bf16 : bf16 to i16
    %sf_bf16_i = arith.extui %sf_bf16_b : i16 to i32
    %sf_bf16_h = arith.shli %sf_bf16_i, %k16 : i32
    %sf_bf16 = arith.bitcast %sf_bf16_h : i32 to f32
    %i16 = arith.constant 16 : index
    memref.store %sf_bf16, %out[%i16] : memref<?xf32>
    %u_bf16 = arith.uitofp %bit : i1 to bf16
    %uf_bf16_b = arith.bitcast %u_bf16 : bf16 to i16
    %uf_bf16_i = arith.extui %uf_bf16_b : i16 to i32
    %uf_bf16_h = arith.shli %uf_bf16_i, %k16 : i32
    %uf_bf16 = arith.bitcast %uf_bf16_h : i32 to f32
    %i17 = arith.constant 17 : index
    memref.store %uf_bf16, %out[%i17] : memref<?xf32>
    %part_bf16 = arith.truncf %part : f32 to bf16
    %neg_bf16 = arith.negf %part_bf16 : bf16
    %one_bf16 = arith.addf %part_bf16, %part_bf16 : bf16
    %minus_bf16 = arith.negf %one_bf16 : bf16
    %i1_bf16_0 = arith.fptosi %minus_bf16 : bf16 to i1
    %n1_bf16_0 = arith.uitofp %i1_bf16_0 : i1 to f32
    %i18 = arith.constant 18 : index
    memref.store %n1_bf16_0, %out[%i18] : memref<?xf32>
    %i1_bf16_1 = arith.fptoui %one_bf16 : bf16 to i1
    %n1_bf16_1 = arith.uitofp %i1_bf16_1 : i1 to f32
    %i19 = arith.constant 19 : index
    memref.store %n1_bf16_1, %out[%i19] : memref<?xf32>
    %i1_bf16_2 = arith.fptosi %neg_bf16 : bf16 to i1
    %n1_bf16_2 = arith.uitofp %i1_bf16_2 : i1 to f32
    %i20 = arith.constant 20 : index
    memref.store %n1_bf16_2, %out[%i20] : memref<?xf32>
    %i1_bf16_3 = arith.fptoui %part_bf16 : bf16 to i1
    %n1_bf16_3 = arith.uitofp %i1_bf16_3 : i1 to f32
    %i21 = arith.constant 21 : index
    memref.store %n1_bf16_3, %out[%i21] : memref<?xf32>
    %s_f32 = arith.sitofp %bit : i1 to f32
    %i22 = arith.constant 22 : index
    memref.store %s_f32, %out[%i22] : memref<?xf32>
    %u_f32 = arith.uitofp %bit : i1 to f32
    %i23 = arith.constant 23 : index
    memref.store %u_f32, %out[%i23] : memref<?xf32>
    %neg_f32 = arith.negf %part : f32
    %one_f32 = arith.addf %part, %part : f32
    %minus_f32 = arith.negf %one_f32 : f32
    %i1_f32_0 = arith.fptosi %minus_f32 : f32 to i1
    %n1_f32_0 = arith.uitofp %i1_f32_0 : i1 to f32
    %i24 = arith.constant 24 : index
    memref.store %n1_f32_0, %out[%i24] : memref<?xf32>
    %i1_f32_1 = arith.fptoui %one_f32 : f32 to i1
    %n1_f32_1 = arith.uitofp %i1_f32_1 : i1 to f32
    %i25 = arith.constant 25 : index
    memref.store %n1_f32_1, %out[%i25] : memref<?xf32>
    %i1_f32_2 = arith.fptosi %neg_f32 : f32 to i1
    %n1_f32_2 = arith.uitofp %i1_f32_2 : i1 to f32
    %i26 = arith.constant 26 : index
    memref.store %n1_f32_2, %out[%i26] : memref<?xf32>
    %i1_f32_3 = arith.fptoui %part : f32 to i1
    %n1_f32_3 = arith.uitofp %i1_f32_3 : i1 to f32
    %i27 = arith.constant 27 : index
    memref.store %n1_f32_3, %out[%i27] : memref<?xf32>
    %s_f64 = arith.sitofp %bit : i1 to f64
    %sf_f64 = arith.truncf %s_f64 : f64 to f32
    %i28 = arith.constant 28 : index
    memref.store %sf_f64, %out[%i28] : memref<?xf32>
    %u_f64 = arith.uitofp %bit : i1 to f64
    %uf_f64 = arith.truncf %u_f64 : f64 to f32
    %i29 = arith.constant 29 : index
    memref.store %uf_f64, %out[%i29] : memref<?xf32>
    %part_f64 = arith.extf %part : f32 to f64
    %neg_f64 = arith.negf %part_f64 : f64
    %one_f64 = arith.addf %part_f64, %part_f64 : f64
    %minus_f64 = arith.negf %one_f64 : f64
    %i1_f64_0 = arith.fptosi %minus_f64 : f64 to i1
    %n1_f64_0 = arith.uitofp %i1_f64_0 : i1 to f32
    %i30 = arith.constant 30 : index
    memref.store %n1_f64_0, %out[%i30] : memref<?xf32>
    %i1_f64_1 = arith.fptoui %one_f64 : f64 to i1
    %n1_f64_1 = arith.uitofp %i1_f64_1 : i1 to f32
    %i31 = arith.constant 31 : index
    memref.store %n1_f64_1, %out[%i31] : memref<?xf32>
    %i1_f64_2 = arith.fptosi %neg_f64 : f64 to i1
    %n1_f64_2 = arith.uitofp %i1_f64_2 : i1 to f32
    %i32 = arith.constant 32 : index
    memref.store %n1_f64_2, %out[%i32] : memref<?xf32>
    %i1_f64_3 = arith.fptoui %part_f64 : f64 to i1
    %n1_f64_3 = arith.uitofp %i1_f64_3 : i1 to f32
    %i33 = arith.constant 33 : index
    memref.store %n1_f64_3, %out[%i33] : memref<?xf32>
    return
  }

  // RUN: kernel
  // CHECK: ( inf, -inf, inf, 32768, 32768, inf, 32768, inf, 2.09715e+06, inf, -1, 1, 1, 1, 0, 0, -1, 1, 1, 1, 0, 0, -1, 1, 1, 1, 0, 0, -1, 1, 1, 1, 0, 0 )
  // CHECK: ( inf, -inf, inf, 32768, 32768, inf, 32768, inf, 2.09715e+06, inf, -1, 1, 1, 1, 0, 0, -1, 1, 1, 1, 0, 0, -1, 1, 1, 1, 0, 0, -1, 1, 1, 1, 0, 0 )
  func.func @main() {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %n = arith.constant 34 : index
    %one = arith.constant 1 : i32
    %in = gpu.alloc host_shared (%c1) : memref<?xi32>
    %out = gpu.alloc host_shared (%n) : memref<?xf32>
    memref.store %one, %in[%c0] : memref<?xi32>
    gpu.launch_func @kernels::@k blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
        args(%in : memref<?xi32>, %out : memref<?xf32>)
    %given = vector.load %out[%c0] : memref<?xf32>, vector<34xf32>
    vector.print %given : vector<34xf32>
    %x = memref.load %in[%c0] : memref<?xi32>
    func.call @convert(%x, %out) : (i32, memref<?xf32>) -> ()
    %same = vector.load %out[%c0] : memref<?xf32>, vector<34xf32>
    vector.print %same : vector<34xf32>
    gpu.dealloc %in : memref<?xi32>
    gpu.dealloc %out : memref<?xf32>
    return
  }
}
