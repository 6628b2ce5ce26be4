// Functions that hold GPU ops get a stream, and the ops go on it.
// RUN: async-gpu-opt %s --async-gpu-regions | FileCheck %s

// The stream lives as long as the function; its order takes the place of the
// tokens.
// CHECK-LABEL: func.func @plain(
// CHECK-SAME: %[[N:.*]]: index, %[[H:.*]]: memref<?xf32>, %[[X:.*]]: f32
// CHECK-NEXT: %[[S:.*]] = "agpu.stream_acquire"() : () -> !agpu.stream
// CHECK-NEXT: %[[D:.*]] = "agpu.alloc"(%[[S]], %[[N]]) : (!agpu.stream, index) -> memref<?xf32>
// CHECK-NEXT: "agpu.memset"(%[[S]], %[[D]], %[[X]])
// CHECK-NEXT: "agpu.memcpy"(%[[S]], %[[H]], %[[D]])
// CHECK-NEXT: "agpu.dealloc"(%[[S]], %[[D]])
// CHECK-NEXT: %[[T:.*]] = "agpu.stream_record"(%[[S]]) : (!agpu.stream) -> !async.token
// CHECK-NEXT: async.await %[[T]]
// CHECK-NEXT: "agpu.stream_release"(%[[S]])
// CHECK-NEXT: return
func.func @plain(%n: index, %h: memref<?xf32>, %x: f32) {
  %d, %t0 = gpu.alloc async (%n) : memref<?xf32>
  %t1 = gpu.memset async [%t0] %d, %x : memref<?xf32>, f32
  %t2 = gpu.memcpy async [%t1] %h, %d : memref<?xf32>, memref<?xf32>
  %t3 = gpu.dealloc async [%t2] %d : memref<?xf32>
  gpu.wait [%t3]
  return
}

// Functions without GPU ops are left alone.
// CHECK-LABEL: func.func @host(
// CHECK-NEXT: async.await
// CHECK-NEXT: return
func.func @host(%t: !async.token) {
  async.await %t : !async.token
  return
}

// An await makes the stream wait, not the host; a value's payload is read
// behind it. An async function keeps its stream until it ends.
// CHECK-LABEL: async.func @async_function(
// CHECK-SAME: %[[T:.*]]: !async.token, %[[V:.*]]: !async.value<memref<f32>>
// CHECK-NEXT: %[[S:.*]] = "agpu.stream_acquire"
// CHECK-NEXT: "agpu.stream_wait"(%[[S]], %[[T]]) : (!agpu.stream, !async.token) -> ()
// CHECK-NEXT: %[[M:.*]] = "agpu.stream_wait"(%[[S]], %[[V]]) : (!agpu.stream, !async.value<memref<f32>>) -> memref<f32>
// CHECK-NEXT: "agpu.memset"(%[[S]], %[[M]]
// CHECK-NEXT: return
async.func @async_function(%t: !async.token, %v: !async.value<memref<f32>>, %x: f32) -> !async.token {
  async.await %t : !async.token
  %m = async.await %v : !async.value<memref<f32>>
  %u = gpu.memset async %m, %x : memref<f32>, f32
  return
}

// A token of another function is waited for; one that leaves is recorded.
// CHECK-LABEL: func.func @tokens(
// CHECK: %[[S:.*]] = "agpu.stream_acquire"
// CHECK-NEXT: "agpu.stream_wait"(%[[S]], %{{.*}}) : (!agpu.stream, !{{(gpu.)?}}async.token) -> ()
// CHECK-NEXT: "agpu.memset"
// CHECK-NEXT: %[[R:.*]] = "agpu.stream_record"(%[[S]])
// CHECK-NEXT: %[[END:.*]] = "agpu.stream_record"(%[[S]])
// CHECK-NEXT: async.await %[[END]]
// CHECK-NEXT: "agpu.stream_release"(%[[S]])
// CHECK-NEXT: return %[[R]]
func.func @tokens(%t: !gpu.async.token, %m: memref<f32>, %x: f32) -> !gpu.async.token {
  %u = gpu.memset async [%t] %m, %x : memref<f32>, f32
  return %u : !gpu.async.token
}

// A loop carries a recorded token.
// CHECK-LABEL: func.func @loop(
// CHECK: %[[S:.*]] = "agpu.stream_acquire"
// CHECK: %[[FIRST:.*]] = "agpu.stream_record"(%[[S]])
// CHECK-NEXT: scf.for {{.*}} iter_args(%[[P:.*]] = %[[FIRST]])
// CHECK-NEXT: "agpu.stream_wait"(%[[S]], %[[P]])
// CHECK-NEXT: "agpu.memset"
// CHECK-NEXT: %[[NEXT:.*]] = "agpu.stream_record"(%[[S]])
// CHECK-NEXT: scf.yield %[[NEXT]]
func.func @loop(%n: index, %m: memref<f32>, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %t = gpu.wait async
  %u = scf.for %i = %c0 to %n step %c1 iter_args(%p = %t) -> !gpu.async.token {
    %q = gpu.memset async [%p] %m, %x : memref<f32>, f32
    scf.yield %q : !gpu.async.token
  }
  return
}

// Every way out gives the stream back.
// CHECK-LABEL: func.func @two_returns(
// CHECK: "agpu.stream_release"
// CHECK-NEXT: return
// CHECK: "agpu.stream_release"
// CHECK-NEXT: return
func.func @two_returns(%c: i1, %m: memref<f32>, %x: f32) {
  gpu.memset %m, %x : memref<f32>, f32
  cf.cond_br %c, ^a, ^b
^a:
  return
^b:
  return
}

// Attributes and registration.
// CHECK-LABEL: func.func @memory(
// CHECK: "agpu.alloc"(%{{.*}}) {host_shared}
// CHECK: "agpu.host_register"(
// CHECK: "agpu.host_unregister"(
func.func @memory(%h: memref<*xf32>) {
  %d = gpu.alloc host_shared () : memref<4xf32>
  gpu.host_register %h : memref<*xf32>
  gpu.host_unregister %h : memref<*xf32>
  return
}
