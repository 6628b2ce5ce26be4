// Stretches of device work that repeat themselves, and what ends them.
// RUN: async-gpu-opt %s --async-gpu-regions --async-gpu-graphs="graphs=on" | FileCheck %s
// RUN: async-gpu-opt %s --async-gpu-regions --async-gpu-graphs="graphs=on remarks=true" -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: async-gpu-opt %s --async-gpu-regions --async-gpu-graphs="graphs=auto" | FileCheck %s --check-prefix=AUTO
// RUN: async-gpu-opt %s --async-gpu-regions --async-gpu-graphs | FileCheck %s --check-prefix=OFF
// RUN: not async-gpu-opt %s --async-gpu-graphs="graphs=often" 2>&1 | FileCheck %s --check-prefix=WORD
// OFF-NOT: graph_begin
// WORD: graphs.mlir:[[#@LINE+2]]:1: error: option graphs='often' is neither off, on nor auto

module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @step(%a: memref<8xf32>) kernel {
      gpu.return
    }
  }
  func.func private @look()

  // A loop on the function's own stream, of which a graph has several rounds. As
  // they are all the same, later ones do nothing.
  // CHECK-LABEL: func.func @own_stream
  // CHECK: %[[S:.*]] = "agpu.stream_acquire"()
  // CHECK: "agpu.graph_begin"(%[[S]]) {fixed, kernel = @k::@step, mode = 1 : i64, part = 0 : i64, rounds = 32 : i64}
  // CHECK-NEXT: scf.for
  // CHECK-NEXT: %[[RUNS:.*]] = "agpu.graph_round"(%[[S]])
  // CHECK-NEXT: scf.if %[[RUNS]] {
  // CHECK: "agpu.launch"
  // CHECK: "agpu.launch"
  // CHECK: "agpu.graph_end"(%[[S]])
  // CHECK: "agpu.stream_release"
  // AUTO-LABEL: func.func @own_stream
  // AUTO: graph_begin{{.*}}mode = 0{{.*}}rounds = 32
  // REMARK: remark: part 0: 2 pieces of work a round, always the same, 32 rounds a graph, a graph from the second round on
  func.func @own_stream(%a: memref<8xf32>, %n: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    scf.for %i = %c0 to %n step %c1 {
      %t = gpu.launch_func async @k::@step blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%a : memref<8xf32>)
      %u = gpu.launch_func async [%t] @k::@step blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%a : memref<8xf32>)
    }
    return
  }

  // A loop inside is part of it where its rounds are known, and else is one of
  // its own; a call of what may do anything ends a stretch.
  // CHECK-LABEL: func.func @nested
  // CHECK: scf.for
  // CHECK-NEXT: graph_begin
  // CHECK-NEXT: scf.for
  // CHECK-NOT: graph_begin
  // CHECK: graph_end
  // CHECK-NEXT: call @look
  // CHECK: graph_begin{{.*}}rounds = 64
  // CHECK-NEXT: scf.for
  // CHECK: graph_end
  // AUTO-LABEL: func.func @nested
  // AUTO: graph_begin{{.*}}mode = 0
  // AUTO: graph_end
  // REMARK: remark: part 1: 5 pieces of work a round
  // REMARK: remark: no graph: what the function does is not known
  // REMARK: remark: part 2: 1 piece of work a round
  func.func @nested(%a: memref<8xf32>, %n: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c5 = arith.constant 5 : index
    scf.for %i = %c0 to %n step %c1 {
      scf.for %j = %c0 to %c5 step %c1 {
        %t = gpu.launch_func async @k::@step blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%a : memref<8xf32>)
      }
      func.call @look() {async_gpu.observes = false} : () -> ()
      scf.for %j = %c0 to %n step %c1 {
        %t = gpu.launch_func async @k::@step blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%a : memref<8xf32>)
      }
    }
    return
  }

  // A call that may be captured is work as any other; one that says nothing of it
  // ends a stretch.
  // CHECK-LABEL: func.func @libraries
  // CHECK: "agpu.graph_begin"
  // CHECK: "agpu.call"
  // CHECK: "agpu.graph_end"
  // CHECK: scf.for
  // CHECK-NOT: agpu.call
  // REMARK: remark: part 3: 2 pieces of work a round, always the same
  // REMARK: remark: no graph: a call that enqueues says nothing of async_gpu.capture
  func.func private @gemm(memref<8xf32>)
  func.func @libraries(%a: memref<8xf32>, %n: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    scf.for %i = %c0 to %n step %c1 {
      %t = gpu.launch_func async @k::@step blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%a : memref<8xf32>)
      func.call @gemm(%a) {async_gpu.enqueue, async_gpu.capture = "relaxed"} : (memref<8xf32>) -> ()
    }
    scf.for %i = %c0 to %n step %c1 {
      %t = gpu.launch_func async @k::@step blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%a : memref<8xf32>)
      func.call @gemm(%a) {async_gpu.enqueue} : (memref<8xf32>) -> ()
    }
    return
  }

  // Regions that only enqueue take streams of the graph. Rounds that do nothing
  // make no token: the last one is asked for.
  // CHECK-LABEL: func.func @regions
  // CHECK: "agpu.graph_begin"() {fixed, {{.*}}rounds = 64
  // CHECK-NEXT: %[[LAST:.*]] = scf.for {{.*}} iter_args(%[[T:.*]] = %
  // CHECK-NEXT: %[[RUNS:.*]] = "agpu.graph_round"()
  // CHECK-NEXT: %[[NEXT:.*]] = scf.if %[[RUNS]] -> (!async.token) {
  // CHECK-NEXT: %[[REGION:.*]] = async.call @region(%[[T]]
  // CHECK-NEXT: scf.yield %[[REGION]]
  // CHECK-NEXT: } else {
  // CHECK-NEXT: scf.yield %[[T]]
  // CHECK: scf.yield %[[NEXT]]
  // CHECK-NEXT: }
  // CHECK-NEXT: %[[WHOLE:.*]] = "agpu.graph_token"(%[[LAST]])
  // CHECK-NEXT: "agpu.graph_end"()
  // CHECK-NEXT: return %[[WHOLE]]
  // CHECK: async.func private @region
  // CHECK-NEXT: "agpu.stream_acquire"() {async_gpu.in_graph}
  func.func @regions(%a: memref<8xf32>, %n: index, %first: !async.token) -> !async.token {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %last = scf.for %i = %c0 to %n step %c1 iter_args(%t = %first) -> !async.token {
      %next = async.call @region(%t, %a) : (!async.token, memref<8xf32>) -> !async.token
      scf.yield %next : !async.token
    }
    return %last : !async.token
  }
  async.func private @region(%t: !async.token, %a: memref<8xf32>) -> !async.token attributes {async_gpu.kind = "device"} {
    async.await %t : !async.token
    %c1 = arith.constant 1 : index
    %u = gpu.launch_func async @k::@step blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%a : memref<8xf32>)
    return
  }

  // A function that only enqueues is part of it where it is called, and so is a
  // group.
  // CHECK-LABEL: func.func @layer
  // CHECK: async.call @region
  // CHECK-LABEL: func.func @calls
  // CHECK: "agpu.graph_begin"() {independent, kernel = @k::@step, {{.*}}rounds = 64
  // CHECK-NEXT: scf.for
  // CHECK-NEXT: graph_round
  // CHECK-NEXT: call @layer
  // CHECK-NEXT: async.add_to_group {{.*}}{async_gpu.in_graph}
  // CHECK: graph_end
  func.func @layer(%a: memref<8xf32>, %t: !async.token) -> !async.token {
    %next = async.call @region(%t, %a) : (!async.token, memref<8xf32>) -> !async.token
    return %next : !async.token
  }
  func.func @calls(%a: memref<8xf32>, %n: index, %t: !async.token, %g: !async.group) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    scf.for %i = %c0 to %n step %c1 {
      %next = func.call @layer(%a, %t) : (memref<8xf32>, !async.token) -> !async.token
      async.add_to_group %next, %g : !async.token
    }
    return
  }

  // Rounds that differ are not left out: what a kernel is given, memory that the
  // host writes, values that go from round to round. The fewest are left over of
  // rounds whose number is known.
  // CHECK-LABEL: func.func @differ
  // CHECK: graph_begin
  // CHECK-NOT: fixed
  // CHECK-SAME: rounds = 11
  // CHECK: scf.for
  // CHECK-NOT: scf.if
  // CHECK: graph_begin
  // CHECK-NOT: fixed
  // CHECK-SAME: rounds = 64
  // CHECK: graph_end
  // REMARK: remark: part {{[0-9]+}}: 5 pieces of work a round, 11 rounds a graph
  func.func @differ(%a: memref<8xf32>, %h: memref<8xindex>, %n: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c5 = arith.constant 5 : index
    %c100 = arith.constant 100 : index
    scf.for %i = %c0 to %c100 step %c1 {
      scf.for %j = %c0 to %c5 step %c1 {
        %t = gpu.launch_func async @k::@step blocks in (%i, %c1, %c1) threads in (%c1, %c1, %c1) args(%a : memref<8xf32>)
      }
    }
    scf.for %i = %c0 to %n step %c1 {
      %g = memref.load %h[%c0] {async_gpu.observes = false} : memref<8xindex>
      %t = gpu.launch_func async @k::@step blocks in (%g, %c1, %c1) threads in (%c1, %c1, %c1) args(%a : memref<8xf32>)
    }
    return
  }

  // A round that is behind the one before the last may run beside the last one; one
  // that is behind the last may not.
  // CHECK-LABEL: func.func @two_in_flight
  // CHECK: "agpu.graph_begin"() {independent, {{.*}}rounds = 64
  // CHECK-LABEL: func.func @one_in_flight
  // CHECK: "agpu.graph_begin"() {kernel{{.*}}rounds = 64
  func.func @two_in_flight(%a: memref<8xf32>, %n: index, %first: !async.token) -> !async.token {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %last:2 = scf.for %i = %c0 to %n step %c1 iter_args(%x = %first, %y = %first)
        -> (!async.token, !async.token) {
      %t = async.call @wide(%x, %a, %i) : (!async.token, memref<8xf32>, index) -> !async.token
      scf.yield %y, %t : !async.token, !async.token
    }
    return %last#1 : !async.token
  }
  func.func @one_in_flight(%a: memref<8xf32>, %n: index, %first: !async.token) -> !async.token {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %last = scf.for %i = %c0 to %n step %c1 iter_args(%x = %first) -> !async.token {
      %t = async.call @wide(%x, %a, %i) : (!async.token, memref<8xf32>, index) -> !async.token
      scf.yield %t : !async.token
    }
    return %last : !async.token
  }
  async.func private @wide(%t: !async.token, %a: memref<8xf32>, %g: index) -> !async.token attributes {async_gpu.kind = "device"} {
    async.await %t : !async.token
    %c1 = arith.constant 1 : index
    %u = gpu.launch_func async @k::@step blocks in (%g, %c1, %c1) threads in (%c1, %c1, %c1) args(%a : memref<8xf32>)
    return
  }

  // What the user says of a loop goes before the option.
  // CHECK-LABEL: func.func @told
  // CHECK-NOT: graph_begin
  // CHECK-LABEL: func.func @asked
  // AUTO-LABEL: func.func @told
  // AUTO-NOT: graph_begin
  // AUTO-LABEL: func.func @asked
  // AUTO: graph_begin{{.*}}mode = 1
  // OFF-LABEL: func.func @told
  // OFF-NOT: graph_begin
  // OFF-LABEL: func.func @asked
  // OFF: graph_begin{{.*}}mode = 1
  // OFF: return
  func.func @told(%a: memref<8xf32>, %n: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    scf.for %i = %c0 to %n step %c1 {
      %t = gpu.launch_func async @k::@step blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%a : memref<8xf32>)
    } {async_gpu.graphs = "off"}
    return
  }
  func.func @asked(%a: memref<8xf32>, %n: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    scf.for %i = %c0 to %n step %c1 {
      %t = gpu.launch_func async @k::@step blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%a : memref<8xf32>)
    } {async_gpu.graphs = "on"}
    return
  }
}
