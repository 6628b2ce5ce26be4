// A block reduces: over each warp, in workgroup memory over the warps, two
// barriers. Any block size; a known one saves what a partly filled warp needs.
// RUN: async-gpu-opt %s --async-gpu-kernels=targets=ptx --emit=ptx | FileCheck %s
// RUN: async-gpu-opt %s --async-gpu-kernels="targets=ptx chip=sm_80" --emit=ptx | FileCheck %s --check-prefix=REDUX

gpu.module @m {
  // CHECK: .shared .align 16 .b8 agpu_reduce_f32[132];
  // CHECK-LABEL: .entry sum(
  // CHECK-COUNT-5: shfl.sync.bfly.b32
  // CHECK: st.shared
  // CHECK: bar.sync 0;
  // CHECK: ld.shared
  // CHECK-COUNT-5: shfl.sync.bfly.b32
  // CHECK: st.shared
  // CHECK: bar.sync 0;
  // CHECK: ld.shared
  // CHECK-NOT: bar.sync
  gpu.func @sum(%x: memref<?xf32>) kernel {
    %t = gpu.thread_id x
    %v = memref.load %x[%t] : memref<?xf32>
    %s = gpu.all_reduce add %v uniform {} : (f32) -> (f32)
    memref.store %s, %x[%t] : memref<?xf32>
    gpu.return
  }

  // No lane of any warp is missing: the first steps need no predicate.
  // CHECK-LABEL: .entry known(
  // CHECK-COUNT-4: shfl.sync.bfly.b32 %{{[a-z0-9]+}}, %{{[a-z0-9]+}}, {{[0-9]+}}, 31, -1;
  gpu.func @known(%x: memref<?xf32>)
      kernel attributes {known_block_size = array<i32: 64, 4, 1>} {
    %t = gpu.thread_id x
    %v = memref.load %x[%t] : memref<?xf32>
    %s = gpu.all_reduce maximumf %v {} : (f32) -> (f32)
    memref.store %s, %x[%t] : memref<?xf32>
    gpu.return
  }

  // CHECK-LABEL: .entry region(
  // CHECK: shfl.sync.bfly.b32
  // CHECK: mul
  gpu.func @region(%x: memref<?xf16>) kernel {
    %t = gpu.thread_id x
    %v = memref.load %x[%t] : memref<?xf16>
    %s = gpu.all_reduce %v {
    ^bb(%l: f16, %r: f16):
      %q = arith.mulf %l, %r : f16
      gpu.yield %q : f16
    } : (f16) -> (f16)
    memref.store %s, %x[%t] : memref<?xf16>
    gpu.return
  }

  // One instruction per warp where the chip has it.
  // CHECK-LABEL: .entry integers(
  // CHECK-NOT: redux
  // REDUX-LABEL: .entry integers(
  // REDUX: redux.sync.max.s32
  // REDUX: bar.sync
  // REDUX: redux.sync.max.s32
  // REDUX-NOT: shfl
  // REDUX-LABEL: .entry loop(
  gpu.func @integers(%x: memref<?xi32>) kernel {
    %t = gpu.thread_id x
    %v = memref.load %x[%t] : memref<?xi32>
    %s = gpu.all_reduce maxsi %v uniform {} : (i32) -> (i32)
    memref.store %s, %x[%t] : memref<?xi32>
    gpu.return
  }

  // Two in a loop share the memory of their type.
  // CHECK-LABEL: .entry loop(
  // CHECK-COUNT-4: bar.sync
  gpu.func @loop(%x: memref<?xi64>, %n: index) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    scf.for %i = %c0 to %n step %c1 {
      %v = memref.load %x[%i] : memref<?xi64>
      %a = gpu.all_reduce add %v uniform {} : (i64) -> (i64)
      %b = gpu.all_reduce mul %a uniform {} : (i64) -> (i64)
      memref.store %b, %x[%i] : memref<?xi64>
    }
    gpu.return
  }

  // CHECK-LABEL: .entry every_i1(
  // CHECK-COUNT-2: bar.sync
  gpu.func @every_i1(%x: memref<?xi1>) kernel {
    %t = gpu.thread_id x
    %r0 = memref.load %x[%t] : memref<?xi1>
    %r1 = gpu.all_reduce add %r0 {} : (i1) -> (i1)
    memref.store %r1, %x[%t] : memref<?xi1>
    gpu.return
  }

  // CHECK-LABEL: .entry every_i8(
  // CHECK-COUNT-2: bar.sync
  gpu.func @every_i8(%x: memref<?xi8>) kernel {
    %t = gpu.thread_id x
    %r0 = memref.load %x[%t] : memref<?xi8>
    %r1 = gpu.all_reduce add %r0 {} : (i8) -> (i8)
    memref.store %r1, %x[%t] : memref<?xi8>
    gpu.return
  }

  // CHECK-LABEL: .entry every_i16(
  // CHECK-COUNT-2: bar.sync
  gpu.func @every_i16(%x: memref<?xi16>) kernel {
    %t = gpu.thread_id x
    %r0 = memref.load %x[%t] : memref<?xi16>
    %r1 = gpu.all_reduce add %r0 {} : (i16) -> (i16)
    memref.store %r1, %x[%t] : memref<?xi16>
    gpu.return
  }

  // CHECK-LABEL: .entry every_i32(
  // CHECK-COUNT-18: bar.sync
  gpu.func @every_i32(%x: memref<?xi32>) kernel {
    %t = gpu.thread_id x
    %r0 = memref.load %x[%t] : memref<?xi32>
    %r1 = gpu.all_reduce add %r0 {} : (i32) -> (i32)
    %r2 = gpu.all_reduce mul %r1 {} : (i32) -> (i32)
    %r3 = gpu.all_reduce minui %r2 {} : (i32) -> (i32)
    %r4 = gpu.all_reduce minsi %r3 {} : (i32) -> (i32)
    %r5 = gpu.all_reduce maxui %r4 {} : (i32) -> (i32)
    %r6 = gpu.all_reduce maxsi %r5 {} : (i32) -> (i32)
    %r7 = gpu.all_reduce and %r6 {} : (i32) -> (i32)
    %r8 = gpu.all_reduce or %r7 {} : (i32) -> (i32)
    %r9 = gpu.all_reduce xor %r8 {} : (i32) -> (i32)
    memref.store %r9, %x[%t] : memref<?xi32>
    gpu.return
  }

  // CHECK-LABEL: .entry every_i64(
  // CHECK-COUNT-2: bar.sync
  gpu.func @every_i64(%x: memref<?xi64>) kernel {
    %t = gpu.thread_id x
    %r0 = memref.load %x[%t] : memref<?xi64>
    %r1 = gpu.all_reduce add %r0 {} : (i64) -> (i64)
    memref.store %r1, %x[%t] : memref<?xi64>
    gpu.return
  }

  // CHECK-LABEL: .entry every_f16(
  // CHECK-COUNT-2: bar.sync
  gpu.func @every_f16(%x: memref<?xf16>) kernel {
    %t = gpu.thread_id x
    %r0 = memref.load %x[%t] : memref<?xf16>
    %r1 = gpu.all_reduce add %r0 {} : (f16) -> (f16)
    memref.store %r1, %x[%t] : memref<?xf16>
    gpu.return
  }

  // CHECK-LABEL: .entry every_bf16(
  // CHECK-COUNT-2: bar.sync
  gpu.func @every_bf16(%x: memref<?xbf16>) kernel {
    %t = gpu.thread_id x
    %r0 = memref.load %x[%t] : memref<?xbf16>
    %r1 = gpu.all_reduce add %r0 {} : (bf16) -> (bf16)
    memref.store %r1, %x[%t] : memref<?xbf16>
    gpu.return
  }

  // CHECK-LABEL: .entry every_f32(
  // CHECK-COUNT-12: bar.sync
  gpu.func @every_f32(%x: memref<?xf32>) kernel {
    %t = gpu.thread_id x
    %r0 = memref.load %x[%t] : memref<?xf32>
    %r1 = gpu.all_reduce add %r0 {} : (f32) -> (f32)
    %r2 = gpu.all_reduce mul %r1 {} : (f32) -> (f32)
    %r3 = gpu.all_reduce minnumf %r2 {} : (f32) -> (f32)
    %r4 = gpu.all_reduce maxnumf %r3 {} : (f32) -> (f32)
    %r5 = gpu.all_reduce minimumf %r4 {} : (f32) -> (f32)
    %r6 = gpu.all_reduce maximumf %r5 {} : (f32) -> (f32)
    memref.store %r6, %x[%t] : memref<?xf32>
    gpu.return
  }

  // CHECK-LABEL: .entry every_f64(
  // CHECK-COUNT-2: bar.sync
  gpu.func @every_f64(%x: memref<?xf64>) kernel {
    %t = gpu.thread_id x
    %r0 = memref.load %x[%t] : memref<?xf64>
    %r1 = gpu.all_reduce add %r0 {} : (f64) -> (f64)
    memref.store %r1, %x[%t] : memref<?xf64>
    gpu.return
  }
}
