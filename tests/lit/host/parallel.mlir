// Parallel loops become calls of the runtime.
// RUN: async-gpu-opt %s --async-gpu-parallel --split-input-file | FileCheck %s
// RUN: async-gpu-opt %s --async-gpu-parallel=abi=upstream --split-input-file | FileCheck %s --check-prefix=UPSTREAM

// The body becomes a function that gets what it uses in a structure, copies of
// constants, and the numbers of its iterations.
// UPSTREAM-LABEL: func.func @one_dimension
// UPSTREAM: scf.parallel
// UPSTREAM-NOT: agpu_parallel_for
// CHECK-LABEL: func.func @one_dimension(
// CHECK-SAME: %[[N:.*]]: index, %[[M:.*]]: memref<?xf32>, %[[X:.*]]: f32
// CHECK: %[[MEMORY:.*]] = llvm.alloca {{.*}} x !llvm.struct<(f32, struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)>)>
// CHECK-NOT: scf.parallel
// CHECK: llvm.insertvalue %[[X]], {{.*}}[0]
// CHECK: llvm.store {{.*}}, %[[MEMORY]]
// CHECK: %[[BODY:.*]] = constant @one_dimension_loop : (!llvm.ptr, i64, i64) -> ()
// CHECK: %[[ADDRESS:.*]] = builtin.unrealized_conversion_cast %[[BODY]]
// CHECK: call @agpu_parallel_for(%{{.*}}, %{{.*}}, %[[ADDRESS]], %[[MEMORY]])
// CHECK: func.func private @one_dimension_loop(%[[CONTEXT:.*]]: !llvm.ptr, %[[FIRST:.*]]: i64, %[[LAST:.*]]: i64) attributes {llvm.linkage = #llvm.linkage<internal>}
// CHECK: %[[ALL:.*]] = llvm.load %[[CONTEXT]]
// CHECK: %[[Y:.*]] = llvm.extractvalue %[[ALL]][0]
// CHECK: %[[FROM:.*]] = arith.index_cast %[[FIRST]]
// CHECK: %[[TO:.*]] = arith.index_cast %[[LAST]]
// CHECK: scf.for %{{.*}} = %[[FROM]] to %[[TO]]
// CHECK: memref.store %[[Y]],
// CHECK: return
func.func @one_dimension(%n: index, %m: memref<?xf32>, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    memref.store %x, %m[%i] : memref<?xf32>
    scf.reduce
  }
  return
}

// -----

// Rows are run as a loop of their own.
// CHECK-LABEL: func.func private @two_dimensions_loop(
// CHECK: scf.for
// CHECK: arith.remsi
// CHECK: scf.for
// CHECK-NOT: arith.remsi
// CHECK: memref.store
func.func @two_dimensions(%n: index, %m: memref<?x?xf32>, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%i, %j) = (%c0, %c0) to (%n, %n) step (%c1, %c1) {
    memref.store %x, %m[%i, %j] : memref<?x?xf32>
    scf.reduce
  }
  return
}

// -----

// The structure lies in the frame of the region; a loop inside another one
// stays a loop.
// CHECK-LABEL: func.func @in_a_region(
// CHECK: async.execute
// CHECK-NEXT: llvm.mlir.constant
// CHECK-NEXT: llvm.alloca
// CHECK: call @agpu_parallel_for
// CHECK: func.func private @in_a_region_loop(
// CHECK: scf.for
// CHECK: scf.parallel
func.func @in_a_region(%n: index, %m: memref<?x?xf32>, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %t = async.execute {
    scf.parallel (%i) = (%c0) to (%n) step (%c1) {
      scf.parallel (%j) = (%c0) to (%n) step (%c1) {
        memref.store %x, %m[%i, %j] : memref<?x?xf32>
        scf.reduce
      }
      scf.reduce
    }
    async.yield
  }
  return
}

// -----

// It is lowered too where the outer one has few iterations, and may leave
// threads idle.
// CHECK-LABEL: func.func @few(
// CHECK: call @agpu_parallel_for
// CHECK: func.func private @few_loop(
// CHECK: call @agpu_parallel_for
// CHECK: func.func private @few_loop_loop(
func.func @few(%n: index, %m: memref<?x?xf32>, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c6 = arith.constant 6 : index
  scf.parallel (%i) = (%c0) to (%c6) step (%c1) {
    scf.parallel (%j) = (%c0) to (%n) step (%c1) {
      memref.store %x, %m[%i, %j] : memref<?x?xf32>
      scf.reduce
    }
    scf.reduce
  }
  return
}

// -----

// An outer loop that has to stay does not keep an inner one.
// CHECK-LABEL: func.func @inner(
// CHECK: scf.parallel
// CHECK: vector.print
// CHECK: call @agpu_parallel_for
func.func @inner(%n: index, %m: memref<?x?xf32>, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    vector.print %i : index
    scf.parallel (%j) = (%c0) to (%n) step (%c1) {
      memref.store %x, %m[%i, %j] : memref<?x?xf32>
      scf.reduce
    }
    scf.reduce
  }
  return
}

// -----

// How many iterations run together goes by how often loops in them go around,
// as far as that is known: a thousand times, which is 2000 ops and more; n
// times; and nobody knows how often where it depends on the iteration: each gets a
// piece of its own.
// CHECK-LABEL: func.func @grains(
// CHECK: %[[TWO:.*]] = arith.constant 2 : index
// CHECK: %[[GRAIN:.*]] = arith.index_cast %[[TWO]] : index to i64
// CHECK: call @agpu_parallel_for(%{{.*}}, %[[GRAIN]],
// CHECK: %[[MOST:.*]] = arith.constant 4096 : index
// CHECK: %[[TRIPS:.*]] = arith.minsi %{{.*}}, %[[MOST]]
// CHECK: arith.muli %{{.*}}, %[[TRIPS]]
// CHECK: %[[COUNT:.*]] = arith.divsi %c4096{{.*}}, %{{.*}} : index
// CHECK: %[[GRAIN:.*]] = arith.index_cast %[[COUNT]] : index to i64
// CHECK: call @agpu_parallel_for(%{{.*}}, %[[GRAIN]],
// CHECK: %[[GRAIN:.*]] = arith.index_cast %c1{{(_[0-9]+)?}} : index to i64
// CHECK: call @agpu_parallel_for(%{{.*}}, %[[GRAIN]],
func.func @grains(%n: index, %m: memref<?x?xf32>, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c1000 = arith.constant 1000 : index
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    scf.for %j = %c0 to %c1000 step %c1 {
      memref.store %x, %m[%i, %j] : memref<?x?xf32>
    }
    scf.reduce
  }
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    scf.for %j = %c0 to %n step %c1 {
      memref.store %x, %m[%i, %j] : memref<?x?xf32>
    }
    scf.reduce
  }
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    scf.for %j = %c0 to %i step %c1 {
      memref.store %x, %m[%i, %j] : memref<?x?xf32>
    }
    scf.reduce
  }
  return
}

// -----

// A piece of a reduction begins with what changes nothing, and gives a partial
// result; another function combines two of them.
// UPSTREAM-LABEL: func.func @sum
// UPSTREAM: scf.parallel
// CHECK-LABEL: func.func @sum(
// CHECK-SAME: %[[N:.*]]: index, %[[X:.*]]: f32
// CHECK: %[[RESULT:.*]] = llvm.alloca {{.*}} x !llvm.struct<(f32)>
// CHECK-NOT: scf.parallel
// CHECK: llvm.insertvalue %[[X]], {{.*}}[0] : !llvm.struct<(f32)>
// CHECK: llvm.store %{{.*}}, %[[RESULT]]
// CHECK: constant @sum_loop : (!llvm.ptr, i64, i64, !llvm.ptr) -> ()
// CHECK: call @agpu_parallel_reduce({{.*}}, %[[RESULT]], %{{.*}})
// CHECK: %[[WHOLE:.*]] = llvm.load %[[RESULT]]
// CHECK: %[[SUM:.*]] = llvm.extractvalue %[[WHOLE]][0]
// CHECK: return %[[SUM]] : f32
// CHECK: func.func private @sum_combine(%{{.*}}: !llvm.ptr, %[[INTO:.*]]: !llvm.ptr, %[[PARTIAL:.*]]: !llvm.ptr)
// CHECK-DAG: %[[A:.*]] = llvm.load %[[INTO]]
// CHECK-DAG: %[[B:.*]] = llvm.load %[[PARTIAL]]
// CHECK-DAG: %[[A0:.*]] = llvm.extractvalue %[[A]][0]
// CHECK-DAG: %[[B0:.*]] = llvm.extractvalue %[[B]][0]
// CHECK: arith.addf %[[A0]], %[[B0]] : f32
// CHECK: llvm.store %{{.*}}, %[[INTO]]
// CHECK: func.func private @sum_loop(%{{.*}}: !llvm.ptr, %{{.*}}: i64, %{{.*}}: i64, %[[OUT:.*]]: !llvm.ptr)
// CHECK: %[[START:.*]] = arith.constant -0.000000e+00 : f32
// CHECK: %[[LOOP:.*]] = scf.for {{.*}} iter_args(%[[ACC:.*]] = %[[START]]) -> (f32)
// CHECK: arith.addf %[[ACC]], %{{.*}} fastmath<reassoc> : f32
// CHECK: llvm.insertvalue %[[LOOP]]
// CHECK: llvm.store %{{.*}}, %[[OUT]]
func.func @sum(%n: index, %x: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.parallel (%i) = (%c0) to (%n) step (%c1) init (%x) -> f32 {
    scf.reduce(%x : f32) {
    ^bb0(%a: f32, %b: f32):
      %s = arith.addf %a, %b : f32
      scf.reduce.return %s : f32
    }
  }
  return %r : f32
}

// -----

// What each known combiner begins with: a maximum with the loop's initial
// value, as that may be taken in twice. Flags that are there are kept.
// CHECK-LABEL: func.func private @starts_loop(
// CHECK-DAG: %[[ZERO:.*]] = arith.constant 0 : i32
// CHECK-DAG: %[[FALSE:.*]] = arith.constant false
// CHECK-DAG: %[[ONES:.*]] = arith.constant dense<1.000000e+00> : vector<2xf64>
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %[[ZERO]], %{{.*}} = %[[FALSE]], %{{.*}} = %[[ONES]], %{{.*}} = %{{.*}})
// CHECK: arith.mulf {{.*}} fastmath<reassoc,nnan>
func.func @starts(%n: index, %p: i32, %q: i1, %v: vector<2xf64>, %k: index)
    -> (i32, i1, vector<2xf64>, index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r:4 = scf.parallel (%i) = (%c0) to (%n) step (%c1) init (%p, %q, %v, %k)
      -> (i32, i1, vector<2xf64>, index) {
    %x = arith.index_cast %i : index to i32
    %y = arith.trunci %x : i32 to i1
    %z = arith.sitofp %x : i32 to f64
    %w = vector.broadcast %z : f64 to vector<2xf64>
    scf.reduce(%x, %y, %w, %i : i32, i1, vector<2xf64>, index) {
    ^bb0(%a: i32, %b: i32):
      %s = arith.addi %b, %a : i32
      scf.reduce.return %s : i32
    }, {
    ^bb0(%a: i1, %b: i1):
      %s = arith.xori %a, %b : i1
      scf.reduce.return %s : i1
    }, {
    ^bb0(%a: vector<2xf64>, %b: vector<2xf64>):
      %s = arith.mulf %a, %b fastmath<nnan> : vector<2xf64>
      scf.reduce.return %s : vector<2xf64>
    }, {
    ^bb0(%a: index, %b: index):
      %s = arith.maxsi %a, %b : index
      scf.reduce.return %s : index
    }
  }
  return %r#0, %r#1, %r#2, %r#3 : i32, i1, vector<2xf64>, index
}

// -----

// Of another combiner there is nothing to begin with: a flag is carried along.
// A sum of a value with itself is none of the known ones.
// CHECK-LABEL: func.func private @flagged_loop(
// CHECK: scf.for {{.*}} iter_args(%[[FLAG:.*]] = %false{{.*}}, %[[A:.*]] = %{{.*}}) -> (i1, i32)
// CHECK: %[[NEXT:.*]] = scf.if %[[FLAG]] -> (i32)
// CHECK: arith.addi %[[A]], %[[A]]
// CHECK: } else {
// CHECK: scf.yield %{{.*}} : i32
// CHECK: %[[TRUE:.*]] = arith.constant true
// CHECK: scf.yield %[[TRUE]], %[[NEXT]] : i1, i32
func.func @flagged(%n: index, %p: i32) -> i32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.parallel (%i) = (%c0) to (%n) step (%c1) init (%p) -> i32 {
    %x = arith.index_cast %i : index to i32
    scf.reduce(%x : i32) {
    ^bb0(%a: i32, %b: i32):
      %s = arith.addi %a, %a : i32
      scf.reduce.return %s : i32
    }
  }
  return %r : i32
}

// -----

// Memory on the stack is one place for all iterations of a piece.
// CHECK-LABEL: func.func private @stack_loop(
// CHECK: memref.alloca() : memref<4xf32>
// CHECK: memref.alloca() : memref<5xf32>
// CHECK: scf.for
// CHECK-NOT: memref.alloca
// CHECK: return
func.func @stack(%n: index, %ok: i1, %f: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    scf.for %j = %c0 to %n step %c1 {
      %a = memref.alloca() : memref<4xf32>
    }
    scf.while : () -> () {
      scf.condition(%ok)
    } do {
      %b = memref.alloca() : memref<5xf32>
      %v = memref.subview %b[1] [2] [1]
          : memref<5xf32> to memref<2xf32, strided<[1], offset: 1>>
      memref.store %f, %v[%c0] : memref<2xf32, strided<[1], offset: 1>>
      scf.yield
    }
    scf.reduce
  }
  return
}

// -----

// The loop outside has few iterations, so that those of the one inside are
// shared out as well: each thread needs its own place.
// CHECK-LABEL: func.func private @stack_inside_loop(
// CHECK-NOT: memref.alloca
// CHECK: call @agpu_parallel_for
// CHECK-NOT: memref.alloca
// CHECK-LABEL: func.func private @stack_inside_loop_loop(
// CHECK: memref.alloca() : memref<4xf32>
// CHECK: scf.for
func.func @stack_inside(%n: index, %f: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.parallel (%i) = (%c0) to (%c4) step (%c1) {
    scf.parallel (%j) = (%c0) to (%n) step (%c1) {
      %a = memref.alloca() : memref<4xf32>
      memref.store %f, %a[%c0] : memref<4xf32>
      scf.reduce
    }
    scf.reduce
  }
  return
}

// -----

// What an iteration costs is estimated ahead of the check of the step.
// CHECK-LABEL: func.func @checked_step(
// CHECK-SAME: %{{.*}}: index, %[[STEP:.*]]: index)
// CHECK-NOT: arith.div{{[su]}}i %{{.*}}, %[[STEP]]
// CHECK: call @agpu_parallel_for
func.func @checked_step(%n: index, %step: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %ok = arith.cmpi sgt, %step, %c0 : index
    scf.if %ok {
      scf.for %j = %c0 to %n step %step {
      }
    }
    scf.reduce
  }
  return
}

// -----

// What is bound to its region or thread stays: an await in a function that is
// called by one that the loop calls, a call through a pointer, memory on the
// stack of a size that is not known or of which a round of a loop inside sees
// that of another round, a token; and an assertion in what combines results in a region. What is
// called may have its own stack and assertions.
// CHECK-LABEL: func.func @bound(
// CHECK-COUNT-6: scf.parallel
// CHECK-NOT: scf.parallel
// CHECK: call @agpu_parallel_for
// CHECK: call @agpu_parallel_for
// CHECK-NOT: call @agpu_parallel_for
func.func private @awaits(%t: !async.token) {
  async.await %t : !async.token
  return
}
func.func private @calls(%t: !async.token) {
  func.call @awaits(%t) : (!async.token) -> ()
  return
}
func.func private @own_stack(%n: index, %ok: i1) {
  cf.assert %ok, "not"
  %a = memref.alloca(%n) : memref<?xf32>
  return
}
func.func private @takes_token(!async.token)
func.func @bound(%n: index, %t: !async.token, %f: (index) -> (), %ok: i1,
                 %first: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    func.call @calls(%t) : (!async.token) -> ()
    scf.reduce
  }
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    func.call_indirect %f(%i) : (index) -> ()
    scf.reduce
  }
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %a = memref.alloca(%i) : memref<?xf32>
    scf.reduce
  }
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %last = scf.while (%m = %first) : (memref<4xf32>) -> memref<4xf32> {
      scf.condition(%ok) %m : memref<4xf32>
    } do {
    ^bb0(%m: memref<4xf32>):
      %a = memref.alloca() : memref<4xf32>
      scf.yield %a : memref<4xf32>
    }
    scf.reduce
  }
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    func.call @takes_token(%t) : (!async.token) -> ()
    scf.reduce
  }
  %u = async.execute {
    %s = scf.parallel (%i) = (%c0) to (%n) step (%c1) init (%n) -> index {
      scf.reduce(%i : index) {
      ^bb0(%a: index, %b: index):
        cf.assert %ok, "not"
        %c = arith.addi %a, %b : index
        scf.reduce.return %c : index
      }
    }
    async.yield
  }
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    cf.assert %ok, "not"
    scf.reduce
  }
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    func.call @own_stack(%n, %ok) : (index, i1) -> ()
    scf.reduce
  }
  return
}

// -----

// A function that calls itself is looked at once, and a name that is taken is
// not taken again.
// CHECK-LABEL: func.func @recursive(
// CHECK: constant @recursive_loop_0
func.func private @again(%n: index) {
  func.call @again(%n) : (index) -> ()
  return
}
func.func private @recursive_loop()
func.func @recursive(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    func.call @again(%i) : (index) -> ()
    scf.reduce
  }
  return
}

// -----

// What can fail gives a token, which is in error where an iteration has failed.
// The region awaits that, and a loop around gives it on.
// CHECK-LABEL: func.func @can_fail(
// CHECK: async.execute
// CHECK: %[[TOKEN:.*]] = func.call @agpu_parallel_try_reduce(
// CHECK: llvm.load
// CHECK: "agpu.propagate"(%[[TOKEN]])
// CHECK-LABEL: func.func private @can_fail_combine(
// CHECK-NOT: async_gpu.fails
// CHECK-LABEL: func.func private @can_fail_loop(
// CHECK-SAME: -> !async.token attributes {async_gpu.fails
// CHECK: %[[INNER:.*]] = {{.*}}call @agpu_parallel_try(
// CHECK: "agpu.propagate"(%[[INNER]])
// CHECK: %[[READY:.*]] = "agpu.ready_token"
// CHECK: return %[[READY]]
// CHECK-LABEL: func.func private @can_fail_loop_loop(
// CHECK-SAME: -> !async.token attributes {async_gpu.fails
// CHECK: cf.assert
func.func @can_fail(%n: index, %ok: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %t = async.execute {
    %s = scf.parallel (%i) = (%c0) to (%c4) step (%c1) init (%n) -> index {
      scf.parallel (%j) = (%c0) to (%n) step (%c1) {
        cf.assert %ok, "not"
        scf.reduce
      }
      scf.reduce(%i : index) {
      ^bb0(%a: index, %b: index):
        %c = arith.addi %a, %b : index
        scf.reduce.return %c : index
      }
    }
    async.yield
  }
  async.await %t : !async.token
  return
}

// -----

// An allocation may fail as well, but not where partial results are combined.
// CHECK-LABEL: func.func @allocates(
// CHECK: call @agpu_parallel_try(
// CHECK: call @agpu_parallel_reduce(
// CHECK-LABEL: func.func private @allocates_loop(
// CHECK-SAME: -> !async.token attributes {async_gpu.fails
// CHECK: memref.alloc
func.func @allocates(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %t = async.execute {
    scf.parallel (%i) = (%c0) to (%n) step (%c1) {
      %m = memref.alloc(%n) : memref<?xf32>
      memref.dealloc %m : memref<?xf32>
      scf.reduce
    }
    %s = scf.parallel (%i) = (%c0) to (%n) step (%c1) init (%n) -> index {
      scf.reduce(%i : index) {
      ^bb0(%a: index, %b: index):
        %m = memref.alloc(%n) : memref<?xf32>
        memref.dealloc %m : memref<?xf32>
        %c = arith.addi %a, %b : index
        scf.reduce.return %c : index
      }
    }
    async.yield
  }
  async.await %t : !async.token
  return
}

// -----

// Short sums of floating-point numbers are added up in more vectors than LLVM
// takes by itself.
// CHECK-LABEL: func.func private @dot_loop(
// CHECK: arith.addf
// CHECK: } {loop_annotation = #[[MANY:.*]]}
// CHECK-LABEL: func.func private @max_loop(
// CHECK-NOT: loop_annotation
func.func @dot(%x: memref<?xf32>, %n: index, %zero: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.parallel (%i) = (%c0) to (%n) step (%c1) init (%zero) -> f32 {
    %a = memref.load %x[%i] : memref<?xf32>
    %p = arith.mulf %a, %a : f32
    scf.reduce(%p : f32) {
    ^bb0(%l: f32, %m: f32):
      %s = arith.addf %l, %m : f32
      scf.reduce.return %s : f32
    }
  }
  return %r : f32
}
func.func @max(%x: memref<?xi32>, %n: index, %zero: i32) -> i32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.parallel (%i) = (%c0) to (%n) step (%c1) init (%zero) -> i32 {
    %a = memref.load %x[%i] : memref<?xi32>
    scf.reduce(%a : i32) {
    ^bb0(%l: i32, %m: i32):
      %s = arith.maxsi %l, %m : i32
      scf.reduce.return %s : i32
    }
  }
  return %r : i32
}
