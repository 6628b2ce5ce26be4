// A box of a tensor, of what LLVM's own tests are like.
//
// RUN: mlir-opt %s \
// RUN:  | mlir-opt -gpu-lower-to-nvvm-pipeline="cubin-chip=sm_90 cubin-features=+ptx80" \
// RUN:  | mlir-runner \
// RUN:   --shared-libs=%mlir_cuda_runtime \
// RUN:   --shared-libs=%mlir_runner_utils \
// RUN:   --entry-point-result=void \
// RUN:  | FileCheck %s

// CHECK: row 3, column 2: 23.0

!barrier = !nvgpu.mbarrier.group<memorySpace = #gpu.address_space<workgroup>>
!map = !nvgpu.tensormap.descriptor<tensor = memref<8x8xf32, 3>, swizzle = none, l2promo = none, oob = zero, interleave = none>
memref.global "private" @box : memref<8x8xf32, 3>

func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %bytes = arith.constant 256 : index
  %ticks = arith.constant 10000000 : index
  %false = arith.constant false
  %h = memref.alloc() : memref<16x8xf32>
  scf.for %i = %c0 to %c16 step %c1 {
    scf.for %j = %c0 to %c8 step %c1 {
      %k = arith.muli %i, %c3 : index
      %l = arith.addi %k, %j : index
      %m = arith.index_cast %l : index to i32
      %v = arith.sitofp %m : i32 to f32
      memref.store %v, %h[%i, %j] : memref<16x8xf32>
    }
  }
  %t0 = gpu.wait async
  %d, %t1 = gpu.alloc async [%t0] () : memref<16x8xf32>
  %t2 = gpu.memcpy async [%t1] %d, %h : memref<16x8xf32>, memref<16x8xf32>
  gpu.wait [%t2]
  %u = memref.cast %d : memref<16x8xf32> to memref<*xf32>
  %map = nvgpu.tma.create.descriptor %u box[%c8, %c8] : memref<*xf32> -> !map
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%x, %y, %z) in (%sx = %c32, %sy = %c1, %sz = %c1) {
    %first = arith.cmpi eq, %x, %c0 : index
    %w = memref.get_global @box : memref<8x8xf32, 3>
    %b = nvgpu.mbarrier.create -> !barrier
    nvgpu.mbarrier.init %b[%c0], %c1, predicate = %first : !barrier
    gpu.barrier
    nvgpu.mbarrier.arrive.expect_tx %b[%c0], %bytes, predicate = %first : !barrier
    nvgpu.tma.async.load %map[%c0, %c4], %b[%c0] to %w, predicate = %first : !map, !barrier -> memref<8x8xf32, 3>
    nvgpu.mbarrier.try_wait.parity %b[%c0], %false, %ticks : !barrier
    scf.if %first {
      %v = memref.load %w[%c3, %c2] : memref<8x8xf32, 3>
      gpu.printf "row 3, column 2: %.1f\n", %v : f32
    }
    gpu.terminator
  }
  return
}
