// Integers of 8 to 64 bits, f16, bf16 and f64 through workgroup memory, each
// of its own type, reversed in the block.

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @k(%x: memref<?xi32>, %out: memref<?xi32>)
        workgroup(%w8: memref<1024xi8, #gpu.address_space<workgroup>>,
                  %w16: memref<1024xi16, #gpu.address_space<workgroup>>,
                  %w64: memref<1024xi64, #gpu.address_space<workgroup>>,
                  %wf16: memref<1024xf16, #gpu.address_space<workgroup>>,
                  %wbf16: memref<1024xbf16, #gpu.address_space<workgroup>>,
                  %wf64: memref<1024xf64, #gpu.address_space<workgroup>>) kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %t = gpu.thread_id x
      %n = gpu.block_dim x
      %b = gpu.block_id x
      %g = gpu.global_id x
      %v = memref.load %x[%g] : memref<?xi32>

      %k7 = arith.constant 127 : i32
      %small = arith.andi %v, %k7 : i32
      %i8v = arith.trunci %small : i32 to i8
      %i16v = arith.trunci %v : i32 to i16
      %i64v = arith.extsi %v : i32 to i64
      %f16v = arith.sitofp %small : i32 to f16
      %bf16v = arith.sitofp %small : i32 to bf16
      %f64v = arith.sitofp %v : i32 to f64
      memref.store %i8v, %w8[%t] : memref<1024xi8, #gpu.address_space<workgroup>>
      memref.store %i16v, %w16[%t] : memref<1024xi16, #gpu.address_space<workgroup>>
      memref.store %i64v, %w64[%t] : memref<1024xi64, #gpu.address_space<workgroup>>
      memref.store %f16v, %wf16[%t] : memref<1024xf16, #gpu.address_space<workgroup>>
      memref.store %bf16v, %wbf16[%t] : memref<1024xbf16, #gpu.address_space<workgroup>>
      memref.store %f64v, %wf64[%t] : memref<1024xf64, #gpu.address_space<workgroup>>
      gpu.barrier
      %last = arith.subi %n, %c1 : index
      %j = arith.subi %last, %t : index
      %o8 = memref.load %w8[%j] : memref<1024xi8, #gpu.address_space<workgroup>>
      %o16 = memref.load %w16[%j] : memref<1024xi16, #gpu.address_space<workgroup>>
      %o64 = memref.load %w64[%j] : memref<1024xi64, #gpu.address_space<workgroup>>
      %of16 = memref.load %wf16[%j] : memref<1024xf16, #gpu.address_space<workgroup>>
      %obf16 = memref.load %wbf16[%j] : memref<1024xbf16, #gpu.address_space<workgroup>>
      %of64 = memref.load %wf64[%j] : memref<1024xf64, #gpu.address_space<workgroup>>

      %p8 = arith.muli %o8, %o8 : i8
      %p16 = arith.muli %o16, %o16 : i16
      %p64 = arith.muli %o64, %o64 : i64
      %half = arith.constant 0.5 : f16
      %pf16 = arith.mulf %of16, %half : f16
      %two = arith.constant 2.0 : bf16
      %pbf16 = arith.mulf %obf16, %two : bf16
      %quarter = arith.constant 0.25 : f64
      %pf64 = arith.mulf %of64, %quarter : f64
      %e8 = arith.extsi %p8 : i8 to i32
      %e16 = arith.extsi %p16 : i16 to i32
      %c32 = arith.constant 32 : i64
      %s64 = arith.shrui %p64, %c32 : i64
      %e64 = arith.trunci %s64 : i64 to i32
      %x16 = arith.extf %pf16 : f16 to f32
      %y16 = arith.extf %pbf16 : bf16 to f32
      %ef16 = arith.bitcast %x16 : f32 to i32
      %ebf16 = arith.bitcast %y16 : f32 to i32
      %bits = arith.bitcast %pf64 : f64 to i64
      %top = arith.shrui %bits, %c32 : i64
      %ef64 = arith.trunci %top : i64 to i32
      %q0 = arith.addi %e8, %e16 : i32
      %q1 = arith.xori %q0, %e64 : i32
      %q2 = arith.addi %q1, %ef16 : i32
      %q3 = arith.xori %q2, %ebf16 : i32
      %q4 = arith.addi %q3, %ef64 : i32
      memref.store %q4, %out[%g] : memref<?xi32>
      gpu.return
    }
  }

  // What the kernel makes of elements from .. to, those of block b.
  func.func @expect(%x: memref<?xi32>, %want: memref<?xi32>, %b: index,
                    %from: index, %to: index) {
    %c1 = arith.constant 1 : index
    %last = arith.subi %to, %c1 : index
    scf.for %i = %from to %to step %c1 {
      %k = arith.subi %i, %from : index
      %j = arith.subi %last, %k : index
      %v = memref.load %x[%j] : memref<?xi32>
      %k7 = arith.constant 127 : i32
      %small = arith.andi %v, %k7 : i32
      %i8v = arith.trunci %small : i32 to i8
      %i16v = arith.trunci %v : i32 to i16
      %i64v = arith.extsi %v : i32 to i64
      %f16v = arith.sitofp %small : i32 to f16
      %bf16v = arith.sitofp %small : i32 to bf16
      %f64v = arith.sitofp %v : i32 to f64
      %p8 = arith.muli %i8v, %i8v : i8
      %p16 = arith.muli %i16v, %i16v : i16
      %p64 = arith.muli %i64v, %i64v : i64
      %half = arith.constant 0.5 : f16
      %pf16 = arith.mulf %f16v, %half : f16
      %two = arith.constant 2.0 : bf16
      %pbf16 = arith.mulf %bf16v, %two : bf16
      %quarter = arith.constant 0.25 : f64
      %pf64 = arith.mulf %f64v, %quarter : f64
      %e8 = arith.extsi %p8 : i8 to i32
      %e16 = arith.extsi %p16 : i16 to i32
      %c32 = arith.constant 32 : i64
      %s64 = arith.shrui %p64, %c32 : i64
      %e64 = arith.trunci %s64 : i64 to i32
      %x16 = arith.extf %pf16 : f16 to f32
      %y16 = arith.extf %pbf16 : bf16 to f32
      %ef16 = arith.bitcast %x16 : f32 to i32
      %ebf16 = arith.bitcast %y16 : f32 to i32
      %bits = arith.bitcast %pf64 : f64 to i64
      %top = arith.shrui %bits, %c32 : i64
      %ef64 = arith.trunci %top : i64 to i32
      %q0 = arith.addi %e8, %e16 : i32
      %q1 = arith.xori %q0, %e64 : i32
      %q2 = arith.addi %q1, %ef16 : i32
      %q3 = arith.xori %q2, %ebf16 : i32
      %q4 = arith.addi %q3, %ef64 : i32
      memref.store %q4, %want[%i] : memref<?xi32>
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
