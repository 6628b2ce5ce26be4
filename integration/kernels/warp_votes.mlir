// Votes, matches and elections of a warp, and its lane masks. The last warp of
// a block may be partly filled: lanes that are not there do not count.

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @k(%x: memref<?xi32>, %out: memref<?xi32>) kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %t = gpu.thread_id x
      %n = gpu.block_dim x
      %b = gpu.block_id x
      %g = gpu.global_id x
      %v = memref.load %x[%g] : memref<?xi32>

      %full = arith.constant -1 : i32
      %seven = arith.constant 7 : i32
      %zero = arith.constant 0 : i32
      %m = arith.remui %v, %seven : i32
      %p = arith.cmpi eq, %m, %zero : i32
      %ballot = nvvm.vote.sync ballot %full, %p -> i32
      %any = nvvm.vote.sync any %full, %p -> i1
      %all = nvvm.vote.sync all %full, %p -> i1
      %uni = nvvm.vote.sync uni %full, %any -> i1
      %same = nvvm.match.sync any %full, %m : i32 -> i32
      %every = nvvm.match.sync all %full, %ballot : i32 -> !llvm.struct<(i32, i1)>
      %members = llvm.extractvalue %every[0] : !llvm.struct<(i32, i1)>
      %equal = llvm.extractvalue %every[1] : !llvm.struct<(i32, i1)>
      nvvm.bar.warp.sync %full : i32
      %below = nvvm.read.ptx.sreg.lanemask.lt : i32
      %before = arith.andi %ballot, %below : i32
      %rank = math.ctpop %before : i32
      %any32 = arith.extui %any : i1 to i32
      %all32 = arith.extui %all : i1 to i32
      %uni32 = arith.extui %uni : i1 to i32
      %equal32 = arith.extui %equal : i1 to i32
      %k3 = arith.constant 3 : i32
      %k5 = arith.constant 5 : i32
      %k9 = arith.constant 9 : i32
      %k11 = arith.constant 11 : i32
      %a0 = arith.muli %any32, %k3 : i32
      %a1 = arith.muli %all32, %k5 : i32
      %a2 = arith.muli %uni32, %k9 : i32
      %a3 = arith.muli %equal32, %k11 : i32
      %s0 = arith.addi %a0, %a1 : i32
      %s1 = arith.addi %a2, %a3 : i32
      %s2 = arith.addi %s0, %s1 : i32
      %s3 = arith.xori %ballot, %same : i32
      %s4 = arith.muli %s3, %k3 : i32
      %s5 = arith.xori %s4, %members : i32
      %s6 = arith.muli %s5, %k5 : i32
      %s7 = arith.addi %s6, %rank : i32
      %r = arith.addi %s7, %s2 : i32
      memref.store %r, %out[%g] : memref<?xi32>
      gpu.return
    }
  }

  // What the kernel makes of elements from .. to, those of block b.
  func.func @expect(%x: memref<?xi32>, %want: memref<?xi32>, %b: index,
                    %from: index, %to: index) {
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %seven = arith.constant 7 : i32
    %k3 = arith.constant 3 : i32
    %k5 = arith.constant 5 : i32
    %k9 = arith.constant 9 : i32
    %k11 = arith.constant 11 : i32
    scf.for %i = %from to %to step %c1 {
      %v = memref.load %x[%i] : memref<?xi32>
      %m = arith.remui %v, %seven : i32
      %t = arith.subi %i, %from : index
      %lane = arith.remui %t, %c32 : index
      %start = arith.subi %i, %lane : index
      %end = arith.addi %start, %c32 : index
      %stop = arith.minui %end, %to : index
      // Over the lanes of the warp: who votes yes, who has the same, who is there,
      // and how many vote yes before this one.
      %ballot, %same, %members, %rank = scf.for %j = %start to %stop step %c1
          iter_args(%yes = %zero, %like = %zero, %there = %zero, %less = %zero)
          -> (i32, i32, i32, i32) {
        %u = memref.load %x[%j] : memref<?xi32>
        %k = arith.remui %u, %seven : i32
        %d = arith.subi %j, %start : index
        %d32 = arith.index_cast %d : index to i32
        %bit = arith.shli %one, %d32 : i32
        %is0 = arith.cmpi eq, %k, %zero : i32
        %is_like = arith.cmpi eq, %k, %m : i32
        %b0 = arith.select %is0, %bit, %zero : i32
        %b1 = arith.select %is_like, %bit, %zero : i32
        %is_before = arith.cmpi ult, %j, %i : index
        %counts = arith.andi %is_before, %is0 : i1
        %c = arith.extui %counts : i1 to i32
        %yes1 = arith.ori %yes, %b0 : i32
        %like1 = arith.ori %like, %b1 : i32
        %there1 = arith.ori %there, %bit : i32
        %less1 = arith.addi %less, %c : i32
        scf.yield %yes1, %like1, %there1, %less1 : i32, i32, i32, i32
      }
      %any = arith.cmpi ne, %ballot, %zero : i32
      %all = arith.cmpi eq, %ballot, %members : i32
      %any32 = arith.extui %any : i1 to i32
      %all32 = arith.extui %all : i1 to i32
      %a0 = arith.muli %any32, %k3 : i32
      %a1 = arith.muli %all32, %k5 : i32
      // All lanes agree on `any` and on the ballot.
      %a2 = arith.addi %k9, %k11 : i32
      %s0 = arith.addi %a0, %a1 : i32
      %s2 = arith.addi %s0, %a2 : i32
      %s3 = arith.xori %ballot, %same : i32
      %s4 = arith.muli %s3, %k3 : i32
      %s5 = arith.xori %s4, %members : i32
      %s6 = arith.muli %s5, %k5 : i32
      %s7 = arith.addi %s6, %rank : i32
      %r = arith.addi %s7, %s2 : i32
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
