// Clocks that do not go back, fences, sleep, the sizes of shared memory, and the
// masks of lanes.

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @k(%x: memref<?xi32>, %out: memref<?xi32>)
        workgroup(%w: memref<64xi32, #gpu.address_space<workgroup>>) kernel {
      %c1 = arith.constant 1 : index
      %g = gpu.global_id x
      %one = arith.constant 1 : i32
      %none = arith.constant 0 : i64
      %start = nvvm.read.ptx.sreg.clock64 : i64
      %begin = nvvm.read.ptx.sreg.globaltimer : i64
      %short = arith.constant 1 : i32
      nvvm.nanosleep %short
      nvvm.memory.barrier #nvvm.mem_scope<cta>
      nvvm.memory.barrier #nvvm.mem_scope<gpu>
      nvvm.memory.barrier #nvvm.mem_scope<sys>
      %now = nvvm.read.ptx.sreg.clock64 : i64
      %end = nvvm.read.ptx.sreg.globaltimer : i64
      %low = nvvm.read.ptx.sreg.clock : i32
      %low_time = nvvm.read.ptx.sreg.globaltimer.lo : i32
      // Neither goes back.
      %cycles = arith.subi %now, %start : i64
      %time = arith.subi %end, %begin : i64
      %back = arith.minsi %cycles, %time : i64
      %went_back = arith.cmpi slt, %back, %none : i64
      %total = nvvm.read.ptx.sreg.total.smem.size : i32
      %dynamic = nvvm.read.ptx.sreg.dynamic.smem.size : i32
      %static = arith.subi %total, %dynamic : i32
      // The compiler may leave less than the 256 bytes that the kernel asks for; a
      // device sets at least a unit aside, of 128 bytes from sm_80 on.
      %own = arith.constant 128 : i32
      %has_own = arith.cmpi uge, %static, %own : i32
      %here = nvvm.read.ptx.sreg.smid : i32
      %all = nvvm.read.ptx.sreg.nsmid : i32
      %in = arith.cmpi ult, %here, %all : i32
      %lane = nvvm.read.ptx.sreg.laneid : i32
      %eq = nvvm.read.ptx.sreg.lanemask.eq : i32
      %lt = nvvm.read.ptx.sreg.lanemask.lt : i32
      %le = nvvm.read.ptx.sreg.lanemask.le : i32
      %ge = nvvm.read.ptx.sreg.lanemask.ge : i32
      %gt = nvvm.read.ptx.sreg.lanemask.gt : i32
      %bit = arith.shli %one, %lane : i32
      %m0 = arith.xori %eq, %bit : i32
      %m1 = arith.xori %lt, %le : i32
      %m2 = arith.xori %m1, %bit : i32
      %m3 = arith.xori %ge, %gt : i32
      %m4 = arith.xori %m3, %bit : i32
      %m5 = arith.ori %lt, %ge : i32
      %m6 = arith.addi %m5, %one : i32
      %m7 = arith.ori %m0, %m2 : i32
      %m8 = arith.ori %m4, %m6 : i32
      %m9 = arith.ori %m7, %m8 : i32
      %a0 = arith.extui %went_back : i1 to i32
      %a1 = arith.extui %has_own : i1 to i32
      %a2 = arith.extui %in : i1 to i32
      %two = arith.constant 2 : i32
      %four = arith.constant 4 : i32
      %b1 = arith.muli %a1, %two : i32
      %b2 = arith.muli %a2, %four : i32
      %c0e = arith.addi %a0, %b1 : i32
      %c2e = arith.addi %c0e, %b2 : i32
      %c3e = arith.addi %c2e, %m9 : i32
      %t = gpu.thread_id x
      %c0 = arith.constant 0 : index
      %first = arith.cmpi eq, %t, %c0 : index
      scf.if %first {
        memref.store %c3e, %w[%c1] : memref<64xi32, #gpu.address_space<workgroup>>
      }
      gpu.barrier
      %r = memref.load %w[%c1] : memref<64xi32, #gpu.address_space<workgroup>>
      %both = arith.andi %r, %c3e : i32
      memref.store %both, %out[%g] : memref<?xi32>
      gpu.return
    }
  }

  // What the kernel makes of elements from .. to, those of block b.
  func.func @expect(%x: memref<?xi32>, %want: memref<?xi32>, %b: index,
                    %from: index, %to: index) {
    %c1 = arith.constant 1 : index
    %six = arith.constant 6 : i32
    scf.for %i = %from to %to step %c1 {
      memref.store %six, %want[%i] : memref<?xi32>
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
