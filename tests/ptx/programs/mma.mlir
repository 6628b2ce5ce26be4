// 16x8x16 of f16 with f32 accumulators, by mma.sync; compared with the host.
// CHIPS: sm_80
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @k(%a: memref<16x16xf16>, %b: memref<16x8xf16>, %c: memref<16x8xf32>) kernel {
      %t = gpu.thread_id x
      %c2 = arith.constant 2 : index
      %c1 = arith.constant 1 : index
      %c4 = arith.constant 4 : index
      %c8 = arith.constant 8 : index
      %g = arith.divui %t, %c4 : index
      %q = arith.remui %t, %c4 : index
      %q0 = arith.muli %q, %c2 : index
      %q1 = arith.addi %q0, %c1 : index
      %q8 = arith.addi %q0, %c8 : index
      %q9 = arith.addi %q1, %c8 : index
      %g8 = arith.addi %g, %c8 : index
      %a0 = memref.load %a[%g, %q0] : memref<16x16xf16>
      %a1 = memref.load %a[%g, %q1] : memref<16x16xf16>
      %a2 = memref.load %a[%g8, %q0] : memref<16x16xf16>
      %a3 = memref.load %a[%g8, %q1] : memref<16x16xf16>
      %a4 = memref.load %a[%g, %q8] : memref<16x16xf16>
      %a5 = memref.load %a[%g, %q9] : memref<16x16xf16>
      %a6 = memref.load %a[%g8, %q8] : memref<16x16xf16>
      %a7 = memref.load %a[%g8, %q9] : memref<16x16xf16>
      %b0 = memref.load %b[%q0, %g] : memref<16x8xf16>
      %b1 = memref.load %b[%q1, %g] : memref<16x8xf16>
      %b2 = memref.load %b[%q8, %g] : memref<16x8xf16>
      %b3 = memref.load %b[%q9, %g] : memref<16x8xf16>
      %af = vector.from_elements %a0, %a1, %a2, %a3, %a4, %a5, %a6, %a7 : vector<4x2xf16>
      %bf = vector.from_elements %b0, %b1, %b2, %b3 : vector<2x2xf16>
      %cf = arith.constant dense<1.0> : vector<2x2xf32>
      %d = nvgpu.mma.sync (%af, %bf, %cf) {mmaShape = [16, 8, 16]} : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
      %d0 = vector.extract %d[0, 0] : f32 from vector<2x2xf32>
      %d1 = vector.extract %d[0, 1] : f32 from vector<2x2xf32>
      %d2 = vector.extract %d[1, 0] : f32 from vector<2x2xf32>
      %d3 = vector.extract %d[1, 1] : f32 from vector<2x2xf32>
      memref.store %d0, %c[%g, %q0] : memref<16x8xf32>
      memref.store %d1, %c[%g, %q1] : memref<16x8xf32>
      memref.store %d2, %c[%g8, %q0] : memref<16x8xf32>
      memref.store %d3, %c[%g8, %q1] : memref<16x8xf32>
      gpu.return
    }
  }
  // RUN: @main
  // CHECK: 0
  // CHECK: 107
  func.func @main() {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %c8 = arith.constant 8 : index
    %c32 = arith.constant 32 : index
    %a = gpu.alloc host_shared () : memref<16x16xf16>
    %b = gpu.alloc host_shared () : memref<16x8xf16>
    %c = gpu.alloc host_shared () : memref<16x8xf32>
    scf.for %i = %c0 to %c16 step %c1 {
      scf.for %j = %c0 to %c16 step %c1 {
        %i3 = arith.muli %i, %c16 : index
        %s = arith.addi %i3, %j : index
        %c7 = arith.constant 7 : index
        %m = arith.remui %s, %c7 : index
        %mi = arith.index_cast %m : index to i32
        %f = arith.sitofp %mi : i32 to f16
        memref.store %f, %a[%i, %j] : memref<16x16xf16>
        %c5 = arith.constant 5 : index
        %j2 = arith.muli %j, %c7 : index
        %t = arith.addi %j2, %i : index
        %u = arith.remui %t, %c5 : index
        %ui = arith.index_cast %u : index to i32
        %g = arith.sitofp %ui : i32 to f16
        %ii = arith.minui %i, %c7 : index
        memref.store %g, %b[%j, %ii] : memref<16x8xf16>
      }
    }
    gpu.launch_func @kernels::@k blocks in (%c1, %c1, %c1) threads in (%c32, %c1, %c1) args(%a : memref<16x16xf16>, %b : memref<16x8xf16>, %c : memref<16x8xf32>)
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %wrong = scf.for %i = %c0 to %c16 step %c1 iter_args(%w0 = %zero) -> i32 {
      %w1 = scf.for %j = %c0 to %c8 step %c1 iter_args(%w = %w0) -> i32 {
        %z = arith.constant 1.0 : f32
        %s = scf.for %k = %c0 to %c16 step %c1 iter_args(%q = %z) -> f32 {
          %x = memref.load %a[%i, %k] : memref<16x16xf16>
          %y = memref.load %b[%k, %j] : memref<16x8xf16>
          %xf = arith.extf %x : f16 to f32
          %yf = arith.extf %y : f16 to f32
          %p = arith.mulf %xf, %yf : f32
          %r = arith.addf %q, %p : f32
          scf.yield %r : f32
        }
        %zz = arith.constant 0.0 : f32
        %s2 = arith.addf %s, %zz : f32
        %got = memref.load %c[%i, %j] : memref<16x8xf32>
        %ne = arith.cmpf une, %got, %s2 : f32
        %nei = arith.extui %ne : i1 to i32
        %w2 = arith.addi %w, %nei : i32
        scf.yield %w2 : i32
      }
      scf.yield %w1 : i32
    }
    vector.print %wrong : i32
    %v = memref.load %c[%c1, %c1] : memref<16x8xf32>
    vector.print %v : f32
    gpu.dealloc %a : memref<16x16xf16>
    gpu.dealloc %b : memref<16x8xf16>
    gpu.dealloc %c : memref<16x8xf32>
    return
  }
}
