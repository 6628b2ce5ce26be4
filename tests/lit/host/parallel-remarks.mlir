// How each parallel loop runs, and why.
// RUN: async-gpu-opt %s --async-gpu-lower=remarks=true -o /dev/null 2>&1 | FileCheck %s
// RUN: async-gpu-opt %s --async-gpu-parallel=remarks=true -o /dev/null 2>&1 | FileCheck %s
// RUN: async-gpu-opt %s --async-gpu-parallel --async-gpu-remarks -o /dev/null 2>&1 | FileCheck %s
// RUN: async-gpu-opt %s --async-gpu-parallel -o /dev/null 2>&1 | count 0

func.func private @prints(%x: i64) {
  vector.print %x : i64
  return
}

func.func private @on_stream(i64) attributes {async_gpu.enqueue}

func.func @loops(%n: index, %m: memref<?x?xi64>, %x: i64, %f: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: parallel-remarks.mlir:[[#@LINE+1]]:8: remark: parallel loop: on all threads, 2 dimensions, 1 reduction
  %r = scf.parallel (%i, %j) = (%c0, %c0) to (%n, %n) step (%c1, %c1)
      init (%f) -> f32 {
    scf.reduce(%f : f32) {
    ^bb0(%a: f32, %b: f32):
      %s = arith.addf %a, %b : f32
      scf.reduce.return %s : f32
    }
  }
  // CHECK: [[#@LINE+1]]:3: remark: parallel loop: on all threads, 1 dimension, 0 reductions
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    // CHECK: [[#@LINE+1]]:5: remark: parallel loop: in order, inside one that runs on all threads
    scf.parallel (%j) = (%c0) to (%n) step (%c1) {
      memref.store %x, %m[%i, %j] : memref<?x?xi64>
      scf.reduce
    }
    scf.reduce
  }
  // CHECK: [[#@LINE+1]]:3: remark: parallel loop: on one thread, in order: 'vector.print' at {{.*}}:8:3 cannot run on another thread
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    func.call @prints(%x) : (i64) -> ()
    scf.reduce
  }
  // CHECK: [[#@LINE+1]]:3: remark: parallel loop: on one thread, in order: 'on_stream', which it calls, puts work on the stream of the region
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    func.call @on_stream(%x) : (i64) -> ()
    scf.reduce
  }
  // CHECK: [[#@LINE+1]]:10: remark: parallel loop: on one thread, in order: a combiner uses what one iteration computes
  %sum = scf.parallel (%i) = (%c0) to (%n) step (%c1) init (%f) -> f32 {
    %y = arith.negf %f : f32
    scf.reduce(%f : f32) {
    ^bb0(%a: f32, %b: f32):
      %s = arith.addf %a, %y : f32
      scf.reduce.return %s : f32
    }
  }
  return %r : f32
}

func.func private @opaque()

func.func private @short(%m: memref<?x?xi64>, %i: index, %x: i64) {
  memref.store %x, %m[%i, %i] : memref<?x?xi64>
  return
}

func.func private @around(%n: i64) {
  cf.br ^loop(%n : i64)
^loop(%i: i64):
  %c1 = arith.constant 1 : i64
  %less = arith.subi %i, %c1 : i64
  %again = arith.cmpi sgt, %less, %c1 : i64
  cf.cond_br %again, ^loop(%less : i64), ^end
^end:
  return
}

func.func private @recursive(%x: i64) {
  %c1 = arith.constant 1 : i64
  %again = arith.cmpi sgt, %x, %c1 : i64
  scf.if %again {
    %less = arith.subi %x, %c1 : i64
    func.call @recursive(%less) : (i64) -> ()
  }
  return
}

func.func @costs(%n: index, %m: memref<?x?xi64>, %x: i64) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  // What is short for sure, and has to be many.
  // CHECK: [[#@LINE+1]]:3: remark: parallel loop: on one thread: its 8 iterations are too short to be shared
  scf.parallel (%i) = (%c0) to (%c8) step (%c1) {
    func.call @short(%m, %i, %x) : (memref<?x?xi64>, index, i64) -> ()
    scf.reduce
  }
  // CHECK: [[#@LINE+1]]:3: remark: parallel loop: on all threads, 1 dimension, 0 reductions; if it has {{[0-9]+}} iterations or more{{$}}
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    func.call @short(%m, %i, %x) : (memref<?x?xi64>, index, i64) -> ()
    scf.reduce
  }
  // CHECK: [[#@LINE+1]]:3: remark: parallel loop: on all threads, 1 dimension, 0 reductions; if it is long enough when it runs{{$}}
  scf.parallel (%i) = (%c0) to (%c8) step (%c1) {
    scf.for %j = %c0 to %n step %c1 {
      memref.store %x, %m[%i, %j] : memref<?x?xi64>
    }
    scf.reduce
  }
  // What may take any time.
  // CHECK: [[#@LINE+1]]:3: remark: parallel loop: on all threads, 1 dimension, 0 reductions; what an iteration costs is not known
  scf.parallel (%i) = (%c0) to (%c8) step (%c1) {
    func.call @opaque() : () -> ()
    scf.reduce
  }
  // CHECK: [[#@LINE+1]]:3: remark: parallel loop: on all threads, 1 dimension, 0 reductions; what an iteration costs is not known
  scf.parallel (%i) = (%c0) to (%c8) step (%c1) {
    func.call @around(%x) : (i64) -> ()
    scf.reduce
  }
  // CHECK: [[#@LINE+1]]:3: remark: parallel loop: on all threads, 1 dimension, 0 reductions; what an iteration costs is not known
  scf.parallel (%i) = (%c0) to (%c8) step (%c1) {
    func.call @recursive(%x) : (i64) -> ()
    scf.reduce
  }
  return
}
