// Native code of kernels whose threads wait at barriers that all of them reach
// alike: a loop over the threads for each piece of code between barriers.
// RUN: async-gpu-opt %s --async-gpu-kernels=targets=native --split-input-file | FileCheck %s
// RUN: async-gpu-opt %s --async-gpu-kernels="targets=native native-threads=coroutines" --split-input-file | FileCheck %s --check-prefix=COROUTINES

// COROUTINES-COUNT-6: llvm.intr.coro.begin

// A value that a thread loads before the barrier is stored for after it; what
// follows from its id is computed again. The block size is known.
// CHECK-LABEL: llvm.func internal @agpu_body.m.slot(
// CHECK-SAME: %[[SHARED:[a-z0-9]+]]: !llvm.ptr {llvm.noalias}, %{{.*}}: !llvm.ptr {llvm.noalias}) attributes {no_inline, passthrough = {{.*}}"prefer-vector-width", "512"
// CHECK-NOT: coro
// CHECK: %[[SIZE:.*]] = llvm.mlir.constant(64 : i32)
// CHECK: %[[SLOT:.*]] = {{.*}}call @agpu_native_memory(%{{.*}})
// CHECK: %[[V:.*]] = llvm.load
// CHECK: %[[PLACE:.*]] = llvm.getelementptr %[[SLOT]][%{{.*}}]
// CHECK: llvm.store %[[V]], %[[PLACE]]
// CHECK-NOT: nvvm.barrier
// CHECK: %[[LATER:.*]] = llvm.load %{{.*}} {{.*}}: !llvm.ptr -> i32
// CHECK: llvm.icmp "ult" %{{.*}}, %[[SIZE]]
// CHECK: llvm.return
gpu.module @m {
  gpu.func @slot(%x: memref<?xi32>)
      workgroup(%w: memref<64xi32, #gpu.address_space<workgroup>>) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>} {
    %t = gpu.thread_id x
    %v = memref.load %x[%t] : memref<?xi32>
    memref.store %v, %w[%t] : memref<64xi32, #gpu.address_space<workgroup>>
    gpu.barrier
    memref.store %v, %x[%t] : memref<?xi32>
    gpu.return
  }
}

// -----

// The counter of a loop with a barrier is computed once for all threads.
// CHECK-LABEL: llvm.func internal @agpu_body.m.loop(
// CHECK: ^[[HEAD:bb[0-9]+]](%[[I:.*]]: i64):
// CHECK-NEXT: %[[MORE:.*]] = llvm.icmp "slt" %[[I]], %{{.*}}
// CHECK-NEXT: llvm.cond_br %[[MORE]]
// CHECK: %[[NEXT:.*]] = llvm.add %[[I]], %{{.*}} : i64
// CHECK: llvm.br ^[[HEAD]](%[[NEXT]] : i64)
// CHECK-NOT: coro
gpu.module @m {
  gpu.func @loop(%x: memref<?xi32>, %n: index) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    scf.for %i = %c0 to %n step %c1 {
      %k = arith.index_cast %i : index to i32
      memref.store %k, %x[%t] : memref<?xi32>
      gpu.barrier
    }
    gpu.return
  }
}

// -----

// Neither a branch by the thread's id nor one by what is in memory is known to
// be the same for all.
// CHECK-LABEL: llvm.func internal @agpu_body.m.by_thread(
// CHECK: llvm.intr.coro.begin
// CHECK-LABEL: llvm.func internal @agpu_body.m.by_memory(
// CHECK: llvm.intr.coro.begin
// What a thread does before it comes to the same barrier is its own affair.
// CHECK-LABEL: llvm.func internal @agpu_body.m.before(
// CHECK-NOT: coro
// CHECK: llvm.func internal @agpu_native.m.before(
gpu.module @m {
  gpu.func @by_thread(%n: index) kernel {
    %t = gpu.thread_id x
    %c = arith.cmpi ult, %t, %n : index
    scf.if %c {
      gpu.barrier
    }
    gpu.return
  }
  gpu.func @by_memory(%x: memref<i1>) kernel {
    %c = memref.load %x[] : memref<i1>
    scf.if %c {
      gpu.barrier
    }
    gpu.return
  }
  gpu.func @before(%x: memref<?xindex>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    %c = arith.cmpi ult, %t, %c1 : index
    scf.if %c {
      scf.for %i = %c0 to %t step %c1 {
        memref.store %i, %x[%t] : memref<?xindex>
      }
    }
    gpu.barrier
    gpu.return
  }
}

// -----

// Other waits than barriers for all threads.
// CHECK-LABEL: llvm.func internal @agpu_body.m.shuffle(
// CHECK: llvm.intr.coro.begin
gpu.module @m {
  gpu.func @shuffle(%x: memref<?xi32>) kernel {
    %t = gpu.thread_id x
    %one = arith.constant 1 : i32
    %width = arith.constant 32 : i32
    %v = memref.load %x[%t] : memref<?xi32>
    %s, %ok = gpu.shuffle xor %v, %one, %width : i32
    memref.store %s, %x[%t] : memref<?xi32>
    gpu.return
  }
}
