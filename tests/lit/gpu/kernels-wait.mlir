// Native code of kernels whose threads wait for each other: each thread is a
// coroutine, which leaves in its record where and with which operands it waits.
// RUN: async-gpu-opt %s --async-gpu-kernels="targets=native native-threads=coroutines" --split-input-file | FileCheck %s

// Where a thread waits is a constant: number, kind of wait, mode, location.
// CHECK-LABEL: llvm.mlir.global internal constant @agpu_site.m.0() {{.*}} !llvm.struct<(i32, i32, i32, array<
// CHECK: llvm.func internal @agpu_body.m.k({{.*}}, %[[SHARED:.*]]: !llvm.ptr, %[[DYNAMIC:.*]]: !llvm.ptr, %[[THREAD:.*]]: !llvm.ptr) attributes {passthrough = ["presplitcoroutine"]}
// CHECK: llvm.intr.coro.id
// CHECK: %[[MEMORY:.*]] = {{.*}}call @agpu_native_frame(%[[THREAD]]
// CHECK: %[[FRAME:.*]] = llvm.intr.coro.begin %{{.*}}, %[[MEMORY]]
// CHECK: llvm.store %[[FRAME]]
// CHECK: llvm.getelementptr %[[SHARED]][0]
// CHECK: llvm.mlir.addressof @agpu_site.m.0
// CHECK: llvm.store
// CHECK: llvm.intr.coro.suspend
// CHECK: llvm.switch
// The record says that the thread has ended.
// CHECK: %[[NULL:.*]] = llvm.mlir.zero
// CHECK: llvm.store %[[NULL]]
// CHECK: llvm.intr.coro.end
// The block: records, the threads' starts, and then the runtime.
// CHECK: llvm.func internal @agpu_native.m.k(%{{.*}}: !llvm.ptr, %[[BLOCK:.*]]: !llvm.ptr)
// CHECK: %[[THREADS:.*]] = {{.*}}call @agpu_native_begin_block(%[[BLOCK]])
// CHECK: %[[RECORD:.*]] = llvm.getelementptr %[[THREADS]][%{{.*}}] {{.*}}array<40 x i8>
// CHECK: llvm.call @agpu_body.m.k({{.*}}, %[[RECORD]])
// CHECK: call @agpu_native_run_block(%[[BLOCK]])
gpu.module @m {
  gpu.func @k(%x: memref<?xf32>)
      workgroup(%s: memref<32xf32, #gpu.address_space<workgroup>>) kernel {
    %t = gpu.thread_id x
    %c31 = arith.constant 31 : index
    %r = arith.subi %c31, %t : index
    %v = memref.load %x[%t] : memref<?xf32>
    memref.store %v, %s[%t] : memref<32xf32, #gpu.address_space<workgroup>>
    gpu.barrier
    %w = memref.load %s[%r] : memref<32xf32, #gpu.address_space<workgroup>>
    memref.store %w, %x[%t] : memref<?xf32>
    gpu.return
  }
}

// -----

// A kernel that shares memory without waiting is a loop. Its bytes are part of
// its descriptor; kernels that share no global use the same ones.
// CHECK-LABEL: llvm.func internal @agpu_body.loop.a
// CHECK-SAME: no_inline
// CHECK: llvm.getelementptr %{{.*}}[0]
// CHECK: llvm.func internal @agpu_body.loop.b
// CHECK: llvm.getelementptr %{{.*}}[0]
// CHECK-NOT: agpu_native_run_block
// CHECK: llvm.mlir.global internal constant @agpu_native_kernels.loop
// CHECK: llvm.mlir.constant(64 : i32)
// CHECK: llvm.mlir.constant(128 : i32)
gpu.module @loop {
  gpu.func @a(%x: memref<?xf32>)
      workgroup(%s: memref<16xf32, #gpu.address_space<workgroup>>) kernel {
    %t = gpu.thread_id x
    %v = memref.load %x[%t] : memref<?xf32>
    memref.store %v, %s[%t] : memref<16xf32, #gpu.address_space<workgroup>>
    gpu.return
  }
  gpu.func @b(%x: memref<?xf32>)
      workgroup(%s: memref<32xf32, #gpu.address_space<workgroup>>) kernel {
    %t = gpu.thread_id x
    %v = memref.load %x[%t] : memref<?xf32>
    memref.store %v, %s[%t] : memref<32xf32, #gpu.address_space<workgroup>>
    gpu.return
  }
}

// -----

// A function that waits becomes a part of its kernel.
// CHECK-LABEL: @agpu_body.inlined.k
// CHECK: llvm.intr.coro.suspend
// CHECK-NOT: agpu_device.inlined
gpu.module @inlined {
  func.func @meet() {
    gpu.barrier
    return
  }
  gpu.func @k() kernel {
    func.call @meet() : () -> ()
    gpu.return
  }
}

// -----

// Printing, assertions and traps are calls of the device; types and places are
// constants. The thread of a failed assertion does not go on; the launch ends
// once the others have come as far as they do by themselves.
// CHECK-LABEL: llvm.func internal @agpu_body.services.k
// CHECK: call @agpu_native_assert_failed({{.*}}, %[[X:[0-9]+]], %[[Y:[0-9]+]], %[[Z:[0-9]+]])
// CHECK-NEXT: llvm.br ^[[LATCH:bb[0-9]+]]
// CHECK: call @agpu_native_print
// CHECK: call @agpu_native_trap(%{{.*}}, %[[X]], %[[Y]], %[[Z]])
// CHECK: ^{{.*}}(%[[Z]]: i32):
// CHECK: ^{{.*}}(%[[Y]]: i32):
// CHECK: ^{{.*}}(%[[X]]: i32):
gpu.module @services {
  gpu.func @k(%c: i1, %n: i32) kernel {
    cf.assert %c, "no"
    gpu.printf "%d\n", %n : i32
    llvm.intr.trap
    gpu.return
  }
}
