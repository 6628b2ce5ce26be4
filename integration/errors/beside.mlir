// What threads lack that copies go on beside: one kernel for each case, which the
// function of the same name launches.
// CHIPS: sm_90a
// FLAGS: --gpu-chip=sm_90a
// CARD: never, a check finds it

!map = !nvgpu.tensormap.descriptor<tensor = memref<8x64xf32, #gpu.address_space<workgroup>>, swizzle = none, l2promo = none, oob = zero, interleave = none>
!tile = memref<8x64xf32, #gpu.address_space<workgroup>>
!barrier = !nvgpu.mbarrier.group<memorySpace = #gpu.address_space<workgroup>>

module attributes {gpu.container_module} {

gpu.module @kernels {
  // Nothing tells the copy what the threads have written.
  gpu.func @no_fence(%m: !map) workgroup(%a: !tile) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    %first = arith.cmpi eq, %t, %c0 : index
    %f = arith.constant 1.0 : f32
    memref.store %f, %a[%c1, %t] : !tile
    gpu.barrier
    scf.if %first {
      nvgpu.tma.async.store %a to %m[%c0, %c0] : !tile -> !map
      nvvm.cp.async.bulk.commit.group
      nvvm.cp.async.bulk.wait_group 0 {read}
    }
    gpu.barrier
    %g = arith.constant 2.0 : f32
    memref.store %g, %a[%c1, %t] : !tile
    gpu.return
  }
  // The copy does not wait for the other threads.
  gpu.func @no_barrier(%m: !map) workgroup(%a: !tile) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    %first = arith.cmpi eq, %t, %c0 : index
    %f = arith.constant 1.0 : f32
    memref.store %f, %a[%c1, %t] : !tile
    nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
    scf.if %first {
      nvgpu.tma.async.store %a to %m[%c0, %c0] : !tile -> !map
      nvvm.cp.async.bulk.commit.group
      nvvm.cp.async.bulk.wait_group 0 {read}
    }
    gpu.barrier
    %g = arith.constant 2.0 : f32
    memref.store %g, %a[%c1, %t] : !tile
    gpu.return
  }
  // The other threads do not wait for the copy.
  gpu.func @no_barrier_behind(%m: !map) workgroup(%a: !tile) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    %first = arith.cmpi eq, %t, %c0 : index
    %f = arith.constant 1.0 : f32
    memref.store %f, %a[%c1, %t] : !tile
    nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
    gpu.barrier
    scf.if %first {
      nvgpu.tma.async.store %a to %m[%c0, %c0] : !tile -> !map
      nvvm.cp.async.bulk.commit.group
      nvvm.cp.async.bulk.wait_group 0 {read}
    }
    %g = arith.constant 2.0 : f32
    memref.store %g, %a[%c1, %t] : !tile
    gpu.return
  }
  // All but the first thread do not wait for the initialisation.
  gpu.func @no_barrier_of_init(%m: !map) workgroup(%a: !tile) kernel {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %t = gpu.thread_id x
    %first = arith.cmpi eq, %t, %c0 : index
    %bar = nvgpu.mbarrier.create -> !barrier
    nvgpu.mbarrier.init %bar[%c0], %c64, predicate = %first : !barrier
    %token = nvgpu.mbarrier.arrive %bar[%c0] : !barrier -> !nvgpu.mbarrier.token
    gpu.return
  }
}

// RUN: @no_fence EMU_CHECK=races
// ERROR: beside.mlir:[[@LINE-61]]:7: error: kernel 'no_fence', block 0,0,0: thread 0,0,0 begins a copy or a product that reads byte 256 of workgroup memory, which thread 0,0,0 wrote at {{.*}}beside.mlir:[[@LINE-64]]:5, with no nvvm.fence.proxy (of async.shared) behind the write
func.func @no_fence() {
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c64 = arith.constant 64 : index
  %g = gpu.alloc() : memref<8x64xf32>
  %u = memref.cast %g : memref<8x64xf32> to memref<*xf32>
  %m = nvgpu.tma.create.descriptor %u box[%c8, %c64] : memref<*xf32> -> !map
  gpu.launch_func @kernels::@no_fence blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1)
      args(%m : !map)
  gpu.wait
  gpu.dealloc %g : memref<8x64xf32>
  return
}

// RUN: @no_barrier EMU_CHECK=races
// ERROR: beside.mlir:[[@LINE-61]]:5: error: race: kernel 'no_barrier', block 0,0,0: thread 1,0,0 writes 4 bytes at byte 260 of workgroup memory, which an asynchronous copy reads at {{.*}}beside.mlir:[[@LINE-58]]:7; no barrier stands between them
func.func @no_barrier() {
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c64 = arith.constant 64 : index
  %g = gpu.alloc() : memref<8x64xf32>
  %u = memref.cast %g : memref<8x64xf32> to memref<*xf32>
  %m = nvgpu.tma.create.descriptor %u box[%c8, %c64] : memref<*xf32> -> !map
  gpu.launch_func @kernels::@no_barrier blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1)
      args(%m : !map)
  gpu.wait
  gpu.dealloc %g : memref<8x64xf32>
  return
}

// RUN: @no_barrier_behind EMU_CHECK=races
// ERROR: beside.mlir:[[@LINE-49]]:5: error: race: kernel 'no_barrier_behind', block 0,0,0: thread 1,0,0 writes 4 bytes at byte 260 of workgroup memory, which an asynchronous copy reads at {{.*}}beside.mlir:[[@LINE-54]]:7; no barrier stands between them
func.func @no_barrier_behind() {
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c64 = arith.constant 64 : index
  %g = gpu.alloc() : memref<8x64xf32>
  %u = memref.cast %g : memref<8x64xf32> to memref<*xf32>
  %m = nvgpu.tma.create.descriptor %u box[%c8, %c64] : memref<*xf32> -> !map
  gpu.launch_func @kernels::@no_barrier_behind blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1)
      args(%m : !map)
  gpu.wait
  gpu.dealloc %g : memref<8x64xf32>
  return
}

// RUN: @no_barrier_of_init EMU_CHECK=races
// ERROR: beside.mlir:[[@LINE-54]]:14: error: race: kernel 'no_barrier_of_init', block 0,0,0: thread 1,0,0 reads 8 bytes at byte 0 of workgroup memory, which thread 0,0,0 writes at {{.*}}beside.mlir:[[@LINE-55]]:5; no barrier stands between them
func.func @no_barrier_of_init() {
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c64 = arith.constant 64 : index
  %g = gpu.alloc() : memref<8x64xf32>
  %u = memref.cast %g : memref<8x64xf32> to memref<*xf32>
  %m = nvgpu.tma.create.descriptor %u box[%c8, %c64] : memref<*xf32> -> !map
  gpu.launch_func @kernels::@no_barrier_of_init blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1)
      args(%m : !map)
  gpu.wait
  gpu.dealloc %g : memref<8x64xf32>
  return
}

}
