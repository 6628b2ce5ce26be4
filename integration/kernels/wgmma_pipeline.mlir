// A pipeline of two stages: one warp brings boxes to workgroup memory, a warp group
// multiplies them, and one of its threads says for all of them that a stage is free,
// since a wait for a product is one for that of the whole group.
// CHIPS: sm_90a
// FLAGS: --gpu-chip=sm_90a

!map = !nvgpu.tensormap.descriptor<tensor = memref<64x64xf16, #gpu.address_space<workgroup>>, swizzle = swizzle_128b, l2promo = none, oob = zero, interleave = none>
!barrier = !nvgpu.mbarrier.group<memorySpace = #gpu.address_space<workgroup>, num_barriers = 2>
!tile = memref<2x64x64xf16, #gpu.address_space<workgroup>>
!tile_s = memref<64x64xf16, strided<[64, 1], offset: ?>, #gpu.address_space<workgroup>>
!matrix = !nvgpu.warpgroup.descriptor<tensor = memref<64x64xf16, #gpu.address_space<workgroup>>>
!sum = !nvgpu.warpgroup.accumulator<fragmented = vector<64x64xf32>>

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @k(%ma: !map, %mb: !map, %out: memref<64x64xf32>)
        workgroup(%a: !tile, %b: !tile) kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %c5 = arith.constant 5 : index
      %c4 = arith.constant 4 : index
      %c64 = arith.constant 64 : index
      %c128 = arith.constant 128 : index
      %bytes = arith.constant 16384 : index
      %ticks = arith.constant 10000000 : index
      %false = arith.constant false
      %t = gpu.thread_id x
      %first = arith.cmpi eq, %t, %c0 : index
      %full = nvgpu.mbarrier.create -> !barrier
      %empty = nvgpu.mbarrier.create -> !barrier
      nvgpu.mbarrier.init %full[%c0], %c1, predicate = %first : !barrier
      nvgpu.mbarrier.init %full[%c1], %c1, predicate = %first : !barrier
      nvgpu.mbarrier.init %empty[%c0], %c1, predicate = %first : !barrier
      nvgpu.mbarrier.init %empty[%c1], %c1, predicate = %first : !barrier
      gpu.barrier
      %is_p = arith.cmpi eq, %t, %c128 : index
      scf.if %is_p {
        scf.for %i = %c0 to %c4 step %c1 {
          %s = arith.remui %i, %c2 : index
          %round = arith.divui %i, %c2 : index
          %odd = arith.remui %round, %c2 : index
          %ephase = arith.cmpi eq, %odd, %c0 : index
          %notfirst = arith.cmpi sge, %i, %c2 : index
          scf.if %notfirst {
            nvgpu.mbarrier.try_wait.parity %empty[%s], %ephase, %ticks : !barrier
          }
          %k = arith.muli %i, %c64 : index
          %as = memref.subview %a[%s, 0, 0][1, 64, 64][1, 1, 1] : !tile to !tile_s
          %bs = memref.subview %b[%s, 0, 0][1, 64, 64][1, 1, 1] : !tile to !tile_s
          nvgpu.mbarrier.arrive.expect_tx %full[%s], %bytes : !barrier
          nvgpu.tma.async.load %ma[%k, %c0], %full[%s] to %as : !map, !barrier -> !tile_s
          nvgpu.tma.async.load %mb[%c0, %k], %full[%s] to %bs : !map, !barrier -> !tile_s
        }
      }
      %is_c = arith.cmpi ult, %t, %c128 : index
      scf.if %is_c {
        %zero = nvgpu.warpgroup.mma.init.accumulator -> !sum
        %sum = scf.for %i = %c0 to %c4 step %c1 iter_args(%acc = %zero) -> !sum {
          %s = arith.remui %i, %c2 : index
          %round = arith.divui %i, %c2 : index
          %odd = arith.remui %round, %c2 : index
          %phase = arith.cmpi eq, %odd, %c1 : index
          %as = memref.subview %a[%s, 0, 0][1, 64, 64][1, 1, 1] : !tile to !tile_s
          %bs = memref.subview %b[%s, 0, 0][1, 64, 64][1, 1, 1] : !tile to !tile_s
          nvgpu.mbarrier.try_wait.parity %full[%s], %phase, %ticks : !barrier
          %da = nvgpu.warpgroup.generate.descriptor %as, %ma : !tile_s, !map -> !matrix
          %db = nvgpu.warpgroup.generate.descriptor %bs, %mb : !tile_s, !map -> !matrix
          %d = nvgpu.warpgroup.mma %da, %db, %acc {transposeB, waitGroup = 0 : i64} : !matrix, !matrix, !sum -> !sum
          %fresh = arith.cmpi eq, %t, %c5 : index
          scf.if %fresh {
            %tok = nvgpu.mbarrier.arrive %empty[%s] : !barrier -> !nvgpu.mbarrier.token
          }
          scf.yield %d : !sum
        }
        nvgpu.warpgroup.mma.store %sum, %out : !sum to memref<64x64xf32>
      }
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
    %c256 = arith.constant 256 : index
    %ha = memref.alloc() : memref<64x256xf16>
    %hb = memref.alloc() : memref<256x64xf16>
    %hd = memref.alloc() : memref<64x64xf32>
    scf.for %i = %c0 to %c64 step %c1 {
      scf.for %j = %c0 to %c256 step %c1 {
        %x = func.call @element(%i, %j, %c3) : (index, index, index) -> f16
        memref.store %x, %ha[%i, %j] : memref<64x256xf16>
        %y = func.call @element(%i, %j, %c7) : (index, index, index) -> f16
        memref.store %y, %hb[%j, %i] : memref<256x64xf16>
      }
    }
    %ga = gpu.alloc() : memref<64x256xf16>
    %gb = gpu.alloc() : memref<256x64xf16>
    %gd = gpu.alloc() : memref<64x64xf32>
    gpu.memcpy %ga, %ha : memref<64x256xf16>, memref<64x256xf16>
    gpu.memcpy %gb, %hb : memref<256x64xf16>, memref<256x64xf16>
    %ua = memref.cast %ga : memref<64x256xf16> to memref<*xf16>
    %ub = memref.cast %gb : memref<256x64xf16> to memref<*xf16>
    %ma = nvgpu.tma.create.descriptor %ua box[%c64, %c64] : memref<*xf16> -> !map
    %mb = nvgpu.tma.create.descriptor %ub box[%c64, %c64] : memref<*xf16> -> !map
    gpu.launch_func @kernels::@k blocks in (%c1, %c1, %c1) threads in (%c256, %c1, %c1)
        args(%ma : !map, %mb : !map, %gd : memref<64x64xf32>)
    gpu.memcpy %hd, %gd : memref<64x64xf32>, memref<64x64xf32>
    %zero = arith.constant 0 : i32
    %wrong = scf.for %i = %c0 to %c64 step %c1 iter_args(%w0 = %zero) -> i32 {
      %w2 = scf.for %j = %c0 to %c64 step %c1 iter_args(%w1 = %w0) -> i32 {
        %f0 = arith.constant 0.0 : f32
        %s = scf.for %k = %c0 to %c256 step %c1 iter_args(%s0 = %f0) -> f32 {
          %x = memref.load %ha[%i, %k] : memref<64x256xf16>
          %y = memref.load %hb[%k, %j] : memref<256x64xf16>
          %xf = arith.extf %x : f16 to f32
          %yf = arith.extf %y : f16 to f32
          %p = arith.mulf %xf, %yf : f32
          %s1 = arith.addf %s0, %p : f32
          scf.yield %s1 : f32
        }
        %is = memref.load %hd[%i, %j] : memref<64x64xf32>
        %ne = arith.cmpf une, %is, %s : f32
        %d = arith.extui %ne : i1 to i32
        %w = arith.addi %w1, %d : i32
        scf.yield %w : i32
      }
      scf.yield %w2 : i32
    }
    vector.print %wrong : i32
    gpu.dealloc %ga : memref<64x256xf16>
    gpu.dealloc %gb : memref<256x64xf16>
    gpu.dealloc %gd : memref<64x64xf32>
    memref.dealloc %ha : memref<64x256xf16>
    memref.dealloc %hb : memref<256x64xf16>
    memref.dealloc %hd : memref<64x64xf32>
    return
  }
}
