// A warp reduces, as a whole or in clusters. All lanes have the result, also in
// a warp that is partly filled.
// RUN: async-gpu-opt %s --async-gpu-kernels=targets=ptx --emit=ptx | FileCheck %s
// RUN: async-gpu-opt %s --async-gpu-kernels="targets=ptx chip=sm_80" --emit=ptx | FileCheck %s --check-prefix=REDUX

gpu.module @m {
  // CHECK-LABEL: .entry any(
  // CHECK-COUNT-5: shfl.sync.bfly.b32
  // CHECK: shfl.sync.idx.b32
  gpu.func @any(%x: memref<?xf32>) kernel {
    %t = gpu.thread_id x
    %v = memref.load %x[%t] : memref<?xf32>
    %s = gpu.subgroup_reduce add %v : (f32) -> (f32)
    memref.store %s, %x[%t] : memref<?xf32>
    gpu.return
  }

  // CHECK-LABEL: .entry full(
  // CHECK-COUNT-5: shfl.sync.bfly.b32 %{{[a-z0-9]+}}, %{{[a-z0-9]+}}, {{[0-9]+}}, 31, -1;
  // CHECK-NOT: shfl
  gpu.func @full(%x: memref<?xf32>)
      kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %t = gpu.thread_id x
    %v = memref.load %x[%t] : memref<?xf32>
    %s = gpu.subgroup_reduce add %v uniform : (f32) -> (f32)
    memref.store %s, %x[%t] : memref<?xf32>
    gpu.return
  }

  // CHECK-LABEL: .entry cluster(
  // CHECK: shfl.sync.bfly.b32 {{.*}}, 2, 31, -1;
  // CHECK: shfl.sync.bfly.b32 {{.*}}, 4, 31, -1;
  // CHECK-NOT: shfl
  gpu.func @cluster(%x: memref<?xf32>)
      kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %t = gpu.thread_id x
    %v = memref.load %x[%t] : memref<?xf32>
    %s = gpu.subgroup_reduce maxnumf %v cluster(size = 4, stride = 2)
        : (f32) -> (f32)
    memref.store %s, %x[%t] : memref<?xf32>
    gpu.return
  }

  // CHECK-LABEL: .entry vector(
  // CHECK-COUNT-10: shfl.sync.bfly.b32
  gpu.func @vector(%x: memref<?xvector<2xf32>>) kernel {
    %t = gpu.thread_id x
    %v = memref.load %x[%t] : memref<?xvector<2xf32>>
    %s = gpu.subgroup_reduce add %v : (vector<2xf32>) -> (vector<2xf32>)
    memref.store %s, %x[%t] : memref<?xvector<2xf32>>
    gpu.return
  }

  // REDUX-LABEL: .entry integers(
  // REDUX: redux.sync.add.s32
  // REDUX: redux.sync.min.u32
  // REDUX: redux.sync.xor.b32
  // REDUX-NOT: shfl
  // REDUX-LABEL: .entry every_i1(
  // CHECK-LABEL: .entry integers(
  gpu.func @integers(%x: memref<?xi32>) kernel {
    %t = gpu.thread_id x
    %v = memref.load %x[%t] : memref<?xi32>
    %a = gpu.subgroup_reduce add %v : (i32) -> (i32)
    %b = gpu.subgroup_reduce minui %a : (i32) -> (i32)
    %c = gpu.subgroup_reduce xor %b uniform : (i32) -> (i32)
    memref.store %c, %x[%t] : memref<?xi32>
    gpu.return
  }

  // CHECK-LABEL: .entry every_i1(
  // CHECK: shfl.sync.idx.b32
  gpu.func @every_i1(%x: memref<?xi1>) kernel {
    %t = gpu.thread_id x
    %r0 = memref.load %x[%t] : memref<?xi1>
    %r1 = gpu.subgroup_reduce mul %r0 cluster(size = 8) : (i1) -> (i1)
    memref.store %r1, %x[%t] : memref<?xi1>
    gpu.return
  }

  // CHECK-LABEL: .entry every_i8(
  // CHECK: shfl.sync.idx.b32
  gpu.func @every_i8(%x: memref<?xi8>) kernel {
    %t = gpu.thread_id x
    %r0 = memref.load %x[%t] : memref<?xi8>
    %r1 = gpu.subgroup_reduce mul %r0 cluster(size = 8) : (i8) -> (i8)
    memref.store %r1, %x[%t] : memref<?xi8>
    gpu.return
  }

  // CHECK-LABEL: .entry every_i16(
  // CHECK: shfl.sync.idx.b32
  gpu.func @every_i16(%x: memref<?xi16>) kernel {
    %t = gpu.thread_id x
    %r0 = memref.load %x[%t] : memref<?xi16>
    %r1 = gpu.subgroup_reduce mul %r0 cluster(size = 8) : (i16) -> (i16)
    memref.store %r1, %x[%t] : memref<?xi16>
    gpu.return
  }

  // CHECK-LABEL: .entry every_i32(
  // CHECK: shfl.sync.idx.b32
  gpu.func @every_i32(%x: memref<?xi32>) kernel {
    %t = gpu.thread_id x
    %r0 = memref.load %x[%t] : memref<?xi32>
    %r1 = gpu.subgroup_reduce add %r0 cluster(size = 8) : (i32) -> (i32)
    %r2 = gpu.subgroup_reduce mul %r1 cluster(size = 8) : (i32) -> (i32)
    %r3 = gpu.subgroup_reduce minui %r2 cluster(size = 8) : (i32) -> (i32)
    %r4 = gpu.subgroup_reduce minsi %r3 cluster(size = 8) : (i32) -> (i32)
    %r5 = gpu.subgroup_reduce maxui %r4 cluster(size = 8) : (i32) -> (i32)
    %r6 = gpu.subgroup_reduce maxsi %r5 cluster(size = 8) : (i32) -> (i32)
    %r7 = gpu.subgroup_reduce and %r6 cluster(size = 8) : (i32) -> (i32)
    %r8 = gpu.subgroup_reduce or %r7 cluster(size = 8) : (i32) -> (i32)
    %r9 = gpu.subgroup_reduce xor %r8 cluster(size = 8) : (i32) -> (i32)
    memref.store %r9, %x[%t] : memref<?xi32>
    gpu.return
  }

  // CHECK-LABEL: .entry every_i64(
  // CHECK: shfl.sync.idx.b32
  gpu.func @every_i64(%x: memref<?xi64>) kernel {
    %t = gpu.thread_id x
    %r0 = memref.load %x[%t] : memref<?xi64>
    %r1 = gpu.subgroup_reduce mul %r0 cluster(size = 8) : (i64) -> (i64)
    memref.store %r1, %x[%t] : memref<?xi64>
    gpu.return
  }

  // CHECK-LABEL: .entry every_f16(
  // CHECK: shfl.sync.idx.b32
  gpu.func @every_f16(%x: memref<?xf16>) kernel {
    %t = gpu.thread_id x
    %r0 = memref.load %x[%t] : memref<?xf16>
    %r1 = gpu.subgroup_reduce mul %r0 cluster(size = 8) : (f16) -> (f16)
    memref.store %r1, %x[%t] : memref<?xf16>
    gpu.return
  }

  // CHECK-LABEL: .entry every_bf16(
  // CHECK: shfl.sync.idx.b32
  gpu.func @every_bf16(%x: memref<?xbf16>) kernel {
    %t = gpu.thread_id x
    %r0 = memref.load %x[%t] : memref<?xbf16>
    %r1 = gpu.subgroup_reduce mul %r0 cluster(size = 8) : (bf16) -> (bf16)
    memref.store %r1, %x[%t] : memref<?xbf16>
    gpu.return
  }

  // CHECK-LABEL: .entry every_f32(
  // CHECK: shfl.sync.idx.b32
  gpu.func @every_f32(%x: memref<?xf32>) kernel {
    %t = gpu.thread_id x
    %r0 = memref.load %x[%t] : memref<?xf32>
    %r1 = gpu.subgroup_reduce add %r0 cluster(size = 8) : (f32) -> (f32)
    %r2 = gpu.subgroup_reduce mul %r1 cluster(size = 8) : (f32) -> (f32)
    %r3 = gpu.subgroup_reduce minnumf %r2 cluster(size = 8) : (f32) -> (f32)
    %r4 = gpu.subgroup_reduce maxnumf %r3 cluster(size = 8) : (f32) -> (f32)
    %r5 = gpu.subgroup_reduce minimumf %r4 cluster(size = 8) : (f32) -> (f32)
    %r6 = gpu.subgroup_reduce maximumf %r5 cluster(size = 8) : (f32) -> (f32)
    memref.store %r6, %x[%t] : memref<?xf32>
    gpu.return
  }

  // CHECK-LABEL: .entry every_f64(
  // CHECK: shfl.sync.idx.b32
  gpu.func @every_f64(%x: memref<?xf64>) kernel {
    %t = gpu.thread_id x
    %r0 = memref.load %x[%t] : memref<?xf64>
    %r1 = gpu.subgroup_reduce mul %r0 cluster(size = 8) : (f64) -> (f64)
    memref.store %r1, %x[%t] : memref<?xf64>
    gpu.return
  }
}
