// Columns of pixels (im2col), as a convolution of 3 by 3 with a margin of 1 reads them:
// 2 images of 4 by 5 pixels with 4 channels. For each of the 9 places of the filter, a copy
// brings what it meets at all 40 places of the output; its sum is kept.
// CHIPS: sm_90

module attributes {gpu.container_module} {
  llvm.func @mgpuTensorMapEncodeIm2colMemref(i64, !llvm.ptr, i64, i64, i64, i64, i64, i64, i64, !llvm.ptr, !llvm.ptr, !llvm.ptr) -> !llvm.ptr

  gpu.module @kernels {
    gpu.func @sums(%map: !llvm.ptr, %out: memref<40xf32>)
        workgroup(%w: memref<40x4xf32, #gpu.address_space<workgroup>>, %m: memref<1xi64, #gpu.address_space<workgroup>>) kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c3 = arith.constant 3 : index
      %c9 = arith.constant 9 : index
      %c40 = arith.constant 40 : index
      %zero = arith.constant 0 : i32
      %one = arith.constant 1 : i32
      %minus = arith.constant -1 : i32
      %bytes = arith.constant 640 : i32
      %ticks = arith.constant 10000000 : i32
      %none = arith.constant 0.0 : f32
      %t = gpu.thread_id x
      %n = gpu.block_dim x
      %first = arith.cmpi eq, %t, %c0 : index
      %i0 = memref.extract_aligned_pointer_as_index %w : memref<40x4xf32, #gpu.address_space<workgroup>> -> index
      %i1 = arith.index_cast %i0 : index to i64
      %p = llvm.inttoptr %i1 : i64 to !llvm.ptr<3>
      %to = llvm.addrspacecast %p : !llvm.ptr<3> to !llvm.ptr<7>
      %i2 = memref.extract_aligned_pointer_as_index %m : memref<1xi64, #gpu.address_space<workgroup>> -> index
      %i3 = arith.index_cast %i2 : index to i64
      %b = llvm.inttoptr %i3 : i64 to !llvm.ptr<3>
      scf.if %first {
        nvvm.mbarrier.init %b, %one : !llvm.ptr<3>, i32
      }
      nvvm.fence.mbarrier.init
      gpu.barrier
      scf.for %k = %c0 to %c9 step %c1 {
        %y = arith.divui %k, %c3 : index
        %x = arith.remui %k, %c3 : index
        %dy = arith.index_cast %y : index to i16
        %dx = arith.index_cast %x : index to i16
        scf.if %first {
          nvvm.mbarrier.arrive.expect_tx %b, %bytes : !llvm.ptr<3>, i32
          // The first pixel is that of the output's first place.
          nvvm.cp.async.bulk.tensor.shared.cluster.global %to, %map, %b, box[%zero, %minus, %minus, %zero] im2col[%dx, %dy] {mode = #nvvm.tma_load_mode<im2col>} : !llvm.ptr<7>, !llvm.ptr
        }
        %k32 = arith.index_cast %k : index to i32
        %parity = arith.andi %k32, %one : i32
        nvvm.mbarrier.try_wait.parity %b, %parity, %ticks : !llvm.ptr<3>, i32, i32
        scf.for %i = %t to %c40 step %n {
          %fresh = arith.cmpi eq, %k, %c0 : index
          %from = scf.if %fresh -> f32 {
            scf.yield %none : f32
          } else {
            %old = memref.load %out[%i] : memref<40xf32>
            scf.yield %old : f32
          }
          %c4 = arith.constant 4 : index
          %sum = scf.for %c = %c0 to %c4 step %c1 iter_args(%s = %from) -> f32 {
            %v = memref.load %w[%i, %c] : memref<40x4xf32, #gpu.address_space<workgroup>>
            %next = arith.addf %s, %v : f32
            scf.yield %next : f32
          }
          memref.store %sum, %out[%i] : memref<40xf32>
        }
        gpu.barrier
      }
      gpu.return
    }
  }

  // Element c of pixel y, x of image n is 1 + n + y + x: sums count neighbours.
  func.func @run(%threads: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %c5 = arith.constant 5 : index
    %h = memref.alloc() : memref<2x4x5x4xf32>
    scf.for %n = %c0 to %c2 step %c1 {
      scf.for %y = %c0 to %c4 step %c1 {
        scf.for %x = %c0 to %c5 step %c1 {
          %a = arith.addi %n, %y : index
          %b = arith.addi %a, %x : index
          %c = arith.addi %b, %c1 : index
          %d = arith.index_cast %c : index to i32
          %v = arith.sitofp %d : i32 to f32
          scf.for %e = %c0 to %c4 step %c1 {
            memref.store %v, %h[%n, %y, %x, %e] : memref<2x4x5x4xf32>
          }
        }
      }
    }
    %d = gpu.alloc() : memref<2x4x5x4xf32>
    gpu.memcpy %d, %h : memref<2x4x5x4xf32>, memref<2x4x5x4xf32>
    // The descriptor of %d, and the map: 4 channels of 40 pixels, from 1 ahead of the
    // first to 1 ahead of the last of each row and column.
    %one = llvm.mlir.constant(1 : i64) : i64
    %zero = llvm.mlir.constant(0 : i64) : i64
    %two = llvm.mlir.constant(2 : i64) : i64
    %four = llvm.mlir.constant(4 : i64) : i64
    %forty = llvm.mlir.constant(40 : i64) : i64
    %minus = llvm.mlir.constant(-1 : i64) : i64
    %f32 = llvm.mlir.constant(7 : i64) : i64
    %descriptor = builtin.unrealized_conversion_cast %d : memref<2x4x5x4xf32> to !llvm.struct<(ptr, ptr, i64, array<4 x i64>, array<4 x i64>)>
    %place = llvm.alloca %one x !llvm.struct<(ptr, ptr, i64, array<4 x i64>, array<4 x i64>)> : (i64) -> !llvm.ptr
    llvm.store %descriptor, %place : !llvm.struct<(ptr, ptr, i64, array<4 x i64>, array<4 x i64>)>, !llvm.ptr
    %corner = llvm.alloca %two x i64 : (i64) -> !llvm.ptr
    llvm.store %minus, %corner : i64, !llvm.ptr
    %corner1 = llvm.getelementptr %corner[1] : (!llvm.ptr) -> !llvm.ptr, i64
    llvm.store %minus, %corner1 : i64, !llvm.ptr
    %steps = llvm.alloca %four x i64 : (i64) -> !llvm.ptr
    scf.for %i = %c0 to %c4 step %c1 {
      %i64 = arith.index_cast %i : index to i64
      %step = llvm.getelementptr %steps[%i64] : (!llvm.ptr, i64) -> !llvm.ptr, i64
      llvm.store %one, %step : i64, !llvm.ptr
    }
    %map = llvm.call @mgpuTensorMapEncodeIm2colMemref(%four, %place, %f32, %zero, %zero, %zero, %zero, %four, %forty, %corner, %corner, %steps) : (i64, !llvm.ptr, i64, i64, i64, i64, i64, i64, i64, !llvm.ptr, !llvm.ptr, !llvm.ptr) -> !llvm.ptr
    %out = gpu.alloc() : memref<40xf32>
    gpu.launch_func @kernels::@sums blocks in (%c1, %c1, %c1) threads in (%threads, %c1, %c1)
        args(%map : !llvm.ptr, %out : memref<40xf32>)
    %result = memref.alloc() : memref<2x4x5xf32>
    %flat = memref.collapse_shape %result [[0, 1, 2]] : memref<2x4x5xf32> into memref<40xf32>
    gpu.memcpy %flat, %out : memref<40xf32>, memref<40xf32>
    scf.for %n = %c0 to %c2 step %c1 {
      scf.for %y = %c0 to %c4 step %c1 {
        %row = vector.load %result[%n, %y, %c0] : memref<2x4x5xf32>, vector<5xf32>
        vector.print %row : vector<5xf32>
      }
    }
    gpu.dealloc %d : memref<2x4x5x4xf32>
    gpu.dealloc %out : memref<40xf32>
    memref.dealloc %h : memref<2x4x5x4xf32>
    memref.dealloc %result : memref<2x4x5xf32>
    return
  }

  // RUN: kernel schedules=20
  // RUN: EMU_CHECK=races,memory
  // CHECK: ( 32, 60, 84, 108, 80 )
  // CHECK: ( 60, 108, 144, 180, 132 )
  // CHECK: ( 84, 144, 180, 216, 156 )
  // CHECK: ( 64, 108, 132, 156, 112 )
  // CHECK: ( 48, 84, 108, 132, 96 )
  // CHECK: ( 84, 144, 180, 216, 156 )
  // CHECK: ( 108, 180, 216, 252, 180 )
  // CHECK: ( 80, 132, 156, 180, 128 )
  // CHECK: ( 32, 60, 84, 108, 80 )
  // CHECK: ( 60, 108, 144, 180, 132 )
  // CHECK: ( 84, 144, 180, 216, 156 )
  // CHECK: ( 64, 108, 132, 156, 112 )
  // CHECK: ( 48, 84, 108, 132, 96 )
  // CHECK: ( 84, 144, 180, 216, 156 )
  // CHECK: ( 108, 180, 216, 252, 180 )
  // CHECK: ( 80, 132, 156, 180, 128 )
  // CHECK: ( 32, 60, 84, 108, 80 )
  // CHECK: ( 60, 108, 144, 180, 132 )
  // CHECK: ( 84, 144, 180, 216, 156 )
  // CHECK: ( 64, 108, 132, 156, 112 )
  // CHECK: ( 48, 84, 108, 132, 96 )
  // CHECK: ( 84, 144, 180, 216, 156 )
  // CHECK: ( 108, 180, 216, 252, 180 )
  // CHECK: ( 80, 132, 156, 180, 128 )
  func.func @main() {
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %c100 = arith.constant 100 : index
    call @run(%c1) : (index) -> ()
    call @run(%c32) : (index) -> ()
    call @run(%c100) : (index) -> ()
    return
  }
}
