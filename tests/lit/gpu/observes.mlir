// What makes the host wait for the device, beyond the table of ops: whether the
// device can reach the memory, and attributes.
// RUN: async-gpu-opt %s --async-gpu-regions | FileCheck %s
// RUN: async-gpu-opt %s --async-gpu-regions=remarks=true -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// No device work knows this buffer, under any of its names.
// CHECK-LABEL: func.func @local(
// CHECK: "agpu.memset"(
// CHECK-NOT: async.await
// CHECK: memref.dealloc
// CHECK-NEXT: %[[W:.*]] = "agpu.stream_record"(
// CHECK-NEXT: async.await %[[W]]
// CHECK-NEXT: "agpu.stream_release"
// CHECK-NEXT: return
func.func @local(%d: memref<4xf32>, %x: f32) {
  %c0 = arith.constant 0 : index
  %m = memref.alloc() : memref<4xf32>
  %s = memref.alloca() : memref<4xf32>
  gpu.memset %d, %x : memref<4xf32>, f32
  %part = memref.subview %m[2] [2] [1] : memref<4xf32> to memref<2xf32, strided<[1], offset: 2>>
  memref.store %x, %part[%c0] : memref<2xf32, strided<[1], offset: 2>>
  memref.copy %m, %s : memref<4xf32> to memref<4xf32>
  %v = vector.load %s[%c0] : memref<4xf32>, vector<4xf32>
  memref.dealloc %m : memref<4xf32>
  return
}

// A copy whose other side the device may reach observes; the load does not.
// CHECK-LABEL: func.func @half(
// CHECK: "agpu.memset"(
// CHECK-NEXT: memref.load
// CHECK-NEXT: %[[W:.*]] = "agpu.stream_record"(
// CHECK-NEXT: async.await %[[W]]
// CHECK-NEXT: memref.copy
func.func @half(%d: memref<4xf32>, %x: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %m = memref.alloc() : memref<4xf32>
  gpu.memset %d, %x : memref<4xf32>, f32
  %y = memref.load %m[%c0] : memref<4xf32>
  memref.copy %d, %m : memref<4xf32> to memref<4xf32>
  return %y : f32
}

// A shape in memory that no device work knows does not make the memory that has
// this shape such; a shape that the device may write is read.
// CHECK-LABEL: func.func @shapes(
// CHECK: "agpu.memset"(
// CHECK-NEXT: memref.reshape
// CHECK-NEXT: %[[W:.*]] = "agpu.stream_record"(
// CHECK-NEXT: async.await %[[W]]
// CHECK-NEXT: memref.load
// CHECK: "agpu.memset"(
// CHECK-NEXT: %[[W:.*]] = "agpu.stream_record"(
// CHECK-NEXT: async.await %[[W]]
// CHECK-NEXT: memref.reshape
func.func @shapes(%d: memref<4xf32>, %x: f32, %i: memref<1xi32>, %n: i32)
    -> (f32, memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %two = arith.constant 2 : i32
  %s = memref.alloca() : memref<2xi32>
  memref.store %two, %s[%c0] : memref<2xi32>
  gpu.memset %d, %x : memref<4xf32>, f32
  %r = memref.reshape %d(%s) : (memref<4xf32>, memref<2xi32>) -> memref<?x?xf32>
  %v = memref.load %r[%c0, %c0] : memref<?x?xf32>
  gpu.memset %i, %n : memref<1xi32>, i32
  %u = memref.reshape %d(%i) : (memref<4xf32>, memref<1xi32>) -> memref<?xf32>
  return %v, %u : f32, memref<?xf32>
}

// A GPU op, a call, a region, a return, memory: each lets the address out.
// CHECK-LABEL: func.func @escapes(
// CHECK: "agpu.memset"(
// CHECK-NEXT: %[[W:.*]] = "agpu.stream_record"(
// CHECK-NEXT: async.await %[[W]]
// CHECK-NEXT: memref.load
// CHECK: "agpu.memset"(
// CHECK-NEXT: %[[W:.*]] = "agpu.stream_record"(
// CHECK-NEXT: async.await %[[W]]
// CHECK-NEXT: memref.load
// CHECK: "agpu.memset"(
// CHECK-NEXT: %[[W:.*]] = "agpu.stream_record"(
// CHECK-NEXT: async.await %[[W]]
// CHECK-NEXT: memref.load
// CHECK: "agpu.memset"(
// CHECK-NEXT: %[[W:.*]] = "agpu.stream_record"(
// CHECK-NEXT: async.await %[[W]]
// CHECK-NEXT: memref.load
// CHECK: "agpu.memset"(
// CHECK-NEXT: %[[W:.*]] = "agpu.stream_record"(
// CHECK-NEXT: async.await %[[W]]
// CHECK-NEXT: memref.load
func.func @escapes(%d: memref<f32>, %x: f32) -> memref<f32> {
  %a = memref.alloc() : memref<f32>
  gpu.memset %a, %x : memref<f32>, f32
  %0 = memref.load %a[] : memref<f32>
  %b = memref.alloc() : memref<f32>
  func.call @use(%b) : (memref<f32>) -> ()
  gpu.memset %d, %x : memref<f32>, f32
  %1 = memref.load %b[] : memref<f32>
  %c = memref.alloc() : memref<f32>
  %t = async.execute {
    memref.store %x, %c[] : memref<f32>
    async.yield
  }
  gpu.memset %d, %x : memref<f32>, f32
  %2 = memref.load %c[] : memref<f32>
  %e = memref.alloc() : memref<f32>
  gpu.memset %d, %x : memref<f32>, f32
  %3 = memref.load %e[] : memref<f32>
  %f = memref.alloc() : memref<f32>
  %g = memref.alloc() : memref<memref<f32>>
  memref.store %f, %g[] : memref<memref<f32>>
  gpu.memset %d, %x : memref<f32>, f32
  %4 = memref.load %f[] : memref<f32>
  return %e : memref<f32>
}
func.func private @use(memref<f32>)

// Attributes: on an op, on a function, and against the table. The plan's own do
// not stay.
// CHECK-LABEL: func.func @attributes(
// CHECK: "agpu.memset"(
// CHECK-NEXT: call @pure
// CHECK-NEXT: memref.load {{.*}} {async_gpu.observes = false}
// CHECK-NEXT: call @quiet() :
// CHECK-NEXT: %[[W:.*]] = "agpu.stream_record"(
// CHECK-NEXT: async.await %[[W]]
// CHECK-NEXT: call @quiet() {async_gpu.observes = true}
// CHECK: "agpu.memset"(
// CHECK-NEXT: %[[W:.*]] = "agpu.stream_record"(
// CHECK-NEXT: async.await %[[W]]
// CHECK-NEXT: arith.addf {{.*}} {async_gpu.observes = true}
func.func @attributes(%d: memref<f32>, %x: f32) {
  gpu.memset %d, %x : memref<f32>, f32
  func.call @pure(%x) {async_gpu.observes = false} : (f32) -> ()
  %0 = memref.load %d[] {async_gpu.observes = false} : memref<f32>
  func.call @quiet() : () -> ()
  func.call @quiet() {async_gpu.observes = true} : () -> ()
  gpu.memset %d, %x : memref<f32>, f32
  %1 = arith.addf %x, %x {async_gpu.observes = true} : f32
  return
}
func.func private @pure(f32)
func.func private @quiet() attributes {async_gpu.observes = false}

// A region spawned behind work observes from its start.
// CHECK-LABEL: func.func @spawned(
// CHECK: "agpu.memset"(
// CHECK-NEXT: %[[T:.*]] = "agpu.stream_record"
// CHECK-NEXT: async.execute {{.*}}{async_gpu.kind = "mixed"
// CHECK-NEXT: %[[S:.*]] = "agpu.stream_acquire"
// CHECK-NEXT: "agpu.stream_wait"(%[[S]], %[[T]]) :
// CHECK-NEXT: "agpu.stream_wait"(%[[S]], %arg2) {how = "stream"}
// CHECK-NEXT: %[[W:.*]] = "agpu.stream_record"(
// CHECK-NEXT: async.await %[[W]]
// CHECK-NEXT: memref.load
func.func @spawned(%d: memref<f32>, %x: f32, %u: !async.token) {
  gpu.memset %d, %x : memref<f32>, f32
  // REMARK: [[@LINE+1]]:{{.*}}: remark: async.execute depends on the work of region {{[0-9]+}} so far, which does not wait here
  %t = async.execute [%u] {
    %0 = memref.load %d[] : memref<f32>
    gpu.memset %d, %0 : memref<f32>, f32
    async.yield
  }
  return
}
