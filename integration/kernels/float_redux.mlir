// The smallest and the largest float of a warp, of absolute values too, and where
// what is no number counts.
// CHIPS: sm_100a

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @k(%x: memref<?xi32>, %out: memref<?xi32>) kernel {
      %g = gpu.global_id x
      %v = memref.load %x[%g] : memref<?xi32>
      %all = arith.constant -1 : i32
      %seven = arith.constant 7 : i32
      %zerof = arith.constant 0.0 : f32
      %k31 = arith.constant 31 : i32
      %zero = arith.constant 0 : i32
      // Numbers of both signs, and now and then none.
      %f0 = arith.sitofp %v : i32 to f32
      %rest = arith.remui %v, %seven : i32
      %is_nan = arith.cmpi eq, %rest, %zero : i32
      %nan = arith.constant 0x7FC00000 : f32
      %f = arith.select %is_nan, %nan, %f0 : f32
      %r0 = nvvm.redux.sync fmin %f, %all : f32 -> f32
      %n0 = arith.cmpf uno, %r0, %r0 : f32
      %b0 = arith.bitcast %r0 : f32 to i32
      %s0 = arith.select %n0, %zero, %b0 : i32
      %m0 = arith.muli %zero, %k31 : i32
      %t0 = arith.addi %m0, %s0 : i32
      %r1 = nvvm.redux.sync fmax %f, %all : f32 -> f32
      %n1 = arith.cmpf uno, %r1, %r1 : f32
      %b1 = arith.bitcast %r1 : f32 to i32
      %s1 = arith.select %n1, %zero, %b1 : i32
      %m1 = arith.muli %t0, %k31 : i32
      %t1 = arith.addi %m1, %s1 : i32
      %r2 = nvvm.redux.sync fmin %f, %all {abs = true} : f32 -> f32
      %n2 = arith.cmpf uno, %r2, %r2 : f32
      %b2 = arith.bitcast %r2 : f32 to i32
      %s2 = arith.select %n2, %zero, %b2 : i32
      %m2 = arith.muli %t1, %k31 : i32
      %t2 = arith.addi %m2, %s2 : i32
      %r3 = nvvm.redux.sync fmax %f, %all {abs = true} : f32 -> f32
      %n3 = arith.cmpf uno, %r3, %r3 : f32
      %b3 = arith.bitcast %r3 : f32 to i32
      %s3 = arith.select %n3, %zero, %b3 : i32
      %m3 = arith.muli %t2, %k31 : i32
      %t3 = arith.addi %m3, %s3 : i32
      %r4 = nvvm.redux.sync fmin %f, %all {nan = true} : f32 -> f32
      %n4 = arith.cmpf uno, %r4, %r4 : f32
      %b4 = arith.bitcast %r4 : f32 to i32
      %s4 = arith.select %n4, %zero, %b4 : i32
      %m4 = arith.muli %t3, %k31 : i32
      %t4 = arith.addi %m4, %s4 : i32
      %r5 = nvvm.redux.sync fmax %f, %all {abs = true, nan = true} : f32 -> f32
      %n5 = arith.cmpf uno, %r5, %r5 : f32
      %b5 = arith.bitcast %r5 : f32 to i32
      %s5 = arith.select %n5, %zero, %b5 : i32
      %m5 = arith.muli %t4, %k31 : i32
      %t5 = arith.addi %m5, %s5 : i32
      memref.store %t5, %out[%g] : memref<?xi32>
      gpu.return
    }
  }

  // What the kernel makes of elements from .. to, those of block b.
  func.func @expect(%x: memref<?xi32>, %want: memref<?xi32>, %b: index,
                    %from: index, %to: index) {
    %zero = arith.constant 0 : i32
    %seven = arith.constant 7 : i32
    %k31 = arith.constant 31 : i32
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %nan = arith.constant 0x7FC00000 : f32
    %nan0 = arith.constant 0x7FC00000 : f32
    %nan1 = arith.constant 0x7FC00000 : f32
    %nan2 = arith.constant 0x7FC00000 : f32
    %nan3 = arith.constant 0x7FC00000 : f32
    %nan4 = arith.constant 0x7F800000 : f32
    %nan5 = arith.constant 0xFF800000 : f32
    scf.for %i = %from to %to step %c1 {
      %t = arith.subi %i, %from : index
      %lane = arith.remui %t, %c32 : index
      %start = arith.subi %i, %lane : index
      %end = arith.addi %start, %c32 : index
      %stop = arith.minui %end, %to : index
      %r0 = scf.for %j = %start to %stop step %c1 iter_args(%a = %nan0) -> f32 {
        %v = memref.load %x[%j] : memref<?xi32>
        %f0 = arith.sitofp %v : i32 to f32
        %rest = arith.remui %v, %seven : i32
        %is_nan = arith.cmpi eq, %rest, %zero : i32
        %f1 = arith.select %is_nan, %nan, %f0 : f32
        %f = arith.select %is_nan, %nan, %f0 : f32
        %s = arith.minnumf %a, %f : f32
        scf.yield %s : f32
      }
      %n0 = arith.cmpf uno, %r0, %r0 : f32
      %b0 = arith.bitcast %r0 : f32 to i32
      %s0 = arith.select %n0, %zero, %b0 : i32
      %m0 = arith.muli %zero, %k31 : i32
      %t0 = arith.addi %m0, %s0 : i32
      %r1 = scf.for %j = %start to %stop step %c1 iter_args(%a = %nan1) -> f32 {
        %v = memref.load %x[%j] : memref<?xi32>
        %f0 = arith.sitofp %v : i32 to f32
        %rest = arith.remui %v, %seven : i32
        %is_nan = arith.cmpi eq, %rest, %zero : i32
        %f1 = arith.select %is_nan, %nan, %f0 : f32
        %f = arith.select %is_nan, %nan, %f0 : f32
        %s = arith.maxnumf %a, %f : f32
        scf.yield %s : f32
      }
      %n1 = arith.cmpf uno, %r1, %r1 : f32
      %b1 = arith.bitcast %r1 : f32 to i32
      %s1 = arith.select %n1, %zero, %b1 : i32
      %m1 = arith.muli %t0, %k31 : i32
      %t1 = arith.addi %m1, %s1 : i32
      %r2 = scf.for %j = %start to %stop step %c1 iter_args(%a = %nan2) -> f32 {
        %v = memref.load %x[%j] : memref<?xi32>
        %f0 = arith.sitofp %v : i32 to f32
        %rest = arith.remui %v, %seven : i32
        %is_nan = arith.cmpi eq, %rest, %zero : i32
        %f1 = arith.select %is_nan, %nan, %f0 : f32
        %f = math.absf %f1 : f32
        %s = arith.minnumf %a, %f : f32
        scf.yield %s : f32
      }
      %n2 = arith.cmpf uno, %r2, %r2 : f32
      %b2 = arith.bitcast %r2 : f32 to i32
      %s2 = arith.select %n2, %zero, %b2 : i32
      %m2 = arith.muli %t1, %k31 : i32
      %t2 = arith.addi %m2, %s2 : i32
      %r3 = scf.for %j = %start to %stop step %c1 iter_args(%a = %nan3) -> f32 {
        %v = memref.load %x[%j] : memref<?xi32>
        %f0 = arith.sitofp %v : i32 to f32
        %rest = arith.remui %v, %seven : i32
        %is_nan = arith.cmpi eq, %rest, %zero : i32
        %f1 = arith.select %is_nan, %nan, %f0 : f32
        %f = math.absf %f1 : f32
        %s = arith.maxnumf %a, %f : f32
        scf.yield %s : f32
      }
      %n3 = arith.cmpf uno, %r3, %r3 : f32
      %b3 = arith.bitcast %r3 : f32 to i32
      %s3 = arith.select %n3, %zero, %b3 : i32
      %m3 = arith.muli %t2, %k31 : i32
      %t3 = arith.addi %m3, %s3 : i32
      %r4 = scf.for %j = %start to %stop step %c1 iter_args(%a = %nan4) -> f32 {
        %v = memref.load %x[%j] : memref<?xi32>
        %f0 = arith.sitofp %v : i32 to f32
        %rest = arith.remui %v, %seven : i32
        %is_nan = arith.cmpi eq, %rest, %zero : i32
        %f1 = arith.select %is_nan, %nan, %f0 : f32
        %f = arith.select %is_nan, %nan, %f0 : f32
        %s = arith.minimumf %a, %f : f32
        scf.yield %s : f32
      }
      %n4 = arith.cmpf uno, %r4, %r4 : f32
      %b4 = arith.bitcast %r4 : f32 to i32
      %s4 = arith.select %n4, %zero, %b4 : i32
      %m4 = arith.muli %t3, %k31 : i32
      %t4 = arith.addi %m4, %s4 : i32
      %r5 = scf.for %j = %start to %stop step %c1 iter_args(%a = %nan5) -> f32 {
        %v = memref.load %x[%j] : memref<?xi32>
        %f0 = arith.sitofp %v : i32 to f32
        %rest = arith.remui %v, %seven : i32
        %is_nan = arith.cmpi eq, %rest, %zero : i32
        %f1 = arith.select %is_nan, %nan, %f0 : f32
        %f = math.absf %f1 : f32
        %s = arith.maximumf %a, %f : f32
        scf.yield %s : f32
      }
      %n5 = arith.cmpf uno, %r5, %r5 : f32
      %b5 = arith.bitcast %r5 : f32 to i32
      %s5 = arith.select %n5, %zero, %b5 : i32
      %m5 = arith.muli %t4, %k31 : i32
      %t5 = arith.addi %m5, %s5 : i32
      memref.store %t5, %want[%i] : memref<?xi32>
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
