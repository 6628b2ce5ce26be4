// What threads do wrong with products of a warp group: one kernel for each way,
// which the function of the same name launches.
// CHIPS: sm_90a
// FLAGS: --gpu-chip=sm_90a
// FAULTS: brief, all kernels make the same calls

!sums = !llvm.struct<(f32, f32, f32, f32)>
!matrix = memref<1024xi32, #gpu.address_space<workgroup>>

module attributes {gpu.container_module} {

gpu.module @kernels {
  // Of a matrix that is not swizzled, so many times 16000 bytes further on.
  func.func private @descriptor(%w: !matrix, %far: index) -> i64 {
    %k4 = arith.constant 4 : i64
    %c16000 = arith.constant 16000 : index
    %mask = arith.constant 0x3fff : i64
    %steps = arith.constant 0x0000001000080000 : i64
    %base = memref.extract_aligned_pointer_as_index %w : !matrix -> index
    %bytes = arith.muli %far, %c16000 : index
    %place = arith.addi %base, %bytes : index
    %address = arith.index_cast %place : index to i64
    %short = arith.shrui %address, %k4 : i64
    %masked = arith.andi %short, %mask : i64
    %d = arith.ori %masked, %steps : i64
    return %d : i64
  }

  // It reads sums whose group it has not waited for.
  gpu.func @no_wait(%x: memref<128xf32>)
      workgroup(%w: !matrix) kernel {
    %t = gpu.thread_id x
    %c0 = arith.constant 0 : index
    %f = memref.load %x[%t] : memref<128xf32>
    %d = func.call @descriptor(%w, %c0) : (!matrix, index) -> i64
    %s0 = llvm.mlir.undef : !sums
    %s1 = llvm.insertvalue %f, %s0[0] : !sums
    %s2 = llvm.insertvalue %f, %s1[1] : !sums
    %s3 = llvm.insertvalue %f, %s2[2] : !sums
    %s = llvm.insertvalue %f, %s3[3] : !sums
    nvvm.wgmma.fence.aligned
    %m = nvvm.wgmma.mma_async %d, %d, %s, #nvvm.shape<m = 64, n = 8, k = 16>,
        D [<f32>, <one>], A [<f16>, <one>, <row>], B [<f16>, <one>, <col>] : !sums -> !sums
    nvvm.wgmma.commit.group.sync.aligned
    %v = llvm.extractvalue %m[1] : !sums
    memref.store %v, %x[%t] : memref<128xf32>
    nvvm.wgmma.wait.group.sync.aligned 0
    gpu.return
  }
  // It waits for the first of two groups, and reads sums of the second.
  gpu.func @one_group_too_few(%x: memref<128xf32>)
      workgroup(%w: !matrix) kernel {
    %t = gpu.thread_id x
    %c0 = arith.constant 0 : index
    %f = memref.load %x[%t] : memref<128xf32>
    %d = func.call @descriptor(%w, %c0) : (!matrix, index) -> i64
    %s0 = llvm.mlir.undef : !sums
    %s1 = llvm.insertvalue %f, %s0[0] : !sums
    %s2 = llvm.insertvalue %f, %s1[1] : !sums
    %s3 = llvm.insertvalue %f, %s2[2] : !sums
    %s = llvm.insertvalue %f, %s3[3] : !sums
    nvvm.wgmma.fence.aligned
    %m = nvvm.wgmma.mma_async %d, %d, %s, #nvvm.shape<m = 64, n = 8, k = 16>,
        D [<f32>, <one>], A [<f16>, <one>, <row>], B [<f16>, <one>, <col>] : !sums -> !sums
    nvvm.wgmma.commit.group.sync.aligned
    %n = nvvm.wgmma.mma_async %d, %d, %s, #nvvm.shape<m = 64, n = 8, k = 16>,
        D [<f32>, <one>], A [<f16>, <one>, <row>], B [<f16>, <one>, <col>] : !sums -> !sums
    nvvm.wgmma.commit.group.sync.aligned
    nvvm.wgmma.wait.group.sync.aligned 1
    %u = llvm.extractvalue %m[0] : !sums
    %v = llvm.extractvalue %n[1] : !sums
    %y = arith.addf %u, %u : f32
    memref.store %y, %x[%t] : memref<128xf32>
    memref.store %v, %x[%t] : memref<128xf32>
    nvvm.wgmma.wait.group.sync.aligned 0
    gpu.return
  }
  // It waits for groups that the product is in none of.
  gpu.func @no_commit(%x: memref<128xf32>)
      workgroup(%w: !matrix) kernel {
    %t = gpu.thread_id x
    %c0 = arith.constant 0 : index
    %f = memref.load %x[%t] : memref<128xf32>
    %d = func.call @descriptor(%w, %c0) : (!matrix, index) -> i64
    %s0 = llvm.mlir.undef : !sums
    %s1 = llvm.insertvalue %f, %s0[0] : !sums
    %s2 = llvm.insertvalue %f, %s1[1] : !sums
    %s3 = llvm.insertvalue %f, %s2[2] : !sums
    %s = llvm.insertvalue %f, %s3[3] : !sums
    nvvm.wgmma.fence.aligned
    %m = nvvm.wgmma.mma_async %d, %d, %s, #nvvm.shape<m = 64, n = 8, k = 16>,
        D [<f32>, <one>], A [<f16>, <one>, <row>], B [<f16>, <one>, <col>] : !sums -> !sums
    nvvm.wgmma.wait.group.sync.aligned 0
    %v = llvm.extractvalue %m[1] : !sums
    memref.store %v, %x[%t] : memref<128xf32>
    gpu.return
  }
  // It has written the registers of sums, and goes on without a fence.
  gpu.func @no_fence(%x: memref<128xf32>)
      workgroup(%w: !matrix) kernel {
    %t = gpu.thread_id x
    %c0 = arith.constant 0 : index
    %f = memref.load %x[%t] : memref<128xf32>
    %d = func.call @descriptor(%w, %c0) : (!matrix, index) -> i64
    %s0 = llvm.mlir.undef : !sums
    %s1 = llvm.insertvalue %f, %s0[0] : !sums
    %s2 = llvm.insertvalue %f, %s1[1] : !sums
    %s3 = llvm.insertvalue %f, %s2[2] : !sums
    %s = llvm.insertvalue %f, %s3[3] : !sums
    %m = nvvm.wgmma.mma_async %d, %d, %s, #nvvm.shape<m = 64, n = 8, k = 16>,
        D [<f32>, <one>], A [<f16>, <one>, <row>], B [<f16>, <one>, <col>] : !sums -> !sums
    nvvm.wgmma.commit.group.sync.aligned
    nvvm.wgmma.wait.group.sync.aligned 0
    %v = llvm.extractvalue %m[1] : !sums
    memref.store %v, %x[%t] : memref<128xf32>
    gpu.return
  }
  // It keeps sums that are under way beside those that it adds to.
  gpu.func @kept(%x: memref<128xf32>)
      workgroup(%w: !matrix) kernel {
    %t = gpu.thread_id x
    %c0 = arith.constant 0 : index
    %f = memref.load %x[%t] : memref<128xf32>
    %d = func.call @descriptor(%w, %c0) : (!matrix, index) -> i64
    %s0 = llvm.mlir.undef : !sums
    %s1 = llvm.insertvalue %f, %s0[0] : !sums
    %s2 = llvm.insertvalue %f, %s1[1] : !sums
    %s3 = llvm.insertvalue %f, %s2[2] : !sums
    %s = llvm.insertvalue %f, %s3[3] : !sums
    nvvm.wgmma.fence.aligned
    %m = nvvm.wgmma.mma_async %d, %d, %s, #nvvm.shape<m = 64, n = 8, k = 16>,
        D [<f32>, <one>], A [<f16>, <one>, <row>], B [<f16>, <one>, <col>] : !sums -> !sums
    nvvm.wgmma.commit.group.sync.aligned
    %n = nvvm.wgmma.mma_async %d, %d, %m, #nvvm.shape<m = 64, n = 8, k = 16>,
        D [<f32>, <one>], A [<f16>, <one>, <row>], B [<f16>, <one>, <col>] : !sums -> !sums
    nvvm.wgmma.commit.group.sync.aligned
    nvvm.wgmma.wait.group.sync.aligned 0
    %u = llvm.extractvalue %m[0] : !sums
    %v = llvm.extractvalue %n[1] : !sums
    %y = arith.addf %u, %v : f32
    memref.store %y, %x[%t] : memref<128xf32>
    gpu.return
  }
  // Its descriptor is of no workgroup memory that the block has.
  gpu.func @outside(%x: memref<128xf32>)
      workgroup(%w: !matrix) kernel {
    %t = gpu.thread_id x
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %f = memref.load %x[%t] : memref<128xf32>
    %d = func.call @descriptor(%w, %c0) : (!matrix, index) -> i64
    %s0 = llvm.mlir.undef : !sums
    %s1 = llvm.insertvalue %f, %s0[0] : !sums
    %s2 = llvm.insertvalue %f, %s1[1] : !sums
    %s3 = llvm.insertvalue %f, %s2[2] : !sums
    %s = llvm.insertvalue %f, %s3[3] : !sums
    nvvm.wgmma.fence.aligned
    %far = func.call @descriptor(%w, %c1) : (!matrix, index) -> i64
    %m = nvvm.wgmma.mma_async %far, %d, %s, #nvvm.shape<m = 64, n = 8, k = 16>,
        D [<f32>, <one>], A [<f16>, <one>, <row>], B [<f16>, <one>, <col>] : !sums -> !sums
    nvvm.wgmma.commit.group.sync.aligned
    nvvm.wgmma.wait.group.sync.aligned 0
    %v = llvm.extractvalue %m[1] : !sums
    memref.store %v, %x[%t] : memref<128xf32>
    gpu.return
  }
  // Its last thread writes to the matrix before the product has been waited for.
  gpu.func @overwritten(%x: memref<128xf32>)
      workgroup(%w: !matrix) kernel {
    %t = gpu.thread_id x
    %c0 = arith.constant 0 : index
    %c127 = arith.constant 127 : index
    %f = memref.load %x[%t] : memref<128xf32>
    %d = func.call @descriptor(%w, %c0) : (!matrix, index) -> i64
    %s0 = llvm.mlir.undef : !sums
    %s1 = llvm.insertvalue %f, %s0[0] : !sums
    %s2 = llvm.insertvalue %f, %s1[1] : !sums
    %s3 = llvm.insertvalue %f, %s2[2] : !sums
    %s = llvm.insertvalue %f, %s3[3] : !sums
    nvvm.wgmma.fence.aligned
    %m = nvvm.wgmma.mma_async %d, %d, %s, #nvvm.shape<m = 64, n = 8, k = 16>,
        D [<f32>, <one>], A [<f16>, <one>, <row>], B [<f16>, <one>, <col>] : !sums -> !sums
    nvvm.wgmma.commit.group.sync.aligned
    gpu.barrier
    %last = arith.cmpi eq, %t, %c127 : index
    scf.if %last {
      %word = arith.constant 0x3c003c00 : i32
      memref.store %word, %w[%c0] : !matrix
    }
    gpu.barrier
    nvvm.wgmma.wait.group.sync.aligned 0
    %v = llvm.extractvalue %m[1] : !sums
    memref.store %v, %x[%t] : memref<128xf32>
    gpu.return
  }
  // Its second warp has another descriptor.
  gpu.func @apart(%x: memref<128xf32>)
      workgroup(%w: !matrix) kernel {
    %t = gpu.thread_id x
    %c0 = arith.constant 0 : index
    %c32 = arith.constant 32 : index
    %k16 = arith.constant 16 : i64
    %f = memref.load %x[%t] : memref<128xf32>
    %d = func.call @descriptor(%w, %c0) : (!matrix, index) -> i64
    %next = arith.addi %d, %k16 : i64
    %is_second = arith.cmpi uge, %t, %c32 : index
    %own = arith.select %is_second, %next, %d : i64
    %s0 = llvm.mlir.undef : !sums
    %s1 = llvm.insertvalue %f, %s0[0] : !sums
    %s2 = llvm.insertvalue %f, %s1[1] : !sums
    %s3 = llvm.insertvalue %f, %s2[2] : !sums
    %s = llvm.insertvalue %f, %s3[3] : !sums
    nvvm.wgmma.fence.aligned
    %m = nvvm.wgmma.mma_async %d, %own, %s, #nvvm.shape<m = 64, n = 8, k = 16>,
        D [<f32>, <one>], A [<f16>, <one>, <row>], B [<f16>, <one>, <col>] : !sums -> !sums
    nvvm.wgmma.commit.group.sync.aligned
    nvvm.wgmma.wait.group.sync.aligned 0
    %v = llvm.extractvalue %m[1] : !sums
    memref.store %v, %x[%t] : memref<128xf32>
    gpu.return
  }
}

// RUN: @no_wait EMU_CHECK=|races
// ERROR: wgmma_operations.mlir:[[@LINE-179]]:5: kernel 'no_wait', block 0,0,0: thread 0,0,0 reads the sums of the wgmma at {{.*}}wgmma_operations.mlir:[[@LINE-183]]:10, which it has not waited for: wait for its group (wgmma.wait_group)
func.func @no_wait() {
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  %x = gpu.alloc() : memref<128xf32>
  gpu.launch_func @kernels::@no_wait blocks in (%c1, %c1, %c1) threads in (%c128, %c1, %c1)
      args(%x : memref<128xf32>)
  gpu.wait
  return
}

// RUN: @one_group_too_few EMU_CHECK=|races
// ERROR: wgmma_operations.mlir:[[@LINE-163]]:5: kernel 'one_group_too_few', block 0,0,0: thread 0,0,0 reads the sums of the wgmma at {{.*}}wgmma_operations.mlir:[[@LINE-171]]:10, which it has not waited for: wait for its group (wgmma.wait_group)
func.func @one_group_too_few() {
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  %x = gpu.alloc() : memref<128xf32>
  gpu.launch_func @kernels::@one_group_too_few blocks in (%c1, %c1, %c1) threads in (%c128, %c1, %c1)
      args(%x : memref<128xf32>)
  gpu.wait
  return
}

// RUN: @no_commit EMU_CHECK=|races
// ERROR: wgmma_operations.mlir:[[@LINE-154]]:5: kernel 'no_commit', block 0,0,0: thread 0,0,0 reads the sums of the wgmma at {{.*}}wgmma_operations.mlir:[[@LINE-158]]:10, which it has not waited for: wait for its group (wgmma.wait_group)
func.func @no_commit() {
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  %x = gpu.alloc() : memref<128xf32>
  gpu.launch_func @kernels::@no_commit blocks in (%c1, %c1, %c1) threads in (%c128, %c1, %c1)
      args(%x : memref<128xf32>)
  gpu.wait
  return
}

// RUN: @no_fence EMU_CHECK=|races
// ERROR: wgmma_operations.mlir:[[@LINE-151]]:10: kernel 'no_fence', block 0,0,0: thread 0,0,0 multiplies matrices, and adds to registers that it has written, with no wgmma.fence in between
func.func @no_fence() {
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  %x = gpu.alloc() : memref<128xf32>
  gpu.launch_func @kernels::@no_fence blocks in (%c1, %c1, %c1) threads in (%c128, %c1, %c1)
      args(%x : memref<128xf32>)
  gpu.wait
  return
}

// RUN: @kept EMU_CHECK=|races
// ERROR: wgmma_operations.mlir:[[@LINE-139]]:10: kernel 'kept', block 0,0,0: thread 0,0,0 keeps the sums of the wgmma at {{.*}}wgmma_operations.mlir:[[@LINE-142]]:10 beside those that it adds to them, before it has waited for its group (wgmma.wait_group)
func.func @kept() {
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  %x = gpu.alloc() : memref<128xf32>
  gpu.launch_func @kernels::@kept blocks in (%c1, %c1, %c1) threads in (%c128, %c1, %c1)
      args(%x : memref<128xf32>)
  gpu.wait
  return
}

// RUN: @outside EMU_CHECK=|races
// ERROR: wgmma_operations.mlir:[[@LINE-126]]:10: kernel 'outside', block 0,0,0: thread 0,0,0 multiplies matrices at offset 16000 of workgroup memory of 4096 bytes
func.func @outside() {
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  %x = gpu.alloc() : memref<128xf32>
  gpu.launch_func @kernels::@outside blocks in (%c1, %c1, %c1) threads in (%c128, %c1, %c1)
      args(%x : memref<128xf32>)
  gpu.wait
  return
}

// RUN: @overwritten
// ERROR: wgmma_operations.mlir:[[@LINE-116]]:10: kernel 'overwritten', block 0,0,0: thread {{.*}} multiplies matrices that something has written to since, in row 0 of A, at byte 0 of workgroup memory
// RUN: @overwritten EMU_CHECK=races
// ERROR: wgmma_operations.mlir:[[@LINE-111]]:7: error: kernel 'overwritten', block 0,0,0: thread 127,0,0 writes to byte 0 of workgroup memory, which the product begun at {{.*}}wgmma_operations.mlir:[[@LINE-118]]:10 is about to read: wait for its group (wgmma.wait_group)
func.func @overwritten() {
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  %x = gpu.alloc() : memref<128xf32>
  gpu.launch_func @kernels::@overwritten blocks in (%c1, %c1, %c1) threads in (%c128, %c1, %c1)
      args(%x : memref<128xf32>)
  gpu.wait
  return
}

// RUN: @apart EMU_CHECK=|races
// ERROR: wgmma_operations.mlir:[[@LINE-97]]:10: kernel 'apart', block 0,0,0: thread 32,0,0 multiplies other matrices than a thread of its warp group does at {{.*}}wgmma_operations.mlir:[[@LINE-97]]:10: the four warps
func.func @apart() {
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  %x = gpu.alloc() : memref<128xf32>
  gpu.launch_func @kernels::@apart blocks in (%c1, %c1, %c1) threads in (%c128, %c1, %c1)
      args(%x : memref<128xf32>)
  gpu.wait
  return
}

gpu.module @more {
  // Its descriptors say that a pattern of swizzling begins elsewhere.
  gpu.func @base_offset(%x: memref<128xf32>) workgroup(%w: !matrix) kernel {
    %t = gpu.thread_id x
    %k4 = arith.constant 4 : i64
    %mask = arith.constant 0x3fff : i64
    %steps = arith.constant 0x4002001000080000 : i64
    %base = memref.extract_aligned_pointer_as_index %w : !matrix -> index
    %address = arith.index_cast %base : index to i64
    %short = arith.shrui %address, %k4 : i64
    %masked = arith.andi %short, %mask : i64
    %d = arith.ori %masked, %steps : i64
    %s = llvm.mlir.zero : !sums
    nvvm.wgmma.fence.aligned
    %m = nvvm.wgmma.mma_async %d, %d, %s, #nvvm.shape<m = 64, n = 8, k = 16>,
        D [<f32>, <zero>], A [<f16>, <one>, <row>], B [<f16>, <one>, <col>] : !sums -> !sums
    nvvm.wgmma.commit.group.sync.aligned
    nvvm.wgmma.wait.group.sync.aligned 0
    %v = llvm.extractvalue %m[1] : !sums
    memref.store %v, %x[%t] : memref<128xf32>
    gpu.return
  }
}

// RUN: @base_offset EMU_CHECK=|races
// ERROR: wgmma_operations.mlir:[[@LINE-11]]:10: kernel 'base_offset', block 0,0,0: thread 0,0,0 multiplies matrices by a descriptor with a base offset of 1, which the emulated device does not have
func.func @base_offset() {
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  %x = gpu.alloc() : memref<128xf32>
  gpu.launch_func @more::@base_offset blocks in (%c1, %c1, %c1) threads in (%c128, %c1, %c1)
      args(%x : memref<128xf32>)
  gpu.wait
  return
}

}
