// Reductions over a warp and over clusters of its lanes, of every size, with lanes
// side by side and apart. The last warp of a block may be partly filled.

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @k(%x: memref<?xi32>, %out: memref<?xi32>) kernel {
      %g = gpu.global_id x
      %v = memref.load %x[%g] : memref<?xi32>
      %start = arith.constant 0 : i32
      %k31 = arith.constant 31 : i32
      %r0 = gpu.subgroup_reduce add %v : (i32) -> (i32)
      %m0 = arith.muli %start, %k31 : i32
      %s0 = arith.addi %m0, %r0 : i32
      %r1 = gpu.subgroup_reduce mul %v cluster(size = 8) : (i32) -> (i32)
      %m1 = arith.muli %s0, %k31 : i32
      %s1 = arith.addi %m1, %r1 : i32
      %r2 = gpu.subgroup_reduce maxsi %v cluster(size = 4) : (i32) -> (i32)
      %m2 = arith.muli %s1, %k31 : i32
      %s2 = arith.addi %m2, %r2 : i32
      %r3 = gpu.subgroup_reduce minsi %v cluster(size = 4, stride = 8) : (i32) -> (i32)
      %m3 = arith.muli %s2, %k31 : i32
      %s3 = arith.addi %m3, %r3 : i32
      %r4 = gpu.subgroup_reduce maxui %v cluster(size = 2, stride = 16) : (i32) -> (i32)
      %m4 = arith.muli %s3, %k31 : i32
      %s4 = arith.addi %m4, %r4 : i32
      %r5 = gpu.subgroup_reduce minui %v cluster(size = 16, stride = 2) : (i32) -> (i32)
      %m5 = arith.muli %s4, %k31 : i32
      %s5 = arith.addi %m5, %r5 : i32
      %r6 = gpu.subgroup_reduce and %v cluster(size = 1) : (i32) -> (i32)
      %m6 = arith.muli %s5, %k31 : i32
      %s6 = arith.addi %m6, %r6 : i32
      %r7 = gpu.subgroup_reduce or %v cluster(size = 8, stride = 4) : (i32) -> (i32)
      %m7 = arith.muli %s6, %k31 : i32
      %s7 = arith.addi %m7, %r7 : i32
      %r8 = gpu.subgroup_reduce xor %v cluster(size = 2) : (i32) -> (i32)
      %m8 = arith.muli %s7, %k31 : i32
      %s8 = arith.addi %m8, %r8 : i32
      %half = arith.sitofp %v : i32 to f32
      %r9 = gpu.subgroup_reduce maxnumf %half cluster(size = 16) : (f32) -> (f32)
      %bits = arith.bitcast %r9 : f32 to i32
      %s9 = arith.addi %s8, %bits : i32
      memref.store %s9, %out[%g] : memref<?xi32>
      gpu.return
    }
  }

  // What the kernel makes of elements from .. to, those of block b.
  func.func @expect(%x: memref<?xi32>, %want: memref<?xi32>, %b: index,
                    %from: index, %to: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %k31 = arith.constant 31 : i32
    %zero = arith.constant 0 : i32
    scf.for %i = %from to %to step %c1 {
      %t = arith.subi %i, %from : index
      %lane = arith.remui %t, %c32 : index
      %start = arith.subi %i, %lane : index
      %end = arith.addi %start, %c32 : index
      %stop = arith.minui %end, %to : index
      %size0 = arith.constant 32 : index
      %stride0 = arith.constant 1 : index
      %group0 = arith.divui %lane, %size0 : index
      %offset0 = arith.remui %lane, %stride0 : index
      %ident0 = arith.constant 0 : i32
      %r0 = scf.for %j = %start to %stop step %c1 iter_args(%a = %ident0) -> i32 {
        %other = arith.subi %j, %start : index
        %g = arith.divui %other, %size0 : index
        %o = arith.remui %other, %stride0 : index
        %same_g = arith.cmpi eq, %g, %group0 : index
        %same_o = arith.cmpi eq, %o, %offset0 : index
        %with = arith.andi %same_g, %same_o : i1
        %u = memref.load %x[%j] : memref<?xi32>
        %c = arith.addi %a, %u : i32
        %d = arith.select %with, %c, %a : i32
        scf.yield %d : i32
      }
      %m0 = arith.muli %zero, %k31 : i32
      %s0 = arith.addi %m0, %r0 : i32
      %size1 = arith.constant 8 : index
      %stride1 = arith.constant 1 : index
      %group1 = arith.divui %lane, %size1 : index
      %offset1 = arith.remui %lane, %stride1 : index
      %ident1 = arith.constant 1 : i32
      %r1 = scf.for %j = %start to %stop step %c1 iter_args(%a = %ident1) -> i32 {
        %other = arith.subi %j, %start : index
        %g = arith.divui %other, %size1 : index
        %o = arith.remui %other, %stride1 : index
        %same_g = arith.cmpi eq, %g, %group1 : index
        %same_o = arith.cmpi eq, %o, %offset1 : index
        %with = arith.andi %same_g, %same_o : i1
        %u = memref.load %x[%j] : memref<?xi32>
        %c = arith.muli %a, %u : i32
        %d = arith.select %with, %c, %a : i32
        scf.yield %d : i32
      }
      %m1 = arith.muli %s0, %k31 : i32
      %s1 = arith.addi %m1, %r1 : i32
      %size2 = arith.constant 4 : index
      %stride2 = arith.constant 1 : index
      %group2 = arith.divui %lane, %size2 : index
      %offset2 = arith.remui %lane, %stride2 : index
      %ident2 = arith.constant -2147483648 : i32
      %r2 = scf.for %j = %start to %stop step %c1 iter_args(%a = %ident2) -> i32 {
        %other = arith.subi %j, %start : index
        %g = arith.divui %other, %size2 : index
        %o = arith.remui %other, %stride2 : index
        %same_g = arith.cmpi eq, %g, %group2 : index
        %same_o = arith.cmpi eq, %o, %offset2 : index
        %with = arith.andi %same_g, %same_o : i1
        %u = memref.load %x[%j] : memref<?xi32>
        %c = arith.maxsi %a, %u : i32
        %d = arith.select %with, %c, %a : i32
        scf.yield %d : i32
      }
      %m2 = arith.muli %s1, %k31 : i32
      %s2 = arith.addi %m2, %r2 : i32
      %size3 = arith.constant 32 : index
      %stride3 = arith.constant 8 : index
      %group3 = arith.divui %lane, %size3 : index
      %offset3 = arith.remui %lane, %stride3 : index
      %ident3 = arith.constant 2147483647 : i32
      %r3 = scf.for %j = %start to %stop step %c1 iter_args(%a = %ident3) -> i32 {
        %other = arith.subi %j, %start : index
        %g = arith.divui %other, %size3 : index
        %o = arith.remui %other, %stride3 : index
        %same_g = arith.cmpi eq, %g, %group3 : index
        %same_o = arith.cmpi eq, %o, %offset3 : index
        %with = arith.andi %same_g, %same_o : i1
        %u = memref.load %x[%j] : memref<?xi32>
        %c = arith.minsi %a, %u : i32
        %d = arith.select %with, %c, %a : i32
        scf.yield %d : i32
      }
      %m3 = arith.muli %s2, %k31 : i32
      %s3 = arith.addi %m3, %r3 : i32
      %size4 = arith.constant 32 : index
      %stride4 = arith.constant 16 : index
      %group4 = arith.divui %lane, %size4 : index
      %offset4 = arith.remui %lane, %stride4 : index
      %ident4 = arith.constant 0 : i32
      %r4 = scf.for %j = %start to %stop step %c1 iter_args(%a = %ident4) -> i32 {
        %other = arith.subi %j, %start : index
        %g = arith.divui %other, %size4 : index
        %o = arith.remui %other, %stride4 : index
        %same_g = arith.cmpi eq, %g, %group4 : index
        %same_o = arith.cmpi eq, %o, %offset4 : index
        %with = arith.andi %same_g, %same_o : i1
        %u = memref.load %x[%j] : memref<?xi32>
        %c = arith.maxui %a, %u : i32
        %d = arith.select %with, %c, %a : i32
        scf.yield %d : i32
      }
      %m4 = arith.muli %s3, %k31 : i32
      %s4 = arith.addi %m4, %r4 : i32
      %size5 = arith.constant 32 : index
      %stride5 = arith.constant 2 : index
      %group5 = arith.divui %lane, %size5 : index
      %offset5 = arith.remui %lane, %stride5 : index
      %ident5 = arith.constant -1 : i32
      %r5 = scf.for %j = %start to %stop step %c1 iter_args(%a = %ident5) -> i32 {
        %other = arith.subi %j, %start : index
        %g = arith.divui %other, %size5 : index
        %o = arith.remui %other, %stride5 : index
        %same_g = arith.cmpi eq, %g, %group5 : index
        %same_o = arith.cmpi eq, %o, %offset5 : index
        %with = arith.andi %same_g, %same_o : i1
        %u = memref.load %x[%j] : memref<?xi32>
        %c = arith.minui %a, %u : i32
        %d = arith.select %with, %c, %a : i32
        scf.yield %d : i32
      }
      %m5 = arith.muli %s4, %k31 : i32
      %s5 = arith.addi %m5, %r5 : i32
      %size6 = arith.constant 1 : index
      %stride6 = arith.constant 1 : index
      %group6 = arith.divui %lane, %size6 : index
      %offset6 = arith.remui %lane, %stride6 : index
      %ident6 = arith.constant -1 : i32
      %r6 = scf.for %j = %start to %stop step %c1 iter_args(%a = %ident6) -> i32 {
        %other = arith.subi %j, %start : index
        %g = arith.divui %other, %size6 : index
        %o = arith.remui %other, %stride6 : index
        %same_g = arith.cmpi eq, %g, %group6 : index
        %same_o = arith.cmpi eq, %o, %offset6 : index
        %with = arith.andi %same_g, %same_o : i1
        %u = memref.load %x[%j] : memref<?xi32>
        %c = arith.andi %a, %u : i32
        %d = arith.select %with, %c, %a : i32
        scf.yield %d : i32
      }
      %m6 = arith.muli %s5, %k31 : i32
      %s6 = arith.addi %m6, %r6 : i32
      %size7 = arith.constant 32 : index
      %stride7 = arith.constant 4 : index
      %group7 = arith.divui %lane, %size7 : index
      %offset7 = arith.remui %lane, %stride7 : index
      %ident7 = arith.constant 0 : i32
      %r7 = scf.for %j = %start to %stop step %c1 iter_args(%a = %ident7) -> i32 {
        %other = arith.subi %j, %start : index
        %g = arith.divui %other, %size7 : index
        %o = arith.remui %other, %stride7 : index
        %same_g = arith.cmpi eq, %g, %group7 : index
        %same_o = arith.cmpi eq, %o, %offset7 : index
        %with = arith.andi %same_g, %same_o : i1
        %u = memref.load %x[%j] : memref<?xi32>
        %c = arith.ori %a, %u : i32
        %d = arith.select %with, %c, %a : i32
        scf.yield %d : i32
      }
      %m7 = arith.muli %s6, %k31 : i32
      %s7 = arith.addi %m7, %r7 : i32
      %size8 = arith.constant 2 : index
      %stride8 = arith.constant 1 : index
      %group8 = arith.divui %lane, %size8 : index
      %offset8 = arith.remui %lane, %stride8 : index
      %ident8 = arith.constant 0 : i32
      %r8 = scf.for %j = %start to %stop step %c1 iter_args(%a = %ident8) -> i32 {
        %other = arith.subi %j, %start : index
        %g = arith.divui %other, %size8 : index
        %o = arith.remui %other, %stride8 : index
        %same_g = arith.cmpi eq, %g, %group8 : index
        %same_o = arith.cmpi eq, %o, %offset8 : index
        %with = arith.andi %same_g, %same_o : i1
        %u = memref.load %x[%j] : memref<?xi32>
        %c = arith.xori %a, %u : i32
        %d = arith.select %with, %c, %a : i32
        scf.yield %d : i32
      }
      %m8 = arith.muli %s7, %k31 : i32
      %s8 = arith.addi %m8, %r8 : i32
      %size9 = arith.constant 16 : index
      %stride9 = arith.constant 1 : index
      %group9 = arith.divui %lane, %size9 : index
      %offset9 = arith.remui %lane, %stride9 : index
      %ident9 = arith.constant 0xFF800000 : f32
      %r9 = scf.for %j = %start to %stop step %c1 iter_args(%a = %ident9) -> f32 {
        %other = arith.subi %j, %start : index
        %g = arith.divui %other, %size9 : index
        %o = arith.remui %other, %stride9 : index
        %same_g = arith.cmpi eq, %g, %group9 : index
        %same_o = arith.cmpi eq, %o, %offset9 : index
        %with = arith.andi %same_g, %same_o : i1
        %w = memref.load %x[%j] : memref<?xi32>
        %u = arith.sitofp %w : i32 to f32
        %c = arith.maxnumf %a, %u : f32
        %d = arith.select %with, %c, %a : f32
        scf.yield %d : f32
      }
      %bits = arith.bitcast %r9 : f32 to i32
      %s9 = arith.addi %s8, %bits : i32
      memref.store %s9, %want[%i] : memref<?xi32>
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
