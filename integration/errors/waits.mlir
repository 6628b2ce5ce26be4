// Threads that wait for each other in vain: one kernel for each way, which the
// function of the same name launches with a block of 96 threads.

module attributes {gpu.container_module} {

gpu.module @kernels {
  // A barrier for three warps; the third has returned.
  gpu.func @too_few(%out: memref<96xi32>) kernel {
    %t = gpu.thread_id x
    %c64 = arith.constant 64 : index
    %id = arith.constant 3 : i32
    %n = arith.constant 96 : i32
    %pair = arith.cmpi ult, %t, %c64 : index
    cf.cond_br %pair, ^meet, ^end
  ^meet:
    nvvm.barrier id = %id number_of_threads = %n
    cf.br ^end
  ^end:
    gpu.return
  }
  // Each warp waits at a barrier of another number.
  gpu.func @numbers(%out: memref<96xi32>) kernel {
    %t = gpu.thread_id x
    %c32 = arith.constant 32 : index
    %warp = arith.divui %t, %c32 : index
    %id = arith.index_cast %warp : index to i32
    %n = arith.constant 96 : i32
    nvvm.barrier id = %id number_of_threads = %n
    gpu.return
  }
  // Lanes 0 to 15 of a warp shuffle with all, the others are at a barrier. Those
  // of the last warp have ended.
  gpu.func @lanes(%out: memref<96xi32>) kernel {
    %t = gpu.thread_id x
    %c64 = arith.constant 64 : index
    %c16 = arith.constant 16 : index
    %c32 = arith.constant 32 : index
    %one = arith.constant 1 : i32
    %width = arith.constant 32 : i32
    %lane = arith.remui %t, %c32 : index
    %ends = arith.cmpi uge, %t, %c64 : index
    cf.cond_br %ends, ^end, ^split
  ^split:
    %low = arith.cmpi ult, %lane, %c16 : index
    cf.cond_br %low, ^shuffle, ^barrier
  ^shuffle:
    %v, %valid = gpu.shuffle xor %one, %one, %width : i32
    memref.store %v, %out[%t] : memref<96xi32>
    cf.br ^end
  ^barrier:
    gpu.barrier
    cf.br ^end
  ^end:
    gpu.return
  }
}

// RUN: @too_few EMU_CHECK=|memory,races
// ERROR: waits.mlir:{{[0-9]+}}:3: error: {{.*}}: CUDA_ERROR_LAUNCH_FAILED: {{.*}}waits.mlir:[[@LINE-43]]:5: kernel 'too_few', block 0,0,0: thread 0,0,0 waits at barrier 3 for 96 threads, of which 64 arrive; 32 of 96 threads have ended
func.func @too_few() {
  %c1 = arith.constant 1 : index
  %c96 = arith.constant 96 : index
  %d = gpu.alloc() : memref<96xi32>
  gpu.launch_func @kernels::@too_few blocks in (%c1, %c1, %c1) threads in (%c96, %c1, %c1) args(%d : memref<96xi32>)
  gpu.wait
  vector.print str "the program must not get here\n"
  return
}

// RUN: @numbers EMU_CHECK=|memory,races
// ERROR: waits.mlir:{{[0-9]+}}:3: error: {{.*}}: CUDA_ERROR_LAUNCH_FAILED: {{.*}}waits.mlir:[[@LINE-43]]:5: kernel 'numbers', block 0,0,0: thread 0,0,0 waits at barrier 0 that thread 32,0,0 does not reach: it waits at barrier 1 at {{.*}}waits.mlir:[[@LINE-43]]:5
func.func @numbers() {
  %c1 = arith.constant 1 : index
  %c96 = arith.constant 96 : index
  %d = gpu.alloc() : memref<96xi32>
  gpu.launch_func @kernels::@numbers blocks in (%c1, %c1, %c1) threads in (%c96, %c1, %c1) args(%d : memref<96xi32>)
  gpu.wait
  vector.print str "the program must not get here\n"
  return
}

// RUN: @lanes EMU_CHECK=|memory,races
// ERROR: waits.mlir:{{[0-9]+}}:3: error: {{.*}}: CUDA_ERROR_LAUNCH_FAILED: {{.*}}waits.mlir:[[@LINE-36]]:18: kernel 'lanes', block 0,0,0: thread 0,0,0 waits at a shuffle that thread 16,0,0 does not reach: it waits at a barrier at {{.*}}waits.mlir:[[@LINE-32]]:5; 32 of 96 threads have ended
func.func @lanes() {
  %c1 = arith.constant 1 : index
  %c96 = arith.constant 96 : index
  %d = gpu.alloc() : memref<96xi32>
  gpu.launch_func @kernels::@lanes blocks in (%c1, %c1, %c1) threads in (%c96, %c1, %c1) args(%d : memref<96xi32>)
  gpu.wait
  vector.print str "the program must not get here\n"
  return
}

}
