// How streams come to be behind other regions: by events, by going on on their
// stream, or not at all.
// RUN: async-gpu-opt %s --async-gpu-regions | FileCheck %s
// RUN: async-gpu-opt %s --async-gpu-regions=reuse-streams=false | FileCheck %s --check-prefix=OWN
// Without reuse there is nothing to say but what is implied.
// OWN-NOT: how = "stream"
// OWN-NOT: how = "last"

// A chain.
// CHECK-LABEL: func.func @chain(
// CHECK: %[[A:.*]] = async.execute attributes {async_gpu.kind = "device"
// CHECK: %[[B:.*]] = async.execute attributes {async_gpu.kind = "device"
// CHECK: "agpu.stream_wait"(%{{.*}}, %[[A]]) {how = "last"}
// CHECK: async.execute attributes {async_gpu.kind = "mixed"
// CHECK: "agpu.stream_wait"(%{{.*}}, %[[B]]) {how = "last"}
func.func @chain(%d: memref<f32>, %h: memref<f32>, %x: f32) {
  %a = async.execute {
    gpu.memset %d, %x : memref<f32>, f32
    async.yield
  }
  %b = async.execute [%a] {
    gpu.memset %d, %x : memref<f32>, f32
    async.yield
  }
  %c = async.execute [%b] {
    gpu.memcpy %h, %d : memref<f32>, memref<f32>
    %y = memref.load %h[] : memref<f32>
    async.yield
  }
  return
}

// The host waits for the token, too: it is recorded before the next region goes
// on.
// CHECK-LABEL: func.func @awaited(
// CHECK: "agpu.stream_wait"
// CHECK-SAME: {how = "stream"}
func.func @awaited(%d: memref<f32>, %x: f32) {
  %a = async.execute {
    gpu.memset %d, %x : memref<f32>, f32
    async.yield
  }
  %b = async.execute [%a] {
    gpu.memset %d, %x : memref<f32>, f32
    async.yield
  }
  async.await %a : !async.token
  return
}

// A value and the token of one region are one dependency; a host region is none.
// CHECK-LABEL: func.func @value(
// CHECK: %[[H:.*]] = async.execute attributes {async_gpu.kind = "host"
// CHECK: %{{.*}}, %[[V:.*]] = async.execute
// CHECK: async.execute attributes {async_gpu.kind = "device"
// CHECK: "agpu.stream_wait"(%{{.*}}, %[[H]]) : (!agpu.stream, !async.token) -> ()
// CHECK-NEXT: %[[Y:.*]] = "agpu.stream_wait"(%{{.*}}, %[[V]]) {how = "last"} : (!agpu.stream, !async.value<f32>) -> f32
// CHECK-NEXT: "agpu.memset"(%{{.*}}, %{{.*}}, %[[Y]])
func.func @value(%d: memref<f32>, %x: f32) {
  %h = async.execute {
    async.yield
  }
  %a, %v = async.execute -> !async.value<f32> {
    gpu.memset %d, %x : memref<f32>, f32
    async.yield %x : f32
  }
  %b = async.execute [%a, %h] (%v as %y: !async.value<f32>) {
    gpu.memset %d, %y : memref<f32>, f32
    async.yield
  }
  return
}

// Two successors, two predecessors: events.
// CHECK-LABEL: func.func @fork_and_join(
// CHECK-NOT: how =
// CHECK: return
func.func @fork_and_join(%d: memref<f32>, %x: f32) {
  %a = async.execute {
    gpu.memset %d, %x : memref<f32>, f32
    async.yield
  }
  %b = async.execute [%a] {
    gpu.memset %d, %x : memref<f32>, f32
    async.yield
  }
  %c = async.execute [%a] {
    gpu.memset %d, %x : memref<f32>, f32
    async.yield
  }
  %e = async.execute [%b, %c] {
    gpu.memset %d, %x : memref<f32>, f32
    async.yield
  }
  return
}

// What is implied goes, in host regions as well, and who is left alone then goes
// on. A value stays, and is not waited for by the stream.
// CHECK-LABEL: func.func @implied(
// CHECK: %[[A:.*]], %[[V:.*]] = async.execute
// CHECK: %[[B:.*]] = async.execute
// CHECK: "agpu.stream_wait"(%{{.*}}, %[[A]]) {how = "last"}
// CHECK: %[[C:.*]] = async.execute
// CHECK: "agpu.stream_wait"(%{{.*}}, %[[B]]) {how = "stream"}
// CHECK-NEXT: "agpu.stream_wait"(%{{.*}}, %[[V]]) {how = "none"}
// CHECK: %[[D:.*]] = async.execute [%[[C]]] attributes {async_gpu.kind = "host"
// OWN-LABEL: func.func @implied(
// OWN: "agpu.stream_wait"(%{{.*}}, %{{[a-z_0-9]+}}) :
// OWN: "agpu.stream_wait"(%{{.*}}, %{{[a-z_0-9]+}}) :
// OWN-NEXT: "agpu.stream_wait"{{.*}} {how = "none"} : (!agpu.stream, !async.value<f32>)
// OWN-NOT: "agpu.stream_wait"
// OWN: async.execute [%{{[a-z_0-9]+}}] attributes {async_gpu.kind = "host"
func.func @implied(%d: memref<f32>, %x: f32) {
  %a, %v = async.execute -> !async.value<f32> {
    gpu.memset %d, %x : memref<f32>, f32
    async.yield %x : f32
  }
  %b = async.execute [%a] {
    gpu.memset %d, %x : memref<f32>, f32
    async.yield
  }
  %c = async.execute [%a, %b] (%v as %y: !async.value<f32>) {
    gpu.memset %d, %y : memref<f32>, f32
    async.yield
  }
  %e = async.execute [%a, %b, %c, %c] {
    async.yield
  }
  async.await %b : !async.token
  return
}

// Each round of a loop would have the same predecessor: events.
// CHECK-LABEL: func.func @rounds(
// CHECK-NOT: how =
// CHECK: return
func.func @rounds(%n: index, %d: memref<f32>, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = async.execute {
    gpu.memset %d, %x : memref<f32>, f32
    async.yield
  }
  scf.for %i = %c0 to %n step %c1 {
    %b = async.execute [%a] {
      gpu.memset %d, %x : memref<f32>, f32
      async.yield
    }
  }
  return
}

// A loop that hands its token from round to round goes on; where others can see
// the token, it is recorded.
// CHECK-LABEL: func.func @handed_on(
// CHECK: scf.for
// CHECK: how = "last"
// CHECK: scf.for
// CHECK: how = "stream"
func.func @handed_on(%n: index, %d: memref<f32>, %x: f32, %from: !async.token) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = async.execute {
    gpu.memset %d, %x : memref<f32>, f32
    async.yield
  }
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%t = %a) -> !async.token {
    %b = async.execute [%t] {
      gpu.memset %d, %x : memref<f32>, f32
      async.yield
    }
    scf.yield %b : !async.token
  }
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%t = %from) -> !async.token {
    %b = async.execute [%t] {
      gpu.memset %d, %x : memref<f32>, f32
      async.yield
    }
    scf.yield %b : !async.token
  }
  return
}

// Another region sees the token where it captures it.
// CHECK-LABEL: func.func @captured(
// CHECK-NOT: how =
// CHECK: return
func.func @captured(%d: memref<f32>, %x: f32) {
  %a = async.execute {
    gpu.memset %d, %x : memref<f32>, f32
    async.yield
  }
  %b = async.execute {
    async.await %a : !async.token
    async.yield
  }
  %c = async.execute [%a] {
    gpu.memset %d, %x : memref<f32>, f32
    async.yield
  }
  return
}

// A region behind its function's own work waits for that, too.
// CHECK-LABEL: func.func @spawned(
// CHECK: %[[A:.*]] = async.execute attributes
// CHECK: "agpu.memset"
// CHECK: %[[M:.*]] = "agpu.stream_record"
// CHECK-NEXT: async.execute
// CHECK: "agpu.stream_wait"(%{{.*}}, %[[M]]) :
// CHECK-NEXT: "agpu.stream_wait"(%{{.*}}, %[[A]]) {how = "last"}
func.func @spawned(%d: memref<f32>, %x: f32) {
  %a = async.execute {
    gpu.memset %d, %x : memref<f32>, f32
    async.yield
  }
  gpu.memset %d, %x : memref<f32>, f32
  %b = async.execute [%a] {
    gpu.memset %d, %x : memref<f32>, f32
    async.yield
  }
  return
}

// CHECK-LABEL: func.func @spawned_implied(
// CHECK: %[[M:.*]] = "agpu.stream_record"
// CHECK-NEXT: async.execute
// CHECK: "agpu.stream_wait"(%{{.*}}, %[[M]]) :
// CHECK-NEXT: how = "last"
// CHECK-NEXT: how = "none"
func.func @spawned_implied(%d: memref<f32>, %x: f32) {
  %a, %v = async.execute -> !async.value<f32> {
    gpu.memset %d, %x : memref<f32>, f32
    async.yield %x : f32
  }
  %b = async.execute [%a] {
    gpu.memset %d, %x : memref<f32>, f32
    async.yield
  }
  gpu.memset %d, %x : memref<f32>, f32
  %c = async.execute [%b] (%v as %y: !async.value<f32>) {
    gpu.memset %d, %y : memref<f32>, f32
    async.yield
  }
  return
}

// Streams belong to devices.
// CHECK-LABEL: func.func @devices(
// CHECK: async.execute
// CHECK: async.execute attributes {async_gpu.device = 1 : i32, async_gpu.kind = "device"
// CHECK: "agpu.stream_wait"(%{{.*}}) :
// CHECK: async.execute attributes {async_gpu.device = 1 : i32, async_gpu.kind = "device"
// CHECK: "agpu.stream_wait"(%{{.*}}) {how = "last"}
func.func @devices(%d: memref<f32>, %x: f32) {
  %a = async.execute {
    gpu.memset %d, %x : memref<f32>, f32
    async.yield
  }
  %b = async.execute [%a] attributes {async_gpu.device = 1 : i32} {
    gpu.memset %d, %x : memref<f32>, f32
    async.yield
  }
  %c = async.execute [%b] attributes {async_gpu.device = 1 : i32} {
    gpu.memset %d, %x : memref<f32>, f32
    async.yield
  }
  return
}
