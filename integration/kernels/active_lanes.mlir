// Lanes of a branch: who is there, and what the first of them, or one by its
// number, has. The compiler may split a branch, so that only what holds however it
// does is looked at.

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @k(%x: memref<?xi32>, %out: memref<?xi32>) kernel {
      %c0 = arith.constant 0 : index
      %t = gpu.thread_id x
      %g = gpu.global_id x
      %v = memref.load %x[%g] : memref<?xi32>
      %zero = arith.constant 0 : i32
      %one = arith.constant 1 : i32
      %c2 = arith.constant 2 : index
      %rest = arith.remui %t, %c2 : index
      %even = arith.cmpi eq, %rest, %c0 : index
      %lane = gpu.lane_id
      %lane32 = arith.index_cast %lane : index to i32
      %bit = arith.shli %one, %lane32 : i32
      %r = scf.if %even -> i32 {
        %mask = llvm.call_intrinsic "llvm.nvvm.activemask"() : () -> i32
        %odds = arith.constant 0xAAAAAAAA : i32
        // No odd lane is there, and the lane itself is.
        %others = arith.andi %mask, %odds : i32
        %own = arith.andi %mask, %bit : i32
        %there = arith.cmpi eq, %own, %bit : i32
        %there32 = arith.extui %there : i1 to i32
        %first = gpu.subgroup_broadcast %v, first_active_lane : i32
        %half = arith.sitofp %lane32 : i32 to f16
        %shared = gpu.subgroup_broadcast %half, first_active_lane : f16
        // It is the value of an even lane that is not behind this one.
        %number = arith.fptosi %shared : f16 to i32
        %behind = arith.cmpi ugt, %number, %lane32 : i32
        %behind32 = arith.extui %behind : i1 to i32
        %odd = arith.andi %number, %one : i32
        %a0 = arith.addi %others, %there32 : i32
        %a1 = arith.addi %a0, %behind32 : i32
        %a2 = arith.addi %a1, %odd : i32
        // So is the other, whose lanes need not be the same ones: element i is
        // 7919 * i.
        %factor = arith.constant 7919 : i32
        %element = arith.divui %first, %factor : i32
        %g32 = arith.index_cast %g : index to i32
        %back = arith.subi %g32, %element : i32
        %too_far = arith.cmpi ugt, %back, %lane32 : i32
        %too_far32 = arith.extui %too_far : i1 to i32
        %odd_back = arith.andi %back, %one : i32
        %differ = arith.addi %too_far32, %odd_back : i32
        %a3 = arith.addi %a2, %differ : i32
        scf.yield %a3 : i32
      } else {
        scf.yield %zero : i32
      }
      gpu.barrier
      %named = gpu.subgroup_broadcast %v, specific_lane %zero : i32
      %s = arith.addi %r, %named : i32
      memref.store %s, %out[%g] : memref<?xi32>
      gpu.return
    }
  }

  // What the kernel makes of elements from .. to, those of block b.
  func.func @expect(%x: memref<?xi32>, %want: memref<?xi32>, %b: index,
                    %from: index, %to: index) {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c32 = arith.constant 32 : index
    scf.for %i = %from to %to step %c1 {
      %t = arith.subi %i, %from : index
      %lane = arith.remui %t, %c32 : index
      %start = arith.subi %i, %lane : index
      %first = memref.load %x[%start] : memref<?xi32>
      %rest = arith.remui %t, %c2 : index
      %even = arith.cmpi eq, %rest, %c0 : index
      %is_even = arith.extui %even : i1 to i32
      %r = arith.addi %first, %is_even : i32
      memref.store %r, %want[%i] : memref<?xi32>
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
