// Strided memrefs, views, globals, memory of a thread, prefetches.
// RUN: async-gpu-opt %s --async-gpu-kernels=targets=ptx --emit=ptx | FileCheck %s

gpu.module @m {
  memref.global "private" constant @table : memref<4xf32> = dense<[1.0, 2.0, 3.0, 4.0]>
  memref.global "private" @state : memref<4xi32> = dense<0>
  memref.global "private" @sh : memref<4xi32, 3>
  // CHECK: .global .align 4 .b8 table[16] = {0, 0, 128, 63,
  // CHECK-LABEL: .entry views(
  // CHECK: .local .align 4 .b8 __local_depot0[32];
  // A constant is read through the read-only path.
  // CHECK: ld.global.nc.b32
  // A memref without rank brings a descriptor in memory.
  // CHECK: ld.global.b64
  gpu.func @views(%x: memref<?x?xf32, strided<[?, 2], offset: ?>>, %n: index, %y: memref<*xf32>, %z: memref<4x8xf32>) kernel {
    %t = gpu.thread_id x
    %c1 = arith.constant 1 : index
    %s = memref.subview %x[%t, 1] [%n, 4] [2, 1] : memref<?x?xf32, strided<[?, 2], offset: ?>> to memref<?x4xf32, strided<[?, 2], offset: ?>>
    %g = memref.get_global @table : memref<4xf32>
    %v = memref.load %g[%t] : memref<4xf32>
    memref.store %v, %s[%c1, %t] : memref<?x4xf32, strided<[?, 2], offset: ?>>
    %d = memref.dim %x, %c1 : memref<?x?xf32, strided<[?, 2], offset: ?>>
    %g2 = memref.get_global @state : memref<4xi32>
    %di = arith.index_cast %d : index to i32
    memref.store %di, %g2[%t] : memref<4xi32>
    %col = memref.collapse_shape %z [[0, 1]] : memref<4x8xf32> into memref<32xf32>
    %ex = memref.expand_shape %col [[0, 1, 2]] output_shape [2, 4, 4] : memref<32xf32> into memref<2x4x4xf32>
    %tr = memref.transpose %ex (a, b, c) -> (c, b, a) : memref<2x4x4xf32> to memref<4x4x2xf32, strided<[1, 4, 16]>>
    %w = memref.load %tr[%t, %c1, %c1] : memref<4x4x2xf32, strided<[1, 4, 16]>>
    memref.store %w, %col[%t] : memref<32xf32>
    %ca = memref.cast %y : memref<*xf32> to memref<?xf32>
    memref.store %w, %ca[%t] : memref<?xf32>
    %rc = memref.reinterpret_cast %z to offset: [%t], sizes: [4], strides: [2] : memref<4x8xf32> to memref<4xf32, strided<[2], offset: ?>>
    memref.store %w, %rc[%t] : memref<4xf32, strided<[2], offset: ?>>
    %al = memref.assume_alignment %z, 16 : memref<4x8xf32>
    memref.prefetch %al[%t, %c1], read, locality<3>, data : memref<4x8xf32>
    %lo = memref.alloca() : memref<8xf32>
    memref.store %w, %lo[%t] : memref<8xf32>
    %lv = memref.load %lo[%c1] : memref<8xf32>
    memref.store %lv, %al[%t, %c1] : memref<4x8xf32>
    gpu.return
  }
}
