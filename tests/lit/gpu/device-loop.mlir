// Loops that the device ends, and what stands in the way of that.
// RUN: async-gpu-opt %s --async-gpu-regions --async-gpu-graphs="graphs=on" | FileCheck %s
// RUN: async-gpu-opt %s --async-gpu-regions --async-gpu-graphs="graphs=on remarks=true" -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: async-gpu-opt %s --async-gpu-regions --async-gpu-graphs | FileCheck %s --check-prefix=OFF
// OFF-NOT: graph_loop
// RUN: async-gpu-opt %s --async-gpu-lower="graphs=on gpu-targets=ptx" | FileCheck %s --check-prefix=PTX
// PTX: .extern .func cudaGraphSetConditional
// PTX: call.uni cudaGraphSetConditional, (param0, param1);

module attributes {gpu.container_module} {
  // The condition as a kernel.
  // CHECK: gpu.module @agpu_loop_condition_0
  // CHECK: gpu.func @agpu_loop_condition_0(%[[HANDLE:.*]]: i64, %[[MEMORY:.*]]: memref<2xi32>, %[[LEAST:.*]]: i32) kernel
  // CHECK: %[[C0:.*]] = arith.constant 0 : index
  // CHECK: %[[V:.*]] = memref.load %[[MEMORY]][%[[C0]]] : memref<2xi32>
  // CHECK: %[[GO:.*]] = arith.cmpi sgt, %[[V]], %[[LEAST]] : i32
  // CHECK: %[[WORD:.*]] = arith.extui %[[GO]] : i1 to i32
  // CHECK: func.call @cudaGraphSetConditional(%[[HANDLE]], %[[WORD]]) : (i64, i32) -> ()
  gpu.module @k {
    gpu.func @step(%a: memref<2xi32>) kernel {
      gpu.return
    }
    gpu.func @shifted(%a: memref<2xi32, strided<[?], offset: ?>>) kernel {
      gpu.return
    }
    // CHECK: gpu.func @numbered_of_loop(%{{.*}}: memref<2xi32>, %[[SLOTS:.*]]: memref<3xi64>) kernel
    // CHECK: %[[SLOT:.*]] = arith.constant 2 : index
    // CHECK: %[[WORD2:.*]] = memref.load %[[SLOTS]][%[[SLOT]]] : memref<3xi64>
    // CHECK: arith.index_cast %[[WORD2]] : i64 to index
    gpu.func @numbered(%a: memref<2xi32>, %i: index) kernel {
      %c0 = arith.constant 0 : index
      %v = arith.index_cast %i : index to i32
      memref.store %v, %a[%c0] : memref<2xi32>
      gpu.return
    }
  }
  func.func private @look()

  // A round as it is, and then the device; as it is all the way where the runtime says so.
  // CHECK-LABEL: func.func @copied
  // CHECK: "agpu.launch"(%[[S:[0-9]+]], {{.*}}) {kernel = @k::@step}
  // CHECK: "agpu.memcpy"
  // CHECK: async.await
  // CHECK: %[[FIRST:.*]] = arith.cmpi sgt
  // CHECK: scf.if %[[FIRST]] {
  // CHECK: %[[BEGUN:.*]] = "agpu.graph_loop_begin"(%[[S]]) {kernel = @k::@step, loop, mode = 1 : i64, part = 0 : i64}
  // CHECK: %[[DONE:.*]] = scf.if %[[BEGUN]] -> (i1) {
  // CHECK: "agpu.memset"
  // CHECK: "agpu.launch"({{.*}}) {kernel = @k::@step}
  // CHECK-NOT: agpu.memcpy
  // CHECK: "agpu.launch"({{.*}}) {kernel = @agpu_loop_condition_0::@agpu_loop_condition_0}
  // CHECK: %[[ENDED:.*]] = "agpu.graph_loop_end"(%[[S]])
  // CHECK: scf.yield %[[ENDED]]
  // CHECK: scf.if %[[DONE]] {
  // CHECK: "agpu.memcpy"
  // CHECK: async.await
  // CHECK: } else {
  // CHECK: "agpu.memset"
  // CHECK: scf.while
  // REMARK: remark: part 0: a loop on the device, whose kernel 'agpu_loop_condition_0' ends it
  func.func @copied(%h: memref<2xi32>, %least: i32) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0 : i32
    %a = gpu.alloc() : memref<2xi32>
    scf.while : () -> () {
      gpu.launch_func @k::@step blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%a : memref<2xi32>)
      gpu.memcpy %h, %a : memref<2xi32>, memref<2xi32>
      %v = memref.load %h[%c0] : memref<2xi32>
      %go = arith.cmpi sgt, %v, %least : i32
      scf.condition(%go)
    } do {
      gpu.memset %a, %zero : memref<2xi32>, i32
      scf.yield
    }
    gpu.dealloc %a : memref<2xi32>
    return
  }

  // REMARK: remark: part 3: a loop on the device, whose kernel 'agpu_loop_condition_3' ends it
  func.func @carries(%h: memref<2xi32>, %n: i32) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %a = gpu.alloc() : memref<2xi32>
    %last = scf.while (%least = %n) : (i32) -> i32 {
      gpu.launch_func @k::@step blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%a : memref<2xi32>)
      gpu.memcpy %h, %a : memref<2xi32>, memref<2xi32>
      %v = memref.load %h[%c0] : memref<2xi32>
      %go = arith.cmpi sgt, %v, %least : i32
      scf.condition(%go) %v : i32
    } do {
    ^bb0(%v: i32):
      scf.yield %v : i32
    }
    gpu.dealloc %a : memref<2xi32>
    return
  }

  // REMARK: remark: no loop on the device: the host does more than wait and look at memory
  func.func @looks(%h: memref<2xi32>, %least: i32) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %a = gpu.alloc() : memref<2xi32>
    scf.while : () -> () {
      gpu.launch_func @k::@step blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%a : memref<2xi32>)
      gpu.memcpy %h, %a : memref<2xi32>, memref<2xi32>
      %v = memref.load %h[%c0] : memref<2xi32>
      func.call @look() : () -> ()
      %go = arith.cmpi sgt, %v, %least : i32
      scf.condition(%go)
    } do {
      scf.yield
    }
    gpu.dealloc %a : memref<2xi32>
    return
  }

  // REMARK: remark: no loop on the device: its body has more than launches, fills and copies of the device's memory on one stream
  func.func @prints(%h: memref<2xi32>, %least: i32) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %a = gpu.alloc() : memref<2xi32>
    scf.while : () -> () {
      gpu.launch_func @k::@step blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%a : memref<2xi32>)
      gpu.memcpy %h, %a : memref<2xi32>, memref<2xi32>
      %v = memref.load %h[%c0] : memref<2xi32>
      %go = arith.cmpi sgt, %v, %least : i32
      scf.condition(%go)
    } do {
      vector.print str "again"
      scf.yield
    }
    gpu.dealloc %a : memref<2xi32>
    return
  }

  // What a launch is given is another number in each round, which its kernel reads.
  // CHECK-LABEL: func.func @bounded
  // CHECK: %[[FIRST:.*]]:2 = scf.if %{{.*}} -> (index, f32) {
  // CHECK: %[[STATE:.*]] = "agpu.alloc"(%[[S:.*]]) : (!agpu.stream) -> memref<3xi64>
  // CHECK: builtin.unrealized_conversion_cast %[[STATE]], %{{.*}}, %{{.*}} : memref<3xi64>, index, f32 to !agpu.arguments
  // CHECK: "agpu.launch"({{.*}}) {kernel = @agpu_loop_start_[[N:[0-9]+]]::@agpu_loop_start_[[N]]}
  // CHECK: "agpu.graph_loop_begin"
  // CHECK: builtin.unrealized_conversion_cast %{{.*}}, %[[STATE]] : memref<2xi32>, memref<3xi64> to !agpu.arguments
  // CHECK: "agpu.launch"({{.*}}) {kernel = @k::@numbered_of_loop}
  // CHECK: "agpu.launch"({{.*}}) {kernel = @agpu_loop_condition_[[N]]::@agpu_loop_condition_[[N]]}
  // CHECK: "agpu.graph_loop_end"
  // CHECK: %[[HOST:.*]] = memref.alloc() : memref<3xi64>
  // CHECK: "agpu.memcpy"(%[[S]], %[[HOST]], %[[STATE]])
  // CHECK: async.await
  // CHECK: memref.load %[[HOST]]
  // CHECK: scf.while
  // CHECK: "agpu.dealloc"(%[[S]], %[[STATE]])
  // REMARK: remark: part {{.*}}: a loop on the device, whose kernel
  func.func @bounded(%h: memref<2xi32>, %n: index, %f: f32) -> f32 {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %zero = arith.constant 0 : i32
    %a = gpu.alloc() : memref<2xi32>
    %end, %last = scf.while (%i = %c0, %x = %f) : (index, f32) -> (index, f32) {
      %thrice = arith.muli %i, %c3 : index
      gpu.launch_func @k::@numbered blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%a : memref<2xi32>, %thrice : index)
      gpu.memcpy %h, %a : memref<2xi32>, memref<2xi32>
      %v = memref.load %h[%c0] : memref<2xi32>
      %y = arith.sitofp %v : i32 to f32
      %go = arith.cmpi sgt, %v, %zero : i32
      %in = arith.cmpi slt, %i, %n : index
      %both = arith.andi %go, %in : i1
      scf.condition(%both) %i, %y : index, f32
    } do {
    ^bb0(%i: index, %x: f32):
      %next = arith.addi %i, %c1 : index
      scf.yield %next, %x : index, f32
    }
    gpu.dealloc %a : memref<2xi32>
    return %last : f32
  }

  // The host would look at %h to branch: the device keeps what it would see.
  // CHECK-LABEL: func.func @branches
  // CHECK: %[[A:.*]] = "agpu.alloc"(%[[S:.*]]) : (!agpu.stream) -> memref<2xi32>
  // CHECK: %[[KEPT:.*]] = "agpu.alloc"(%[[S]]) : (!agpu.stream) -> memref<2xi32>
  // CHECK-NEXT: "agpu.memcpy"(%[[S]], %[[KEPT]], %[[H:.*]]) :
  // CHECK: "agpu.graph_loop_begin"
  // CHECK: "agpu.memcpy"(%[[S]], %[[KEPT]], %[[A]]) :
  // CHECK-NOT: async.await
  // CHECK: "agpu.graph_branch"(%[[S]]) {{.*}}what = 4 : i64}
  // CHECK: builtin.unrealized_conversion_cast %{{.*}}, %{{.*}}, %[[KEPT]]
  // CHECK: "agpu.launch"({{.*}}) {kernel = @agpu_loop_branch_[[N:[0-9]+]]_0::@agpu_loop_branch_[[N]]_0}
  // CHECK: "agpu.graph_branch"(%[[S]]) {{.*}}what = 8 : i64}
  // CHECK: "agpu.launch"({{.*}}) {kernel = @agpu_loop_branch_[[N]]_0::@agpu_loop_branch_[[N]]_0}
  // CHECK: "agpu.graph_branch"(%[[S]]) {{.*}}what = 5 : i64}
  // CHECK: "agpu.memset"
  // CHECK: "agpu.graph_branch"(%[[S]]) {{.*}}what = 3 : i64}
  // CHECK: "agpu.graph_branch"(%[[S]]) {{.*}}what = 9 : i64}
  // CHECK: "agpu.launch"({{.*}}) {kernel = @k::@step}
  // CHECK: "agpu.graph_branch"(%[[S]]) {{.*}}what = 3 : i64}
  // CHECK: "agpu.graph_loop_end"
  // CHECK: "agpu.memcpy"(%[[S]], %[[H]], %[[KEPT]])
  // CHECK: async.await
  // CHECK: "agpu.dealloc"(%[[S]], %[[KEPT]])
  // REMARK: remark: part {{.*}}: a loop on the device, whose kernel
  func.func @branches(%h: memref<2xi32>, %most: i32) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0 : i32
    %a = gpu.alloc() : memref<2xi32>
    scf.while : () -> () {
      gpu.launch_func @k::@step blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%a : memref<2xi32>)
      gpu.memcpy %h, %a : memref<2xi32>, memref<2xi32>
      %u = memref.load %h[%c1] : memref<2xi32>
      %is = arith.cmpi sgt, %u, %most : i32
      scf.if %is {
        gpu.memset %a, %zero : memref<2xi32>, i32
      } else {
        gpu.launch_func @k::@step blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%a : memref<2xi32>)
      }
      gpu.memcpy %h, %a : memref<2xi32>, memref<2xi32>
      %v = memref.load %h[%c0] : memref<2xi32>
      %go = arith.cmpi sgt, %v, %zero : i32
      scf.condition(%go)
    } do {
      scf.yield
    }
    gpu.dealloc %a : memref<2xi32>
    return
  }

  // Its rounds are a body, behind a first one.
  // CHECK-LABEL: func.func @nests
  // CHECK: "agpu.graph_loop_begin"
  // CHECK: "agpu.launch"({{.*}}) {kernel = @k::@step}
  // CHECK: "agpu.graph_branch"({{.*}}what = 4 : i64}
  // CHECK: "agpu.launch"({{.*}}) {kernel = @agpu_loop_branch
  // CHECK: "agpu.graph_branch"({{.*}}what = 6 : i64}
  // CHECK: "agpu.memset"
  // CHECK: "agpu.launch"({{.*}}) {kernel = @k::@step}
  // CHECK: "agpu.graph_branch"({{.*}}what = 4 : i64}
  // CHECK: "agpu.launch"({{.*}}) {kernel = @agpu_loop_branch
  // CHECK: "agpu.graph_branch"({{.*}}what = 3 : i64}
  // CHECK: "agpu.launch"({{.*}}) {kernel = @agpu_loop_condition
  // CHECK: "agpu.graph_loop_end"
  // REMARK: remark: part {{.*}}: a loop on the device, whose kernel
  func.func @nests(%h: memref<2xi32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0 : i32
    %a = gpu.alloc() : memref<2xi32>
    scf.while : () -> () {
      scf.while : () -> () {
        gpu.launch_func @k::@step blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%a : memref<2xi32>)
        gpu.memcpy %h, %a : memref<2xi32>, memref<2xi32>
        %v = memref.load %h[%c1] : memref<2xi32>
        %go = arith.cmpi sgt, %v, %zero : i32
        scf.condition(%go)
      } do {
        gpu.memset %a, %zero : memref<2xi32>, i32
        scf.yield
      }
      gpu.memcpy %h, %a : memref<2xi32>, memref<2xi32>
      %v = memref.load %h[%c0] : memref<2xi32>
      %go = arith.cmpi sgt, %v, %zero : i32
      scf.condition(%go)
    } do {
      scf.yield
    }
    gpu.dealloc %a : memref<2xi32>
    return
  }

  // What it would keep of one it might change of the other.
  // REMARK: remark: no loop on the device: the device cannot keep what the host copies to branch
  func.func @may_alias(%h: memref<2xi32>, %g: memref<2xi32>, %most: i32) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0 : i32
    %a = gpu.alloc() : memref<2xi32>
    scf.while : () -> () {
      gpu.launch_func @k::@step blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%a : memref<2xi32>)
      gpu.memcpy %g, %a : memref<2xi32>, memref<2xi32>
      %u = memref.load %g[%c1] : memref<2xi32>
      %is = arith.cmpi sgt, %u, %most : i32
      scf.if %is {
        gpu.memset %a, %zero : memref<2xi32>, i32
      }
      gpu.memcpy %h, %a : memref<2xi32>, memref<2xi32>
      %v = memref.load %h[%c0] : memref<2xi32>
      %go = arith.cmpi sgt, %v, %zero : i32
      scf.condition(%go)
    } do {
      scf.yield
    }
    gpu.dealloc %a : memref<2xi32>
    return
  }

  // A kernel could not be given it without the host.
  // REMARK: remark: no loop on the device: a kernel is given what the host has read
  func.func @gives(%h: memref<2xi32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0 : i32
    %a = gpu.alloc() : memref<2xi32>
    scf.while : () -> () {
      gpu.launch_func @k::@step blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%a : memref<2xi32>)
      gpu.memcpy %h, %a : memref<2xi32>, memref<2xi32>
      %u = memref.load %h[%c1] : memref<2xi32>
      %n = arith.index_cast %u : i32 to index
      %is = arith.cmpi sgt, %u, %zero : i32
      scf.if %is {
        gpu.launch_func @k::@numbered blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%a : memref<2xi32>, %n : index)
      }
      gpu.memcpy %h, %a : memref<2xi32>, memref<2xi32>
      %v = memref.load %h[%c0] : memref<2xi32>
      %go = arith.cmpi sgt, %v, %zero : i32
      scf.condition(%go)
    } do {
      scf.yield
    }
    gpu.dealloc %a : memref<2xi32>
    return
  }

  // The nodes of a graph have one shape.
  // REMARK: remark: no loop on the device: what its work is depends on what it carries
  func.func @grows(%h: memref<2xi32>, %n: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0 : i32
    %a = gpu.alloc() : memref<2xi32>
    %end = scf.while (%i = %c1) : (index) -> index {
      gpu.launch_func @k::@step blocks in (%i, %c1, %c1) threads in (%c1, %c1, %c1) args(%a : memref<2xi32>)
      gpu.memcpy %h, %a : memref<2xi32>, memref<2xi32>
      %v = memref.load %h[%c0] : memref<2xi32>
      %go = arith.cmpi sgt, %v, %zero : i32
      scf.condition(%go) %i : index
    } do {
    ^bb0(%i: index):
      %next = arith.addi %i, %c1 : index
      scf.yield %next : index
    }
    gpu.dealloc %a : memref<2xi32>
    return
  }

  // REMARK: remark: no loop on the device: it carries more than numbers from round to round
  func.func @swaps(%h: memref<2xi32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0 : i32
    %a = gpu.alloc() : memref<2xi32>
    %b = gpu.alloc() : memref<2xi32>
    %x, %y = scf.while (%x = %a, %y = %b) : (memref<2xi32>, memref<2xi32>) -> (memref<2xi32>, memref<2xi32>) {
      gpu.launch_func @k::@step blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%a : memref<2xi32>)
      gpu.memcpy %h, %a : memref<2xi32>, memref<2xi32>
      %v = memref.load %h[%c0] : memref<2xi32>
      %go = arith.cmpi sgt, %v, %zero : i32
      scf.condition(%go) %y, %x : memref<2xi32>, memref<2xi32>
    } do {
    ^bb0(%x: memref<2xi32>, %y: memref<2xi32>):
      scf.yield %x, %y : memref<2xi32>, memref<2xi32>
    }
    gpu.dealloc %a : memref<2xi32>
    gpu.dealloc %b : memref<2xi32>
    return
  }

  // What the host writes or reads, it does in each round.
  // REMARK: remark: no loop on the device: its body has more than launches, fills and copies of the device's memory on one stream
  func.func @counts_rounds(%h: memref<2xi32>, %rounds: memref<2xi32>, %least: i32) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %one = arith.constant 1 : i32
    %a = gpu.alloc() : memref<2xi32>
    scf.while : () -> () {
      gpu.launch_func @k::@step blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%a : memref<2xi32>)
      gpu.memcpy %h, %a : memref<2xi32>, memref<2xi32>
      %v = memref.load %h[%c0] : memref<2xi32>
      %go = arith.cmpi sgt, %v, %least : i32
      scf.condition(%go)
    } do {
      %before = memref.load %rounds[%c0] : memref<2xi32>
      %now = arith.addi %before, %one : i32
      memref.store %now, %rounds[%c0] : memref<2xi32>
      scf.yield
    }
    gpu.dealloc %a : memref<2xi32>
    return
  }

  // REMARK: remark: no loop on the device: the host does more than wait and look at memory
  func.func @notes(%h: memref<2xi32>, %last: memref<2xi32>, %least: i32) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %a = gpu.alloc() : memref<2xi32>
    scf.while : () -> () {
      gpu.launch_func @k::@step blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%a : memref<2xi32>)
      gpu.memcpy %h, %a : memref<2xi32>, memref<2xi32>
      %v = memref.load %h[%c0] : memref<2xi32>
      memref.store %v, %last[%c0] : memref<2xi32>
      %go = arith.cmpi sgt, %v, %least : i32
      scf.condition(%go)
    } do {
      scf.yield
    }
    gpu.dealloc %a : memref<2xi32>
    return
  }

  // The host's own memory is none of the device's.
  // REMARK: remark: no loop on the device: its condition is not computed of the device's memory alone
  func.func @counts(%h: memref<2xi32>, %other: memref<2xi32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %a = gpu.alloc() : memref<2xi32>
    scf.while : () -> () {
      gpu.launch_func @k::@step blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%a : memref<2xi32>)
      gpu.memcpy %h, %a : memref<2xi32>, memref<2xi32>
      %v = memref.load %h[%c0] : memref<2xi32>
      %least = memref.load %other[%c0] : memref<2xi32>
      %go = arith.cmpi sgt, %v, %least : i32
      scf.condition(%go)
    } do {
      scf.yield
    }
    gpu.dealloc %a : memref<2xi32>
    return
  }

  // A kernel would not read there what the host has just been given.
  // REMARK: remark: no loop on the device: its work may be given the memory that the host looks at
  func.func @given(%n: i32) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %h = memref.alloc() : memref<4xi32>
    %two = memref.subview %h[2] [2] [1] : memref<4xi32> to memref<2xi32, strided<[1], offset: 2>>
    %x = memref.cast %two : memref<2xi32, strided<[1], offset: 2>> to memref<2xi32, strided<[?], offset: ?>>
    %a = gpu.alloc() : memref<4xi32>
    scf.while : () -> () {
      gpu.launch_func @k::@shifted blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%x : memref<2xi32, strided<[?], offset: ?>>)
      gpu.memcpy %h, %a : memref<4xi32>, memref<4xi32>
      %v = memref.load %h[%c0] : memref<4xi32>
      %go = arith.cmpi sgt, %v, %n : i32
      scf.condition(%go)
    } do {
      scf.yield
    }
    gpu.dealloc %a : memref<4xi32>
    memref.dealloc %h : memref<4xi32>
    return
  }
}
