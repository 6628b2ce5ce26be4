// The plan as a picture: what the remarks say, and what each region does.
// RUN: async-gpu-opt %s --async-gpu-regions --emit=plan-dot | FileCheck %s --check-prefix=DOT
// RUN: async-gpu-opt %s --async-gpu-regions --emit=plan-json -o %t.json
// RUN: FileCheck %s < %t.json
// RUN: %python -c 'import json, sys; json.load(open(sys.argv[1]))' %t.json

// The whole way has the same plan as its first part, which runs without passes.
// RUN: async-gpu-opt %s --emit=plan-json | diff - %t.json
// RUN: async-gpu-opt %s --async-gpu-lower --emit=plan-json | diff - %t.json
// RUN: async-gpu-opt %s --async-gpu-lower=reuse-streams=false --emit=plan-json | FileCheck %s --check-prefix=APART
// APART-NOT: same-stream

// DOT:      subgraph cluster_0 {{.*}}label=<in @main>
// DOT:      r0 [id="region-0" class="host"
// DOT-SAME: <B>@main&#160;</B>{{.*}}region 0: host, plan-picture.mlir:[[#@LINE+12]]&#160;
// DOT-SAME: <I>await: the host waits</I>

// CHECK:      "format": "async-gpu-plan",
// CHECK-NEXT: "version": 1,
// CHECK-NEXT: "streams": 4,
// CHECK:      {"id": 0, "name": "main", "op": "func.func", "kind": "host", "stream": null, "parent": null, "function": 0,
// CHECK-NEXT: "place": {"file": "{{.*}}plan-picture.mlir", "line": [[#@LINE+5]], "column": 1},
// CHECK-NEXT: "items": [
// CHECK-NEXT: {"kind": "spawn", "depth": 0, "text": "filled", "region": 1,
// CHECK:      {"kind": "await", "depth": 0, "text": "the host waits",
module attributes {gpu.container_module} {
func.func @main(%h: memref<4xf32>, %d: memref<4xf32>, %x: f32, %n: index, %b: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // A region is called as the source calls what it gives.
  // DOT:      r1 [id="region-1" class="device" {{.*}}COLOR="[[FIRST:#[0-9a-f]+]]"
  // DOT-SAME: <B>filled&#160;</B>{{.*}}region 1: device, stream 0, plan-picture.mlir:[[#@LINE+5]]&#160;
  // DOT-SAME: <B>fill</B>&#160;4xf32&#160;
  // CHECK:      {"id": 1, "name": "filled", "op": "async.execute", "kind": "device", "stream": 0, "parent": 0, "function": 0,
  // CHECK-NEXT: "line": [[#@LINE+2]], "column": 19},
  // CHECK:      {"kind": "fill", "depth": 0, "text": "4xf32", "place": {"file": "{{.*}}", "line": [[#@LINE+2]], "column": 5}}]}
  %0, %filled:2 = async.execute -> (!async.value<f32>, !async.value<f32>) {
    gpu.memset %d, %x : memref<4xf32>, f32
    async.yield %x, %x : f32, f32
  }
  // Ops of the host stand together, and loops only where they hold something.
  // DOT:      r2 [id="region-2" class="host"
  // DOT-SAME: <B>region 2</B>
  // DOT-NOT:  scf.if
  // DOT-SAME: scf.for&#160;{{.*}}&#160;&#160;<B>host</B>&#160;vector.print, @observe&#160;
  // CHECK:      {"id": 2, "name": null, {{.*}}"kind": "host", "stream": null,
  %1 = async.execute {
    scf.for %i = %c0 to %n step %c1 {
      vector.print %x : f32
      %y = scf.if %b -> f32 {
        scf.yield %x : f32
      } else {
        scf.yield %x : f32
      }
      vector.print %y : f32
      func.call @observe() : () -> ()
    }
    async.yield
  }
  // DOT:      r3 [id="region-3" class="mixed" {{.*}}COLOR="[[FIRST]]"
  // DOT-SAME: stream 0,
  // DOT-SAME: <B>copy</B>&#160;4xf32&#160;
  // DOT-SAME: <I>the host waits: memref.load may observe device results</I>
  // DOT-SAME: <B>host</B>&#160;memref.load&#160;
  // CHECK:      {"id": 3, "name": "loaded",
  // CHECK:      {"kind": "wait", "depth": 0, "text": "memref.load may observe device results",
  %2, %loaded = async.execute [%0, %1, %0] -> !async.value<f32> {
    gpu.memcpy %h, %d : memref<4xf32>, memref<4xf32>
    %y = memref.load %h[%c0] : memref<4xf32>
    async.yield %y : f32
  }
  async.await %2 : !async.token
  return
}

func.func private @observe()

// A function's own work, and a region behind it; what a loop hands on comes
// from the region before it, or that of the round before.
// CHECK:      {"id": [[WORK:[0-9]+]], "name": "work", "op": "func.func", "kind": "mixed", "stream": [[#]],
// CHECK:      {"kind": "kernel", "depth": 0, "text": "fill, 8x2 blocks of ?x1x4", "kernel": "fill",
// CHECK:      {"id": [[BEHIND:[0-9]+]], "name": "behind", {{.*}}"parent": [[WORK]], "function": [[WORK]],
// CHECK:      {"id": [[ROUND:[0-9]+]], "name": "round", {{.*}}"stream": [[#]], "or_stream_of_operand": 0, "parent": [[WORK]],
func.func @work(%d: memref<4xf32>, %x: f32, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  gpu.launch_func @kernels::@fill blocks in (%c8, %c2, %c1)
      threads in (%n, %c1, %c4) args(%d : memref<4xf32>)
  %behind = async.execute {
    gpu.memset %d, %x : memref<4xf32>, f32
    async.yield
  }
  %last = scf.for %i = %c0 to %n step %c1 iter_args(%t = %behind) -> !async.token {
    %round = async.execute [%t] {
      gpu.memset %d, %x : memref<4xf32>, f32
      async.yield
    }
    scf.yield %round : !async.token
  }
  async.await %last : !async.token
  return
}

// DOT:      r5 [id="region-5" class="mixed"
// DOT-SAME: >scf.for&#160;{{.*}}&#160;&#160;<B>spawn</B>&#160;round&#160;
gpu.module @kernels {
  gpu.func @fill(%d: memref<4xf32>) kernel {
    gpu.return
  }
}
}

// DOT: r1 -> r3 [id="edge-[[#]]" label="reuses its stream, no event" penwidth=2]
// DOT: r2 -> r3 [{{.*}}label="enqueued when the host is done" style=dashed
// DOT: r1 -> r3 [{{.*}}label="no wait, operand 0 says the same" style=dotted

// CHECK:      "edges": [
// CHECK-NEXT: {"from": 3, "to": 0, "operand": null, "how": "host", "text": "the host waits"
// CHECK-NEXT: {"from": 1, "to": 3, "operand": 0, "how": "same-stream",
// CHECK-NEXT: {"from": 2, "to": 3, "operand": 1, "how": "enqueue",
// CHECK-NEXT: {"from": 1, "to": 3, "operand": 2, "how": "implied",
// CHECK-NEXT: {"from": [[WORK]], "to": [[BEHIND]], "operand": null, "how": "event", "text": "event, after the work so far"
// CHECK-NEXT: {"from": [[WORK]], "to": [[ROUND]], "operand": null, "how": "event",
// CHECK-NEXT: {"from": null, "to": [[WORK]], "operand": null, "how": "event", "text": "event"
// CHECK-NEXT: {"from": null, "maybe": [[ROUND]], "to": [[WORK]],
// CHECK-NEXT: {"from": null, "to": [[ROUND]], "operand": 0, "how": "same-stream", "text": "reuses its stream, no event"
// CHECK-NEXT: {"from": null, "maybe": [[BEHIND]], "to": [[ROUND]],
// CHECK-NEXT: {"from": null, "maybe": [[ROUND]], "to": [[ROUND]],
