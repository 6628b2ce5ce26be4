// Rounds whose regions choose devices become graphs, host code between them, too.
// RUN: async-gpu-opt %s --async-gpu-regions --async-gpu-outline --async-gpu-devices --async-gpu-graphs="graphs=on remarks=true" 2>&1 | FileCheck %s

module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @step(%a: memref<8xf32>) kernel {
      gpu.return
    }
  }

  // CHECK: remark: part 0: 2 pieces of work a round, always the same, 32 rounds a graph, a graph from the second round on
  // CHECK: remark: part 1: 3 pieces of work a round, always the same, 20 rounds a graph, a graph from the second round on
  // CHECK: remark: part 2: 1 piece of work a round, a graph from the second round on
  // CHECK: remark: no graph: the function's work moves to another device

  // Each round is the same, and leaves the default device as it was.
  // CHECK-LABEL: func.func @rounds
  // CHECK: "agpu.graph_begin"({{.*}}fixed
  // CHECK: "agpu.graph_round"
  // CHECK: %[[OUTER:.*]] = "agpu.default_device"
  // CHECK-NEXT: async.call @rounds_region_1
  // CHECK-NEXT: "agpu.enter_device"(%[[OUTER]])
  // CHECK: "agpu.graph_end"
  func.func @rounds(%a: memref<8xf32>, %b: memref<8xf32>, %n: index, %first: !async.token) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %last = scf.for %i = %c0 to %n step %c1 iter_args(%t = %first) -> !async.token {
      %u = async.execute [%t] attributes {async_gpu.device = 0 : i32} {
        gpu.launch_func @k::@step blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%a : memref<8xf32>)
        async.yield
      }
      %v = async.execute [%u] attributes {async_gpu.device = 1 : i32} {
        gpu.memcpy %b, %a : memref<8xf32>, memref<8xf32>
        async.yield
      }
      scf.yield %v : !async.token
    }
    async.await %last : !async.token
    return
  }

  // The node's code knows of no device: the region enters that of its spawner, or
  // its own.
  // CHECK-LABEL: func.func @between
  func.func @between(%a: memref<8xf32>, %h: memref<8xf32>, %n: index, %first: !async.token) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %last = scf.for %i = %c0 to %n step %c1 iter_args(%t = %first) -> !async.token {
      %u = async.execute [%t] attributes {async_gpu.device = 1 : i32} {
        gpu.memcpy %h, %a : memref<8xf32>, memref<8xf32>
        async.yield
      }
      %v = async.execute [%u] {
        %x = memref.load %h[%c0] : memref<8xf32>
        %y = arith.addf %x, %x : f32
        memref.store %y, %h[%c0] : memref<8xf32>
        async.yield
      }
      %w = async.execute [%v] attributes {async_gpu.device = 1 : i32} {
        gpu.memcpy %a, %h : memref<8xf32>, memref<8xf32>
        async.yield
      }
      scf.yield %w : !async.token
    }
    async.await %last : !async.token
    return
  }

  // Where a function moves its own work, a round ends.
  // CHECK-LABEL: func.func @moves
  // CHECK: "agpu.set_default_device"
  // CHECK: "agpu.graph_begin"
  // CHECK: "agpu.graph_end"
  // CHECK: "agpu.set_default_device"
  func.func @moves(%a: memref<8xf32>, %n: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %one = arith.constant 1 : i32
    scf.for %i = %c0 to %n step %c1 {
      gpu.set_default_device %one
      gpu.launch_func @k::@step blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%a : memref<8xf32>)
      gpu.set_default_device %one
    }
    return
  }

  // CHECK-LABEL: func.func private @between_region_5_node
  // CHECK-NOT: device
  // CHECK: memref.load
  // CHECK-LABEL: async.func private @between_region_5
  // CHECK-SAME: %[[TOKEN:.*]]: !async.token, {{.*}}, %[[DEVICE:.*]]: i32)
  // CHECK: "agpu.enter_device"(%[[DEVICE]])
  // CHECK-NEXT: %[[STREAM:.*]] = "agpu.stream_acquire"
  // CHECK-NEXT: "agpu.stream_wait"(%[[STREAM]], %[[TOKEN]])
  // CHECK: "agpu.host_call"
}
