// Stretches of device work that repeat themselves, and what ends them.
// RUN: async-gpu-opt %s --async-gpu-streams --async-gpu-graphs="graphs=on" | FileCheck %s
// RUN: async-gpu-opt %s --async-gpu-streams --async-gpu-graphs="graphs=on remarks=true" -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: async-gpu-opt %s --async-gpu-streams --async-gpu-graphs="graphs=auto" | FileCheck %s --check-prefix=AUTO
// RUN: async-gpu-opt %s --async-gpu-streams --async-gpu-graphs | FileCheck %s --check-prefix=OFF
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

  // The body of a loop on the function's own stream.
  // CHECK-LABEL: func.func @own_stream
  // CHECK: %[[S:.*]] = "agpu.stream_acquire"()
  // CHECK: scf.for
  // CHECK: "agpu.graph_begin"(%[[S]]) {kernel = @k::@step, mode = 1 : i64, part = 0 : i64}
  // CHECK: "agpu.launch"
  // CHECK: "agpu.launch"
  // CHECK-NEXT: "agpu.graph_end"(%[[S]])
  // CHECK: "agpu.stream_release"
  // AUTO-LABEL: func.func @own_stream
  // AUTO-NOT: graph_begin
  // REMARK: remark: part 0: 2 pieces of work a round, a graph from the second round on
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
  // its own; a call, which may do anything, ends a stretch.
  // CHECK-LABEL: func.func @nested
  // CHECK: scf.for
  // CHECK-NEXT: graph_begin
  // CHECK-NEXT: scf.for
  // CHECK-NOT: graph_begin
  // CHECK: graph_end
  // CHECK-NEXT: call @look
  // CHECK: scf.for
  // CHECK: graph_begin
  // CHECK-NEXT: "agpu.launch"
  // CHECK-NEXT: graph_end
  // AUTO-LABEL: func.func @nested
  // AUTO: graph_begin{{.*}}mode = 0
  // AUTO: graph_end
  // AUTO-NOT: graph_begin
  // REMARK: remark: part 1: 5 pieces of work a round
  // REMARK: remark: no graph: the host may observe what was done, or what it does is not known
  // REMARK: remark: part 2: 1 pieces of work a round
  func.func @nested(%a: memref<8xf32>, %n: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c5 = arith.constant 5 : index
    scf.for %i = %c0 to %n step %c1 {
      scf.for %j = %c0 to %c5 step %c1 {
        %t = gpu.launch_func async @k::@step blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%a : memref<8xf32>)
      }
      func.call @look() : () -> ()
      scf.for %j = %c0 to %n step %c1 {
        %t = gpu.launch_func async @k::@step blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%a : memref<8xf32>)
      }
    }
    return
  }

  // Regions that only enqueue take streams of the graph.
  // CHECK-LABEL: func.func @regions
  // CHECK: scf.for
  // CHECK-NEXT: "agpu.graph_begin"()
  // CHECK-NEXT: async.call @region
  // CHECK-NEXT: "agpu.graph_end"()
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

  // What the user says of a loop goes before the option.
  // CHECK-LABEL: func.func @told
  // CHECK-NOT: graph_begin
  // CHECK-LABEL: func.func @asked
  // AUTO-LABEL: func.func @told
  // AUTO-NOT: graph_begin
  // AUTO-LABEL: func.func @asked
  // AUTO: graph_begin{{.*}}mode = 1
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
