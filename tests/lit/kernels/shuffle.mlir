// A value moves between lanes: every mode, every size, as one shfl.sync per 32
// bits. The lanes that take part are the first `width`.
// RUN: async-gpu-opt %s --async-gpu-kernels=targets=ptx --emit=ptx | FileCheck %s

gpu.module @m {
  // CHECK-LABEL: .entry modes(
  // CHECK: shfl.sync.bfly.b32 {{.*}}, 31, -1;
  // CHECK: shfl.sync.up.b32 {{.*}}, 0, -1;
  // CHECK: shfl.sync.down.b32 {{.*}}, 31, -1;
  // CHECK: shfl.sync.idx.b32 {{.*}}, 31, -1;
  gpu.func @modes(%x: memref<?xf32>, %o: i32) kernel {
    %t = gpu.thread_id x
    %w = arith.constant 32 : i32
    %v = memref.load %x[%t] : memref<?xf32>
    %s0, %p0 = gpu.shuffle xor %v, %o, %w : f32
    %s1, %p1 = gpu.shuffle up %s0, %o, %w : f32
    %s2, %p2 = gpu.shuffle down %s1, %o, %w : f32
    %s3, %p3 = gpu.shuffle idx %s2, %o, %w : f32
    memref.store %s3, %x[%t] : memref<?xf32>
    gpu.return
  }

  // CHECK-LABEL: .entry widths(
  // Lanes from the width on name each other, and read themselves.
  // CHECK: mov.u32 %[[LANE:.*]], %laneid;
  // CHECK: setp.lt.u32 %[[IN:.*]], %[[LANE]], 8;
  // CHECK: selp.b32 %[[MASK8:.*]], 255, -256, %[[IN]];
  // CHECK: shfl.sync.bfly.b32 %{{[a-z0-9]+}}|%p{{.*}}, 7, %[[MASK8]];
  // CHECK: selp.b32 %[[MASK16:.*]], 65535, -65536,
  // CHECK: shfl.sync.up.b32 {{.*}}, 0, %[[MASK16]];
  // CHECK: shfl.sync.down.b32
  gpu.func @widths(%x: memref<?xi32>, %o: i32, %n: i32) kernel {
    %t = gpu.thread_id x
    %w8 = arith.constant 8 : i32
    %w16 = arith.constant 16 : i32
    %v = memref.load %x[%t] : memref<?xi32>
    %s0, %p0 = gpu.shuffle xor %v, %o, %w8 : i32
    %r0 = arith.select %p0, %s0, %v : i32
    %s1, %p1 = gpu.shuffle up %r0, %o, %w16 : i32
    %s2, %p2 = gpu.shuffle down %s1, %o, %n : i32
    memref.store %s2, %x[%t] : memref<?xi32>
    gpu.return
  }

  // CHECK-LABEL: .entry i1(
  // CHECK-COUNT-1: shfl.sync.bfly.b32
  // CHECK-NOT: shfl
  gpu.func @i1(%x: memref<?xi1>, %o: i32) kernel {
    %t = gpu.thread_id x
    %w = arith.constant 32 : i32
    %v = memref.load %x[%t] : memref<?xi1>
    %s, %p = gpu.shuffle xor %v, %o, %w : i1
    memref.store %s, %x[%t] : memref<?xi1>
    gpu.return
  }

  // CHECK-LABEL: .entry i8(
  // CHECK-COUNT-1: shfl.sync.bfly.b32
  // CHECK-NOT: shfl
  gpu.func @i8(%x: memref<?xi8>, %o: i32) kernel {
    %t = gpu.thread_id x
    %w = arith.constant 32 : i32
    %v = memref.load %x[%t] : memref<?xi8>
    %s, %p = gpu.shuffle xor %v, %o, %w : i8
    memref.store %s, %x[%t] : memref<?xi8>
    gpu.return
  }

  // CHECK-LABEL: .entry i16(
  // CHECK-COUNT-1: shfl.sync.bfly.b32
  // CHECK-NOT: shfl
  gpu.func @i16(%x: memref<?xi16>, %o: i32) kernel {
    %t = gpu.thread_id x
    %w = arith.constant 32 : i32
    %v = memref.load %x[%t] : memref<?xi16>
    %s, %p = gpu.shuffle xor %v, %o, %w : i16
    memref.store %s, %x[%t] : memref<?xi16>
    gpu.return
  }

  // CHECK-LABEL: .entry i24(
  // CHECK-COUNT-1: shfl.sync.bfly.b32
  // CHECK-NOT: shfl
  gpu.func @i24(%x: memref<?xi24>, %o: i32) kernel {
    %t = gpu.thread_id x
    %w = arith.constant 32 : i32
    %v = memref.load %x[%t] : memref<?xi24>
    %s, %p = gpu.shuffle xor %v, %o, %w : i24
    memref.store %s, %x[%t] : memref<?xi24>
    gpu.return
  }

  // CHECK-LABEL: .entry f16(
  // CHECK-COUNT-1: shfl.sync.bfly.b32
  // CHECK-NOT: shfl
  gpu.func @f16(%x: memref<?xf16>, %o: i32) kernel {
    %t = gpu.thread_id x
    %w = arith.constant 32 : i32
    %v = memref.load %x[%t] : memref<?xf16>
    %s, %p = gpu.shuffle xor %v, %o, %w : f16
    memref.store %s, %x[%t] : memref<?xf16>
    gpu.return
  }

  // CHECK-LABEL: .entry bf16(
  // CHECK-COUNT-1: shfl.sync.bfly.b32
  // CHECK-NOT: shfl
  gpu.func @bf16(%x: memref<?xbf16>, %o: i32) kernel {
    %t = gpu.thread_id x
    %w = arith.constant 32 : i32
    %v = memref.load %x[%t] : memref<?xbf16>
    %s, %p = gpu.shuffle xor %v, %o, %w : bf16
    memref.store %s, %x[%t] : memref<?xbf16>
    gpu.return
  }

  // CHECK-LABEL: .entry i40(
  // CHECK-COUNT-2: shfl.sync.bfly.b32
  // CHECK-NOT: shfl
  gpu.func @i40(%x: memref<?xi40>, %o: i32) kernel {
    %t = gpu.thread_id x
    %w = arith.constant 32 : i32
    %v = memref.load %x[%t] : memref<?xi40>
    %s, %p = gpu.shuffle xor %v, %o, %w : i40
    memref.store %s, %x[%t] : memref<?xi40>
    gpu.return
  }

  // CHECK-LABEL: .entry i64(
  // CHECK-COUNT-2: shfl.sync.bfly.b32
  // CHECK-NOT: shfl
  gpu.func @i64(%x: memref<?xi64>, %o: i32) kernel {
    %t = gpu.thread_id x
    %w = arith.constant 32 : i32
    %v = memref.load %x[%t] : memref<?xi64>
    %s, %p = gpu.shuffle xor %v, %o, %w : i64
    memref.store %s, %x[%t] : memref<?xi64>
    gpu.return
  }

  // CHECK-LABEL: .entry f64(
  // CHECK-COUNT-2: shfl.sync.bfly.b32
  // CHECK-NOT: shfl
  gpu.func @f64(%x: memref<?xf64>, %o: i32) kernel {
    %t = gpu.thread_id x
    %w = arith.constant 32 : i32
    %v = memref.load %x[%t] : memref<?xf64>
    %s, %p = gpu.shuffle xor %v, %o, %w : f64
    memref.store %s, %x[%t] : memref<?xf64>
    gpu.return
  }

  // CHECK-LABEL: .entry vector_2xf16(
  // CHECK-COUNT-1: shfl.sync.bfly.b32
  // CHECK-NOT: shfl
  gpu.func @vector_2xf16(%x: memref<?xvector<2xf16>>, %o: i32) kernel {
    %t = gpu.thread_id x
    %w = arith.constant 32 : i32
    %v = memref.load %x[%t] : memref<?xvector<2xf16>>
    %s, %p = gpu.shuffle xor %v, %o, %w : vector<2xf16>
    memref.store %s, %x[%t] : memref<?xvector<2xf16>>
    gpu.return
  }

  // CHECK-LABEL: .entry vector_4xi8(
  // CHECK-COUNT-1: shfl.sync.bfly.b32
  // CHECK-NOT: shfl
  gpu.func @vector_4xi8(%x: memref<?xvector<4xi8>>, %o: i32) kernel {
    %t = gpu.thread_id x
    %w = arith.constant 32 : i32
    %v = memref.load %x[%t] : memref<?xvector<4xi8>>
    %s, %p = gpu.shuffle xor %v, %o, %w : vector<4xi8>
    memref.store %s, %x[%t] : memref<?xvector<4xi8>>
    gpu.return
  }

  // CHECK-LABEL: .entry vector_3xf16(
  // CHECK-COUNT-3: shfl.sync.bfly.b32
  // CHECK-NOT: shfl
  gpu.func @vector_3xf16(%x: memref<?xvector<3xf16>>, %o: i32) kernel {
    %t = gpu.thread_id x
    %w = arith.constant 32 : i32
    %v = memref.load %x[%t] : memref<?xvector<3xf16>>
    %s, %p = gpu.shuffle xor %v, %o, %w : vector<3xf16>
    memref.store %s, %x[%t] : memref<?xvector<3xf16>>
    gpu.return
  }

  // CHECK-LABEL: .entry vector_4xf32(
  // CHECK-COUNT-4: shfl.sync.bfly.b32
  // CHECK-NOT: shfl
  gpu.func @vector_4xf32(%x: memref<?xvector<4xf32>>, %o: i32) kernel {
    %t = gpu.thread_id x
    %w = arith.constant 32 : i32
    %v = memref.load %x[%t] : memref<?xvector<4xf32>>
    %s, %p = gpu.shuffle xor %v, %o, %w : vector<4xf32>
    memref.store %s, %x[%t] : memref<?xvector<4xf32>>
    gpu.return
  }

  // CHECK-LABEL: .entry vector_2xf64(
  // CHECK-COUNT-4: shfl.sync.bfly.b32
  // CHECK-NOT: shfl
  gpu.func @vector_2xf64(%x: memref<?xvector<2xf64>>, %o: i32) kernel {
    %t = gpu.thread_id x
    %w = arith.constant 32 : i32
    %v = memref.load %x[%t] : memref<?xvector<2xf64>>
    %s, %p = gpu.shuffle xor %v, %o, %w : vector<2xf64>
    memref.store %s, %x[%t] : memref<?xvector<2xf64>>
    gpu.return
  }

  // CHECK-LABEL: .entry vector_3xi1(
  // CHECK-COUNT-3: shfl.sync.bfly.b32
  // CHECK-NOT: shfl
  gpu.func @vector_3xi1(%x: memref<?xvector<3xi1>>, %o: i32) kernel {
    %t = gpu.thread_id x
    %w = arith.constant 32 : i32
    %v = memref.load %x[%t] : memref<?xvector<3xi1>>
    %s, %p = gpu.shuffle xor %v, %o, %w : vector<3xi1>
    memref.store %s, %x[%t] : memref<?xvector<3xi1>>
    gpu.return
  }
  // CHECK-LABEL: .entry last(
  gpu.func @last() kernel {
    gpu.return
  }
}
