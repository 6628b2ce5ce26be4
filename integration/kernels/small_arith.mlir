// arith.truncf and arith.extf of floats of 8, 6 and 4 bits, in kernels and on the
// host: of all numbers of each format, those between two, and their neighbours,
// beside a search of the nearest.
// LINK: small_arith_reference.c

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @k(%xs: memref<?xf32>, %ys: memref<?xf64>, %out: memref<?xi32>) kernel {
      %i = gpu.global_id x
      %c20 = arith.constant 20 : index
      %to = arith.muli %i, %c20 : index
      %x = memref.load %xs[%i] : memref<?xf32>
      %y = memref.load %ys[%i] : memref<?xf64>
      %a0 = arith.truncf %x : f32 to f8E4M3FN
      %b0 = arith.truncf %y : f64 to f8E4M3FN
      %ai0 = arith.bitcast %a0 : f8E4M3FN to i8
      %bi0 = arith.bitcast %b0 : f8E4M3FN to i8
      %aw0 = arith.extui %ai0 : i8 to i32
      %bw0 = arith.extui %bi0 : i8 to i32
      %s0 = arith.extf %a0 : f8E4M3FN to f32
      %sw0 = arith.bitcast %s0 : f32 to i32
      %h0 = arith.extf %a0 : f8E4M3FN to f16
      %hi0 = arith.bitcast %h0 : f16 to i16
      %hw0 = arith.extui %hi0 : i16 to i32
      %a1 = arith.truncf %x : f32 to f8E5M2
      %b1 = arith.truncf %y : f64 to f8E5M2
      %ai1 = arith.bitcast %a1 : f8E5M2 to i8
      %bi1 = arith.bitcast %b1 : f8E5M2 to i8
      %aw1 = arith.extui %ai1 : i8 to i32
      %bw1 = arith.extui %bi1 : i8 to i32
      %s1 = arith.extf %a1 : f8E5M2 to f32
      %sw1 = arith.bitcast %s1 : f32 to i32
      %h1 = arith.extf %a1 : f8E5M2 to f16
      %hi1 = arith.bitcast %h1 : f16 to i16
      %hw1 = arith.extui %hi1 : i16 to i32
      %a2 = arith.truncf %x : f32 to f6E2M3FN
      %b2 = arith.truncf %y : f64 to f6E2M3FN
      %ai2 = arith.bitcast %a2 : f6E2M3FN to i6
      %bi2 = arith.bitcast %b2 : f6E2M3FN to i6
      %aw2 = arith.extui %ai2 : i6 to i32
      %bw2 = arith.extui %bi2 : i6 to i32
      %s2 = arith.extf %a2 : f6E2M3FN to f32
      %sw2 = arith.bitcast %s2 : f32 to i32
      %h2 = arith.extf %a2 : f6E2M3FN to f16
      %hi2 = arith.bitcast %h2 : f16 to i16
      %hw2 = arith.extui %hi2 : i16 to i32
      %a3 = arith.truncf %x : f32 to f6E3M2FN
      %b3 = arith.truncf %y : f64 to f6E3M2FN
      %ai3 = arith.bitcast %a3 : f6E3M2FN to i6
      %bi3 = arith.bitcast %b3 : f6E3M2FN to i6
      %aw3 = arith.extui %ai3 : i6 to i32
      %bw3 = arith.extui %bi3 : i6 to i32
      %s3 = arith.extf %a3 : f6E3M2FN to f32
      %sw3 = arith.bitcast %s3 : f32 to i32
      %h3 = arith.extf %a3 : f6E3M2FN to f16
      %hi3 = arith.bitcast %h3 : f16 to i16
      %hw3 = arith.extui %hi3 : i16 to i32
      %a4 = arith.truncf %x : f32 to f4E2M1FN
      %b4 = arith.truncf %y : f64 to f4E2M1FN
      %ai4 = arith.bitcast %a4 : f4E2M1FN to i4
      %bi4 = arith.bitcast %b4 : f4E2M1FN to i4
      %aw4 = arith.extui %ai4 : i4 to i32
      %bw4 = arith.extui %bi4 : i4 to i32
      %s4 = arith.extf %a4 : f4E2M1FN to f32
      %sw4 = arith.bitcast %s4 : f32 to i32
      %h4 = arith.extf %a4 : f4E2M1FN to f16
      %hi4 = arith.bitcast %h4 : f16 to i16
      %hw4 = arith.extui %hi4 : i16 to i32
      %all = vector.from_elements %aw0, %bw0, %sw0, %hw0, %aw1, %bw1, %sw1, %hw1, %aw2, %bw2, %sw2, %hw2, %aw3, %bw3, %sw3, %hw3, %aw4, %bw4, %sw4, %hw4 : vector<20xi32>
      vector.store %all, %out[%to] : memref<?xi32>, vector<20xi32>
      gpu.return
    }

    // Four at once, of two rows.
    gpu.func @vectors(%xs: memref<?xf32>, %out: memref<?xf32>) kernel {
      %t = gpu.global_id x
      %c4 = arith.constant 4 : index
      %i = arith.muli %t, %c4 : index
      %x = vector.load %xs[%i] : memref<?xf32>, vector<4xf32>
      %m = vector.shape_cast %x : vector<4xf32> to vector<2x2xf32>
      %a = arith.truncf %m : vector<2x2xf32> to vector<2x2xf8E5M2>
      %b = arith.extf %a : vector<2x2xf8E5M2> to vector<2x2xbf16>
      %c = arith.extf %b : vector<2x2xbf16> to vector<2x2xf32>
      %r = vector.shape_cast %c : vector<2x2xf32> to vector<4xf32>
      vector.store %r, %out[%i] : memref<?xf32>, vector<4xf32>
      gpu.return
    }
  }

  func.func private @small_fill(%xs: memref<?xf32>, %ys: memref<?xf64>)
  func.func private @small_check(%xs: memref<?xf32>, %ys: memref<?xf64>, %results: memref<?xi32>) -> i32

  func.func @on_host(%xs: memref<?xf32>, %ys: memref<?xf64>, %out: memref<?xi32>, %n: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    scf.for %i = %c0 to %n step %c1 {
      %c20 = arith.constant 20 : index
      %to = arith.muli %i, %c20 : index
      %x = memref.load %xs[%i] : memref<?xf32>
      %y = memref.load %ys[%i] : memref<?xf64>
      %a0 = arith.truncf %x : f32 to f8E4M3FN
      %b0 = arith.truncf %y : f64 to f8E4M3FN
      %ai0 = arith.bitcast %a0 : f8E4M3FN to i8
      %bi0 = arith.bitcast %b0 : f8E4M3FN to i8
      %aw0 = arith.extui %ai0 : i8 to i32
      %bw0 = arith.extui %bi0 : i8 to i32
      %s0 = arith.extf %a0 : f8E4M3FN to f32
      %sw0 = arith.bitcast %s0 : f32 to i32
      %h0 = arith.extf %a0 : f8E4M3FN to f16
      %hi0 = arith.bitcast %h0 : f16 to i16
      %hw0 = arith.extui %hi0 : i16 to i32
      %a1 = arith.truncf %x : f32 to f8E5M2
      %b1 = arith.truncf %y : f64 to f8E5M2
      %ai1 = arith.bitcast %a1 : f8E5M2 to i8
      %bi1 = arith.bitcast %b1 : f8E5M2 to i8
      %aw1 = arith.extui %ai1 : i8 to i32
      %bw1 = arith.extui %bi1 : i8 to i32
      %s1 = arith.extf %a1 : f8E5M2 to f32
      %sw1 = arith.bitcast %s1 : f32 to i32
      %h1 = arith.extf %a1 : f8E5M2 to f16
      %hi1 = arith.bitcast %h1 : f16 to i16
      %hw1 = arith.extui %hi1 : i16 to i32
      %a2 = arith.truncf %x : f32 to f6E2M3FN
      %b2 = arith.truncf %y : f64 to f6E2M3FN
      %ai2 = arith.bitcast %a2 : f6E2M3FN to i6
      %bi2 = arith.bitcast %b2 : f6E2M3FN to i6
      %aw2 = arith.extui %ai2 : i6 to i32
      %bw2 = arith.extui %bi2 : i6 to i32
      %s2 = arith.extf %a2 : f6E2M3FN to f32
      %sw2 = arith.bitcast %s2 : f32 to i32
      %h2 = arith.extf %a2 : f6E2M3FN to f16
      %hi2 = arith.bitcast %h2 : f16 to i16
      %hw2 = arith.extui %hi2 : i16 to i32
      %a3 = arith.truncf %x : f32 to f6E3M2FN
      %b3 = arith.truncf %y : f64 to f6E3M2FN
      %ai3 = arith.bitcast %a3 : f6E3M2FN to i6
      %bi3 = arith.bitcast %b3 : f6E3M2FN to i6
      %aw3 = arith.extui %ai3 : i6 to i32
      %bw3 = arith.extui %bi3 : i6 to i32
      %s3 = arith.extf %a3 : f6E3M2FN to f32
      %sw3 = arith.bitcast %s3 : f32 to i32
      %h3 = arith.extf %a3 : f6E3M2FN to f16
      %hi3 = arith.bitcast %h3 : f16 to i16
      %hw3 = arith.extui %hi3 : i16 to i32
      %a4 = arith.truncf %x : f32 to f4E2M1FN
      %b4 = arith.truncf %y : f64 to f4E2M1FN
      %ai4 = arith.bitcast %a4 : f4E2M1FN to i4
      %bi4 = arith.bitcast %b4 : f4E2M1FN to i4
      %aw4 = arith.extui %ai4 : i4 to i32
      %bw4 = arith.extui %bi4 : i4 to i32
      %s4 = arith.extf %a4 : f4E2M1FN to f32
      %sw4 = arith.bitcast %s4 : f32 to i32
      %h4 = arith.extf %a4 : f4E2M1FN to f16
      %hi4 = arith.bitcast %h4 : f16 to i16
      %hw4 = arith.extui %hi4 : i16 to i32
      %all = vector.from_elements %aw0, %bw0, %sw0, %hw0, %aw1, %bw1, %sw1, %hw1, %aw2, %bw2, %sw2, %hw2, %aw3, %bw3, %sw3, %hw3, %aw4, %bw4, %sw4, %hw4 : vector<20xi32>
      vector.store %all, %out[%to] : memref<?xi32>, vector<20xi32>
    }
    return
  }

  // RUN: kernel
  // CHECK: 0
  // CHECK: 0
  // CHECK: 1.25, 1.25, -57344, inf
  func.func @main() {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %c128 = arith.constant 128 : index
    %n = arith.constant 2048 : index
    %m = arith.constant 40960 : index
    %xs = memref.alloc(%n) : memref<?xf32>
    %ys = memref.alloc(%n) : memref<?xf64>
    %out = memref.alloc(%m) : memref<?xi32>
    func.call @small_fill(%xs, %ys) : (memref<?xf32>, memref<?xf64>) -> ()
    %dx = gpu.alloc(%n) : memref<?xf32>
    %dy = gpu.alloc(%n) : memref<?xf64>
    %d = gpu.alloc(%m) : memref<?xi32>
    gpu.memcpy %dx, %xs : memref<?xf32>, memref<?xf32>
    gpu.memcpy %dy, %ys : memref<?xf64>, memref<?xf64>
    gpu.launch_func @kernels::@k blocks in (%c16, %c1, %c1) threads in (%c128, %c1, %c1)
        args(%dx : memref<?xf32>, %dy : memref<?xf64>, %d : memref<?xi32>)
    gpu.memcpy %out, %d : memref<?xi32>, memref<?xi32>
    %on_device = func.call @small_check(%xs, %ys, %out) : (memref<?xf32>, memref<?xf64>, memref<?xi32>) -> i32
    vector.print %on_device : i32
    func.call @on_host(%xs, %ys, %out, %n) : (memref<?xf32>, memref<?xf64>, memref<?xi32>, index) -> ()
    %on_host = func.call @small_check(%xs, %ys, %out) : (memref<?xf32>, memref<?xf64>, memref<?xi32>) -> i32
    vector.print %on_host : i32
    %c4 = arith.constant 4 : index
    %few = arith.constant dense<[1.2, 1.3, -61439.0, 61440.0]> : vector<4xf32>
    vector.store %few, %xs[%c0] : memref<?xf32>, vector<4xf32>
    gpu.memcpy %dx, %xs : memref<?xf32>, memref<?xf32>
    gpu.launch_func @kernels::@vectors blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
        args(%dx : memref<?xf32>, %dx : memref<?xf32>)
    gpu.memcpy %xs, %dx : memref<?xf32>, memref<?xf32>
    scf.for %i = %c0 to %c4 step %c1 {
      %v = memref.load %xs[%i] : memref<?xf32>
      vector.print %v : f32 punctuation <no_punctuation>
      %last = arith.constant 3 : index
      %more = arith.cmpi ult, %i, %last : index
      scf.if %more {
        vector.print str ", "
      }
    }
    vector.print str "\n"
    gpu.dealloc %dx : memref<?xf32>
    gpu.dealloc %dy : memref<?xf64>
    gpu.dealloc %d : memref<?xi32>
    memref.dealloc %xs : memref<?xf32>
    memref.dealloc %ys : memref<?xf64>
    memref.dealloc %out : memref<?xi32>
    return
  }
}
