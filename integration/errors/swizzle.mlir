// A matrix product of a warp group, whose descriptor of A says another pattern of
// swizzling than the tensor copy has used.
// CHIPS: sm_90a
// FLAGS: --gpu-chip=sm_90a
// CARD: never, a check finds it

!map = !nvgpu.tensormap.descriptor<tensor = memref<64x64xf16, #gpu.address_space<workgroup>>, swizzle = swizzle_128b, l2promo = none, oob = zero, interleave = none>
!plain = !nvgpu.tensormap.descriptor<tensor = memref<64x64xf16, #gpu.address_space<workgroup>>, swizzle = none, l2promo = none, oob = zero, interleave = none>
!barrier = !nvgpu.mbarrier.group<memorySpace = #gpu.address_space<workgroup>>
!matrix = !nvgpu.warpgroup.descriptor<tensor = memref<64x64xf16, #gpu.address_space<workgroup>>>
!sum = !nvgpu.warpgroup.accumulator<fragmented = vector<64x64xf32>>

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @k(%ma: !plain, %mb: !map, %out: memref<64x64xf32>)
        workgroup(%a: memref<64x64xf16, #gpu.address_space<workgroup>>, %b: memref<64x64xf16, #gpu.address_space<workgroup>>) kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %bytes = arith.constant 16384 : index
      %ticks = arith.constant 10000000 : index
      %false = arith.constant false
      %t = gpu.thread_id x
      %first = arith.cmpi eq, %t, %c0 : index
      %bar = nvgpu.mbarrier.create -> !barrier
      nvgpu.mbarrier.init %bar[%c0], %c1, predicate = %first : !barrier
      gpu.barrier
      nvgpu.mbarrier.arrive.expect_tx %bar[%c0], %bytes, predicate = %first : !barrier
      nvgpu.tma.async.load %ma[%c0, %c0], %bar[%c0] to %a, predicate = %first : !plain, !barrier -> memref<64x64xf16, #gpu.address_space<workgroup>>
      nvgpu.tma.async.load %mb[%c0, %c0], %bar[%c0] to %b, predicate = %first : !map, !barrier -> memref<64x64xf16, #gpu.address_space<workgroup>>
      nvgpu.mbarrier.try_wait.parity %bar[%c0], %false, %ticks : !barrier
      %zero = nvgpu.warpgroup.mma.init.accumulator -> !sum
      %other = builtin.unrealized_conversion_cast %ma : !plain to !map
      %da = nvgpu.warpgroup.generate.descriptor %a, %other : memref<64x64xf16, #gpu.address_space<workgroup>>, !map -> !matrix
      %db = nvgpu.warpgroup.generate.descriptor %b, %mb : memref<64x64xf16, #gpu.address_space<workgroup>>, !map -> !matrix
      %d = nvgpu.warpgroup.mma %da, %db, %zero {transposeB, waitGroup = 0 : i64} : !matrix, !matrix, !sum -> !sum
      nvgpu.warpgroup.mma.store %d, %out : !sum to memref<64x64xf32>
      gpu.return
    }
  }

  // RUN: EMU_CHECK=races
  // ERROR: swizzle.mlir:[[@LINE-7]]:12: error: kernel 'k', block 0,0,0: thread 0,0,0 multiplies a matrix that its descriptor says is swizzled by 128 bytes; the tensor copy at {{.*}}swizzle.mlir:[[@LINE-14]]:7 has left it not swizzled
  func.func @main() {
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %half = arith.constant 1.0 : f16
    %a = gpu.alloc() : memref<64x64xf16>
    %b = gpu.alloc() : memref<64x64xf16>
    %d = gpu.alloc() : memref<64x64xf32>
    gpu.memset %a, %half : memref<64x64xf16>, f16
    gpu.memset %b, %half : memref<64x64xf16>, f16
    %ua = memref.cast %a : memref<64x64xf16> to memref<*xf16>
    %ub = memref.cast %b : memref<64x64xf16> to memref<*xf16>
    %ma = nvgpu.tma.create.descriptor %ua box[%c64, %c64] : memref<*xf16> -> !plain
    %mb = nvgpu.tma.create.descriptor %ub box[%c64, %c64] : memref<*xf16> -> !map
    gpu.launch_func @kernels::@k blocks in (%c1, %c1, %c1) threads in (%c128, %c1, %c1)
        args(%ma : !plain, %mb : !map, %d : memref<64x64xf32>)
    gpu.dealloc %a : memref<64x64xf16>
    gpu.dealloc %b : memref<64x64xf16>
    gpu.dealloc %d : memref<64x64xf32>
    return
  }
}
