// Regions of the host that are nodes of graphs, and those that are none.
// RUN: async-gpu-opt %s --async-gpu-regions --async-gpu-outline --async-gpu-graphs="graphs=on" | FileCheck %s
// RUN: async-gpu-opt %s --async-gpu-regions --async-gpu-outline --async-gpu-graphs="graphs=on remarks=true" -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: async-gpu-opt %s --async-gpu-regions --async-gpu-outline --async-gpu-graphs | FileCheck %s --check-prefix=OFF
// OFF-NOT: host_call

module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @step(%a: memref<8xf32>) kernel {
      gpu.return
    }
  }
  func.func private @look()
  func.func private @more(%h: memref<8xi32>, %x: i32) {
    %c0 = arith.constant 0 : index
    memref.store %x, %h[%c0] : memref<8xi32>
    return
  }

  // One between the work of a round: it is given what it uses but constants.
  // CHECK-LABEL: func.func @taken
  // CHECK: "agpu.graph_begin"
  // CHECK: %[[T:.*]] = async.call @taken_region_{{.*}}
  // CHECK: %[[U:.*]] = async.call @[[TAKEN:taken_region_[0-9]+]](%[[T]], %{{.*}}, %{{.*}}) : (!async.token, i32, memref<8xi32>)
  // CHECK: async.call @taken_region_{{.*}}(%[[U]],
  // CHECK: "agpu.graph_end"
  // REMARK: remark: part 0: 3 pieces of work a round, 20 rounds a graph, a graph from the second round on
  func.func @taken(%a: memref<8xf32>, %h: memref<8xi32>, %n: index, %first: !async.token) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %last = scf.for %i = %c0 to %n step %c1 iter_args(%t = %first) -> !async.token {
      %x = arith.index_cast %i : index to i32
      %t1 = async.execute [%t] {
        gpu.launch_func @k::@step blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%a : memref<8xf32>)
        async.yield
      }
      %t2 = async.execute [%t1] {
        scf.for %j = %c0 to %c8 step %c1 {
          memref.store %x, %h[%j] : memref<8xi32>
        }
        func.call @more(%h, %x) : (memref<8xi32>, i32) -> ()
        async.yield
      }
      %t3 = async.execute [%t2] {
        gpu.launch_func @k::@step blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%a : memref<8xf32>)
        async.yield
      }
      scf.yield %t3 : !async.token
    }
    async.await %last : !async.token
    return
  }

  // One that waits for the last round's work, and that this round's waits for.
  // CHECK-LABEL: func.func @from_round_to_round
  // CHECK: "agpu.graph_begin"
  // CHECK: async.call
  // CHECK: async.call
  // CHECK: "agpu.graph_end"
  // REMARK: remark: part 1: 2 pieces of work a round
  func.func @from_round_to_round(%a: memref<8xf32>, %h: memref<8xi32>, %n: index, %first: !async.token) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0 : i32
    %last = scf.for %i = %c0 to %n step %c1 iter_args(%t = %first) -> !async.token {
      %t1 = async.execute [%t] {
        memref.store %zero, %h[%c0] : memref<8xi32>
        async.yield
      }
      %t2 = async.execute [%t1] {
        gpu.launch_func @k::@step blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%a : memref<8xf32>)
        async.yield
      }
      scf.yield %t2 : !async.token
    }
    async.await %last : !async.token
    return
  }

  // What may run beside the device's work does: it is behind nothing of the round, or
  // nothing is behind it.
  // CHECK-LABEL: func.func @beside
  // REMARK: remark: part 2: 1 piece of work a round
  // REMARK: graphs-host.mlir:[[#@LINE+14]]:13: remark: no graph: it spawns what runs on the host, and does not stand between work of the device
  func.func @beside(%a: memref<8xf32>, %h: memref<8xi32>, %n: index, %first: !async.token) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0 : i32
    scf.for %i = %c0 to %n step %c1 {
      %t1 = async.execute {
        memref.store %zero, %h[%c0] : memref<8xi32>
        async.yield
      }
      %t2 = async.execute {
        gpu.launch_func @k::@step blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%a : memref<8xf32>)
        async.yield
      }
      %t3 = async.execute [%t2] {
        memref.store %zero, %h[%c1] : memref<8xi32>
        async.yield
      }
    }
    return
  }

  // CHECK-LABEL: func.func @seen
  // REMARK: remark: no graph: it spawns what runs on the host, and may block, fail, take long or be seen from outside
  // REMARK: remark: no graph: it spawns what runs on the host, and may block, fail, take long or be seen from outside
  // REMARK: remark: no graph: it spawns what runs on the host, and may block, fail, take long or be seen from outside
  // REMARK: remark: no graph: it spawns what runs on the host, and takes long
  // REMARK: remark: no graph: it spawns what runs on the host, and is to stay a task
  // REMARK: remark: no graph: it spawns what runs on the host, and is given more than memrefs and numbers
  func.func @seen(%a: memref<8xf32>, %h: memref<8xi32>, %v: vector<4xi32>, %n: index, %first: !async.token) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %many = arith.constant 10000 : index
    %zero = arith.constant 0 : i32
    %yes = arith.constant true
    %last = scf.for %i = %c0 to %n step %c1 iter_args(%t = %first) -> !async.token {
      %t1 = async.execute [%t] {
        gpu.launch_func @k::@step blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%a : memref<8xf32>)
        async.yield
      }
      %prints = async.execute [%t1] {
        vector.print %zero : i32
        async.yield
      }
      %t2 = async.execute [%prints] {
        gpu.launch_func @k::@step blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%a : memref<8xf32>)
        async.yield
      }
      %unknown = async.execute [%t2] {
        func.call @look() : () -> ()
        async.yield
      }
      %t3 = async.execute [%unknown] {
        gpu.launch_func @k::@step blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%a : memref<8xf32>)
        async.yield
      }
      %loops = async.execute [%t3] {
        scf.for %j = %c0 to %n step %c1 {
          memref.store %zero, %h[%j] : memref<8xi32>
        }
        async.yield
      }
      %t4 = async.execute [%loops] {
        gpu.launch_func @k::@step blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%a : memref<8xf32>)
        async.yield
      }
      %is_long = async.execute [%t4] {
        scf.for %j = %c0 to %many step %c1 {
          memref.store %zero, %h[%c0] : memref<8xi32>
        }
        async.yield
      }
      %t5 = async.execute [%is_long] {
        gpu.launch_func @k::@step blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%a : memref<8xf32>)
        async.yield
      }
      %off = async.execute [%t5] attributes {async_gpu.graphs = "off"} {
        memref.store %zero, %h[%c0] : memref<8xi32>
        async.yield
      }
      %t6 = async.execute [%off] {
        gpu.launch_func @k::@step blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%a : memref<8xf32>)
        async.yield
      }
      %given = async.execute [%t6] {
        %x = vector.extract %v[0] : i32 from vector<4xi32>
        memref.store %x, %h[%c0] : memref<8xi32>
        async.yield
      }
      %t7 = async.execute [%given] {
        gpu.launch_func @k::@step blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%a : memref<8xf32>)
        async.yield
      }
      scf.yield %t7 : !async.token
    }
    async.await %last : !async.token
    return
  }

  // The program says that a long one is to be a node.
  // REMARK: remark: part {{[0-9]+}}: 3 pieces of work a round
  func.func @said(%a: memref<8xf32>, %h: memref<8xi32>, %n: index, %first: !async.token) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %many = arith.constant 10000 : index
    %zero = arith.constant 0 : i32
    %last = scf.for %i = %c0 to %n step %c1 iter_args(%t = %first) -> !async.token {
      %t1 = async.execute [%t] {
        gpu.launch_func @k::@step blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%a : memref<8xf32>)
        async.yield
      }
      %t2 = async.execute [%t1] attributes {async_gpu.graphs = "on"} {
        scf.for %j = %c0 to %many step %c1 {
          memref.store %zero, %h[%c0] : memref<8xi32>
        }
        async.yield
      }
      %t3 = async.execute [%t2] {
        gpu.launch_func @k::@step blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%a : memref<8xf32>)
        async.yield
      }
      scf.yield %t3 : !async.token
    }
    async.await %last : !async.token
    return
  }

  // CHECK: func.func private @[[TAKEN]]_node(%[[X:.*]]: i32, %[[H:.*]]: memref<8xi32>)
  // CHECK: memref.store %[[X]], %[[H]]
  // CHECK: call @more(%[[H]], %[[X]])
  // CHECK: async.func private @[[TAKEN]](%[[IN:.*]]: !async.token, %[[X:.*]]: i32, %[[H:.*]]: memref<8xi32>) -> !async.token attributes {async_gpu.kind = "device"
  // CHECK: %[[S:.*]] = "agpu.stream_acquire"() {async_gpu.in_graph}
  // CHECK: "agpu.stream_wait"(%[[S]], %[[IN]])
  // CHECK: %[[LIST:.*]] = builtin.unrealized_conversion_cast %[[X]], %[[H]]
  // CHECK: "agpu.host_call"(%[[S]], %[[LIST]]) {callee = @[[TAKEN]]_node}
}
