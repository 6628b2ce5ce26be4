// A reduction takes place in the memory that it reads, where that is freed behind it.
// RUN: async-gpu-opt %s --split-input-file --async-gpu-shard-messages | FileCheck %s

// CHECK-LABEL: func.func @freed(
// CHECK: %[[PART:.*]] = memref.alloc() {alignment = 64 : i64} : memref<8xf32>
// CHECK: %[[CAST:.*]] = memref.cast %[[PART]]
// CHECK-NOT: memref.alloc
// CHECK: "agpu.reduce"(%[[CAST]], %[[PART]], %{{.*}}) {numbers = array<i64: 3, -1>}
// CHECK-NOT: memref.dealloc
// CHECK: return %[[PART]]
memref.global "private" @site : memref<1xi64> = dense<0>
func.func private @reduce(memref<8xf32, strided<[?], offset: ?>>, memref<8xf32>, memref<1xi64>) attributes {async_gpu.numbers = array<i64: 3, -1>, async_gpu.shard = "reduce"}
func.func @freed(%x: f32) -> memref<8xf32> {
  %site = memref.get_global @site : memref<1xi64>
  %part = memref.alloc() {alignment = 64 : i64} : memref<8xf32>
  linalg.fill ins(%x : f32) outs(%part : memref<8xf32>)
  %all = memref.alloc() : memref<8xf32>
  %cast = memref.cast %part : memref<8xf32> to memref<8xf32, strided<[?], offset: ?>>
  func.call @reduce(%cast, %all, %site) : (memref<8xf32, strided<[?], offset: ?>>, memref<8xf32>, memref<1xi64>) -> ()
  memref.dealloc %part : memref<8xf32>
  return %all : memref<8xf32>
}

// -----

// What is read behind it, by a view too, stays.
// CHECK-LABEL: func.func @read(
// CHECK: %[[PART:.*]] = memref.alloc()
// CHECK: %[[ALL:.*]] = memref.alloc()
// CHECK: "agpu.reduce"(%{{.*}}, %[[ALL]],
// CHECK: return %[[ALL]]
memref.global "private" @site : memref<1xi64> = dense<0>
func.func private @reduce(memref<8xf32, strided<[?], offset: ?>>, memref<8xf32>, memref<1xi64>) attributes {async_gpu.numbers = array<i64: 3, -1>, async_gpu.shard = "reduce"}
func.func @read(%x: f32, %i: index) -> (memref<8xf32>, f32) {
  %site = memref.get_global @site : memref<1xi64>
  %part = memref.alloc() : memref<8xf32>
  %view = memref.subview %part[0] [4] [1] : memref<8xf32> to memref<4xf32, strided<[1]>>
  linalg.fill ins(%x : f32) outs(%part : memref<8xf32>)
  %all = memref.alloc() : memref<8xf32>
  %cast = memref.cast %part : memref<8xf32> to memref<8xf32, strided<[?], offset: ?>>
  func.call @reduce(%cast, %all, %site) : (memref<8xf32, strided<[?], offset: ?>>, memref<8xf32>, memref<1xi64>) -> ()
  %y = memref.load %view[%i] : memref<4xf32, strided<[1]>>
  memref.dealloc %part : memref<8xf32>
  return %all, %y : memref<8xf32>, f32
}
