// A matrix product of a warp group, as wide as there are, of matrices that tensor
// copies bring to workgroup memory: A with K and B with N as the contiguous
// dimension, both swizzled by 128 bytes, so that B is four boxes side by side.
// CHIPS: sm_90a
// FLAGS: --gpu-chip=sm_90a

!map = !nvgpu.tensormap.descriptor<tensor = memref<64x64xf16, #gpu.address_space<workgroup>>, swizzle = swizzle_128b, l2promo = none, oob = zero, interleave = none>
!barrier = !nvgpu.mbarrier.group<memorySpace = #gpu.address_space<workgroup>>
!box = memref<64x64xf16, #gpu.address_space<workgroup>>
!wide = memref<64x256xf16, #gpu.address_space<workgroup>>
!bytes = memref<40960xi8, #gpu.address_space<workgroup>>
!matrix_a = !nvgpu.warpgroup.descriptor<tensor = memref<64x64xf16, #gpu.address_space<workgroup>>>
!matrix_b = !nvgpu.warpgroup.descriptor<tensor = memref<64x256xf16, #gpu.address_space<workgroup>>>
!sum = !nvgpu.warpgroup.accumulator<fragmented = vector<64x256xf32>>

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @k(%ma: !map, %mb: !map, %out: memref<64x256xf32>) workgroup(%all: !bytes) kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c4 = arith.constant 4 : index
      %c64 = arith.constant 64 : index
      %box = arith.constant 8192 : index
      %bytes = arith.constant 40960 : index
      %ticks = arith.constant 10000000 : index
      %false = arith.constant false
      %t = gpu.thread_id x
      %first = arith.cmpi eq, %t, %c0 : index
      %a = memref.view %all[%c0][] : !bytes to !box
      %b = memref.view %all[%box][] : !bytes to !wide
      %bar = nvgpu.mbarrier.create -> !barrier
      nvgpu.mbarrier.init %bar[%c0], %c1, predicate = %first : !barrier
      gpu.barrier
      nvgpu.mbarrier.arrive.expect_tx %bar[%c0], %bytes, predicate = %first : !barrier
      nvgpu.tma.async.load %ma[%c0, %c0], %bar[%c0] to %a, predicate = %first : !map, !barrier -> !box
      scf.for %i = %c0 to %c4 step %c1 {
        %column = arith.muli %i, %c64 : index
        %before = arith.muli %i, %box : index
        %from = arith.addi %before, %box : index
        %part = memref.view %all[%from][] : !bytes to !box
        nvgpu.tma.async.load %mb[%column, %c0], %bar[%c0] to %part, predicate = %first : !map, !barrier -> !box
      }
      nvgpu.mbarrier.try_wait.parity %bar[%c0], %false, %ticks : !barrier
      %zero = nvgpu.warpgroup.mma.init.accumulator -> !sum
      %da = nvgpu.warpgroup.generate.descriptor %a, %ma : !box, !map -> !matrix_a
      %db = nvgpu.warpgroup.generate.descriptor %b, %mb : !wide, !map -> !matrix_b
      %d = nvgpu.warpgroup.mma %da, %db, %zero {transposeB, waitGroup = 0 : i64} : !matrix_a, !matrix_b, !sum -> !sum
      nvgpu.warpgroup.mma.store %d, %out : !sum to memref<64x256xf32>
      gpu.return
    }
  }

  // Whole numbers, of which all sums are exact.
  func.func @element(%i: index, %j: index, %factor: index) -> f16 {
    %c5 = arith.constant 5 : index
    %c17 = arith.constant 17 : index
    %c8 = arith.constant 8 : i32
    %x = arith.muli %i, %factor : index
    %y = arith.muli %j, %c5 : index
    %z = arith.addi %x, %y : index
    %r = arith.remui %z, %c17 : index
    %n = arith.index_cast %r : index to i32
    %m = arith.subi %n, %c8 : i32
    %f = arith.sitofp %m : i32 to f16
    return %f : f16
  }

  // RUN: kernel
  // CHECK: 0
  func.func @main() {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %c7 = arith.constant 7 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %c256 = arith.constant 256 : index
    %zero = arith.constant 0 : i32
    %none = arith.constant 0.0 : f32
    %ha = memref.alloc() : memref<64x64xf16>
    %hb = memref.alloc() : memref<64x256xf16>
    %hd = memref.alloc() : memref<64x256xf32>
    scf.for %i = %c0 to %c64 step %c1 {
      scf.for %j = %c0 to %c64 step %c1 {
        %x = func.call @element(%i, %j, %c3) : (index, index, index) -> f16
        memref.store %x, %ha[%i, %j] : memref<64x64xf16>
      }
      scf.for %j = %c0 to %c256 step %c1 {
        %y = func.call @element(%i, %j, %c7) : (index, index, index) -> f16
        memref.store %y, %hb[%i, %j] : memref<64x256xf16>
      }
    }
    %a = gpu.alloc() : memref<64x64xf16>
    %b = gpu.alloc() : memref<64x256xf16>
    %d = gpu.alloc() : memref<64x256xf32>
    gpu.memcpy %a, %ha : memref<64x64xf16>, memref<64x64xf16>
    gpu.memcpy %b, %hb : memref<64x256xf16>, memref<64x256xf16>
    %ua = memref.cast %a : memref<64x64xf16> to memref<*xf16>
    %ub = memref.cast %b : memref<64x256xf16> to memref<*xf16>
    %ma = nvgpu.tma.create.descriptor %ua box[%c64, %c64] : memref<*xf16> -> !map
    %mb = nvgpu.tma.create.descriptor %ub box[%c64, %c64] : memref<*xf16> -> !map
    gpu.launch_func @kernels::@k blocks in (%c1, %c1, %c1) threads in (%c128, %c1, %c1)
        args(%ma : !map, %mb : !map, %d : memref<64x256xf32>)
    gpu.memcpy %hd, %d : memref<64x256xf32>, memref<64x256xf32>
    %wrong = scf.for %i = %c0 to %c64 step %c1 iter_args(%w = %zero) -> i32 {
      %row = scf.for %j = %c0 to %c256 step %c1 iter_args(%q = %w) -> i32 {
        %want = scf.for %k = %c0 to %c64 step %c1 iter_args(%s = %none) -> f32 {
          %x = memref.load %ha[%i, %k] : memref<64x64xf16>
          %y = memref.load %hb[%k, %j] : memref<64x256xf16>
          %xf = arith.extf %x : f16 to f32
          %yf = arith.extf %y : f16 to f32
          %p = arith.mulf %xf, %yf : f32
          %s1 = arith.addf %s, %p : f32
          scf.yield %s1 : f32
        }
        %is = memref.load %hd[%i, %j] : memref<64x256xf32>
        %differ = arith.cmpf une, %want, %is : f32
        %one = arith.extui %differ : i1 to i32
        %q1 = arith.addi %q, %one : i32
        scf.yield %q1 : i32
      }
      scf.yield %row : i32
    }
    vector.print %wrong : i32
    gpu.dealloc %a : memref<64x64xf16>
    gpu.dealloc %b : memref<64x256xf16>
    gpu.dealloc %d : memref<64x256xf32>
    memref.dealloc %ha : memref<64x64xf16>
    memref.dealloc %hb : memref<64x256xf16>
    memref.dealloc %hd : memref<64x256xf32>
    return
  }
}
