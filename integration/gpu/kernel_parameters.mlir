// Kernel parameters whose size as a number, in memory and in an array are not the
// same, between others that show where each begins.

module attributes {gpu.container_module} {
  gpu.module @kernels {
    // out[i] = the last part of the i-th parameter.
    gpu.func @vectors(%a: i8, %b: vector<3xf32>, %c: i8, %d: vector<3xi8>, %e: i16,
        %f: vector<3xi64>, %g: i1, %h: vector<5xi1>, %i: vector<2xf16>,
        %j: vector<3xf16>, %k: i8, %l: vector<2x3xf32>, %m: vector<4xi8>,
        %n: vector<8xf64>, %o: vector<1xf64>, %out: memref<15xi32>) kernel {
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
      %c10 = arith.constant 10 : index
      %c11 = arith.constant 11 : index
      %c12 = arith.constant 12 : index
      %c13 = arith.constant 13 : index
      %c14 = arith.constant 14 : index
      %a1 = arith.extsi %a : i8 to i32
      memref.store %a1, %out[%c0] : memref<15xi32>
      %b0 = vector.extract %b[2] : f32 from vector<3xf32>
      %b1 = arith.fptosi %b0 : f32 to i32
      memref.store %b1, %out[%c1] : memref<15xi32>
      %c_1 = arith.extsi %c : i8 to i32
      memref.store %c_1, %out[%c2] : memref<15xi32>
      %d0 = vector.extract %d[2] : i8 from vector<3xi8>
      %d1 = arith.extsi %d0 : i8 to i32
      memref.store %d1, %out[%c3] : memref<15xi32>
      %e1 = arith.extsi %e : i16 to i32
      memref.store %e1, %out[%c4] : memref<15xi32>
      %f0 = vector.extract %f[2] : i64 from vector<3xi64>
      %f1 = arith.trunci %f0 : i64 to i32
      memref.store %f1, %out[%c5] : memref<15xi32>
      %g1 = arith.extui %g : i1 to i32
      memref.store %g1, %out[%c6] : memref<15xi32>
      // 1 + 2 * 0 + 4 * 1
      %h0 = vector.extract %h[2] : i1 from vector<5xi1>
      %h1 = vector.extract %h[3] : i1 from vector<5xi1>
      %h2 = vector.extract %h[4] : i1 from vector<5xi1>
      %h3 = arith.extui %h0 : i1 to i32
      %h4 = arith.extui %h1 : i1 to i32
      %h5 = arith.extui %h2 : i1 to i32
      %two = arith.constant 2 : i32
      %four = arith.constant 4 : i32
      %h6 = arith.muli %h4, %two : i32
      %h7 = arith.muli %h5, %four : i32
      %h8 = arith.addi %h3, %h6 : i32
      %h9 = arith.addi %h8, %h7 : i32
      memref.store %h9, %out[%c7] : memref<15xi32>
      %i0 = vector.extract %i[1] : f16 from vector<2xf16>
      %i1_ = arith.fptosi %i0 : f16 to i32
      memref.store %i1_, %out[%c8] : memref<15xi32>
      %j0 = vector.extract %j[2] : f16 from vector<3xf16>
      %j1 = arith.fptosi %j0 : f16 to i32
      memref.store %j1, %out[%c9] : memref<15xi32>
      %k1 = arith.extsi %k : i8 to i32
      memref.store %k1, %out[%c10] : memref<15xi32>
      %l0 = vector.extract %l[1, 2] : f32 from vector<2x3xf32>
      %l1 = arith.fptosi %l0 : f32 to i32
      memref.store %l1, %out[%c11] : memref<15xi32>
      %m0 = vector.extract %m[3] : i8 from vector<4xi8>
      %m1 = arith.extsi %m0 : i8 to i32
      memref.store %m1, %out[%c12] : memref<15xi32>
      %n0 = vector.extract %n[7] : f64 from vector<8xf64>
      %n1 = arith.fptosi %n0 : f64 to i32
      memref.store %n1, %out[%c13] : memref<15xi32>
      %o0 = vector.extract %o[0] : f64 from vector<1xf64>
      %o1 = arith.fptosi %o0 : f64 to i32
      memref.store %o1, %out[%c14] : memref<15xi32>
      gpu.return
    }

    // The sum of what the memrefs and numbers hold: 3 + 7 + 20 + 1 + 400 = 431.
    gpu.func @memrefs(%a: memref<2xvector<3xf32>>, %b: i8, %c: complex<f16>, %d: i1,
        %e: memref<?x2xindex, strided<[?, 1], offset: ?>>, %out: memref<15xi32>) kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %a0 = memref.load %a[%c1] : memref<2xvector<3xf32>>
      %a1 = vector.extract %a0[2] : f32 from vector<3xf32>
      %a2 = arith.fptosi %a1 : f32 to i32
      %b1 = arith.extsi %b : i8 to i32
      %c_0 = complex.im %c : complex<f16>
      %c_1 = arith.fptosi %c_0 : f16 to i32
      %d1 = arith.extui %d : i1 to i32
      %e0 = memref.load %e[%c0, %c1] : memref<?x2xindex, strided<[?, 1], offset: ?>>
      %e1 = arith.index_cast %e0 : index to i32
      %s0 = arith.addi %a2, %b1 : i32
      %s1 = arith.addi %s0, %c_1 : i32
      %s2 = arith.addi %s1, %d1 : i32
      %s3 = arith.addi %s2, %e1 : i32
      memref.store %s3, %out[%c0] : memref<15xi32>
      gpu.return
    }

    gpu.func @nothing() kernel {
      gpu.return
    }
  }

  // RUN: device schedules=200
  // CHECK: ( -1, 3, 4, -7, -300, 8, 1, 5, 9, 10, 11, 12, -13, 14, 15 )
  // CHECK: 431
  func.func @main() {
    %one = arith.constant 1 : index
    %c0 = arith.constant 0 : index
    %a = arith.constant -1 : i8
    %b = arith.constant dense<[1.0, 2.0, 3.0]> : vector<3xf32>
    %c = arith.constant 4 : i8
    %d = arith.constant dense<[5, 6, -7]> : vector<3xi8>
    %e = arith.constant -300 : i16
    %f = arith.constant dense<[1, 2, 8]> : vector<3xi64>
    %g = arith.constant true
    %h = arith.constant dense<[false, false, true, false, true]> : vector<5xi1>
    %i = arith.constant dense<[1.0, 9.0]> : vector<2xf16>
    %j = arith.constant dense<[1.0, 2.0, 10.0]> : vector<3xf16>
    %k = arith.constant 11 : i8
    %l = arith.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 12.0]]> : vector<2x3xf32>
    %m = arith.constant dense<[1, 2, 3, -13]> : vector<4xi8>
    %n = arith.constant dense<[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 14.0]> : vector<8xf64>
    %o = arith.constant dense<[15.0]> : vector<1xf64>
    %out = gpu.alloc host_shared () : memref<15xi32>
    gpu.launch_func @kernels::@nothing blocks in (%one, %one, %one) threads in (%one, %one, %one)
    gpu.launch_func @kernels::@vectors blocks in (%one, %one, %one) threads in (%one, %one, %one)
      args(%a : i8, %b : vector<3xf32>, %c : i8, %d : vector<3xi8>, %e : i16,
        %f : vector<3xi64>, %g : i1, %h : vector<5xi1>, %i : vector<2xf16>,
        %j : vector<3xf16>, %k : i8, %l : vector<2x3xf32>, %m : vector<4xi8>,
        %n : vector<8xf64>, %o : vector<1xf64>, %out : memref<15xi32>)
    %pad = arith.constant 0 : i32
    %v = vector.transfer_read %out[%c0], %pad {in_bounds = [true]} : memref<15xi32>, vector<15xi32>
    vector.print %v : vector<15xi32>

    %rows = gpu.alloc host_shared () : memref<2xvector<3xf32>>
    memref.store %b, %rows[%one] : memref<2xvector<3xf32>>
    %pairs = gpu.alloc host_shared () : memref<4x2xindex>
    %four_hundred = arith.constant 400 : index
    %c2 = arith.constant 2 : index
    memref.store %four_hundred, %pairs[%c2, %one] : memref<4x2xindex>
    %part = memref.subview %pairs[%c2, 0] [%c2, 2] [%one, 1]
        : memref<4x2xindex> to memref<?x2xindex, strided<[?, 1], offset: ?>>
    %seven = arith.constant 7 : i8
    %complex = complex.constant [1.0 : f16, 20.0 : f16] : complex<f16>
    gpu.launch_func @kernels::@memrefs blocks in (%one, %one, %one) threads in (%one, %one, %one)
      args(%rows : memref<2xvector<3xf32>>, %seven : i8, %complex : complex<f16>, %g : i1,
        %part : memref<?x2xindex, strided<[?, 1], offset: ?>>, %out : memref<15xi32>)
    %sum = memref.load %out[%c0] : memref<15xi32>
    vector.print %sum : i32
    gpu.dealloc %rows : memref<2xvector<3xf32>>
    gpu.dealloc %pairs : memref<4x2xindex>
    gpu.dealloc %out : memref<15xi32>
    return
  }
}
