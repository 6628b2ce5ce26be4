// The agpu dialect reads what it prints.
// RUN: async-gpu-opt %s | async-gpu-opt | FileCheck %s

// CHECK-LABEL: func.func @stream(
// CHECK-SAME: %[[T:.*]]: !async.token, %[[V:.*]]: !async.value<f32>
// CHECK-NEXT: %[[S:.*]] = "agpu.stream_acquire"() : () -> !agpu.stream
// CHECK-NEXT: "agpu.stream_wait"(%[[S]], %[[T]]) : (!agpu.stream, !async.token) -> ()
// CHECK-NEXT: "agpu.stream_wait"(%[[S]], %[[V]]) : (!agpu.stream, !async.value<f32>) -> f32
// CHECK-NEXT: "agpu.stream_depend"(%[[S]], %[[T]])
// CHECK-NEXT: "agpu.stream_record"(%[[S]]) : (!agpu.stream) -> !async.token
// CHECK-NEXT: "agpu.set_enqueued"(%[[T]], %[[S]])
// CHECK-NEXT: "agpu.stream_release"(%[[S]])
func.func @stream(%t: !async.token, %v: !async.value<f32>) {
  %s = "agpu.stream_acquire"() : () -> !agpu.stream
  "agpu.stream_wait"(%s, %t) : (!agpu.stream, !async.token) -> ()
  %x = "agpu.stream_wait"(%s, %v) : (!agpu.stream, !async.value<f32>) -> f32
  "agpu.stream_depend"(%s, %t) : (!agpu.stream, !async.token) -> ()
  %r = "agpu.stream_record"(%s) : (!agpu.stream) -> !async.token
  "agpu.set_enqueued"(%t, %s) : (!async.token, !agpu.stream) -> ()
  "agpu.stream_release"(%s) : (!agpu.stream) -> ()
  return
}

// CHECK-LABEL: func.func @work(
// CHECK: builtin.unrealized_conversion_cast %{{.*}} : f32 to !agpu.arguments
// CHECK: "agpu.launch"({{.*}}) {kernel = @m::@k} : (!agpu.stream, index, index, index, index, index, index, i32, !agpu.arguments) -> ()
// CHECK: "agpu.alloc"({{.*}}) {host_shared} : (!agpu.stream, index) -> memref<?xf32>
// CHECK: "agpu.memset"
// CHECK: "agpu.memcpy"
// CHECK: "agpu.dealloc"
func.func @work(%s: !agpu.stream, %n: index, %bytes: i32, %x: f32) {
  %a = builtin.unrealized_conversion_cast %x : f32 to !agpu.arguments
  "agpu.launch"(%s, %n, %n, %n, %n, %n, %n, %bytes, %a) {kernel = @m::@k} : (!agpu.stream, index, index, index, index, index, index, i32, !agpu.arguments) -> ()
  %d = "agpu.alloc"(%s, %n) {host_shared} : (!agpu.stream, index) -> memref<?xf32>
  "agpu.memset"(%s, %d, %x) : (!agpu.stream, memref<?xf32>, f32) -> ()
  "agpu.memcpy"(%s, %d, %d) : (!agpu.stream, memref<?xf32>, memref<?xf32>) -> ()
  "agpu.dealloc"(%s, %d) : (!agpu.stream, memref<?xf32>) -> ()
  return
}
