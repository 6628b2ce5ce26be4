// Floats of 32 bits rounded to those of tensor cores.
// CHIPS: sm_80 sm_90 sm_100

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @k(%x: memref<?xi32>, %out: memref<?xi32>) kernel {
      %g = gpu.global_id x
      %v = memref.load %x[%g] : memref<?xi32>
      %k7 = arith.constant 7 : i32
      %w = arith.shrsi %v, %k7 : i32
      %k31 = arith.constant 31 : i32
      %third = arith.constant 3.0 : f32
      %f0 = arith.sitofp %v : i32 to f32
      %f = arith.divf %f0, %third : f32
      %h0 = arith.sitofp %w : i32 to f32
      %h = arith.divf %h0, %third : f32
      %r0 = nvvm.convert.float.to.tf32 %f {rnd = #nvvm.fp_rnd_mode<rna>}
      %p = nvvm.convert.f32x2.to.bf16x2 %f, %h {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xbf16>
      %q = nvvm.convert.f32x2.to.f16x2 %f, %h {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xf16>
      %r1 = llvm.bitcast %p : vector<2xbf16> to i32
      %r2 = llvm.bitcast %q : vector<2xf16> to i32
      %m0 = arith.muli %r0, %k31 : i32
      %s0 = arith.addi %m0, %r1 : i32
      %m1 = arith.muli %s0, %k31 : i32
      %s1 = arith.addi %m1, %r2 : i32
      memref.store %s1, %out[%g] : memref<?xi32>
      gpu.return
    }
  }

  // What the kernel makes of elements from .. to, those of block b.
  func.func @expect(%x: memref<?xi32>, %want: memref<?xi32>, %b: index,
                    %from: index, %to: index) {
    %c1 = arith.constant 1 : index
    %k7 = arith.constant 7 : i32
    %k31 = arith.constant 31 : i32
    %sixteen = arith.constant 16 : i32
    %third = arith.constant 3.0 : f32
    %step = arith.constant 8192 : i32
    %half = arith.constant 4096 : i32
    scf.for %i = %from to %to step %c1 {
      %v = memref.load %x[%i] : memref<?xi32>
      %w = arith.shrsi %v, %k7 : i32
      %f0 = arith.sitofp %v : i32 to f32
      %f = arith.divf %f0, %third : f32
      %h0 = arith.sitofp %w : i32 to f32
      %h = arith.divf %h0, %third : f32
      // The next multiple of the last place that is kept.
      %bits = arith.bitcast %f : f32 to i32
      %up = arith.addi %bits, %half : i32
      %places = arith.divui %up, %step : i32
      %r0 = arith.muli %places, %step : i32
      %b0 = arith.truncf %f : f32 to bf16
      %b1 = arith.truncf %h : f32 to bf16
      %b2 = arith.bitcast %b0 : bf16 to i16
      %b3 = arith.bitcast %b1 : bf16 to i16
      %b4 = arith.extui %b2 : i16 to i32
      %b5 = arith.extui %b3 : i16 to i32
      %b6 = arith.shli %b4, %sixteen : i32
      %r1 = arith.ori %b6, %b5 : i32
      %a0 = arith.truncf %f : f32 to f16
      %a1 = arith.truncf %h : f32 to f16
      %a2 = arith.bitcast %a0 : f16 to i16
      %a3 = arith.bitcast %a1 : f16 to i16
      %a4 = arith.extui %a2 : i16 to i32
      %a5 = arith.extui %a3 : i16 to i32
      %a6 = arith.shli %a4, %sixteen : i32
      %r2 = arith.ori %a6, %a5 : i32
      %m0 = arith.muli %r0, %k31 : i32
      %s0 = arith.addi %m0, %r1 : i32
      %m1 = arith.muli %s0, %k31 : i32
      %s1 = arith.addi %m1, %r2 : i32
      memref.store %s1, %want[%i] : memref<?xi32>
    }
    return
  }

  // Launches the kernel on numbers that repeat nowhere near, and prints how many
  // elements differ from what the host wants.
  func.func @check(%blocks: index, %threads: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0 : i32
    %factor = arith.constant 7919 : i32
    %n = arith.muli %blocks, %threads : index
    %x = memref.alloc(%n) : memref<?xi32>
    %out = memref.alloc(%n) : memref<?xi32>
    %want = memref.alloc(%n) : memref<?xi32>
    scf.for %i = %c0 to %n step %c1 {
      %k = arith.index_cast %i : index to i32
      %v = arith.muli %k, %factor : i32
      memref.store %v, %x[%i] : memref<?xi32>
      memref.store %zero, %out[%i] : memref<?xi32>
      memref.store %zero, %want[%i] : memref<?xi32>
    }
    %dx = gpu.alloc(%n) : memref<?xi32>
    %dout = gpu.alloc(%n) : memref<?xi32>
    gpu.memcpy %dx, %x : memref<?xi32>, memref<?xi32>
    gpu.memcpy %dout, %out : memref<?xi32>, memref<?xi32>
    gpu.launch_func @kernels::@k
        blocks in (%blocks, %c1, %c1) threads in (%threads, %c1, %c1)
        args(%dx : memref<?xi32>, %dout : memref<?xi32>)
    gpu.memcpy %out, %dout : memref<?xi32>, memref<?xi32>
    scf.for %b = %c0 to %blocks step %c1 {
      %from = arith.muli %b, %threads : index
      %to = arith.addi %from, %threads : index
      func.call @expect(%x, %want, %b, %from, %to)
          : (memref<?xi32>, memref<?xi32>, index, index, index) -> ()
    }
    %wrong = scf.for %i = %c0 to %n step %c1 iter_args(%w = %zero) -> i32 {
      %a = memref.load %out[%i] : memref<?xi32>
      %e = memref.load %want[%i] : memref<?xi32>
      %differ = arith.cmpi ne, %a, %e : i32
      %d = arith.extui %differ : i1 to i32
      %w1 = arith.addi %w, %d : i32
      scf.yield %w1 : i32
    }
    vector.print %wrong : i32
    gpu.dealloc %dx : memref<?xi32>
    gpu.dealloc %dout : memref<?xi32>
    memref.dealloc %x : memref<?xi32>
    memref.dealloc %out : memref<?xi32>
    memref.dealloc %want : memref<?xi32>
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
