// Rounds whose branches the device takes, and what stands in the way of that.
// RUN: async-gpu-opt %s --async-gpu-regions --async-gpu-graphs="graphs=on" | FileCheck %s
// RUN: async-gpu-opt %s --async-gpu-regions --async-gpu-graphs="graphs=auto remarks=true" -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: async-gpu-opt %s --async-gpu-regions --async-gpu-graphs | FileCheck %s --check-prefix=OFF
// OFF-NOT: graph_loop

module attributes {gpu.container_module} {
  // CHECK: gpu.module @agpu_loop_branch_0_0
  // CHECK: gpu.func @agpu_loop_branch_0_0(%[[HANDLE:.*]]: i64, %[[INVERTS:.*]]: i32, %[[MEMORY:.*]]: memref<2xi32>, %[[MOST:.*]]: i32) kernel
  // CHECK: %[[V:.*]] = memref.load %[[MEMORY]][%{{.*}}] : memref<2xi32>
  // CHECK: arith.cmpi sgt, %[[V]], %[[MOST]] : i32
  // CHECK: call @cudaGraphSetConditional(%[[HANDLE]]
  gpu.module @k {
    gpu.func @step(%a: memref<2xi32>) kernel {
      gpu.return
    }
    gpu.func @numbered(%a: memref<2xi32>, %i: i32) kernel {
      gpu.return
    }
  }

  // A caller may look at %h: the device has what is there, and the host gets it at the end.
  // Where a round is no graph, the device has what the host gets.
  // CHECK-LABEL: func.func @branches
  // CHECK-SAME: %[[H:[^:]*]]: memref<2xi32>
  // CHECK: %[[S:.*]] = "agpu.stream_acquire"
  // CHECK: %[[A:.*]] = "agpu.alloc"(%[[S]])
  // CHECK: %[[KEPT:.*]] = "agpu.alloc"(%[[S]])
  // CHECK: "agpu.memcpy"(%[[S]], %[[KEPT]], %[[H]])
  // CHECK: scf.for %[[I:[^ ]*]] =
  // CHECK: %[[N:.*]] = arith.index_cast %[[I]] : index to i32
  // CHECK: %[[BEGUN:.*]] = "agpu.graph_loop_begin"(%[[S]]) {branches, kernel = @k::@numbered, mode = 1 : i64, part = 0 : i64}
  // CHECK: %[[DONE:.*]] = scf.if %[[BEGUN]] -> (i1) {
  // CHECK: builtin.unrealized_conversion_cast %[[A]], %[[N]]
  // CHECK: "agpu.memcpy"(%[[S]], %[[KEPT]], %[[A]])
  // CHECK-NOT: async.await
  // CHECK: "agpu.graph_branch"(%[[S]]) {{.*}}what = 4 : i64}
  // CHECK: "agpu.launch"({{.*}}) {kernel = @agpu_loop_branch_0_0::@agpu_loop_branch_0_0}
  // CHECK: "agpu.graph_branch"(%[[S]]) {{.*}}what = 5 : i64}
  // CHECK: "agpu.memset"
  // CHECK: "agpu.graph_branch"(%[[S]]) {{.*}}what = 3 : i64}
  // CHECK: "agpu.graph_loop_end"(%[[S]])
  // CHECK: scf.if %[[DONE]] {
  // CHECK-NEXT: } else {
  // CHECK: "agpu.memcpy"(%[[S]], %[[H]], %[[A]])
  // CHECK-NEXT: "agpu.memcpy"(%[[S]], %[[KEPT]], %[[A]])
  // CHECK: async.await
  // CHECK: memref.load %[[H]]
  // CHECK: "agpu.memcpy"(%[[S]], %[[H]], %[[KEPT]])
  // CHECK: async.await
  // CHECK: "agpu.dealloc"(%[[S]], %[[KEPT]])
  // REMARK: device-round.mlir:[[# @LINE + 6]]:5: remark: part 0: rounds whose branches the device takes
  func.func @branches(%h: memref<2xi32>, %n: index, %most: i32) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0 : i32
    %a = gpu.alloc() : memref<2xi32>
    scf.for %i = %c0 to %n step %c1 {
      %x = arith.index_cast %i : index to i32
      gpu.launch_func @k::@numbered blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%a : memref<2xi32>, %x : i32)
      gpu.memcpy %h, %a : memref<2xi32>, memref<2xi32>
      %u = memref.load %h[%c1] : memref<2xi32>
      %is = arith.cmpi sgt, %u, %most : i32
      scf.if %is {
        gpu.memset %a, %zero : memref<2xi32>, i32
      }
    }
    gpu.dealloc %a : memref<2xi32>
    return
  }

  // Nobody looks at %h but the branch: nothing is copied there for others.
  // CHECK-LABEL: func.func @private
  // CHECK: %[[S:.*]] = "agpu.stream_acquire"
  // CHECK: memref.alloc
  // CHECK: %[[KEPT:.*]] = "agpu.alloc"(%[[S]])
  // CHECK-NEXT: scf.for
  // CHECK: "agpu.graph_loop_end"
  // CHECK-COUNT-1: "agpu.memcpy"
  // CHECK-NOT: "agpu.memcpy"
  // CHECK: async.await
  // CHECK-NOT: "agpu.memcpy"
  // CHECK: "agpu.dealloc"(%[[S]], %[[KEPT]])
  // REMARK: remark: part {{.*}}: rounds whose branches the device takes
  func.func @private(%n: index, %most: i32) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0 : i32
    %a = gpu.alloc() : memref<2xi32>
    %h = memref.alloc() : memref<2xi32>
    scf.for %i = %c0 to %n step %c1 {
      gpu.launch_func @k::@step blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%a : memref<2xi32>)
      gpu.memcpy %h, %a : memref<2xi32>, memref<2xi32>
      %u = memref.load %h[%c1] : memref<2xi32>
      %is = arith.cmpi sgt, %u, %most : i32
      scf.if %is {
        gpu.memset %a, %zero : memref<2xi32>, i32
      }
    }
    memref.dealloc %h : memref<2xi32>
    gpu.dealloc %a : memref<2xi32>
    return
  }

  // REMARK: remark: no branches on the device: its work may be given the memory that the host looks at
  func.func @given(%h: memref<2xi32>, %n: index, %most: i32) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0 : i32
    %a = gpu.alloc() : memref<2xi32>
    scf.for %i = %c0 to %n step %c1 {
      gpu.launch_func @k::@step blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%a : memref<2xi32>)
      gpu.memcpy %h, %a : memref<2xi32>, memref<2xi32>
      %u = memref.load %h[%c1] : memref<2xi32>
      %is = arith.cmpi sgt, %u, %most : i32
      scf.if %is {
        gpu.memset %a, %zero : memref<2xi32>, i32
      }
      gpu.launch_func @k::@step blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%h : memref<2xi32>)
    }
    gpu.dealloc %a : memref<2xi32>
    return
  }

  // REMARK: remark: no branches on the device: its body has more than launches, fills and copies of the device's memory on one stream
  func.func @reads(%h: memref<2xi32>, %n: index, %most: i32) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0 : i32
    %a = gpu.alloc() : memref<2xi32>
    scf.for %i = %c0 to %n step %c1 {
      gpu.launch_func @k::@step blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%a : memref<2xi32>)
      gpu.memcpy %h, %a : memref<2xi32>, memref<2xi32>
      %u = memref.load %h[%c1] : memref<2xi32>
      %is = arith.cmpi sgt, %u, %most : i32
      scf.if %is {
        gpu.memset %a, %zero : memref<2xi32>, i32
      }
      %v = memref.load %h[%c0] : memref<2xi32>
      memref.store %v, %h[%c1] : memref<2xi32>
    }
    gpu.dealloc %a : memref<2xi32>
    return
  }

  // REMARK: remark: no branches on the device: a kernel is given what the host has read
  func.func @passes(%h: memref<2xi32>, %n: index, %most: i32) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0 : i32
    %a = gpu.alloc() : memref<2xi32>
    scf.for %i = %c0 to %n step %c1 {
      gpu.launch_func @k::@step blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%a : memref<2xi32>)
      gpu.memcpy %h, %a : memref<2xi32>, memref<2xi32>
      %u = memref.load %h[%c1] : memref<2xi32>
      %is = arith.cmpi sgt, %u, %most : i32
      scf.if %is {
        gpu.memset %a, %zero : memref<2xi32>, i32
      }
      gpu.launch_func @k::@numbered blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%a : memref<2xi32>, %u : i32)
    }
    gpu.dealloc %a : memref<2xi32>
    return
  }

  // REMARK: remark: no branches on the device: its condition is not computed of the device's memory alone
  func.func @twice(%h: memref<2xi32>, %n: index, %most: i32) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0 : i32
    %a = gpu.alloc() : memref<2xi32>
    scf.for %i = %c0 to %n step %c1 {
      gpu.launch_func @k::@step blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%a : memref<2xi32>)
      gpu.memcpy %h, %a : memref<2xi32>, memref<2xi32>
      %u = memref.load %h[%c1] : memref<2xi32>
      %is = arith.cmpi sgt, %u, %most : i32
      scf.if %is {
        gpu.memset %a, %zero : memref<2xi32>, i32
      }
      scf.if %is {
        gpu.memset %a, %zero : memref<2xi32>, i32
      }
    }
    gpu.dealloc %a : memref<2xi32>
    return
  }

  // What the host carries is what it has read.
  // REMARK: remark: no branches on the device: what it carries is not there before its work
  func.func @carries(%h: memref<2xi32>, %n: index, %most: i32) -> i32 {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0 : i32
    %a = gpu.alloc() : memref<2xi32>
    %last = scf.for %i = %c0 to %n step %c1 iter_args(%x = %zero) -> (i32) {
      gpu.launch_func @k::@step blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%a : memref<2xi32>)
      gpu.memcpy %h, %a : memref<2xi32>, memref<2xi32>
      %u = memref.load %h[%c1] : memref<2xi32>
      %is = arith.cmpi sgt, %u, %most : i32
      scf.if %is {
        gpu.memset %a, %zero : memref<2xi32>, i32
      }
      scf.yield %u : i32
    }
    gpu.dealloc %a : memref<2xi32>
    return %last : i32
  }

  // The host looks in the branch: it is none of the device's, and nothing is said.
  // CHECK-LABEL: func.func @prints
  // CHECK-NOT: graph_loop_begin
  func.func @prints(%h: memref<2xi32>, %n: index, %most: i32) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0 : i32
    %a = gpu.alloc() : memref<2xi32>
    scf.for %i = %c0 to %n step %c1 {
      gpu.launch_func @k::@step blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%a : memref<2xi32>)
      gpu.memcpy %h, %a : memref<2xi32>, memref<2xi32>
      %u = memref.load %h[%c1] : memref<2xi32>
      %is = arith.cmpi sgt, %u, %most : i32
      scf.if %is {
        %v = memref.load %h[%c0] : memref<2xi32>
        vector.print %v : i32
      }
    }
    gpu.dealloc %a : memref<2xi32>
    return
  }
}
