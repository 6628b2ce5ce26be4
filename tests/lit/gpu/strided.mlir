// Copies and fills of memrefs of any layout.
// RUN: async-gpu-opt %s --async-gpu-stream-calls --split-input-file | FileCheck %s

// Types that say all: one copy of a known size.
// CHECK-LABEL: @one_copy
// CHECK: call @agpu_memcpy(
// CHECK-NEXT: return
func.func @one_copy(%s: !agpu.stream, %a: memref<4x5xf32>,
                    %b: memref<4x5xf32, strided<[5, 1], offset: 7>>) {
  "agpu.memcpy"(%s, %a, %b) : (!agpu.stream, memref<4x5xf32>, memref<4x5xf32, strided<[5, 1], offset: 7>>) -> ()
  return
}

// -----

// Dynamic sizes are compared at run time. One stub serves a rank.
// CHECK-LABEL: @dynamic
// CHECK: call @agpu_memcpy_strided.1(
// CHECK: call @agpu_memcpy_strided.1(
// CHECK: func.func private @agpu_memcpy_strided.1(%{{.*}}: !agpu.stream, %{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr, %{{.*}}: i64, %{{.*}}: i64, %{{.*}}: i64, %{{.*}}: i64, %{{.*}}: i64, %{{.*}}: !llvm.ptr)
// CHECK-SAME: passthrough = ["noinline"]
// CHECK-COUNT-4: llvm.alloca
// CHECK: call @agpu_memcpy_strided(
// CHECK-NOT: func.func private @agpu_memcpy_strided.1
func.func @dynamic(%s: !agpu.stream, %a: memref<?xf32>, %b: memref<?xf32>,
                   %c: memref<8xi64, strided<[3]>>, %d: memref<8xi64>) {
  "agpu.memcpy"(%s, %a, %b) : (!agpu.stream, memref<?xf32>, memref<?xf32>) -> ()
  "agpu.memcpy"(%s, %c, %d) : (!agpu.stream, memref<8xi64, strided<[3]>>, memref<8xi64>) -> ()
  return
}

// -----

// CHECK-LABEL: @fill
// CHECK: call @agpu_memset(
// CHECK: call @agpu_memset_strided.2(
func.func @fill(%s: !agpu.stream, %a: memref<?x?xf32>,
                %b: memref<?x?xf32, strided<[?, ?], offset: ?>>, %x: f32) {
  "agpu.memset"(%s, %a, %x) : (!agpu.stream, memref<?x?xf32>, f32) -> ()
  "agpu.memset"(%s, %b, %x) : (!agpu.stream, memref<?x?xf32, strided<[?, ?], offset: ?>>, f32) -> ()
  return
}
