// Scalars: i1 to i64, halves, doubles, conversions between them, and 32-bit
// arithmetic where the source says i32.
// RUN: async-gpu-opt %s --async-gpu-kernels=targets=ptx --emit=ptx | FileCheck %s

gpu.module @m {
  // CHECK-LABEL: .entry types(
  // CHECK-NEXT: .param .u8 types_param_0
  // CHECK: ld.global.s8
  // CHECK: cvt.rn.f16.f32
  // This chip rounds to bf16 by integer arithmetic.
  // CHECK: bfe.u32 %{{.*}}, %{{.*}}, 16, 1;
  gpu.func @types(%b: i1, %x: memref<?xi8>, %y: memref<?xi16>, %z: memref<?xi64>,
                  %h: memref<?xf16>, %g: memref<?xbf16>, %d: memref<?xf64>, %f: f32) kernel {
    %t = gpu.thread_id x
    %a = memref.load %x[%t] : memref<?xi8>
    %a16 = arith.extsi %a : i8 to i16
    memref.store %a16, %y[%t] : memref<?xi16>
    %a64 = arith.extui %a : i8 to i64
    %s = arith.select %b, %a64, %a64 : i64
    %q = arith.divsi %s, %a64 : i64
    memref.store %q, %z[%t] : memref<?xi64>
    %fh = arith.truncf %f : f32 to f16
    memref.store %fh, %h[%t] : memref<?xf16>
    %fb = arith.truncf %f : f32 to bf16
    memref.store %fb, %g[%t] : memref<?xbf16>
    %fd = arith.extf %f : f32 to f64
    %gd = arith.mulf %fd, %fd : f64
    memref.store %gd, %d[%t] : memref<?xf64>
    %i = arith.fptosi %f : f32 to i8
    memref.store %i, %x[%t] : memref<?xi8>
    gpu.return
  }
  // bf16 arithmetic where the chip has none goes through f32.
  // CHECK-LABEL: .entry halves(
  gpu.func @halves(%h: memref<?xf16>, %g: memref<?xbf16>) kernel {
    %t = gpu.thread_id x
    %a = memref.load %h[%t] : memref<?xf16>
    %b = arith.addf %a, %a : f16
    %c = arith.divf %b, %a : f16
    %m = arith.maximumf %c, %b : f16
    memref.store %m, %h[%t] : memref<?xf16>
    %u = memref.load %g[%t] : memref<?xbf16>
    %v = arith.mulf %u, %u : bf16
    %w = arith.divf %v, %u : bf16
    %n = arith.minnumf %w, %v : bf16
    memref.store %n, %g[%t] : memref<?xbf16>
    gpu.return
  }
  // CHECK-LABEL: .entry index32(
  // CHECK: mad.lo.s32
  // CHECK-NOT: mul.lo.s64
  gpu.func @index32(%x: memref<?xi32>) kernel {
    %t = gpu.thread_id x
    %b = gpu.block_id x
    %n = gpu.block_dim x
    %t32 = arith.index_cast %t : index to i32
    %b32 = arith.index_cast %b : index to i32
    %n32 = arith.index_cast %n : index to i32
    %p = arith.muli %b32, %n32 : i32
    %i = arith.addi %p, %t32 : i32
    %k = arith.index_castui %i : i32 to index
    memref.store %i, %x[%k] : memref<?xi32>
    gpu.return
  }
}
