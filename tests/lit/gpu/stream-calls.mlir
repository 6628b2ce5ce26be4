// Ops on a stream become calls of the runtime.
// RUN: async-gpu-opt %s --async-gpu-stream-calls | FileCheck %s

// The place of an op is a constant.
// CHECK-DAG: llvm.mlir.global private {{.*}}constant @[[WHERE:.*]]("{{.*}}stream-calls.mlir:[[@LINE+10]]:3\00")
// CHECK-DAG: func.func private @agpu_memcpy(!llvm.ptr, !llvm.ptr, !llvm.ptr, i64, !llvm.ptr)

// A copy: both addresses, offsets included, and the bytes.
// CHECK-LABEL: func.func @memcpy(
// CHECK-DAG: %[[OFFSET:.*]] = llvm.extractvalue %{{.*}}[2]
// CHECK-DAG: llvm.getelementptr %{{.*}}[%[[OFFSET]]] : (!llvm.ptr, i64) -> !llvm.ptr, f32
// CHECK-DAG: %[[LOC:.*]] = llvm.mlir.addressof @[[WHERE]]
// CHECK: call @agpu_memcpy(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %[[LOC]])
func.func @memcpy(%s: !agpu.stream, %to: memref<4xf32, strided<[1], offset: ?>>, %from: memref<4xf32>) {
  "agpu.memcpy"(%s, %to, %from) : (!agpu.stream, memref<4xf32, strided<[1], offset: ?>>, memref<4xf32>) -> ()
  return
}

// A fill: the low bits of the value, the bytes of an element, their number.
// CHECK-LABEL: func.func @memset(
// CHECK-SAME: %[[X:[a-z0-9]+]]: f16
// CHECK: %[[BITS:.*]] = arith.bitcast %[[X]] : f16 to i16
// CHECK: %[[PATTERN:.*]] = arith.extui %[[BITS]] : i16 to i64
// CHECK: %[[SIZE:.*]] = llvm.mlir.constant(2 : i64)
// CHECK: call @agpu_memset(%{{.*}}, %{{.*}}, %[[PATTERN]], %[[SIZE]], %{{.*}}, %{{.*}})
func.func @memset(%s: !agpu.stream, %m: memref<2x3xf16, strided<[3, 1], offset: 5>>, %x: f16) {
  "agpu.memset"(%s, %m, %x) : (!agpu.stream, memref<2x3xf16, strided<[3, 1], offset: 5>>, f16) -> ()
  return
}

// An i1 takes a byte; an index is an i64.
// CHECK-LABEL: func.func @memset_small(
// CHECK: arith.extui %{{.*}} : i1 to i64
// CHECK: llvm.mlir.constant(1 : i64)
// CHECK: call @agpu_memset
// CHECK: arith.index_cast %{{.*}} : index to i64
// CHECK: llvm.mlir.constant(8 : i64)
// CHECK: call @agpu_memset
func.func @memset_small(%s: !agpu.stream, %m: memref<1xi1>, %x: i1, %n: memref<1xindex>, %y: index) {
  "agpu.memset"(%s, %m, %x) : (!agpu.stream, memref<1xi1>, i1) -> ()
  "agpu.memset"(%s, %n, %y) : (!agpu.stream, memref<1xindex>, index) -> ()
  return
}

// An integer with a sign is one of its width.
// CHECK-LABEL: func.func @memset_signed(
// CHECK: %[[Z:.*]] = builtin.unrealized_conversion_cast %{{.*}} : si16 to i16
// CHECK: arith.extui %[[Z]] : i16 to i64
// CHECK: call @agpu_memset
func.func @memset_signed(%s: !agpu.stream, %m: memref<4xsi16>, %x: si16) {
  "agpu.memset"(%s, %m, %x) : (!agpu.stream, memref<4xsi16>, si16) -> ()
  return
}

// The new memref has the sizes asked for, row-major strides and no offset, and
// is in the memory space of its type.
// CHECK-LABEL: func.func @alloc(
// CHECK-SAME: %[[N:[a-z0-9]+]]: index
// CHECK: %[[SIZE:.*]] = arith.index_cast %[[N]] : index to i64
// CHECK: %[[SHARED:.*]] = llvm.mlir.constant(true) : i1
// CHECK: %[[P:.*]] = call @agpu_alloc(%{{.*}}, %{{.*}}, %[[SHARED]], %{{.*}})
// CHECK: %[[Q:.*]] = llvm.addrspacecast %[[P]] : !llvm.ptr to !llvm.ptr<1>
// CHECK: llvm.insertvalue %[[Q]], %{{.*}}[0]
// CHECK: llvm.insertvalue %[[Q]], %{{.*}}[1]
// CHECK: llvm.insertvalue %{{.*}}, %{{.*}}[2]
// CHECK: llvm.insertvalue %[[SIZE]], %{{.*}}[3, 1]
// CHECK: call @agpu_dealloc
func.func @alloc(%s: !agpu.stream, %n: index) {
  %d = "agpu.alloc"(%s, %n) {host_shared} : (!agpu.stream, index) -> memref<2x?xf64, 1>
  "agpu.dealloc"(%s, %d) : (!agpu.stream, memref<2x?xf64, 1>) -> ()
  return
}

// A strided layout: offset and strides that the type leaves open are operands
// behind the sizes, in this order. There is room for the offset, all steps but
// the first along each dimension, and one element.
// CHECK-LABEL: func.func @alloc_strided(
// CHECK-SAME: %[[N:[a-z0-9]+]]: index, %[[OFF:[a-z0-9]+]]: index, %[[STRIDE:[a-z0-9]+]]: index
// CHECK: %[[SIZE:.*]] = arith.index_cast %[[N]] : index to i64
// CHECK: %[[OFFSET:.*]] = arith.index_cast %[[OFF]] : index to i64
// CHECK: %[[STEP:.*]] = arith.index_cast %[[STRIDE]] : index to i64
// CHECK: "llvm.intr.uadd.with.overflow"(%[[OFFSET]], %{{.*}})
// CHECK: llvm.intr.usub.sat
// CHECK: "llvm.intr.umul.with.overflow"(%{{.*}}, %[[STEP]])
// CHECK: call @agpu_alloc
// CHECK: llvm.insertvalue %[[OFFSET]], %{{.*}}[2]
// CHECK: llvm.insertvalue %[[SIZE]], %{{.*}}[3, 1]
// CHECK: llvm.insertvalue %[[STEP]], %{{.*}}[4, 1]
func.func @alloc_strided(%s: !agpu.stream, %n: index, %offset: index, %stride: index) {
  %d = "agpu.alloc"(%s, %n, %offset, %stride) : (!agpu.stream, index, index, index) -> memref<2x?xf64, strided<[100, ?], offset: ?>>
  "agpu.dealloc"(%s, %d) : (!agpu.stream, memref<2x?xf64, strided<[100, ?], offset: ?>>) -> ()
  return
}

// CHECK-LABEL: func.func @registration(
// CHECK: %[[RANK:.*]] = llvm.extractvalue %{{.*}}[0] : !llvm.struct<(i64, ptr)>
// CHECK: %[[DESCRIPTOR:.*]] = llvm.extractvalue %{{.*}}[1] : !llvm.struct<(i64, ptr)>
// CHECK: call @agpu_host_register_memref(%{{.*}}, %[[RANK]], %[[DESCRIPTOR]], %{{.*}}, %{{.*}})
// CHECK: call @agpu_host_unregister_memref(
func.func @registration(%s: !agpu.stream, %m: memref<*xf32>) {
  "agpu.host_register"(%s, %m) : (!agpu.stream, memref<*xf32>) -> ()
  "agpu.host_unregister"(%s, %m) : (!agpu.stream, memref<*xf32>) -> ()
  return
}

// CHECK-LABEL: func.func @depend(
// CHECK: call @agpu_stream_wait(%{{.*}}, %{{.*}}) : (!llvm.ptr, !llvm.ptr) -> ()
// CHECK: %[[FALSE:.*]] = llvm.mlir.constant(false) : i1
// CHECK: call @agpu_stream_continue(%{{.*}}, %{{.*}}, %[[FALSE]]) : (!llvm.ptr, !llvm.ptr, i1) -> ()
// CHECK: %[[TRUE:.*]] = llvm.mlir.constant(true) : i1
// CHECK: call @agpu_stream_continue(%{{.*}}, %{{.*}}, %[[TRUE]])
func.func @depend(%s: !agpu.stream, %t: !async.token) {
  "agpu.stream_depend"(%s, %t) {how = "event"} : (!agpu.stream, !async.token) -> ()
  "agpu.stream_depend"(%s, %t) {how = "stream"} : (!agpu.stream, !async.token) -> ()
  "agpu.stream_depend"(%s, %t) {how = "last"} : (!agpu.stream, !async.token) -> ()
  return
}

// CHECK-LABEL: func.func @stream(
// CHECK: call @agpu_stream_acquire(
// CHECK: call @agpu_stream_wait(
// CHECK: call @agpu_stream_record(
// CHECK: call @agpu_object_set_enqueued(
// CHECK: call @agpu_stream_release(
func.func @stream(%t: !async.token) -> !async.token {
  %s = "agpu.stream_acquire"() : () -> !agpu.stream
  "agpu.stream_depend"(%s, %t) : (!agpu.stream, !async.token) -> ()
  %r = "agpu.stream_record"(%s) : (!agpu.stream) -> !async.token
  "agpu.set_enqueued"(%t, %s) : (!async.token, !agpu.stream) -> ()
  "agpu.stream_release"(%s) : (!agpu.stream) -> ()
  return %r : !async.token
}
