// Kernel arguments of every type: numbers of every width, index, vectors, complex
// numbers, pointers, and memrefs: without rank or dimensions, with strides and
// offsets, dynamic ones, in every element type.

module attributes {gpu.container_module} {
  gpu.module @kernels {
    // out[i] = the i-th argument, made an i64.
    gpu.func @scalars(%a: i1, %b: i8, %c: i16, %d: i32, %e: i64, %f: f16, %g: bf16,
        %h: f32, %i: f64, %j: index, %k: vector<4xf32>, %l: complex<f64>,
        %m: vector<2x2xi32>, %n: vector<i16>, %o: i128, %q: !llvm.ptr,
        %out: memref<16xi64>) kernel {
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
      %c15 = arith.constant 15 : index
      %a1 = arith.extui %a : i1 to i64
      memref.store %a1, %out[%c0] : memref<16xi64>
      %b1 = arith.extsi %b : i8 to i64
      memref.store %b1, %out[%c1] : memref<16xi64>
      %c_1 = arith.extsi %c : i16 to i64
      memref.store %c_1, %out[%c2] : memref<16xi64>
      %d1 = arith.extsi %d : i32 to i64
      memref.store %d1, %out[%c3] : memref<16xi64>
      memref.store %e, %out[%c4] : memref<16xi64>
      %f1 = arith.fptosi %f : f16 to i64
      memref.store %f1, %out[%c5] : memref<16xi64>
      %g0 = arith.extf %g : bf16 to f32
      %g1 = arith.fptosi %g0 : f32 to i64
      memref.store %g1, %out[%c6] : memref<16xi64>
      %h1 = arith.fptosi %h : f32 to i64
      memref.store %h1, %out[%c7] : memref<16xi64>
      %i1 = arith.fptosi %i : f64 to i64
      memref.store %i1, %out[%c8] : memref<16xi64>
      %j1 = arith.index_cast %j : index to i64
      memref.store %j1, %out[%c9] : memref<16xi64>
      %k0 = vector.extract %k[3] : f32 from vector<4xf32>
      %k1 = arith.fptosi %k0 : f32 to i64
      memref.store %k1, %out[%c10] : memref<16xi64>
      %l0 = complex.im %l : complex<f64>
      %l1 = arith.fptosi %l0 : f64 to i64
      memref.store %l1, %out[%c11] : memref<16xi64>
      %m0 = vector.extract %m[1, 0] : i32 from vector<2x2xi32>
      %m1 = arith.extsi %m0 : i32 to i64
      memref.store %m1, %out[%c12] : memref<16xi64>
      %n0 = vector.extract %n[] : i16 from vector<i16>
      %n1 = arith.extsi %n0 : i16 to i64
      memref.store %n1, %out[%c13] : memref<16xi64>
      %o1 = arith.trunci %o : i128 to i64
      memref.store %o1, %out[%c14] : memref<16xi64>
      %q1 = llvm.ptrtoint %q : !llvm.ptr to i64
      memref.store %q1, %out[%c15] : memref<16xi64>
      gpu.return
    }

    // One element of each, and a size, summed up: 1 + 2 + 3 + 4 + 1 + 4 = 15.
    gpu.func @memrefs(%zero: memref<i32>, %row: memref<?xi32, strided<[2], offset: 1>>,
        %any: memref<?x?xi32, strided<[?, ?], offset: ?>>, %halves: memref<2xf16>,
        %flags: memref<4xi1>, %out: memref<4xi32>) kernel {
      %i = gpu.thread_id x
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %a = memref.load %zero[] : memref<i32>
      %b = memref.load %row[%i] : memref<?xi32, strided<[2], offset: 1>>
      %c = memref.load %any[%i, %c1] : memref<?x?xi32, strided<[?, ?], offset: ?>>
      %d0 = memref.load %halves[%c1] : memref<2xf16>
      %d = arith.fptosi %d0 : f16 to i32
      %e0 = memref.load %flags[%i] : memref<4xi1>
      %e = arith.extui %e0 : i1 to i32
      %size = memref.dim %any, %c0 : memref<?x?xi32, strided<[?, ?], offset: ?>>
      %f = arith.index_cast %size : index to i32
      %ab = arith.addi %a, %b : i32
      %abc = arith.addi %ab, %c : i32
      %abcd = arith.addi %abc, %d : i32
      %abcde = arith.addi %abcd, %e : i32
      %sum = arith.addi %abcde, %f : i32
      memref.store %sum, %out[%i] : memref<4xi32>
      gpu.return
    }

    // The rank is known when the program runs.
    gpu.func @unranked(%any: memref<*xi32>, %out: memref<4xi32>) kernel {
      %i = gpu.thread_id x
      %c0 = arith.constant 0 : index
      %c2 = arith.constant 2 : index
      %rank = memref.rank %any : memref<*xi32>
      %flat = arith.cmpi ult, %rank, %c2 : index
      %x = scf.if %flat -> i32 {
        %m = memref.cast %any : memref<*xi32> to memref<?xi32, strided<[?], offset: ?>>
        %y = memref.load %m[%i] : memref<?xi32, strided<[?], offset: ?>>
        scf.yield %y : i32
      } else {
        %m = memref.cast %any : memref<*xi32> to memref<?x?xi32, strided<[?, ?], offset: ?>>
        %y = memref.load %m[%i, %c0] : memref<?x?xi32, strided<[?, ?], offset: ?>>
        scf.yield %y : i32
      }
      memref.store %x, %out[%i] : memref<4xi32>
      gpu.return
    }
  }

  func.func private @print4(%d: memref<4xi32>) {
    %c0 = arith.constant 0 : index
    %h = memref.alloc() : memref<4xi32>
    gpu.memcpy %h, %d : memref<4xi32>, memref<4xi32>
    %v = vector.load %h[%c0] : memref<4xi32>, vector<4xi32>
    vector.print %v : vector<4xi32>
    memref.dealloc %h : memref<4xi32>
    return
  }

  // RUN: device schedules=200
  // CHECK: ( 1, -2, -300, -70000 )
  // CHECK: ( -5000000000, 6, 7, -8 )
  // CHECK: ( 9000000000, 20, 11, 12 )
  // CHECK: ( 13, 14, 15, 17 )
  // CHECK: ( 15, 15, 15, 15 )
  // CHECK: ( 2, 2, 2, 2 )
  // CHECK: ( 3, 3, 3, 3 )
  func.func @main() {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %c16 = arith.constant 16 : index
    %c20 = arith.constant 20 : index
    %a = arith.constant true
    %b = arith.constant -2 : i8
    %c = arith.constant -300 : i16
    %d = arith.constant -70000 : i32
    %e = arith.constant -5000000000 : i64
    %f = arith.constant 6.5 : f16
    %g = arith.constant 7.0 : bf16
    %h = arith.constant -8.25 : f32
    %i = arith.constant 9.0e9 : f64
    %k = arith.constant dense<[1.0, 2.0, 3.0, 11.0]> : vector<4xf32>
    %l = complex.constant [1.0 : f64, 12.0 : f64] : complex<f64>
    %m = arith.constant dense<[[1, 2], [13, 4]]> : vector<2x2xi32>
    %n = arith.constant dense<14> : vector<i16>
    %o = arith.constant 15 : i128
    %q0 = arith.constant 17 : i64
    %q = llvm.inttoptr %q0 : i64 to !llvm.ptr
    %zero64 = arith.constant 0 : i64
    %out = gpu.alloc () : memref<16xi64>
    gpu.memset %out, %zero64 : memref<16xi64>, i64
    gpu.launch_func @kernels::@scalars blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
      args(%a : i1, %b : i8, %c : i16, %d : i32, %e : i64, %f : f16, %g : bf16, %h : f32,
           %i : f64, %c20 : index, %k : vector<4xf32>, %l : complex<f64>,
           %m : vector<2x2xi32>, %n : vector<i16>, %o : i128, %q : !llvm.ptr,
           %out : memref<16xi64>)
    %hout = memref.alloc() : memref<16xi64>
    gpu.memcpy %hout, %out : memref<16xi64>, memref<16xi64>
    scf.for %r = %c0 to %c16 step %c4 {
      %row = vector.load %hout[%r] : memref<16xi64>, vector<4xi64>
      vector.print %row : vector<4xi64>
    }
    gpu.dealloc %out : memref<16xi64>
    memref.dealloc %hout : memref<16xi64>

    %one = arith.constant 1 : i32
    %two = arith.constant 2 : i32
    %three = arith.constant 3 : i32
    %half = arith.constant 4.0 : f16
    %sum = gpu.alloc () : memref<4xi32>
    %m0 = gpu.alloc () : memref<i32>
    gpu.memset %m0, %one : memref<i32>, i32
    %m1 = gpu.alloc () : memref<9xi32>
    gpu.memset %m1, %two : memref<9xi32>, i32
    %row = memref.subview %m1[1] [%c4] [2] : memref<9xi32> to memref<?xi32, strided<[2], offset: 1>>
    %m2 = gpu.alloc () : memref<2x4xi32>
    gpu.memset %m2, %three : memref<2x4xi32>, i32
    %transposed = memref.transpose %m2 (x, y) -> (y, x) : memref<2x4xi32> to memref<4x2xi32, strided<[1, 4]>>
    %any = memref.cast %transposed : memref<4x2xi32, strided<[1, 4]>> to memref<?x?xi32, strided<[?, ?], offset: ?>>
    %m3 = gpu.alloc () : memref<2xf16>
    gpu.memset %m3, %half : memref<2xf16>, f16
    %m4 = gpu.alloc () : memref<4xi1>
    gpu.memset %m4, %a : memref<4xi1>, i1
    gpu.launch_func @kernels::@memrefs blocks in (%c1, %c1, %c1) threads in (%c4, %c1, %c1)
      args(%m0 : memref<i32>, %row : memref<?xi32, strided<[2], offset: 1>>,
           %any : memref<?x?xi32, strided<[?, ?], offset: ?>>, %m3 : memref<2xf16>,
           %m4 : memref<4xi1>, %sum : memref<4xi32>)
    call @print4(%sum) : (memref<4xi32>) -> ()

    // In a loop: a view with strides, and a matrix.
    %u1 = memref.cast %row : memref<?xi32, strided<[2], offset: 1>> to memref<*xi32>
    %u2 = memref.cast %transposed : memref<4x2xi32, strided<[1, 4]>> to memref<*xi32>
    %t = async.execute {
      %r = scf.for %x = %c0 to %c4 step %c1 iter_args(%u = %u2) -> memref<*xi32> {
        gpu.launch_func @kernels::@unranked blocks in (%c1, %c1, %c1) threads in (%c4, %c1, %c1)
          args(%u : memref<*xi32>, %sum : memref<4xi32>)
        scf.yield %u1 : memref<*xi32>
      }
      async.yield
    }
    async.await %t : !async.token
    call @print4(%sum) : (memref<4xi32>) -> ()
    gpu.launch_func @kernels::@unranked blocks in (%c1, %c1, %c1) threads in (%c4, %c1, %c1)
      args(%u2 : memref<*xi32>, %sum : memref<4xi32>)
    call @print4(%sum) : (memref<4xi32>) -> ()
    gpu.dealloc %sum : memref<4xi32>
    gpu.dealloc %m0 : memref<i32>
    gpu.dealloc %m1 : memref<9xi32>
    gpu.dealloc %m2 : memref<2x4xi32>
    gpu.dealloc %m3 : memref<2xf16>
    gpu.dealloc %m4 : memref<4xi1>
    return
  }
}
