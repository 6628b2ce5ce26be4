// What the PTX manual leaves undefined and cards take: an error, or not, as
// ASYNC_GPU_EMU_TOLERATE says. One kernel for each way, with a block of 64.
// CHIPS: sm_90
// FLAGS: --gpu-chip=sm_90
// CARD: never, its kernels break rules
// FAULTS: brief, all kernels make the same calls

!barrier = !nvgpu.mbarrier.group<memorySpace = #gpu.address_space<workgroup>>

module attributes {gpu.container_module} {

gpu.module @kernels {
  // Each thread initialises the same object, and arrives once.
  gpu.func @twice(%out: memref<64xi32>) kernel {
    %t = gpu.thread_id x
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %one = arith.constant 1 : i32
    %ticks = arith.constant 10000000 : index
    %false = arith.constant false
    %b = nvgpu.mbarrier.create -> !barrier
    nvgpu.mbarrier.init %b[%c0], %c64 : !barrier
    %token = nvgpu.mbarrier.arrive %b[%c0] : !barrier -> !nvgpu.mbarrier.token
    nvgpu.mbarrier.try_wait.parity %b[%c0], %false, %ticks : !barrier
    memref.store %one, %out[%t] : memref<64xi32>
    gpu.return
  }
  // A shuffle with the mask of lane 5 alone, in which each lane asks lane 0.
  gpu.func @mask(%out: memref<64xi32>) kernel {
    %t = gpu.thread_id x
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %last = arith.constant 31 : i32
    %lane5 = arith.constant 32 : i32
    %i = arith.index_cast %t : index to i32
    %v = nvvm.shfl.sync idx %lane5, %i, %zero, %last : i32 -> i32
    %lane = arith.andi %i, %last : i32
    %first = arith.subi %i, %lane : i32
    %is = arith.cmpi eq, %v, %first : i32
    %r = arith.select %is, %one, %zero : i32
    memref.store %r, %out[%t] : memref<64xi32>
    gpu.return
  }
}

// The sum of 64 ones.
func.func @print(%d: memref<64xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0 : i32
  %h = memref.alloc() : memref<64xi32>
  gpu.memcpy %h, %d : memref<64xi32>, memref<64xi32>
  %sum = scf.for %i = %c0 to %c64 step %c1 iter_args(%s = %zero) -> i32 {
    %x = memref.load %h[%i] : memref<64xi32>
    %n = arith.addi %s, %x : i32
    scf.yield %n : i32
  }
  vector.print %sum : i32
  memref.dealloc %h : memref<64xi32>
  gpu.dealloc %d : memref<64xi32>
  return
}

// RUN: @twice EMU_TOLERATE=|masks
// ERROR: tolerated.mlir:{{[0-9]+}}:{{[0-9]+}}: error: {{.*}}: CUDA_ERROR_LAUNCH_FAILED: {{.*}}[[@LINE-44]]:5: kernel 'twice', block 0,0,0: thread 1,0,0 initialises the mbarrier at byte 0 of workgroup memory again, which it is since {{.*}}[[@LINE-44]]:5: invalidate it first
// RUN: @twice EMU_TOLERATE=mbarriers
// CHECK: 64
func.func @twice() {
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %d = gpu.alloc() : memref<64xi32>
  gpu.launch_func @kernels::@twice blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1)
      args(%d : memref<64xi32>)
  func.call @print(%d) : (memref<64xi32>) -> ()
  return
}

// RUN: @mask EMU_TOLERATE=|mbarriers
// ERROR: tolerated.mlir:{{[0-9]+}}:{{[0-9]+}}: error: {{.*}}: CUDA_ERROR_LAUNCH_FAILED: {{.*}}[[@LINE-44]]:10: kernel 'mask', block 0,0,0: thread 0,0,0, lane 0 of its warp, is at a shuffle of lanes 0x00000020, which do not include it
// RUN: @mask EMU_TOLERATE=masks
// CHECK: 64
func.func @mask() {
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %d = gpu.alloc() : memref<64xi32>
  gpu.launch_func @kernels::@mask blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1)
      args(%d : memref<64xi32>)
  func.call @print(%d) : (memref<64xi32>) -> ()
  return
}

}
