// Rounds whose regions choose devices are no graphs, and remarks say so.
// RUN: async-gpu-opt %s --async-gpu-regions --async-gpu-outline --async-gpu-devices --async-gpu-graphs="graphs=on remarks=true" 2>&1 | FileCheck %s

module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @step(%a: memref<8xf32>) kernel {
      gpu.return
    }
  }

  // CHECK: graphs-devices.mlir:[[#@LINE+8]]:12: remark: no graph: it chooses a device, and a graph has work of one
  // CHECK: graphs-devices.mlir:[[#@LINE+11]]:12: remark: no graph: it chooses a device, and a graph has work of one
  // CHECK-LABEL: func.func @rounds
  // CHECK-NOT: agpu.graph_begin
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
}
