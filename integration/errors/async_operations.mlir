// What threads do wrong with asynchronous copies and mbarriers: one kernel for
// each way, which the function of the same name launches with a block of 64.
// CHIPS: sm_90
// FLAGS: --gpu-chip=sm_90
// FAULTS: brief, all kernels make the same calls

module attributes {gpu.container_module} {

gpu.module @kernels {
  // A thread reads what its own copy has not brought yet.
  gpu.func @no_wait(%x: memref<64xi32>, %out: memref<64xi32>)
      workgroup(%w: memref<64xi32, #gpu.address_space<workgroup>>) kernel {
    %t = gpu.thread_id x
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %ticks = arith.constant 10000000 : index
    %false = arith.constant false
    %true = arith.constant true
    %first = arith.cmpi eq, %t, %c0 : index
    %copy = nvgpu.device_async_copy %x[%t], %w[%t], 1 : memref<64xi32> to memref<64xi32, #gpu.address_space<workgroup>>
    %group = nvgpu.device_async_create_group %copy
    %v = memref.load %w[%t] : memref<64xi32, #gpu.address_space<workgroup>>
    memref.store %v, %out[%t] : memref<64xi32>
    gpu.return
  }
  // It waits for the first of two groups, and reads the second.
  gpu.func @one_group_too_few(%x: memref<64xi32>, %out: memref<64xi32>)
      workgroup(%w: memref<64xi32, #gpu.address_space<workgroup>>) kernel {
    %t = gpu.thread_id x
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %ticks = arith.constant 10000000 : index
    %false = arith.constant false
    %true = arith.constant true
    %first = arith.cmpi eq, %t, %c0 : index
    %copy = nvgpu.device_async_copy %x[%t], %w[%t], 1 : memref<64xi32> to memref<64xi32, #gpu.address_space<workgroup>>
    %group = nvgpu.device_async_create_group %copy
    %copy2 = nvgpu.device_async_copy %x[%t], %w[%t], 1 : memref<64xi32> to memref<64xi32, #gpu.address_space<workgroup>>
    %group2 = nvgpu.device_async_create_group %copy2
    nvgpu.device_async_wait %group {numGroups = 1 : i32}
    gpu.barrier
    %v = memref.load %w[%t] : memref<64xi32, #gpu.address_space<workgroup>>
    memref.store %v, %out[%t] : memref<64xi32>
    gpu.return
  }
  // It has waited for its own copy, and reads that of its neighbour.
  gpu.func @no_barrier(%x: memref<64xi32>, %out: memref<64xi32>)
      workgroup(%w: memref<64xi32, #gpu.address_space<workgroup>>) kernel {
    %t = gpu.thread_id x
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %ticks = arith.constant 10000000 : index
    %false = arith.constant false
    %true = arith.constant true
    %first = arith.cmpi eq, %t, %c0 : index
    %copy = nvgpu.device_async_copy %x[%t], %w[%t], 1 : memref<64xi32> to memref<64xi32, #gpu.address_space<workgroup>>
    %group = nvgpu.device_async_create_group %copy
    nvgpu.device_async_wait %group
    %mirror = arith.xori %t, %c1 : index
    %v = memref.load %w[%mirror] : memref<64xi32, #gpu.address_space<workgroup>>
    memref.store %v, %out[%t] : memref<64xi32>
    gpu.return
  }
  // An mbarrier counts the copies, and a thread does not wait for it.
  gpu.func @no_phase(%x: memref<64xi32>, %out: memref<64xi32>)
      workgroup(%w: memref<64xi32, #gpu.address_space<workgroup>>) kernel {
    %t = gpu.thread_id x
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %ticks = arith.constant 10000000 : index
    %false = arith.constant false
    %true = arith.constant true
    %first = arith.cmpi eq, %t, %c0 : index
    %b = nvgpu.mbarrier.create -> !nvgpu.mbarrier.group<memorySpace = #gpu.address_space<workgroup>>
    nvgpu.mbarrier.init %b[%c0], %c64, predicate = %first : !nvgpu.mbarrier.group<memorySpace = #gpu.address_space<workgroup>>
    gpu.barrier
    %copy = nvgpu.device_async_copy %x[%t], %w[%t], 1 : memref<64xi32> to memref<64xi32, #gpu.address_space<workgroup>>
    %p = nvgpu.mbarrier.get %b[%c0] : !nvgpu.mbarrier.group<memorySpace = #gpu.address_space<workgroup>> -> i64
    %q = llvm.inttoptr %p : i64 to !llvm.ptr
    nvvm.cp.async.mbarrier.arrive %q {noinc = true} : !llvm.ptr
    %v = memref.load %w[%t] : memref<64xi32, #gpu.address_space<workgroup>>
    nvgpu.mbarrier.try_wait.parity %b[%c0], %false, %ticks : !nvgpu.mbarrier.group<memorySpace = #gpu.address_space<workgroup>>
    memref.store %v, %out[%t] : memref<64xi32>
    gpu.return
  }
  // Of the parity that is over when nothing has happened yet.
  gpu.func @wrong_parity(%x: memref<64xi32>, %out: memref<64xi32>)
      workgroup(%w: memref<64xi32, #gpu.address_space<workgroup>>) kernel {
    %t = gpu.thread_id x
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %ticks = arith.constant 10000000 : index
    %false = arith.constant false
    %true = arith.constant true
    %first = arith.cmpi eq, %t, %c0 : index
    %b = nvgpu.mbarrier.create -> !nvgpu.mbarrier.group<memorySpace = #gpu.address_space<workgroup>>
    nvgpu.mbarrier.init %b[%c0], %c64, predicate = %first : !nvgpu.mbarrier.group<memorySpace = #gpu.address_space<workgroup>>
    gpu.barrier
    %copy = nvgpu.device_async_copy %x[%t], %w[%t], 1 : memref<64xi32> to memref<64xi32, #gpu.address_space<workgroup>>
    %p = nvgpu.mbarrier.get %b[%c0] : !nvgpu.mbarrier.group<memorySpace = #gpu.address_space<workgroup>> -> i64
    %q = llvm.inttoptr %p : i64 to !llvm.ptr
    nvvm.cp.async.mbarrier.arrive %q {noinc = true} : !llvm.ptr
    nvgpu.mbarrier.try_wait.parity %b[%c0], %true, %ticks : !nvgpu.mbarrier.group<memorySpace = #gpu.address_space<workgroup>>
    %v = memref.load %w[%t] : memref<64xi32, #gpu.address_space<workgroup>>
    memref.store %v, %out[%t] : memref<64xi32>
    gpu.return
  }
  // Half of the threads go past the mbarrier, to a barrier of the block.
  gpu.func @missed(%x: memref<64xi32>, %out: memref<64xi32>)
      workgroup(%w: memref<64xi32, #gpu.address_space<workgroup>>) kernel {
    %t = gpu.thread_id x
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %ticks = arith.constant 10000000 : index
    %false = arith.constant false
    %true = arith.constant true
    %first = arith.cmpi eq, %t, %c0 : index
    %b = nvgpu.mbarrier.create -> !nvgpu.mbarrier.group<memorySpace = #gpu.address_space<workgroup>>
    nvgpu.mbarrier.init %b[%c0], %c64, predicate = %first : !nvgpu.mbarrier.group<memorySpace = #gpu.address_space<workgroup>>
    gpu.barrier
    %c32 = arith.constant 32 : index
    %low = arith.cmpi ult, %t, %c32 : index
    scf.if %low {
      %token = nvgpu.mbarrier.arrive %b[%c0] : !nvgpu.mbarrier.group<memorySpace = #gpu.address_space<workgroup>> -> !nvgpu.mbarrier.token
      nvgpu.mbarrier.try_wait.parity %b[%c0], %false, %ticks : !nvgpu.mbarrier.group<memorySpace = #gpu.address_space<workgroup>>
    }
    gpu.barrier
    gpu.return
  }
  // All arrive but one, who ends; the others ask again and again.
  gpu.func @asked_for_ever(%x: memref<64xi32>, %out: memref<64xi32>)
      workgroup(%w: memref<64xi32, #gpu.address_space<workgroup>>) kernel {
    %t = gpu.thread_id x
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %ticks = arith.constant 10000000 : index
    %false = arith.constant false
    %true = arith.constant true
    %first = arith.cmpi eq, %t, %c0 : index
    %b = nvgpu.mbarrier.create -> !nvgpu.mbarrier.group<memorySpace = #gpu.address_space<workgroup>>
    nvgpu.mbarrier.init %b[%c0], %c64, predicate = %first : !nvgpu.mbarrier.group<memorySpace = #gpu.address_space<workgroup>>
    gpu.barrier
    scf.if %first {
    } else {
      %token = nvgpu.mbarrier.arrive %b[%c0] : !nvgpu.mbarrier.group<memorySpace = #gpu.address_space<workgroup>> -> !nvgpu.mbarrier.token
      scf.while : () -> () {
        %over = nvgpu.mbarrier.test.wait %b[%c0], %token : !nvgpu.mbarrier.group<memorySpace = #gpu.address_space<workgroup>>, !nvgpu.mbarrier.token
        %more = arith.xori %over, %true : i1
        scf.condition(%more)
      } do {
        scf.yield
      }
    }
    gpu.return
  }
  gpu.func @not_initialised(%x: memref<64xi32>, %out: memref<64xi32>)
      workgroup(%w: memref<64xi32, #gpu.address_space<workgroup>>) kernel {
    %t = gpu.thread_id x
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %ticks = arith.constant 10000000 : index
    %false = arith.constant false
    %true = arith.constant true
    %first = arith.cmpi eq, %t, %c0 : index
    %b = nvgpu.mbarrier.create -> !nvgpu.mbarrier.group<memorySpace = #gpu.address_space<workgroup>>
    %token = nvgpu.mbarrier.arrive %b[%c0] : !nvgpu.mbarrier.group<memorySpace = #gpu.address_space<workgroup>> -> !nvgpu.mbarrier.token
    gpu.return
  }
  // It expects one arrival less than there are, and all arrive at once.
  gpu.func @too_many(%x: memref<64xi32>, %out: memref<64xi32>)
      workgroup(%w: memref<64xi32, #gpu.address_space<workgroup>>) kernel {
    %t = gpu.thread_id x
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %ticks = arith.constant 10000000 : index
    %false = arith.constant false
    %true = arith.constant true
    %first = arith.cmpi eq, %t, %c0 : index
    %c63 = arith.constant 63 : index
    %one = arith.constant 1 : i32
    %b = nvgpu.mbarrier.create -> !nvgpu.mbarrier.group<memorySpace = #gpu.address_space<workgroup>>
    nvgpu.mbarrier.init %b[%c0], %c63, predicate = %first : !nvgpu.mbarrier.group<memorySpace = #gpu.address_space<workgroup>>
    scf.if %first {
      nvgpu.mbarrier.arrive.expect_tx %b[%c0], %c64 : !nvgpu.mbarrier.group<memorySpace = #gpu.address_space<workgroup>>
    }
    gpu.barrier
    scf.if %first {
    } else {
      %token = nvgpu.mbarrier.arrive %b[%c0] : !nvgpu.mbarrier.group<memorySpace = #gpu.address_space<workgroup>> -> !nvgpu.mbarrier.token
    }
    gpu.return
  }
  gpu.func @overwritten(%x: memref<64xi32>, %out: memref<64xi32>)
      workgroup(%w: memref<64xi32, #gpu.address_space<workgroup>>) kernel {
    %t = gpu.thread_id x
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %ticks = arith.constant 10000000 : index
    %false = arith.constant false
    %true = arith.constant true
    %first = arith.cmpi eq, %t, %c0 : index
    %b = nvgpu.mbarrier.create -> !nvgpu.mbarrier.group<memorySpace = #gpu.address_space<workgroup>>
    nvgpu.mbarrier.init %b[%c0], %c64, predicate = %first : !nvgpu.mbarrier.group<memorySpace = #gpu.address_space<workgroup>>
    gpu.barrier
    %p = nvgpu.mbarrier.get %b[%c0] : !nvgpu.mbarrier.group<memorySpace = #gpu.address_space<workgroup>> -> i64
    %q = llvm.inttoptr %p : i64 to !llvm.ptr
    %zero = arith.constant 0 : i64
    scf.if %first {
      llvm.store %zero, %q : i64, !llvm.ptr
    }
    gpu.barrier
    %token = nvgpu.mbarrier.arrive %b[%c0] : !nvgpu.mbarrier.group<memorySpace = #gpu.address_space<workgroup>> -> !nvgpu.mbarrier.token
    gpu.return
  }
}

// RUN: @no_wait EMU_CHECK=races
// ERROR: async_operations.mlir:[[@LINE-205]]:10: error: kernel 'no_wait', block 0,0,0: thread 0,0,0 reads 4 bytes at byte 0 of workgroup memory, which the asynchronous copy that thread 0,0,0 has begun at {{.*}}[[@LINE-207]]:13 is about to write: wait for its group (cp.async.wait_group) or its mbarrier
// CHECK: done
func.func @no_wait() {
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %x = gpu.alloc() : memref<64xi32>
  %d = gpu.alloc() : memref<64xi32>
  %seven = arith.constant 7 : i32
  gpu.memset %x, %seven : memref<64xi32>, i32
  gpu.launch_func @kernels::@no_wait blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%x : memref<64xi32>, %d : memref<64xi32>)
  gpu.wait
  vector.print str "done\n"
  gpu.dealloc %x : memref<64xi32>
  gpu.dealloc %d : memref<64xi32>
  return
}

// RUN: @one_group_too_few EMU_CHECK=races
// ERROR: async_operations.mlir:[[@LINE-202]]:10: error: kernel 'one_group_too_few', block 0,0,0: thread 0,0,0 reads 4 bytes at byte 0 of workgroup memory, which the asynchronous copy that thread 0,0,0 has begun at {{.*}}[[@LINE-206]]:14 is about to write: wait for its group
// CHECK: done
func.func @one_group_too_few() {
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %x = gpu.alloc() : memref<64xi32>
  %d = gpu.alloc() : memref<64xi32>
  %seven = arith.constant 7 : i32
  gpu.memset %x, %seven : memref<64xi32>, i32
  gpu.launch_func @kernels::@one_group_too_few blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%x : memref<64xi32>, %d : memref<64xi32>)
  gpu.wait
  vector.print str "done\n"
  gpu.dealloc %x : memref<64xi32>
  gpu.dealloc %d : memref<64xi32>
  return
}

// RUN: @no_barrier EMU_CHECK=races
// ERROR: async_operations.mlir:[[@LINE-205]]:13: error: race: kernel 'no_barrier', block 0,0,0: thread 1,0,0 writes 4 bytes at byte 4 of workgroup memory, which thread 0,0,0 reads at {{.*}}[[@LINE-201]]:10; no barrier stands between them
// CHECK: done
func.func @no_barrier() {
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %x = gpu.alloc() : memref<64xi32>
  %d = gpu.alloc() : memref<64xi32>
  %seven = arith.constant 7 : i32
  gpu.memset %x, %seven : memref<64xi32>, i32
  gpu.launch_func @kernels::@no_barrier blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%x : memref<64xi32>, %d : memref<64xi32>)
  gpu.wait
  vector.print str "done\n"
  gpu.dealloc %x : memref<64xi32>
  gpu.dealloc %d : memref<64xi32>
  return
}

// RUN: @no_phase EMU_CHECK=races
// ERROR: async_operations.mlir:[[@LINE-197]]:10: error: kernel 'no_phase', block 0,0,0: thread {{[0-9]+}},0,0 reads 4 bytes at byte {{[0-9]+}} of workgroup memory, which the asynchronous copy that thread {{[0-9]+}},0,0 has begun at {{.*}}[[@LINE-201]]:13 is about to write: wait for its group
// CHECK: done
func.func @no_phase() {
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %x = gpu.alloc() : memref<64xi32>
  %d = gpu.alloc() : memref<64xi32>
  %seven = arith.constant 7 : i32
  gpu.memset %x, %seven : memref<64xi32>, i32
  gpu.launch_func @kernels::@no_phase blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%x : memref<64xi32>, %d : memref<64xi32>)
  gpu.wait
  vector.print str "done\n"
  gpu.dealloc %x : memref<64xi32>
  gpu.dealloc %d : memref<64xi32>
  return
}

// RUN: @wrong_parity EMU_CHECK=races
// ERROR: async_operations.mlir:[[@LINE-191]]:10: error: kernel 'wrong_parity', block 0,0,0: thread {{[0-9]+}},0,0 reads 4 bytes at byte {{[0-9]+}} of workgroup memory, which the asynchronous copy that thread {{[0-9]+}},0,0 has begun at {{.*}}[[@LINE-196]]:13 is about to write: wait for its group
// CHECK: done
func.func @wrong_parity() {
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %x = gpu.alloc() : memref<64xi32>
  %d = gpu.alloc() : memref<64xi32>
  %seven = arith.constant 7 : i32
  gpu.memset %x, %seven : memref<64xi32>, i32
  gpu.launch_func @kernels::@wrong_parity blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%x : memref<64xi32>, %d : memref<64xi32>)
  gpu.wait
  vector.print str "done\n"
  gpu.dealloc %x : memref<64xi32>
  gpu.dealloc %d : memref<64xi32>
  return
}

// RUN: @missed EMU_CHECK=|races
// ERROR: async_operations.mlir:{{[0-9]+}}:3: error: {{.*}}: CUDA_ERROR_LAUNCH_FAILED: {{.*}}[[@LINE-187]]:7: kernel 'missed', block 0,0,0: thread 0,0,0 waits in vain for a phase of parity 0 of the mbarrier initialised at {{.*}}[[@LINE-193]]:5: it is in phase 0, which lacks 32 of 64 arrivals; thread 32,0,0 waits at {{.*}}[[@LINE-185]]:5
func.func @missed() {
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %x = gpu.alloc() : memref<64xi32>
  %d = gpu.alloc() : memref<64xi32>
  %seven = arith.constant 7 : i32
  gpu.memset %x, %seven : memref<64xi32>, i32
  gpu.launch_func @kernels::@missed blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%x : memref<64xi32>, %d : memref<64xi32>)
  gpu.wait
  vector.print str "done\n"
  gpu.dealloc %x : memref<64xi32>
  gpu.dealloc %d : memref<64xi32>
  return
}

// RUN: @asked_for_ever EMU_CHECK=|races
// ERROR: async_operations.mlir:{{[0-9]+}}:3: error: {{.*}}: CUDA_ERROR_LAUNCH_FAILED: {{.*}}[[@LINE-181]]:17: kernel 'asked_for_ever', block 0,0,0: thread 1,0,0 waits in vain for a phase of parity 0 of the mbarrier initialised at {{.*}}[[@LINE-187]]:5: it is in phase 0, which lacks 1 of 64 arrivals; 1 of 64 threads have ended
func.func @asked_for_ever() {
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %x = gpu.alloc() : memref<64xi32>
  %d = gpu.alloc() : memref<64xi32>
  %seven = arith.constant 7 : i32
  gpu.memset %x, %seven : memref<64xi32>, i32
  gpu.launch_func @kernels::@asked_for_ever blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%x : memref<64xi32>, %d : memref<64xi32>)
  gpu.wait
  vector.print str "done\n"
  gpu.dealloc %x : memref<64xi32>
  gpu.dealloc %d : memref<64xi32>
  return
}

// RUN: @not_initialised EMU_CHECK=|races
// ERROR: async_operations.mlir:{{[0-9]+}}:3: error: {{.*}}: CUDA_ERROR_LAUNCH_FAILED: {{.*}}[[@LINE-178]]:14: kernel 'not_initialised', block 0,0,0: thread 0,0,0 uses an mbarrier at byte 0 of workgroup memory that is not initialised
func.func @not_initialised() {
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %x = gpu.alloc() : memref<64xi32>
  %d = gpu.alloc() : memref<64xi32>
  %seven = arith.constant 7 : i32
  gpu.memset %x, %seven : memref<64xi32>, i32
  gpu.launch_func @kernels::@not_initialised blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%x : memref<64xi32>, %d : memref<64xi32>)
  gpu.wait
  vector.print str "done\n"
  gpu.dealloc %x : memref<64xi32>
  gpu.dealloc %d : memref<64xi32>
  return
}

// RUN: @too_many EMU_CHECK=|races
// ERROR: async_operations.mlir:{{[0-9]+}}:3: error: {{.*}}: CUDA_ERROR_LAUNCH_FAILED: {{.*}}[[@LINE-171]]:16: kernel 'too_many', block 0,0,0: thread 63,0,0 arrives 1 times at the mbarrier initialised at {{.*}}[[@LINE-178]]:5, whose phase 0 lacks 0 of 63 arrivals and waits for the bytes of copies alone
func.func @too_many() {
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %x = gpu.alloc() : memref<64xi32>
  %d = gpu.alloc() : memref<64xi32>
  %seven = arith.constant 7 : i32
  gpu.memset %x, %seven : memref<64xi32>, i32
  gpu.launch_func @kernels::@too_many blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%x : memref<64xi32>, %d : memref<64xi32>)
  gpu.wait
  vector.print str "done\n"
  gpu.dealloc %x : memref<64xi32>
  gpu.dealloc %d : memref<64xi32>
  return
}

// RUN: @overwritten EMU_CHECK=|races
// ERROR: async_operations.mlir:{{[0-9]+}}:3: error: {{.*}}: CUDA_ERROR_LAUNCH_FAILED: {{.*}}[[@LINE-164]]:14: kernel 'overwritten', block 0,0,0: thread 0,0,0 uses the mbarrier at byte 0 of workgroup memory, initialised at {{.*}}[[@LINE-173]]:5, which something has overwritten
func.func @overwritten() {
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %x = gpu.alloc() : memref<64xi32>
  %d = gpu.alloc() : memref<64xi32>
  %seven = arith.constant 7 : i32
  gpu.memset %x, %seven : memref<64xi32>, i32
  gpu.launch_func @kernels::@overwritten blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%x : memref<64xi32>, %d : memref<64xi32>)
  gpu.wait
  vector.print str "done\n"
  gpu.dealloc %x : memref<64xi32>
  gpu.dealloc %d : memref<64xi32>
  return
}
}
