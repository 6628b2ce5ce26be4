// What threads do wrong with copies in bulk and in clusters: one kernel for each way,
// which the function of the same name launches with blocks of 64 threads.
// CHIPS: sm_90
// FLAGS: --gpu-chip=sm_90
// FAULTS: brief, all kernels make the same calls

module attributes {gpu.container_module} {

gpu.module @kernels {
  // A copy in bulk that is read before its phase is over.
  gpu.func @unwaited(%x: memref<64xi32>, %out: memref<64xi32>)
      workgroup(%w: memref<64xi32, #gpu.address_space<workgroup>>) kernel {
    %t = gpu.thread_id x
    %block = gpu.block_id x
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %bytes = arith.constant 256 : i32
    %bytes_index = arith.constant 256 : index
    %ticks = arith.constant 10000000 : index
    %false = arith.constant false
    %first = arith.cmpi eq, %t, %c0 : index
    %wi = memref.extract_aligned_pointer_as_index %w : memref<64xi32, #gpu.address_space<workgroup>> -> index
    %w64 = arith.index_cast %wi : index to i64
    %pw = llvm.inttoptr %w64 : i64 to !llvm.ptr<3>
    %cw = llvm.addrspacecast %pw : !llvm.ptr<3> to !llvm.ptr<7>
    %xi = memref.extract_aligned_pointer_as_index %x : memref<64xi32> -> index
    %x64 = arith.index_cast %xi : index to i64
    %px = llvm.inttoptr %x64 : i64 to !llvm.ptr<1>
    %b = nvgpu.mbarrier.create -> !nvgpu.mbarrier.group<memorySpace = #gpu.address_space<workgroup>>
    nvgpu.mbarrier.init %b[%c0], %c1, predicate = %first : !nvgpu.mbarrier.group<memorySpace = #gpu.address_space<workgroup>>
    %bi = nvgpu.mbarrier.get %b[%c0] : !nvgpu.mbarrier.group<memorySpace = #gpu.address_space<workgroup>> -> i64
    %pb = llvm.inttoptr %bi : i64 to !llvm.ptr<3>
    gpu.barrier
    scf.if %first {
      nvgpu.mbarrier.arrive.expect_tx %b[%c0], %bytes_index : !nvgpu.mbarrier.group<memorySpace = #gpu.address_space<workgroup>>
      nvvm.cp.async.bulk.shared.cluster.global %cw, %px, %pb, %bytes : !llvm.ptr<7>, !llvm.ptr<1>
    }
    %v = memref.load %w[%t] : memref<64xi32, #gpu.address_space<workgroup>>
    nvgpu.mbarrier.try_wait.parity %b[%c0], %false, %ticks : !nvgpu.mbarrier.group<memorySpace = #gpu.address_space<workgroup>>
    memref.store %v, %out[%t] : memref<64xi32>
    gpu.return
  }
  // The block ends while a copy to its memory is under way.
  gpu.func @never_waited(%x: memref<64xi32>, %out: memref<64xi32>)
      workgroup(%w: memref<64xi32, #gpu.address_space<workgroup>>) kernel {
    %t = gpu.thread_id x
    %block = gpu.block_id x
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %bytes = arith.constant 256 : i32
    %bytes_index = arith.constant 256 : index
    %ticks = arith.constant 10000000 : index
    %false = arith.constant false
    %first = arith.cmpi eq, %t, %c0 : index
    %wi = memref.extract_aligned_pointer_as_index %w : memref<64xi32, #gpu.address_space<workgroup>> -> index
    %w64 = arith.index_cast %wi : index to i64
    %pw = llvm.inttoptr %w64 : i64 to !llvm.ptr<3>
    %cw = llvm.addrspacecast %pw : !llvm.ptr<3> to !llvm.ptr<7>
    %xi = memref.extract_aligned_pointer_as_index %x : memref<64xi32> -> index
    %x64 = arith.index_cast %xi : index to i64
    %px = llvm.inttoptr %x64 : i64 to !llvm.ptr<1>
    %b = nvgpu.mbarrier.create -> !nvgpu.mbarrier.group<memorySpace = #gpu.address_space<workgroup>>
    nvgpu.mbarrier.init %b[%c0], %c1, predicate = %first : !nvgpu.mbarrier.group<memorySpace = #gpu.address_space<workgroup>>
    %bi = nvgpu.mbarrier.get %b[%c0] : !nvgpu.mbarrier.group<memorySpace = #gpu.address_space<workgroup>> -> i64
    %pb = llvm.inttoptr %bi : i64 to !llvm.ptr<3>
    gpu.barrier
    scf.if %first {
      nvgpu.mbarrier.arrive.expect_tx %b[%c0], %bytes_index : !nvgpu.mbarrier.group<memorySpace = #gpu.address_space<workgroup>>
      nvvm.cp.async.bulk.shared.cluster.global %cw, %px, %pb, %bytes : !llvm.ptr<7>, !llvm.ptr<1>
    }
    gpu.return
  }
  // The phase expects fewer bytes than come, so that it never ends.
  gpu.func @more_than_expected(%x: memref<64xi32>, %out: memref<64xi32>)
      workgroup(%w: memref<64xi32, #gpu.address_space<workgroup>>) kernel {
    %t = gpu.thread_id x
    %block = gpu.block_id x
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %bytes = arith.constant 256 : i32
    %bytes_index = arith.constant 256 : index
    %ticks = arith.constant 10000000 : index
    %false = arith.constant false
    %first = arith.cmpi eq, %t, %c0 : index
    %wi = memref.extract_aligned_pointer_as_index %w : memref<64xi32, #gpu.address_space<workgroup>> -> index
    %w64 = arith.index_cast %wi : index to i64
    %pw = llvm.inttoptr %w64 : i64 to !llvm.ptr<3>
    %cw = llvm.addrspacecast %pw : !llvm.ptr<3> to !llvm.ptr<7>
    %xi = memref.extract_aligned_pointer_as_index %x : memref<64xi32> -> index
    %x64 = arith.index_cast %xi : index to i64
    %px = llvm.inttoptr %x64 : i64 to !llvm.ptr<1>
    %b = nvgpu.mbarrier.create -> !nvgpu.mbarrier.group<memorySpace = #gpu.address_space<workgroup>>
    nvgpu.mbarrier.init %b[%c0], %c1, predicate = %first : !nvgpu.mbarrier.group<memorySpace = #gpu.address_space<workgroup>>
    %bi = nvgpu.mbarrier.get %b[%c0] : !nvgpu.mbarrier.group<memorySpace = #gpu.address_space<workgroup>> -> i64
    %pb = llvm.inttoptr %bi : i64 to !llvm.ptr<3>
    gpu.barrier
    scf.if %first {
      nvgpu.mbarrier.arrive.expect_tx %b[%c0], %c1 : !nvgpu.mbarrier.group<memorySpace = #gpu.address_space<workgroup>>
      nvvm.cp.async.bulk.shared.cluster.global %cw, %px, %pb, %bytes : !llvm.ptr<7>, !llvm.ptr<1>
    }
    nvgpu.mbarrier.try_wait.parity %b[%c0], %false, %ticks : !nvgpu.mbarrier.group<memorySpace = #gpu.address_space<workgroup>>
    gpu.return
  }
  // Workgroup memory is written before the copy that reads it has.
  gpu.func @overwritten_source(%x: memref<64xi32>, %out: memref<64xi32>)
      workgroup(%w: memref<64xi32, #gpu.address_space<workgroup>>) kernel {
    %t = gpu.thread_id x
    %block = gpu.block_id x
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %bytes = arith.constant 256 : i32
    %bytes_index = arith.constant 256 : index
    %ticks = arith.constant 10000000 : index
    %false = arith.constant false
    %first = arith.cmpi eq, %t, %c0 : index
    %wi = memref.extract_aligned_pointer_as_index %w : memref<64xi32, #gpu.address_space<workgroup>> -> index
    %w64 = arith.index_cast %wi : index to i64
    %pw = llvm.inttoptr %w64 : i64 to !llvm.ptr<3>
    %cw = llvm.addrspacecast %pw : !llvm.ptr<3> to !llvm.ptr<7>
    %xi = memref.extract_aligned_pointer_as_index %x : memref<64xi32> -> index
    %x64 = arith.index_cast %xi : index to i64
    %px = llvm.inttoptr %x64 : i64 to !llvm.ptr<1>
    memref.store %one, %w[%t] : memref<64xi32, #gpu.address_space<workgroup>>
    nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
    gpu.barrier
    scf.if %first {
      nvvm.cp.async.bulk.global.shared.cta %px, %pw, %bytes : !llvm.ptr<1>, !llvm.ptr<3>
      nvvm.cp.async.bulk.commit.group
      memref.store %zero, %w[%c0] : memref<64xi32, #gpu.address_space<workgroup>>
      nvvm.cp.async.bulk.wait_group 0 {read}
    }
    gpu.return
  }
  // Not a multiple of 16 bytes.
  gpu.func @odd_size(%x: memref<64xi32>, %out: memref<64xi32>)
      workgroup(%w: memref<64xi32, #gpu.address_space<workgroup>>) kernel {
    %t = gpu.thread_id x
    %block = gpu.block_id x
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %bytes = arith.constant 256 : i32
    %bytes_index = arith.constant 256 : index
    %ticks = arith.constant 10000000 : index
    %false = arith.constant false
    %first = arith.cmpi eq, %t, %c0 : index
    %wi = memref.extract_aligned_pointer_as_index %w : memref<64xi32, #gpu.address_space<workgroup>> -> index
    %w64 = arith.index_cast %wi : index to i64
    %pw = llvm.inttoptr %w64 : i64 to !llvm.ptr<3>
    %cw = llvm.addrspacecast %pw : !llvm.ptr<3> to !llvm.ptr<7>
    %xi = memref.extract_aligned_pointer_as_index %x : memref<64xi32> -> index
    %x64 = arith.index_cast %xi : index to i64
    %px = llvm.inttoptr %x64 : i64 to !llvm.ptr<1>
    %b = nvgpu.mbarrier.create -> !nvgpu.mbarrier.group<memorySpace = #gpu.address_space<workgroup>>
    nvgpu.mbarrier.init %b[%c0], %c1, predicate = %first : !nvgpu.mbarrier.group<memorySpace = #gpu.address_space<workgroup>>
    %bi = nvgpu.mbarrier.get %b[%c0] : !nvgpu.mbarrier.group<memorySpace = #gpu.address_space<workgroup>> -> i64
    %pb = llvm.inttoptr %bi : i64 to !llvm.ptr<3>
    gpu.barrier
    scf.if %first {
      nvgpu.mbarrier.arrive.expect_tx %b[%c0], %bytes_index : !nvgpu.mbarrier.group<memorySpace = #gpu.address_space<workgroup>>
      nvvm.cp.async.bulk.shared.cluster.global %cw, %px, %pb, %one : !llvm.ptr<7>, !llvm.ptr<1>
    }
    gpu.return
  }
  // A block of a cluster reads the other's memory, and nothing orders the two.
  gpu.func @no_cluster_barrier(%x: memref<64xi32>, %out: memref<64xi32>)
      workgroup(%w: memref<64xi32, #gpu.address_space<workgroup>>) kernel {
    %t = gpu.thread_id x
    %block = gpu.block_id x
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %bytes = arith.constant 256 : i32
    %bytes_index = arith.constant 256 : index
    %ticks = arith.constant 10000000 : index
    %false = arith.constant false
    %first = arith.cmpi eq, %t, %c0 : index
    %wi = memref.extract_aligned_pointer_as_index %w : memref<64xi32, #gpu.address_space<workgroup>> -> index
    %w64 = arith.index_cast %wi : index to i64
    %pw = llvm.inttoptr %w64 : i64 to !llvm.ptr<3>
    %cw = llvm.addrspacecast %pw : !llvm.ptr<3> to !llvm.ptr<7>
    %xi = memref.extract_aligned_pointer_as_index %x : memref<64xi32> -> index
    %x64 = arith.index_cast %xi : index to i64
    %px = llvm.inttoptr %x64 : i64 to !llvm.ptr<1>
    %rank = nvvm.read.ptx.sreg.cluster.ctarank : i32
    %peer = arith.xori %rank, %one : i32
    memref.store %rank, %w[%t] : memref<64xi32, #gpu.address_space<workgroup>>
    gpu.barrier
    %there = nvvm.mapa %pw, %peer : !llvm.ptr<3> -> !llvm.ptr<7>
    %v = llvm.load %there : !llvm.ptr<7> -> i32
    memref.store %v, %out[%t] : memref<64xi32>
    nvvm.cluster.arrive
    nvvm.cluster.wait
    gpu.return
  }
  // The second block of a cluster waits for something else.
  gpu.func @cluster_missed(%x: memref<64xi32>, %out: memref<64xi32>)
      workgroup(%w: memref<64xi32, #gpu.address_space<workgroup>>) kernel {
    %t = gpu.thread_id x
    %block = gpu.block_id x
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %bytes = arith.constant 256 : i32
    %bytes_index = arith.constant 256 : index
    %ticks = arith.constant 10000000 : index
    %false = arith.constant false
    %first = arith.cmpi eq, %t, %c0 : index
    %wi = memref.extract_aligned_pointer_as_index %w : memref<64xi32, #gpu.address_space<workgroup>> -> index
    %w64 = arith.index_cast %wi : index to i64
    %pw = llvm.inttoptr %w64 : i64 to !llvm.ptr<3>
    %cw = llvm.addrspacecast %pw : !llvm.ptr<3> to !llvm.ptr<7>
    %xi = memref.extract_aligned_pointer_as_index %x : memref<64xi32> -> index
    %x64 = arith.index_cast %xi : index to i64
    %px = llvm.inttoptr %x64 : i64 to !llvm.ptr<1>
    %b = nvgpu.mbarrier.create -> !nvgpu.mbarrier.group<memorySpace = #gpu.address_space<workgroup>>
    nvgpu.mbarrier.init %b[%c0], %c1, predicate = %first : !nvgpu.mbarrier.group<memorySpace = #gpu.address_space<workgroup>>
    %bi = nvgpu.mbarrier.get %b[%c0] : !nvgpu.mbarrier.group<memorySpace = #gpu.address_space<workgroup>> -> i64
    %pb = llvm.inttoptr %bi : i64 to !llvm.ptr<3>
    gpu.barrier
    %second = arith.cmpi eq, %block, %c1 : index
    %none = arith.constant false
    scf.if %none {
      nvgpu.mbarrier.arrive.expect_tx %b[%c0], %bytes_index : !nvgpu.mbarrier.group<memorySpace = #gpu.address_space<workgroup>>
      nvvm.cp.async.bulk.shared.cluster.global %cw, %px, %pb, %bytes : !llvm.ptr<7>, !llvm.ptr<1>
    }
    scf.if %second {
      nvgpu.mbarrier.try_wait.parity %b[%c0], %false, %ticks : !nvgpu.mbarrier.group<memorySpace = #gpu.address_space<workgroup>>
    }
    nvvm.cluster.arrive
    nvvm.cluster.wait
    gpu.return
  }
  // At the barrier of the cluster, without waiting in between.
  gpu.func @arrives_twice(%x: memref<64xi32>, %out: memref<64xi32>)
      workgroup(%w: memref<64xi32, #gpu.address_space<workgroup>>) kernel {
    %t = gpu.thread_id x
    %block = gpu.block_id x
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %bytes = arith.constant 256 : i32
    %bytes_index = arith.constant 256 : index
    %ticks = arith.constant 10000000 : index
    %false = arith.constant false
    %first = arith.cmpi eq, %t, %c0 : index
    %wi = memref.extract_aligned_pointer_as_index %w : memref<64xi32, #gpu.address_space<workgroup>> -> index
    %w64 = arith.index_cast %wi : index to i64
    %pw = llvm.inttoptr %w64 : i64 to !llvm.ptr<3>
    %cw = llvm.addrspacecast %pw : !llvm.ptr<3> to !llvm.ptr<7>
    %xi = memref.extract_aligned_pointer_as_index %x : memref<64xi32> -> index
    %x64 = arith.index_cast %xi : index to i64
    %px = llvm.inttoptr %x64 : i64 to !llvm.ptr<1>
    nvvm.cluster.arrive
    nvvm.cluster.arrive
    nvvm.cluster.wait
    gpu.return
  }
  // The cluster has two blocks.
  gpu.func @no_such_block(%x: memref<64xi32>, %out: memref<64xi32>)
      workgroup(%w: memref<64xi32, #gpu.address_space<workgroup>>) kernel {
    %t = gpu.thread_id x
    %block = gpu.block_id x
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %bytes = arith.constant 256 : i32
    %bytes_index = arith.constant 256 : index
    %ticks = arith.constant 10000000 : index
    %false = arith.constant false
    %first = arith.cmpi eq, %t, %c0 : index
    %wi = memref.extract_aligned_pointer_as_index %w : memref<64xi32, #gpu.address_space<workgroup>> -> index
    %w64 = arith.index_cast %wi : index to i64
    %pw = llvm.inttoptr %w64 : i64 to !llvm.ptr<3>
    %cw = llvm.addrspacecast %pw : !llvm.ptr<3> to !llvm.ptr<7>
    %xi = memref.extract_aligned_pointer_as_index %x : memref<64xi32> -> index
    %x64 = arith.index_cast %xi : index to i64
    %px = llvm.inttoptr %x64 : i64 to !llvm.ptr<1>
    %five = arith.constant 5 : i32
    %there = nvvm.mapa %pw, %five : !llvm.ptr<3> -> !llvm.ptr<7>
    %v = llvm.load %there : !llvm.ptr<7> -> i32
    memref.store %v, %out[%t] : memref<64xi32>
    gpu.return
  }
}

// RUN: @unwaited EMU_CHECK=races
// ERROR: bulk_operations.mlir:[[@LINE-261]]:10: error: kernel 'unwaited', block 0,0,0: thread 0,0,0 reads 4 bytes at byte {{[0-9]+}} of workgroup memory, which the asynchronous copy that thread 0,0,0 has begun at {{.*}}[[@LINE-263]]:7 is about to write: wait for the phase of its mbarrier
// CHECK: done
func.func @unwaited() {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c64 = arith.constant 64 : index
  %x = gpu.alloc() : memref<64xi32>
  %d = gpu.alloc() : memref<64xi32>
  %seven = arith.constant 7 : i32
  gpu.memset %x, %seven : memref<64xi32>, i32
  gpu.launch_func @kernels::@unwaited blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%x : memref<64xi32>, %d : memref<64xi32>)
  gpu.wait
  vector.print str "done\n"
  gpu.dealloc %x : memref<64xi32>
  gpu.dealloc %d : memref<64xi32>
  return
}

// RUN: @never_waited EMU_CHECK=|races
// ERROR: bulk_operations.mlir:{{[0-9]+}}:3: error: {{.*}}: CUDA_ERROR_{{[A-Z_]+}}: {{.*}}[[@LINE-247]]:7: kernel 'never_waited', block 0,0,0: thread 0,0,0 has begun a copy to shared memory that no thread has waited for, and its block has ended
func.func @never_waited() {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c64 = arith.constant 64 : index
  %x = gpu.alloc() : memref<64xi32>
  %d = gpu.alloc() : memref<64xi32>
  %seven = arith.constant 7 : i32
  gpu.memset %x, %seven : memref<64xi32>, i32
  gpu.launch_func @kernels::@never_waited blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%x : memref<64xi32>, %d : memref<64xi32>)
  gpu.wait
  vector.print str "done\n"
  gpu.dealloc %x : memref<64xi32>
  gpu.dealloc %d : memref<64xi32>
  return
}

// RUN: @more_than_expected EMU_CHECK=|races
// ERROR: bulk_operations.mlir:{{[0-9]+}}:3: error: {{.*}}: CUDA_ERROR_{{[A-Z_]+}}: {{.*}}[[@LINE-231]]:5: kernel 'more_than_expected', block 0,0,0: thread 0,0,0 waits in vain for a phase of parity 0 of the mbarrier initialised at {{.*}}: it is in phase 0, which has had 255 bytes more than it expects
func.func @more_than_expected() {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c64 = arith.constant 64 : index
  %x = gpu.alloc() : memref<64xi32>
  %d = gpu.alloc() : memref<64xi32>
  %seven = arith.constant 7 : i32
  gpu.memset %x, %seven : memref<64xi32>, i32
  gpu.launch_func @kernels::@more_than_expected blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%x : memref<64xi32>, %d : memref<64xi32>)
  gpu.wait
  vector.print str "done\n"
  gpu.dealloc %x : memref<64xi32>
  gpu.dealloc %d : memref<64xi32>
  return
}

// RUN: @overwritten_source EMU_CHECK=races
// ERROR: bulk_operations.mlir:[[@LINE-219]]:7: error: kernel 'overwritten_source', block 0,0,0: thread 0,0,0 writes 4 bytes at byte {{[0-9]+}} of workgroup memory, which the asynchronous copy that thread 0,0,0 has begun at {{.*}}[[@LINE-221]]:7 is about to read: wait for its group (cp.async.bulk.wait_group)
// CHECK: done
func.func @overwritten_source() {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c64 = arith.constant 64 : index
  %x = gpu.alloc() : memref<64xi32>
  %d = gpu.alloc() : memref<64xi32>
  %seven = arith.constant 7 : i32
  gpu.memset %x, %seven : memref<64xi32>, i32
  gpu.launch_func @kernels::@overwritten_source blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%x : memref<64xi32>, %d : memref<64xi32>)
  gpu.wait
  vector.print str "done\n"
  gpu.dealloc %x : memref<64xi32>
  gpu.dealloc %d : memref<64xi32>
  return
}

// RUN: @odd_size EMU_CHECK=|races
// ERROR: bulk_operations.mlir:{{[0-9]+}}:3: error: {{.*}}: CUDA_ERROR_{{[A-Z_]+}}: {{.*}}[[@LINE-205]]:7: kernel 'odd_size', block 0,0,0: thread 0,0,0 copies 1 bytes in bulk, which is not a multiple of 16
func.func @odd_size() {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c64 = arith.constant 64 : index
  %x = gpu.alloc() : memref<64xi32>
  %d = gpu.alloc() : memref<64xi32>
  %seven = arith.constant 7 : i32
  gpu.memset %x, %seven : memref<64xi32>, i32
  gpu.launch_func @kernels::@odd_size blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%x : memref<64xi32>, %d : memref<64xi32>)
  gpu.wait
  vector.print str "done\n"
  gpu.dealloc %x : memref<64xi32>
  gpu.dealloc %d : memref<64xi32>
  return
}

// RUN: @no_cluster_barrier EMU_CHECK=races
// ERROR: bulk_operations.mlir:[[@LINE-193]]:10: error: race: kernel 'no_cluster_barrier': thread 0,0,0 of block 1,0,0 reads 4 bytes at byte 0 of workgroup memory, which thread 0,0,0 of block 0,0,0 writes at {{.*}}[[@LINE-196]]:5; no barrier stands between them
// CHECK: done
func.func @no_cluster_barrier() {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c64 = arith.constant 64 : index
  %x = gpu.alloc() : memref<64xi32>
  %d = gpu.alloc() : memref<64xi32>
  %seven = arith.constant 7 : i32
  gpu.memset %x, %seven : memref<64xi32>, i32
  gpu.launch_func @kernels::@no_cluster_barrier clusters in (%c2, %c1, %c1) blocks in (%c2, %c1, %c1) threads in (%c64, %c1, %c1) args(%x : memref<64xi32>, %d : memref<64xi32>)
  gpu.wait
  vector.print str "done\n"
  gpu.dealloc %x : memref<64xi32>
  gpu.dealloc %d : memref<64xi32>
  return
}

// RUN: @cluster_missed EMU_CHECK=|races
// ERROR: bulk_operations.mlir:{{[0-9]+}}:3: error: {{.*}}: CUDA_ERROR_LAUNCH_FAILED: {{.*}}[[@LINE-170]]:5: kernel 'cluster_missed', block 0,0,0: thread 0,0,0 waits in vain at the barrier of its cluster: thread 0,0,0 of block 1,0,0 has not arrived; it waits at {{.*}}[[@LINE-173]]:7
func.func @cluster_missed() {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c64 = arith.constant 64 : index
  %x = gpu.alloc() : memref<64xi32>
  %d = gpu.alloc() : memref<64xi32>
  %seven = arith.constant 7 : i32
  gpu.memset %x, %seven : memref<64xi32>, i32
  gpu.launch_func @kernels::@cluster_missed clusters in (%c2, %c1, %c1) blocks in (%c2, %c1, %c1) threads in (%c64, %c1, %c1) args(%x : memref<64xi32>, %d : memref<64xi32>)
  gpu.wait
  vector.print str "done\n"
  gpu.dealloc %x : memref<64xi32>
  gpu.dealloc %d : memref<64xi32>
  return
}

// RUN: @arrives_twice EMU_CHECK=|races
// ERROR: bulk_operations.mlir:{{[0-9]+}}:3: error: {{.*}}: CUDA_ERROR_{{[A-Z_]+}}: {{.*}}[[@LINE-163]]:5: kernel 'arrives_twice', block 0,0,0: thread 0,0,0 arrives at the barrier of its cluster again, and has not waited since it arrived
func.func @arrives_twice() {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c64 = arith.constant 64 : index
  %x = gpu.alloc() : memref<64xi32>
  %d = gpu.alloc() : memref<64xi32>
  %seven = arith.constant 7 : i32
  gpu.memset %x, %seven : memref<64xi32>, i32
  gpu.launch_func @kernels::@arrives_twice clusters in (%c2, %c1, %c1) blocks in (%c2, %c1, %c1) threads in (%c64, %c1, %c1) args(%x : memref<64xi32>, %d : memref<64xi32>)
  gpu.wait
  vector.print str "done\n"
  gpu.dealloc %x : memref<64xi32>
  gpu.dealloc %d : memref<64xi32>
  return
}

// RUN: @no_such_block EMU_CHECK=|races
// ERROR: bulk_operations.mlir:{{[0-9]+}}:3: error: {{.*}}: CUDA_ERROR_{{[A-Z_]+}}: {{.*}}[[@LINE-155]]:14: kernel 'no_such_block', block 0,0,0: thread 0,0,0 maps an address to block 5 of a cluster of 2
func.func @no_such_block() {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c64 = arith.constant 64 : index
  %x = gpu.alloc() : memref<64xi32>
  %d = gpu.alloc() : memref<64xi32>
  %seven = arith.constant 7 : i32
  gpu.memset %x, %seven : memref<64xi32>, i32
  gpu.launch_func @kernels::@no_such_block clusters in (%c2, %c1, %c1) blocks in (%c2, %c1, %c1) threads in (%c64, %c1, %c1) args(%x : memref<64xi32>, %d : memref<64xi32>)
  gpu.wait
  vector.print str "done\n"
  gpu.dealloc %x : memref<64xi32>
  gpu.dealloc %d : memref<64xi32>
  return
}

gpu.module @more {
  // The second block of a cluster ends while the first reaches its memory.
  gpu.func @ended(%out: memref<64xi32>)
      workgroup(%w: memref<64xi32, #gpu.address_space<workgroup>>) kernel {
    %c0 = arith.constant 0 : index
    %one = arith.constant 1 : i32
    %t = gpu.thread_id x
    %b = gpu.cluster_block_id x
    memref.store %one, %w[%t] : memref<64xi32, #gpu.address_space<workgroup>>
    nvvm.cluster.arrive {aligned}
    nvvm.cluster.wait {aligned}
    %is_first = arith.cmpi eq, %b, %c0 : index
    scf.if %is_first {
      %i = memref.extract_aligned_pointer_as_index %w : memref<64xi32, #gpu.address_space<workgroup>> -> index
      %a = arith.index_cast %i : index to i64
      %p = llvm.inttoptr %a : i64 to !llvm.ptr<3>
      %q = nvvm.mapa %p, %one : !llvm.ptr<3> -> !llvm.ptr<7>
      %v = llvm.load %q : !llvm.ptr<7> -> i32
      memref.store %v, %out[%t] : memref<64xi32>
    }
    gpu.return
  }
  // The first block knows an mbarrier of the second, and arrives there when that
  // has ended.
  gpu.func @ended_barrier()
      workgroup(%m: memref<1xi64, #gpu.address_space<workgroup>>) kernel {
    %c0 = arith.constant 0 : index
    %one = arith.constant 1 : i32
    %t = gpu.thread_id x
    %b = gpu.cluster_block_id x
    %i = memref.extract_aligned_pointer_as_index %m : memref<1xi64, #gpu.address_space<workgroup>> -> index
    %a = arith.index_cast %i : index to i64
    %p = llvm.inttoptr %a : i64 to !llvm.ptr<3>
    %leads = arith.cmpi eq, %t, %c0 : index
    scf.if %leads {
      nvvm.mbarrier.init %p, %one : !llvm.ptr<3>, i32
      nvvm.fence.mbarrier.init
    }
    %q = nvvm.mapa %p, %one : !llvm.ptr<3> -> !llvm.ptr<7>
    nvvm.cluster.arrive {aligned}
    nvvm.cluster.wait {aligned}
    %is_first = arith.cmpi eq, %b, %c0 : index
    %arrives = arith.andi %is_first, %leads : i1
    scf.if %arrives {
      nvvm.mbarrier.arrive %q {scope = #nvvm.mem_scope<cluster>} : !llvm.ptr<7>
    }
    gpu.return
  }
}

// RUN: @ended EMU_CHECK=|memory
// ERROR: bulk_operations.mlir:{{[0-9]+}}:3: error: {{.*}}: CUDA_ERROR_LAUNCH_FAILED: {{.*}}[[@LINE-35]]:12: kernel 'ended', block 0,0,0: thread 0,0,0 maps an address to block 1 of its cluster, which has ended: let it wait at a barrier of the cluster behind the last access
func.func @ended() {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c64 = arith.constant 64 : index
  %out = gpu.alloc() : memref<64xi32>
  gpu.launch_func @more::@ended clusters in (%c2, %c1, %c1) blocks in (%c2, %c1, %c1) threads in (%c64, %c1, %c1)
      args(%out : memref<64xi32>)
  gpu.wait
  return
}

// RUN: @ended_barrier EMU_CHECK=|memory
// ERROR: bulk_operations.mlir:{{[0-9]+}}:3: error: {{.*}}: CUDA_ERROR_LAUNCH_FAILED: {{.*}}[[@LINE-20]]:7: kernel 'ended_barrier', block 0,0,0: thread 0,0,0 uses an mbarrier of a block of its cluster that has ended
func.func @ended_barrier() {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c64 = arith.constant 64 : index
  gpu.launch_func @more::@ended_barrier clusters in (%c2, %c1, %c1) blocks in (%c2, %c1, %c1) threads in (%c64, %c1, %c1)
  gpu.wait
  return
}

}
