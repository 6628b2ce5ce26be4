// The choice of a device follows the program's order, not its threads.
// RUN: async-gpu-opt %s --async-gpu-devices --split-input-file | FileCheck %s

// A program that chooses none is left as it is.
// CHECK-LABEL: async.func private @plain_region_0
// CHECK-NOT: device
// CHECK: return
async.func private @plain_region_0(%d: !async.token) -> !async.token attributes {async_gpu.kind = "host"} {
  async.await %d : !async.token
  return
}

// -----

// A region that names a device enters it before it acquires a stream. Behind a
// suspension it is entered again.
// CHECK-LABEL: async.func private @named_region_0
// CHECK-SAME: (%{{.*}}: !async.token) -> !async.token attributes {async_gpu.kind = "device"} {
// CHECK-NEXT: %[[NUMBER:.*]] = arith.constant 1 : i32
// CHECK-NEXT: "agpu.enter_device"(%[[NUMBER]]) : (i32) -> ()
// CHECK-NEXT: agpu.stream_acquire
// CHECK: %[[OWN:.*]] = "agpu.default_device"() : () -> i32
// CHECK-NEXT: agpu.stream_wait
// CHECK-NEXT: "agpu.enter_device"(%[[OWN]]) : (i32) -> ()
async.func private @named_region_0(%d: !async.token) -> !async.token attributes {async_gpu.kind = "device", async_gpu.device = 1 : i32} {
  %s = "agpu.stream_acquire"() : () -> !agpu.stream
  "agpu.stream_wait"(%s, %d) : (!agpu.stream, !async.token) -> ()
  return
}

// One that names none gets its spawner's.
// CHECK-LABEL: async.func private @spawner_region_0
// CHECK-SAME: (%{{.*}}: i64, %[[DEVICE:.*]]: i32) -> !async.token
// CHECK-NEXT: "agpu.enter_device"(%[[DEVICE]]) : (i32) -> ()
async.func private @spawner_region_0(%x: i64) -> !async.token attributes {async_gpu.kind = "host"} {
  return
}

// The start of a region may have changed the thread's default.
// CHECK-LABEL: func.func @spawner
// CHECK: %[[OWN:.*]] = "agpu.default_device"() : () -> i32
// CHECK-NEXT: async.call @named_region_0(%{{.*}}) :
// CHECK-NEXT: "agpu.enter_device"(%[[OWN]]) : (i32) -> ()
// CHECK-NEXT: %[[PASSED:.*]] = "agpu.default_device"() : () -> i32
// CHECK-NEXT: %[[OWN2:.*]] = "agpu.default_device"() : () -> i32
// CHECK-NEXT: async.call @spawner_region_0(%{{.*}}, %[[PASSED]]) : (i64, i32) -> !async.token
// CHECK-NEXT: "agpu.enter_device"(%[[OWN2]]) : (i32) -> ()
func.func @spawner(%d: !async.token, %x: i64) -> !async.token {
  %0 = async.call @named_region_0(%d) : (!async.token) -> !async.token
  %1 = async.call @spawner_region_0(%x) : (i64) -> !async.token
  return %0 : !async.token
}

// -----

// A plain function leaves its device where it returns.
// CHECK-LABEL: func.func @function() {
// CHECK-NEXT: %[[OUTER:.*]] = "agpu.default_device"() : () -> i32
// CHECK-NEXT: %[[NUMBER:.*]] = arith.constant 2 : i32
// CHECK-NEXT: "agpu.enter_device"(%[[NUMBER]]) : (i32) -> ()
// CHECK: "agpu.enter_device"(%[[OUTER]]) : (i32) -> ()
// CHECK-NEXT: return
func.func @function() attributes {async_gpu.device = 2 : i32} {
  %s = "agpu.stream_acquire"() : () -> !agpu.stream
  "agpu.stream_release"(%s) : (!agpu.stream) -> ()
  return
}
