// Floats of 8 bits: to them from all floats that lie at, and half way between, two of
// them, and back.
// CHIPS: sm_89 sm_90 sm_100

module attributes {gpu.container_module} {
  gpu.module @kernels {
    // Thread i has codes i and 255 - i.
    gpu.func @decode(%out: memref<?x2xf32>) kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c255 = arith.constant 255 : i32
      %zero = arith.constant 0 : i32
      %one = arith.constant 1 : i32
      %i = gpu.global_id x
      %i32 = arith.index_cast %i : index to i32
      %j32 = arith.subi %c255, %i32 : i32
      %low = arith.trunci %i32 : i32 to i8
      %high = arith.trunci %j32 : i32 to i8
      %pair = vector.from_elements %low, %high : vector<2xi8>
      %halves = nvvm.convert.f8x2.to.f16x2 %pair : vector<2xi8> (f8E4M3FN) -> vector<2xf16>
      %others = nvvm.convert.f8x2.to.f16x2 %pair {relu = true} : vector<2xi8> (f8E5M2) -> vector<2xf16>
      %a = vector.extract %halves[0] : f16 from vector<2xf16>
      %b = vector.extract %others[1] : f16 from vector<2xf16>
      %af = arith.extf %a : f16 to f32
      %bf = arith.extf %b : f16 to f32
      memref.store %af, %out[%i, %c0] : memref<?x2xf32>
      memref.store %bf, %out[%i, %c1] : memref<?x2xf32>
      gpu.return
    }
    gpu.func @encode(%x: memref<?xf32>, %out: memref<?x3xi16>) kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %i = gpu.global_id x
      %v = memref.load %x[%i] : memref<?xf32>
      %n = arith.negf %v : f32
      %a = nvvm.convert.f32x2.to.f8x2 %n, %v {rnd = #nvvm.fp_rnd_mode<rn>, sat = #nvvm.sat_mode<satfinite>} : i16 (f8E4M3FN)
      %b = nvvm.convert.f32x2.to.f8x2 %n, %v {rnd = #nvvm.fp_rnd_mode<rn>, sat = #nvvm.sat_mode<satfinite>, relu = true} : i16 (f8E5M2)
      %h = arith.truncf %v : f32 to f16
      %hn = arith.negf %h : f16
      %pair = vector.from_elements %h, %hn : vector<2xf16>
      %c = nvvm.convert.f16x2.to.f8x2 %pair : vector<2xf16> -> i16 (f8E4M3FN)
      memref.store %a, %out[%i, %c0] : memref<?x3xi16>
      memref.store %b, %out[%i, %c1] : memref<?x3xi16>
      memref.store %c, %out[%i, %c2] : memref<?x3xi16>
      gpu.return
    }
  }

  // The number with that code, of a format with so many bits of fraction.
  func.func private @value(%code: i32, %fraction: i32, %bias: i32) -> f32 {
    %one = arith.constant 1 : i32
    %size = arith.constant 127 : i32
    %c127 = arith.constant 127 : i32
    %c23 = arith.constant 23 : i32
    %zero = arith.constant 0 : i32
    %plain = arith.andi %code, %size : i32
    %exponent = arith.shrui %plain, %fraction : i32
    %hidden = arith.shli %one, %fraction : i32
    %mask = arith.subi %hidden, %one : i32
    %rest = arith.andi %plain, %mask : i32
    %is_small = arith.cmpi eq, %exponent, %zero : i32
    %whole = arith.addi %rest, %hidden : i32
    %mantissa = arith.select %is_small, %rest, %whole : i32
    %least = arith.select %is_small, %one, %exponent : i32
    // mantissa * 2^(least - bias - fraction)
    %e0 = arith.subi %least, %bias : i32
    %e1 = arith.subi %e0, %fraction : i32
    %e2 = arith.addi %e1, %c127 : i32
    %bits = arith.shli %e2, %c23 : i32
    %power = arith.bitcast %bits : i32 to f32
    %m = arith.sitofp %mantissa : i32 to f32
    %v = arith.mulf %m, %power : f32
    return %v : f32
  }

  // RUN: kernel
  // CHECK: 0
  // CHECK: 0
  // CHECK: 1, 1, 1
  // CHECK: 0
  // CHECK: 0
  // CHECK: 126, 123, 126
  func.func @main() {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %c4 = arith.constant 4 : index
    %c64 = arith.constant 64 : index
    %n = arith.constant 256 : index
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %three = arith.constant 3 : i32
    %two = arith.constant 2 : i32
    %seven = arith.constant 7 : i32
    %fifteen = arith.constant 15 : i32
    %i127 = arith.constant 127 : i32
    %i124 = arith.constant 124 : i32
    %i255 = arith.constant 255 : i32
    %f0 = arith.constant 0.0 : f32
    %half = arith.constant 0.5 : f32
    %out = gpu.alloc host_shared (%n) : memref<?x2xf32>
    gpu.launch_func @kernels::@decode blocks in (%c4, %c1, %c1) threads in (%c64, %c1, %c1)
        args(%out : memref<?x2xf32>)
    // How many differ, of those that are numbers; and which are NaN.
    %wrong:2 = scf.for %i = %c0 to %n step %c1 iter_args(%w0 = %zero, %w1 = %zero) -> (i32, i32) {
      %code = arith.index_cast %i : index to i32
      %sizes = arith.andi %code, %i127 : i32
      %negative = arith.cmpi ugt, %code, %i127 : i32
      %v = func.call @value(%code, %three, %seven) : (i32, i32, i32) -> f32
      %vn = arith.negf %v : f32
      %want = arith.select %negative, %vn, %v : f32
      %got = memref.load %out[%i, %c0] : memref<?x2xf32>
      %differs = arith.cmpf une, %got, %want : f32
      %is_number = arith.cmpi ne, %sizes, %i127 : i32
      %bad = arith.andi %differs, %is_number : i1
      %b = arith.extui %bad : i1 to i32
      %n0 = arith.addi %w0, %b : i32
      // The other format: the upper of thread 255 - i, without negative ones.
      %other_code = arith.subi %i255, %code : i32
      %other = arith.index_cast %other_code : i32 to index
      %u = func.call @value(%code, %two, %fifteen) : (i32, i32, i32) -> f32
      %want2 = arith.select %negative, %f0, %u : f32
      %got2 = memref.load %out[%other, %c1] : memref<?x2xf32>
      %differs2 = arith.cmpf une, %got2, %want2 : f32
      %is_finite = arith.cmpi ult, %sizes, %i124 : i32
      %bad2 = arith.andi %differs2, %is_finite : i1
      %b2 = arith.extui %bad2 : i1 to i32
      %n1 = arith.addi %w1, %b2 : i32
      scf.yield %n0, %n1 : i32, i32
    }
    vector.print %wrong#0 : i32
    vector.print %wrong#1 : i32
    // NaN stays one, and infinity; 0x80 of the second format is thread 127's.
    %c127 = arith.constant 127 : index
    %c131 = arith.constant 131 : index
    %c128 = arith.constant 128 : index
    %nan = memref.load %out[%c127, %c0] : memref<?x2xf32>
    %is_nan = arith.cmpf uno, %nan, %nan : f32
    %infinite = memref.load %out[%c131, %c1] : memref<?x2xf32>
    %infinity = arith.constant 0x7f800000 : f32
    %is_infinite = arith.cmpf oeq, %infinite, %infinity : f32
    %nan2 = memref.load %out[%c128, %c1] : memref<?x2xf32>
    %is_nan2 = arith.cmpf uno, %nan2, %nan2 : f32
    %k0 = arith.extui %is_nan : i1 to i32
    %k1 = arith.extui %is_infinite : i1 to i32
    %k2 = arith.extui %is_nan2 : i1 to i32
    vector.print %k0 : i32 punctuation <no_punctuation>
    vector.print str ", "
    vector.print %k1 : i32 punctuation <no_punctuation>
    vector.print str ", "
    vector.print %k2 : i32

    // Number 2 i is the one with code i, 2 i + 1 lies half way to the next.
    %x = gpu.alloc host_shared (%n) : memref<?xf32>
    %y = gpu.alloc host_shared (%n) : memref<?xf32>
    scf.for %i = %c0 to %n step %c1 {
      %place = arith.index_cast %i : index to i32
      %code = arith.shrui %place, %one : i32
      %next = arith.addi %code, %one : i32
      %odd = arith.andi %place, %one : i32
      %is_odd = arith.cmpi ne, %odd, %zero : i32
      %v = func.call @value(%code, %three, %seven) : (i32, i32, i32) -> f32
      %w = func.call @value(%next, %three, %seven) : (i32, i32, i32) -> f32
      %s = arith.addf %v, %w : f32
      %m = arith.mulf %s, %half : f32
      %r = arith.select %is_odd, %m, %v : f32
      memref.store %r, %x[%i] : memref<?xf32>
      %v2 = func.call @value(%code, %two, %fifteen) : (i32, i32, i32) -> f32
      %w2 = func.call @value(%next, %two, %fifteen) : (i32, i32, i32) -> f32
      %s2 = arith.addf %v2, %w2 : f32
      %m2 = arith.mulf %s2, %half : f32
      %r2 = arith.select %is_odd, %m2, %v2 : f32
      memref.store %r2, %y[%i] : memref<?xf32>
    }
    %codes = gpu.alloc host_shared (%n) : memref<?x3xi16>
    %codes2 = gpu.alloc host_shared (%n) : memref<?x3xi16>
    gpu.launch_func @kernels::@encode blocks in (%c4, %c1, %c1) threads in (%c64, %c1, %c1)
        args(%x : memref<?xf32>, %codes : memref<?x3xi16>)
    gpu.launch_func @kernels::@encode blocks in (%c4, %c1, %c1) threads in (%c64, %c1, %c1)
        args(%y : memref<?xf32>, %codes2 : memref<?x3xi16>)
    // Half way, the even one is taken, and above the largest, the largest: from
    // code 126 on, or 123.
    %sign = arith.constant 0x8000 : i32
    %c8 = arith.constant 8 : i32
    %mask = arith.constant 0xffff : i32
    %i126 = arith.constant 126 : i32
    %i123 = arith.constant 123 : i32
    %most = arith.constant 252 : index
    %most2 = arith.constant 246 : index
    %bad0 = scf.for %i = %c0 to %most step %c1 iter_args(%w0 = %zero) -> i32 {
      %place = arith.index_cast %i : index to i32
      %code = arith.shrui %place, %one : i32
      %odd = arith.andi %place, %one : i32
      %odd_code = arith.andi %code, %one : i32
      %up = arith.andi %odd, %odd_code : i32
      %c = arith.addi %code, %up : i32
      %upper = arith.shli %c, %c8 : i32
      %both = arith.ori %upper, %c : i32
      %want = arith.ori %both, %sign : i32
      %g0 = memref.load %codes[%i, %c0] : memref<?x3xi16>
      %g2 = memref.load %codes[%i, %c2] : memref<?x3xi16>
      %got0 = arith.extui %g0 : i16 to i32
      %got2 = arith.extui %g2 : i16 to i32
      %d0 = arith.cmpi ne, %got0, %want : i32
      %d2 = arith.cmpi ne, %got2, %want : i32
      %d = arith.ori %d0, %d2 : i1
      %b = arith.extui %d : i1 to i32
      %r = arith.addi %w0, %b : i32
      scf.yield %r : i32
    }
    %bad1 = scf.for %i = %c0 to %most2 step %c1 iter_args(%w0 = %zero) -> i32 {
      %place = arith.index_cast %i : index to i32
      %code = arith.shrui %place, %one : i32
      %odd = arith.andi %place, %one : i32
      %odd_code = arith.andi %code, %one : i32
      %up = arith.andi %odd, %odd_code : i32
      %want = arith.addi %code, %up : i32
      %g1 = memref.load %codes2[%i, %c1] : memref<?x3xi16>
      %got1 = arith.extui %g1 : i16 to i32
      %d = arith.cmpi ne, %got1, %want : i32
      %b = arith.extui %d : i1 to i32
      %r = arith.addi %w0, %b : i32
      scf.yield %r : i32
    }
    vector.print %bad0 : i32
    vector.print %bad1 : i32
    // 57344 is the largest of the second format, far above those of the first.
    %byte = arith.constant 255 : i16
    %f0s = memref.load %codes2[%most2, %c0] : memref<?x3xi16>
    %f1s = memref.load %codes2[%most2, %c1] : memref<?x3xi16>
    %f2s = memref.load %codes2[%most2, %c2] : memref<?x3xi16>
    %l0 = arith.andi %f0s, %byte : i16
    %l1 = arith.andi %f1s, %byte : i16
    %l2 = arith.andi %f2s, %byte : i16
    %p0 = arith.extui %l0 : i16 to i32
    %p1 = arith.extui %l1 : i16 to i32
    %p2 = arith.extui %l2 : i16 to i32
    vector.print %p0 : i32 punctuation <no_punctuation>
    vector.print str ", "
    vector.print %p1 : i32 punctuation <no_punctuation>
    vector.print str ", "
    vector.print %p2 : i32
    gpu.dealloc %out : memref<?x2xf32>
    gpu.dealloc %x : memref<?xf32>
    gpu.dealloc %y : memref<?xf32>
    gpu.dealloc %codes : memref<?x3xi16>
    gpu.dealloc %codes2 : memref<?x3xi16>
    return
  }
}
