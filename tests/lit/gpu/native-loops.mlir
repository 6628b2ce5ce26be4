// Kernels become loops over the threads of a block where that can be.
// RUN: async-gpu-opt %s --async-gpu-native-loops --split-input-file --verify-diagnostics | FileCheck %s
// RUN: async-gpu-opt %s --async-gpu-native-loops=native-threads=coroutines --split-input-file --verify-diagnostics | FileCheck %s --check-prefix=COROUTINES

// Two loops with a barrier between them that has gone.
// CHECK-LABEL: llvm.func @barrier
// CHECK-SAME: agpu.threads = "loops"
// CHECK-NOT: agpu.atomic
// CHECK-NOT: nvvm.barrier0
// CHECK: llvm.add %{{.*}}, %{{.*}} overflow<nsw, nuw> : i32
// CHECK-NEXT: llvm.icmp "ult"
// CHECK-NEXT: llvm.cond_br
// CHECK: llvm.cond_br
// CHECK: llvm.cond_br
// CHECK: llvm.cond_br
// CHECK: llvm.cond_br
// CHECK: llvm.cond_br
// CHECK-NOT: nvvm.barrier0
// COROUTINES-LABEL: llvm.func @barrier
// COROUTINES-NOT: agpu.threads
// COROUTINES: nvvm.barrier0
// CHECK-LABEL: llvm.func @shuffle
// CHECK-NOT: agpu.threads
// CHECK: nvvm.shfl.sync
// COROUTINES-LABEL: llvm.func @alone
// COROUTINES-SAME: agpu.threads = "loops"
gpu.module @m {
  llvm.func @barrier(%p: !llvm.ptr, %tx: i32, %ty: i32, %tz: i32, %nx: i32, %ny: i32, %nz: i32, %bx: i32, %by: i32, %bz: i32, %gx: i32, %gy: i32, %gz: i32, %s: !llvm.ptr, %d: !llvm.ptr) attributes {agpu.context = 1 : i32, nvvm.kernel} {
    llvm.store %tx, %s {agpu.atomic} : i32, !llvm.ptr
    nvvm.barrier0
    llvm.store %tx, %p : i32, !llvm.ptr
    llvm.return
  }
  llvm.func @shuffle(%p: !llvm.ptr, %tx: i32, %ty: i32, %tz: i32, %nx: i32, %ny: i32, %nz: i32, %bx: i32, %by: i32, %bz: i32, %gx: i32, %gy: i32, %gz: i32, %s: !llvm.ptr, %d: !llvm.ptr) attributes {agpu.context = 1 : i32, nvvm.kernel} {
    %0 = nvvm.shfl.sync bfly %tx, %tx, %tx, %tx : i32 -> i32
    llvm.store %0, %p : i32, !llvm.ptr
    llvm.return
  }
  llvm.func @alone(%p: !llvm.ptr, %tx: i32, %ty: i32, %tz: i32, %nx: i32, %ny: i32, %nz: i32, %bx: i32, %by: i32, %bz: i32, %gx: i32, %gy: i32, %gz: i32, %s: !llvm.ptr, %d: !llvm.ptr) attributes {agpu.context = 1 : i32, nvvm.kernel} {
    llvm.store %tx, %p : i32, !llvm.ptr
    llvm.return
  }
}

// -----

// With checks each thread goes its way by itself.
// CHECK-LABEL: llvm.func @checked
// CHECK-NOT: agpu.threads
// CHECK: llvm.return
gpu.module @m attributes {agpu.check_accesses} {
  llvm.func @checked(%p: !llvm.ptr, %tx: i32, %ty: i32, %tz: i32, %nx: i32, %ny: i32, %nz: i32, %bx: i32, %by: i32, %bz: i32, %gx: i32, %gy: i32, %gz: i32, %s: !llvm.ptr, %d: !llvm.ptr) attributes {agpu.context = 1 : i32, nvvm.kernel} {
    llvm.return
  }
}

// -----

gpu.module @missing {
  // expected-error @+1 {{has no valid attribute 'agpu.context', which async-gpu-native-context leaves: run that pass before}}
  llvm.func @k(%n: i32) attributes {agpu.context = 1 : i32, nvvm.kernel} {
    llvm.return
  }
}

// -----

// What keeps a row of threads from becoming a vector: a short loop inside is
// unrolled, and the row itself is not.
// CHECK-DAG: #[[DO:[a-z_0-9]+]] = #llvm.loop_unroll<full = true>
// CHECK-DAG: #[[DONT:[a-z_0-9]+]] = #llvm.loop_unroll<disable = true>
// CHECK-DAG: #[[TOLD:[a-z_0-9]+]] = #llvm.loop_annotation<disableNonforced = true>
// CHECK-DAG: #[[FULL:[a-z_0-9]+]] = #llvm.loop_annotation<unroll = #[[DO]]>
// CHECK: #[[KEPT:[a-z_0-9]+]] = #llvm.loop_annotation<unroll = #[[DONT]], parallelAccesses
// CHECK: #[[LONG:[a-z_0-9]+]] = #llvm.loop_annotation<unroll = #[[DONT]], parallelAccesses
// CHECK: #[[WIDE:[a-z_0-9]+]] = #llvm.loop_annotation<parallelAccesses
// CHECK: #[[FAR:[a-z_0-9]+]] = #llvm.loop_annotation<unroll = #[[DONT]], parallelAccesses
// CHECK: llvm.func @short
// CHECK: llvm.br {{.*}} {loop_annotation = #[[FULL]]}
// CHECK: llvm.cond_br {{.*}} {loop_annotation = #[[KEPT]]}
// CHECK: llvm.func @long
// CHECK-NOT: loop_annotation = #[[FULL]]}
// CHECK: llvm.cond_br {{.*}} {loop_annotation = #[[LONG]]}
// CHECK-NOT: loop_annotation = #[[FULL]]}
// CHECK: llvm.func @unknown
// CHECK-NOT: loop_annotation = #[[FULL]]}
// A long row need not be kept, one of few threads is no vector, and what is a
// vector already becomes none.
// CHECK: llvm.func @wide
// CHECK: llvm.br {{.*}} {loop_annotation = #[[FULL]]}
// CHECK: llvm.cond_br {{.*}} {loop_annotation = #[[WIDE]]}
// CHECK: llvm.func @narrow
// CHECK-NOT: loop_annotation = #[[FULL]]}
// CHECK: llvm.func @vectors
// CHECK-NOT: loop_annotation = #[[FULL]]}
// One that counts further than 64 bits is not short, and what the program says
// of a loop itself stays.
// CHECK: llvm.func @far
// CHECK-NOT: loop_annotation = #[[FULL]]}
// CHECK: llvm.func @told
// CHECK: llvm.br {{.*}} {loop_annotation = #[[TOLD]]}
// A row around which there is a loop is not marked as parallel: LLVM may move
// the mark to that loop, which is not.
// CHECK: llvm.func @repeated
// CHECK-NOT: access_groups
// CHECK: llvm.return
#told = #llvm.loop_annotation<disableNonforced = true>
gpu.module @row {
  llvm.func @short(%p: !llvm.ptr, %n: i64, %tx: i32, %ty: i32, %tz: i32, %nx: i32, %ny: i32, %nz: i32, %bx: i32, %by: i32, %bz: i32, %gx: i32, %gy: i32, %gz: i32, %s: !llvm.ptr, %d: !llvm.ptr) attributes {agpu.context = 2 : i32, nvvm.kernel, nvvm.reqntid = array<i32: 16, 4, 1>} {
    %zero = llvm.mlir.constant(0 : i64) : i64
    %one = llvm.mlir.constant(1 : i64) : i64
    %start = llvm.mlir.constant(0.0 : f32) : f32
    %end = llvm.mlir.constant(16 : i64) : i64
    %takes_part = llvm.icmp "slt" %tx, %nx : i32
    llvm.cond_br %takes_part, ^tile, ^end
  ^tile:
    llvm.br ^head(%zero, %start : i64, f32)
  ^head(%i: i64, %sum: f32):
    %more = llvm.icmp "slt" %i, %end : i64
    llvm.cond_br %more, ^body, ^done
  ^body:
    %from = llvm.getelementptr %s[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
    %v = llvm.load %from : !llvm.ptr -> f32
    %next_sum = llvm.fadd %sum, %v : f32
    %next = llvm.add %i, %one : i64
    llvm.br ^head(%next, %next_sum : i64, f32)
  ^done:
    %to = llvm.getelementptr %p[%tx] : (!llvm.ptr, i32) -> !llvm.ptr, f32
    llvm.store %sum, %to : f32, !llvm.ptr
    llvm.br ^end
  ^end:
    llvm.return
  }
  llvm.func @long(%p: !llvm.ptr, %n: i64, %tx: i32, %ty: i32, %tz: i32, %nx: i32, %ny: i32, %nz: i32, %bx: i32, %by: i32, %bz: i32, %gx: i32, %gy: i32, %gz: i32, %s: !llvm.ptr, %d: !llvm.ptr) attributes {agpu.context = 2 : i32, nvvm.kernel, nvvm.reqntid = array<i32: 16, 4, 1>} {
    %zero = llvm.mlir.constant(0 : i64) : i64
    %one = llvm.mlir.constant(1 : i64) : i64
    %start = llvm.mlir.constant(0.0 : f32) : f32
    %end = llvm.mlir.constant(17 : i64) : i64
    %takes_part = llvm.icmp "slt" %tx, %nx : i32
    llvm.cond_br %takes_part, ^tile, ^end
  ^tile:
    llvm.br ^head(%zero, %start : i64, f32)
  ^head(%i: i64, %sum: f32):
    %more = llvm.icmp "slt" %i, %end : i64
    llvm.cond_br %more, ^body, ^done
  ^body:
    %from = llvm.getelementptr %s[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
    %v = llvm.load %from : !llvm.ptr -> f32
    %next_sum = llvm.fadd %sum, %v : f32
    %next = llvm.add %i, %one : i64
    llvm.br ^head(%next, %next_sum : i64, f32)
  ^done:
    %to = llvm.getelementptr %p[%tx] : (!llvm.ptr, i32) -> !llvm.ptr, f32
    llvm.store %sum, %to : f32, !llvm.ptr
    llvm.br ^end
  ^end:
    llvm.return
  }
  llvm.func @unknown(%p: !llvm.ptr, %n: i64, %tx: i32, %ty: i32, %tz: i32, %nx: i32, %ny: i32, %nz: i32, %bx: i32, %by: i32, %bz: i32, %gx: i32, %gy: i32, %gz: i32, %s: !llvm.ptr, %d: !llvm.ptr) attributes {agpu.context = 2 : i32, nvvm.kernel, nvvm.reqntid = array<i32: 16, 4, 1>} {
    %zero = llvm.mlir.constant(0 : i64) : i64
    %one = llvm.mlir.constant(1 : i64) : i64
    %start = llvm.mlir.constant(0.0 : f32) : f32
    %takes_part = llvm.icmp "slt" %tx, %nx : i32
    llvm.cond_br %takes_part, ^tile, ^end
  ^tile:
    llvm.br ^head(%zero, %start : i64, f32)
  ^head(%i: i64, %sum: f32):
    %more = llvm.icmp "slt" %i, %n : i64
    llvm.cond_br %more, ^body, ^done
  ^body:
    %from = llvm.getelementptr %s[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
    %v = llvm.load %from : !llvm.ptr -> f32
    %next_sum = llvm.fadd %sum, %v : f32
    %next = llvm.add %i, %one : i64
    llvm.br ^head(%next, %next_sum : i64, f32)
  ^done:
    %to = llvm.getelementptr %p[%tx] : (!llvm.ptr, i32) -> !llvm.ptr, f32
    llvm.store %sum, %to : f32, !llvm.ptr
    llvm.br ^end
  ^end:
    llvm.return
  }
  llvm.func @wide(%p: !llvm.ptr, %n: i64, %tx: i32, %ty: i32, %tz: i32, %nx: i32, %ny: i32, %nz: i32, %bx: i32, %by: i32, %bz: i32, %gx: i32, %gy: i32, %gz: i32, %s: !llvm.ptr, %d: !llvm.ptr) attributes {agpu.context = 2 : i32, nvvm.kernel, nvvm.reqntid = array<i32: 128, 4, 1>} {
    %zero = llvm.mlir.constant(0 : i64) : i64
    %one = llvm.mlir.constant(1 : i64) : i64
    %start = llvm.mlir.constant(0.0 : f32) : f32
    %end = llvm.mlir.constant(16 : i64) : i64
    %takes_part = llvm.icmp "slt" %tx, %nx : i32
    llvm.cond_br %takes_part, ^tile, ^end
  ^tile:
    llvm.br ^head(%zero, %start : i64, f32)
  ^head(%i: i64, %sum: f32):
    %more = llvm.icmp "slt" %i, %end : i64
    llvm.cond_br %more, ^body, ^done
  ^body:
    %from = llvm.getelementptr %s[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
    %v = llvm.load %from : !llvm.ptr -> f32
    %next_sum = llvm.fadd %sum, %v : f32
    %next = llvm.add %i, %one : i64
    llvm.br ^head(%next, %next_sum : i64, f32)
  ^done:
    %to = llvm.getelementptr %p[%tx] : (!llvm.ptr, i32) -> !llvm.ptr, f32
    llvm.store %sum, %to : f32, !llvm.ptr
    llvm.br ^end
  ^end:
    llvm.return
  }
  llvm.func @narrow(%p: !llvm.ptr, %n: i64, %tx: i32, %ty: i32, %tz: i32, %nx: i32, %ny: i32, %nz: i32, %bx: i32, %by: i32, %bz: i32, %gx: i32, %gy: i32, %gz: i32, %s: !llvm.ptr, %d: !llvm.ptr) attributes {agpu.context = 2 : i32, nvvm.kernel, nvvm.reqntid = array<i32: 4, 4, 1>} {
    %zero = llvm.mlir.constant(0 : i64) : i64
    %one = llvm.mlir.constant(1 : i64) : i64
    %start = llvm.mlir.constant(0.0 : f32) : f32
    %end = llvm.mlir.constant(16 : i64) : i64
    %takes_part = llvm.icmp "slt" %tx, %nx : i32
    llvm.cond_br %takes_part, ^tile, ^end
  ^tile:
    llvm.br ^head(%zero, %start : i64, f32)
  ^head(%i: i64, %sum: f32):
    %more = llvm.icmp "slt" %i, %end : i64
    llvm.cond_br %more, ^body, ^done
  ^body:
    %from = llvm.getelementptr %s[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
    %v = llvm.load %from : !llvm.ptr -> f32
    %next_sum = llvm.fadd %sum, %v : f32
    %next = llvm.add %i, %one : i64
    llvm.br ^head(%next, %next_sum : i64, f32)
  ^done:
    %to = llvm.getelementptr %p[%tx] : (!llvm.ptr, i32) -> !llvm.ptr, f32
    llvm.store %sum, %to : f32, !llvm.ptr
    llvm.br ^end
  ^end:
    llvm.return
  }
  llvm.func @vectors(%p: !llvm.ptr, %n: i64, %tx: i32, %ty: i32, %tz: i32, %nx: i32, %ny: i32, %nz: i32, %bx: i32, %by: i32, %bz: i32, %gx: i32, %gy: i32, %gz: i32, %s: !llvm.ptr, %d: !llvm.ptr) attributes {agpu.context = 2 : i32, nvvm.kernel, nvvm.reqntid = array<i32: 16, 4, 1>} {
    %zero = llvm.mlir.constant(0 : i64) : i64
    %one = llvm.mlir.constant(1 : i64) : i64
    %start = llvm.mlir.constant(dense<0.0> : vector<4xf32>) : vector<4xf32>
    %end = llvm.mlir.constant(16 : i64) : i64
    %takes_part = llvm.icmp "slt" %tx, %nx : i32
    llvm.cond_br %takes_part, ^tile, ^end
  ^tile:
    llvm.br ^head(%zero, %start : i64, vector<4xf32>)
  ^head(%i: i64, %sum: vector<4xf32>):
    %more = llvm.icmp "slt" %i, %end : i64
    llvm.cond_br %more, ^body, ^done
  ^body:
    %from = llvm.getelementptr %s[%i] : (!llvm.ptr, i64) -> !llvm.ptr, vector<4xf32>
    %v = llvm.load %from : !llvm.ptr -> vector<4xf32>
    %next_sum = llvm.fadd %sum, %v : vector<4xf32>
    %next = llvm.add %i, %one : i64
    llvm.br ^head(%next, %next_sum : i64, vector<4xf32>)
  ^done:
    %to = llvm.getelementptr %p[%tx] : (!llvm.ptr, i32) -> !llvm.ptr, vector<4xf32>
    llvm.store %sum, %to : vector<4xf32>, !llvm.ptr
    llvm.br ^end
  ^end:
    llvm.return
  }
  llvm.func @far(%p: !llvm.ptr, %n: i64, %tx: i32, %ty: i32, %tz: i32, %nx: i32, %ny: i32, %nz: i32, %bx: i32, %by: i32, %bz: i32, %gx: i32, %gy: i32, %gz: i32, %s: !llvm.ptr, %d: !llvm.ptr) attributes {agpu.context = 2 : i32, nvvm.kernel, nvvm.reqntid = array<i32: 16, 4, 1>} {
    %zero = llvm.mlir.constant(-9223372036854775808 : i64) : i64
    %one = llvm.mlir.constant(1 : i64) : i64
    %start = llvm.mlir.constant(0.0 : f32) : f32
    %end = llvm.mlir.constant(16 : i64) : i64
    %takes_part = llvm.icmp "slt" %tx, %nx : i32
    llvm.cond_br %takes_part, ^tile, ^end
  ^tile:
    llvm.br ^head(%zero, %start : i64, f32)
  ^head(%i: i64, %sum: f32):
    %more = llvm.icmp "slt" %i, %end : i64
    llvm.cond_br %more, ^body, ^done
  ^body:
    %from = llvm.getelementptr %s[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
    %v = llvm.load %from : !llvm.ptr -> f32
    %next_sum = llvm.fadd %sum, %v : f32
    %next = llvm.add %i, %one : i64
    llvm.br ^head(%next, %next_sum : i64, f32)
  ^done:
    %to = llvm.getelementptr %p[%tx] : (!llvm.ptr, i32) -> !llvm.ptr, f32
    llvm.store %sum, %to : f32, !llvm.ptr
    llvm.br ^end
  ^end:
    llvm.return
  }
  llvm.func @told(%p: !llvm.ptr, %n: i64, %tx: i32, %ty: i32, %tz: i32, %nx: i32, %ny: i32, %nz: i32, %bx: i32, %by: i32, %bz: i32, %gx: i32, %gy: i32, %gz: i32, %s: !llvm.ptr, %d: !llvm.ptr) attributes {agpu.context = 2 : i32, nvvm.kernel, nvvm.reqntid = array<i32: 16, 4, 1>} {
    %zero = llvm.mlir.constant(0 : i64) : i64
    %one = llvm.mlir.constant(1 : i64) : i64
    %start = llvm.mlir.constant(0.0 : f32) : f32
    %end = llvm.mlir.constant(16 : i64) : i64
    %takes_part = llvm.icmp "slt" %tx, %nx : i32
    llvm.cond_br %takes_part, ^tile, ^end
  ^tile:
    llvm.br ^head(%zero, %start : i64, f32)
  ^head(%i: i64, %sum: f32):
    %more = llvm.icmp "slt" %i, %end : i64
    llvm.cond_br %more, ^body, ^done
  ^body:
    %from = llvm.getelementptr %s[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
    %v = llvm.load %from : !llvm.ptr -> f32
    %next_sum = llvm.fadd %sum, %v : f32
    %next = llvm.add %i, %one : i64
    llvm.br ^head(%next, %next_sum : i64, f32) {loop_annotation = #told}
  ^done:
    %to = llvm.getelementptr %p[%tx] : (!llvm.ptr, i32) -> !llvm.ptr, f32
    llvm.store %sum, %to : f32, !llvm.ptr
    llvm.br ^end
  ^end:
    llvm.return
  }
  llvm.func @repeated(%p: !llvm.ptr, %n: i64, %tx: i32, %ty: i32, %tz: i32, %nx: i32, %ny: i32, %nz: i32, %bx: i32, %by: i32, %bz: i32, %gx: i32, %gy: i32, %gz: i32, %s: !llvm.ptr, %d: !llvm.ptr) attributes {agpu.context = 2 : i32, nvvm.kernel, nvvm.reqntid = array<i32: 16, 4, 1>} {
    %zero = llvm.mlir.constant(0 : i64) : i64
    %one = llvm.mlir.constant(1 : i64) : i64
    %end = llvm.mlir.constant(16 : i64) : i64
    llvm.br ^head(%zero : i64)
  ^head(%i: i64):
    %more = llvm.icmp "slt" %i, %end : i64
    llvm.cond_br %more, ^body, ^done
  ^body:
    %from = llvm.getelementptr %p[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
    %own = llvm.getelementptr %from[%tx] : (!llvm.ptr, i32) -> !llvm.ptr, f32
    %v = llvm.load %own : !llvm.ptr -> f32
    %to = llvm.getelementptr %own[%nx] : (!llvm.ptr, i32) -> !llvm.ptr, f32
    llvm.store %v, %to : f32, !llvm.ptr
    %next = llvm.add %i, %one : i64
    llvm.br ^head(%next : i64)
  ^done:
    llvm.return
  }
}

// -----

// Threads ask whether they have an element: there is a second loop for rows that
// need not ask, chosen by the first and the last thread. What chooses some
// threads of each row has none, nor has what calls.
// CHECK-LABEL: llvm.func @guarded
// CHECK: llvm.icmp "sle" [[FIRST:%[0-9]+]], [[LAST:%[0-9]+]] : i32
// CHECK: llvm.icmp "slt" [[FIRST]], %{{.*}} : i32
// CHECK: llvm.icmp "slt" [[LAST]], %{{.*}} : i32
// CHECK: llvm.cond_br %{{.*}}, ^[[WHOLE:bb[0-9]+]](%{{.*}} : i32), ^{{bb[0-9]+}}
// CHECK: ^[[WHOLE]](
// CHECK: [[TRUE:%[0-9]+]] = llvm.mlir.constant(true) : i1
// CHECK-NEXT: llvm.cond_br [[TRUE]]
// CHECK-LABEL: llvm.func @chosen
// CHECK-NOT: llvm.mlir.constant(true)
// CHECK-LABEL: llvm.func @calls
// CHECK-NOT: llvm.mlir.constant(true)
// CHECK: llvm.return
gpu.module @guards {
  llvm.func @f()
  llvm.func @guarded(%p: !llvm.ptr, %n: i32, %tx: i32, %ty: i32, %tz: i32, %nx: i32, %ny: i32, %nz: i32, %bx: i32, %by: i32, %bz: i32, %gx: i32, %gy: i32, %gz: i32, %s: !llvm.ptr, %d: !llvm.ptr) attributes {agpu.context = 2 : i32, nvvm.kernel} {
    %block = llvm.mul %bx, %nx : i32
    %i = llvm.add %block, %tx : i32
    %in = llvm.icmp "slt" %i, %n : i32
    llvm.cond_br %in, ^store, ^end
  ^store:
    %to = llvm.getelementptr %p[%i] : (!llvm.ptr, i32) -> !llvm.ptr, i32
    llvm.store %i, %to : i32, !llvm.ptr
    llvm.br ^end
  ^end:
    llvm.return
  }
  llvm.func @chosen(%p: !llvm.ptr, %n: i32, %tx: i32, %ty: i32, %tz: i32, %nx: i32, %ny: i32, %nz: i32, %bx: i32, %by: i32, %bz: i32, %gx: i32, %gy: i32, %gz: i32, %s: !llvm.ptr, %d: !llvm.ptr) attributes {agpu.context = 2 : i32, nvvm.kernel} {
    %in = llvm.icmp "slt" %tx, %n : i32
    llvm.cond_br %in, ^store, ^end
  ^store:
    %to = llvm.getelementptr %p[%tx] : (!llvm.ptr, i32) -> !llvm.ptr, i32
    llvm.store %tx, %to : i32, !llvm.ptr
    llvm.br ^end
  ^end:
    llvm.return
  }
  llvm.func @calls(%p: !llvm.ptr, %n: i32, %tx: i32, %ty: i32, %tz: i32, %nx: i32, %ny: i32, %nz: i32, %bx: i32, %by: i32, %bz: i32, %gx: i32, %gy: i32, %gz: i32, %s: !llvm.ptr, %d: !llvm.ptr) attributes {agpu.context = 2 : i32, nvvm.kernel} {
    %block = llvm.mul %bx, %nx : i32
    %i = llvm.add %block, %tx : i32
    %in = llvm.icmp "slt" %i, %n : i32
    llvm.cond_br %in, ^store, ^end
  ^store:
    llvm.call @f() : () -> ()
    llvm.br ^end
  ^end:
    llvm.return
  }
}

// -----

// A loop in strides of the grid: as long as the last thread of a row goes on,
// the loop over threads is inside. A short constant stride is left as it is.
// CHECK-LABEL: llvm.func @strides
// CHECK: ^{{bb[0-9]+}}([[BASE:%[0-9]+]]: i32):
// CHECK: [[LAST:%[0-9]+]] = llvm.add [[BASE]],
// CHECK: llvm.icmp "slt" [[LAST]],
// CHECK: llvm.icmp "sle" [[BASE]], [[LAST]]
// CHECK: llvm.add [[BASE]], %{{.*}} : i32
// CHECK-LABEL: llvm.func @short_strides
// CHECK-NOT: llvm.icmp "sle"
// CHECK: llvm.return
gpu.module @counters {
  llvm.func @strides(%p: !llvm.ptr, %n: i32, %tx: i32, %ty: i32, %tz: i32, %nx: i32, %ny: i32, %nz: i32, %bx: i32, %by: i32, %bz: i32, %gx: i32, %gy: i32, %gz: i32, %s: !llvm.ptr, %d: !llvm.ptr) attributes {agpu.context = 2 : i32, nvvm.kernel} {
    %block = llvm.mul %bx, %nx : i32
    %start = llvm.add %block, %tx : i32
    %step = llvm.mul %gx, %nx : i32
    llvm.br ^head(%start : i32)
  ^head(%i: i32):
    %more = llvm.icmp "slt" %i, %n : i32
    llvm.cond_br %more, ^body, ^end
  ^body:
    %to = llvm.getelementptr %p[%i] : (!llvm.ptr, i32) -> !llvm.ptr, i32
    llvm.store %i, %to : i32, !llvm.ptr
    %next = llvm.add %i, %step : i32
    llvm.br ^head(%next : i32)
  ^end:
    llvm.return
  }
  llvm.func @short_strides(%p: !llvm.ptr, %n: i32, %tx: i32, %ty: i32, %tz: i32, %nx: i32, %ny: i32, %nz: i32, %bx: i32, %by: i32, %bz: i32, %gx: i32, %gy: i32, %gz: i32, %s: !llvm.ptr, %d: !llvm.ptr) attributes {agpu.context = 2 : i32, nvvm.kernel} {
    %step = llvm.mlir.constant(1 : i32) : i32
    llvm.br ^head(%tx : i32)
  ^head(%i: i32):
    %more = llvm.icmp "slt" %i, %n : i32
    llvm.cond_br %more, ^body, ^end
  ^body:
    %to = llvm.getelementptr %p[%i] : (!llvm.ptr, i32) -> !llvm.ptr, i32
    llvm.store %i, %to : i32, !llvm.ptr
    %next = llvm.add %i, %step : i32
    llvm.br ^head(%next : i32)
  ^end:
    llvm.return
  }
}
