// Threads of a kernel that touch the same bytes, and what orders them: one
// kernel for each case, which the function of the same name launches. Those that
// end in _fine lack nothing.

module attributes {gpu.container_module} {

gpu.module @kernels {
  // Each thread reads its neighbour's cell, with no barrier behind the writes.
  gpu.func @no_barrier(%out: memref<64xi32>)
      workgroup(%w: memref<65xi32, #gpu.address_space<workgroup>>) kernel {
    %t = gpu.thread_id x
    %c1 = arith.constant 1 : index
    %next = arith.addi %t, %c1 : index
    %v = arith.index_cast %t : index to i32
    memref.store %v, %w[%t] : memref<65xi32, #gpu.address_space<workgroup>>
    %x = memref.load %w[%next] : memref<65xi32, #gpu.address_space<workgroup>>
    memref.store %x, %out[%t] : memref<64xi32>
    gpu.return
  }
  gpu.func @barrier_fine(%out: memref<64xi32>)
      workgroup(%w: memref<65xi32, #gpu.address_space<workgroup>>) kernel {
    %t = gpu.thread_id x
    %c1 = arith.constant 1 : index
    %next = arith.addi %t, %c1 : index
    %v = arith.index_cast %t : index to i32
    memref.store %v, %w[%t] : memref<65xi32, #gpu.address_space<workgroup>>
    gpu.barrier
    %x = memref.load %w[%next] : memref<65xi32, #gpu.address_space<workgroup>>
    memref.store %x, %out[%t] : memref<64xi32>
    gpu.return
  }

  // What a round reads, the next one overwrites.
  gpu.func @one_barrier_in_loop(%out: memref<64xi32>)
      workgroup(%w: memref<64xi32, #gpu.address_space<workgroup>>) kernel {
    %t = gpu.thread_id x
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %c63 = arith.constant 63 : index
    %mirror = arith.subi %c63, %t : index
    %first = arith.index_cast %t : index to i32
    %last = scf.for %i = %c0 to %c3 step %c1 iter_args(%v = %first) -> i32 {
      memref.store %v, %w[%t] : memref<64xi32, #gpu.address_space<workgroup>>
      gpu.barrier
      %x = memref.load %w[%mirror] : memref<64xi32, #gpu.address_space<workgroup>>
      scf.yield %x : i32
    }
    memref.store %last, %out[%t] : memref<64xi32>
    gpu.return
  }
  gpu.func @two_barriers_in_loop_fine(%out: memref<64xi32>)
      workgroup(%w: memref<64xi32, #gpu.address_space<workgroup>>) kernel {
    %t = gpu.thread_id x
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %c63 = arith.constant 63 : index
    %mirror = arith.subi %c63, %t : index
    %first = arith.index_cast %t : index to i32
    %last = scf.for %i = %c0 to %c3 step %c1 iter_args(%v = %first) -> i32 {
      memref.store %v, %w[%t] : memref<64xi32, #gpu.address_space<workgroup>>
      gpu.barrier
      %x = memref.load %w[%mirror] : memref<64xi32, #gpu.address_space<workgroup>>
      gpu.barrier
      scf.yield %x : i32
    }
    memref.store %last, %out[%t] : memref<64xi32>
    gpu.return
  }

  // Lanes exchange through memory behind a barrier of their warp.
  gpu.func @warp_barrier_fine(%out: memref<64xi32>)
      workgroup(%w: memref<64xi32, #gpu.address_space<workgroup>>) kernel {
    %t = gpu.thread_id x
    %c31 = arith.constant 31 : index
    %all = arith.constant -1 : i32
    %mirror = arith.xori %t, %c31 : index
    %v = arith.index_cast %t : index to i32
    memref.store %v, %w[%t] : memref<64xi32, #gpu.address_space<workgroup>>
    nvvm.bar.warp.sync %all : i32
    %x = memref.load %w[%mirror] : memref<64xi32, #gpu.address_space<workgroup>>
    memref.store %x, %out[%t] : memref<64xi32>
    gpu.return
  }
  // The barrier of a warp is no barrier for the other warp.
  gpu.func @warp_barrier(%out: memref<64xi32>)
      workgroup(%w: memref<64xi32, #gpu.address_space<workgroup>>) kernel {
    %t = gpu.thread_id x
    %c32 = arith.constant 32 : index
    %all = arith.constant -1 : i32
    %mirror = arith.xori %t, %c32 : index
    %v = arith.index_cast %t : index to i32
    memref.store %v, %w[%t] : memref<64xi32, #gpu.address_space<workgroup>>
    nvvm.bar.warp.sync %all : i32
    %x = memref.load %w[%mirror] : memref<64xi32, #gpu.address_space<workgroup>>
    memref.store %x, %out[%t] : memref<64xi32>
    gpu.return
  }
  // A shuffle waits for the lanes and orders no memory.
  gpu.func @shuffle(%out: memref<64xi32>)
      workgroup(%w: memref<64xi32, #gpu.address_space<workgroup>>) kernel {
    %t = gpu.thread_id x
    %c1 = arith.constant 1 : index
    %mirror = arith.xori %t, %c1 : index
    %one = arith.constant 1 : i32
    %width = arith.constant 32 : i32
    %v = arith.index_cast %t : index to i32
    memref.store %v, %w[%t] : memref<64xi32, #gpu.address_space<workgroup>>
    %s, %valid = gpu.shuffle xor %v, %one, %width : i32
    %x = memref.load %w[%mirror] : memref<64xi32, #gpu.address_space<workgroup>>
    %y = arith.addi %s, %x : i32
    memref.store %y, %out[%t] : memref<64xi32>
    gpu.return
  }

  // The first two of three warps meet at a barrier of their own. `last` is the
  // first thread that reads what they wrote.
  gpu.func @numbered(%out: memref<64xi32>, %last: index)
      workgroup(%w: memref<96xi32, #gpu.address_space<workgroup>>) kernel {
    %t = gpu.thread_id x
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %id = arith.constant 1 : i32
    %n = arith.constant 64 : i32
    %zero = arith.constant 0 : i32
    %v = arith.index_cast %t : index to i32
    memref.store %v, %w[%t] : memref<96xi32, #gpu.address_space<workgroup>>
    %pair = arith.cmpi ult, %t, %c64 : index
    scf.if %pair {
      nvvm.barrier id = %id number_of_threads = %n
      %other = arith.xori %t, %c32 : index
      %x = memref.load %w[%other] : memref<96xi32, #gpu.address_space<workgroup>>
      memref.store %x, %out[%t] : memref<64xi32>
    }
    %third = arith.cmpi uge, %t, %last : index
    scf.if %third {
      memref.store %zero, %w[%c32] : memref<96xi32, #gpu.address_space<workgroup>>
    }
    gpu.return
  }

  // Cells are set, and then counted in, with nothing between.
  gpu.func @atomic_and_plain(%out: memref<64xi32>)
      workgroup(%w: memref<64xi32, #gpu.address_space<workgroup>>) kernel {
    %t = gpu.thread_id x
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : i32
    %zero = arith.constant 0 : i32
    memref.store %zero, %w[%t] : memref<64xi32, #gpu.address_space<workgroup>>
    %old = memref.atomic_rmw addi %c1, %w[%c0] : (i32, memref<64xi32, #gpu.address_space<workgroup>>) -> i32
    memref.store %old, %out[%t] : memref<64xi32>
    gpu.return
  }
  gpu.func @atomic_fine(%out: memref<64xi32>)
      workgroup(%w: memref<64xi32, #gpu.address_space<workgroup>>) kernel {
    %t = gpu.thread_id x
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : i32
    %zero = arith.constant 0 : i32
    memref.store %zero, %w[%t] : memref<64xi32, #gpu.address_space<workgroup>>
    gpu.barrier
    %old = memref.atomic_rmw addi %c1, %w[%c0] : (i32, memref<64xi32, #gpu.address_space<workgroup>>) -> i32
    %was = memref.generic_atomic_rmw %out[%c0] : memref<64xi32> {
    ^bb0(%now: i32):
      %next = arith.addi %now, %old : i32
      memref.atomic_yield %next : i32
    }
    gpu.return
  }

  // All threads write the same value to one cell: a race nevertheless.
  gpu.func @same_value(%out: memref<64xi32>) kernel {
    %c5 = arith.constant 5 : index
    %seven = arith.constant 7 : i32
    memref.store %seven, %out[%c5] : memref<64xi32>
    gpu.return
  }

  // Blocks write one cell more than their own.
  gpu.func @blocks(%out: memref<64xi32>) kernel {
    %t = gpu.thread_id x
    %b = gpu.block_id x
    %n = gpu.block_dim x
    %c1 = arith.constant 1 : index
    %c0 = arith.constant 0 : index
    %start = arith.muli %b, %n : index
    %i = arith.addi %start, %t : index
    %v = arith.index_cast %i : index to i32
    memref.store %v, %out[%i] : memref<64xi32>
    %first = arith.cmpi eq, %t, %c0 : index
    scf.if %first {
      %end = arith.addi %start, %n : index
      memref.store %v, %out[%end] : memref<64xi32>
    }
    gpu.return
  }
  // Each block writes its cell and counts; the last to come reads all cells.
  gpu.func @last_block_fine(%out: memref<64xi32>)
      workgroup(%w: memref<1xi32, #gpu.address_space<workgroup>>) kernel {
    %t = gpu.thread_id x
    %b = gpu.block_id x
    %n = gpu.grid_dim x
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c63 = arith.constant 63 : index
    %one = arith.constant 1 : i32
    %zero = arith.constant 0 : i32
    %first = arith.cmpi eq, %t, %c0 : index
    scf.if %first {
      memref.store %one, %out[%b] : memref<64xi32>
      %ticket = memref.atomic_rmw addi %one, %out[%c63] : (i32, memref<64xi32>) -> i32
      memref.store %ticket, %w[%c0] : memref<1xi32, #gpu.address_space<workgroup>>
    }
    gpu.barrier
    %mine = memref.load %w[%c0] : memref<1xi32, #gpu.address_space<workgroup>>
    %position = arith.index_cast %mine : i32 to index
    %rest = arith.subi %n, %position : index
    %last = arith.cmpi eq, %rest, %c1 : index
    %leader = arith.andi %last, %first : i1
    scf.if %leader {
      %sum = scf.for %i = %c0 to %n step %c1 iter_args(%s = %zero) -> i32 {
        %x = memref.load %out[%i] : memref<64xi32>
        %r = arith.addi %s, %x : i32
        scf.yield %r : i32
      }
      %c62 = arith.constant 62 : index
      memref.store %sum, %out[%c62] : memref<64xi32>
    }
    gpu.return
  }

  // Threads write single bytes beside each other and read a cell that all read.
  gpu.func @bytes_fine(%out: memref<64xi32>, %bytes: memref<?xi8>) kernel {
    %t = gpu.thread_id x
    %b = gpu.block_id x
    %n = gpu.block_dim x
    %c5 = arith.constant 5 : index
    %start = arith.muli %b, %n : index
    %i = arith.addi %start, %t : index
    %x = memref.load %out[%c5] : memref<64xi32>
    %v = arith.trunci %x : i32 to i8
    memref.store %v, %bytes[%i] : memref<?xi8>
    gpu.return
  }
  // Two elements at once meet the neighbour's.
  gpu.func @vectors(%out: memref<64xi32>) kernel {
    %t = gpu.thread_id x
    %v = arith.constant dense<3> : vector<2xi32>
    vector.store %v, %out[%t] : memref<64xi32>, vector<2xi32>
    gpu.return
  }
  // A mask lets each thread write one of the two.
  gpu.func @masked_fine(%out: memref<64xi32>) kernel {
    %t = gpu.thread_id x
    %v = arith.constant dense<3> : vector<2xi32>
    %one = gpu.block_dim y
    %mask = vector.create_mask %one : vector<2xi1>
    vector.maskedstore %out[%t], %mask, %v : memref<64xi32>, vector<2xi1>, vector<2xi32>
    gpu.return
  }
  gpu.func @masked(%out: memref<64xi32>) kernel {
    %t = gpu.thread_id x
    %v = arith.constant dense<3> : vector<2xi32>
    %one = gpu.block_dim y
    %two = arith.addi %one, %one : index
    %mask = vector.create_mask %two : vector<2xi1>
    vector.maskedstore %out[%t], %mask, %v : memref<64xi32>, vector<2xi1>, vector<2xi32>
    gpu.return
  }
}

// RUN: @no_barrier EMU_CHECK=races
// ERROR: thread_races.mlir:[[@LINE-259]]:5: error: race: kernel 'no_barrier', block 0,0,0: thread 1,0,0 writes 4 bytes at byte 4 of workgroup memory, which thread 0,0,0 reads at {{.*}}thread_races.mlir:[[@LINE-258]]:10; no barrier stands between them
func.func @no_barrier() {
  %b = arith.constant 1 : index
  %t = arith.constant 64 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  %d = gpu.alloc() : memref<64xi32>
  gpu.memset %d, %zero : memref<64xi32>, i32
  gpu.launch_func @kernels::@no_barrier blocks in (%b, %c1, %c1) threads in (%t, %c1, %c1) args(%d : memref<64xi32>)
  gpu.wait
  gpu.dealloc %d : memref<64xi32>
  return
}

// RUN: @barrier_fine EMU_CHECK=races,memory EMU_SEED=3
func.func @barrier_fine() {
  %b = arith.constant 1 : index
  %t = arith.constant 64 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  %d = gpu.alloc() : memref<64xi32>
  gpu.memset %d, %zero : memref<64xi32>, i32
  gpu.launch_func @kernels::@barrier_fine blocks in (%b, %c1, %c1) threads in (%t, %c1, %c1) args(%d : memref<64xi32>)
  gpu.wait
  gpu.dealloc %d : memref<64xi32>
  return
}

// RUN: @one_barrier_in_loop EMU_CHECK=races
// ERROR: thread_races.mlir:[[@LINE-257]]:12: error: race: kernel 'one_barrier_in_loop', block 0,0,0: thread 32,0,0 reads 4 bytes at byte 124 of workgroup memory, which thread 31,0,0 writes at {{.*}}thread_races.mlir:[[@LINE-259]]:7;
func.func @one_barrier_in_loop() {
  %b = arith.constant 1 : index
  %t = arith.constant 64 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  %d = gpu.alloc() : memref<64xi32>
  gpu.memset %d, %zero : memref<64xi32>, i32
  gpu.launch_func @kernels::@one_barrier_in_loop blocks in (%b, %c1, %c1) threads in (%t, %c1, %c1) args(%d : memref<64xi32>)
  gpu.wait
  gpu.dealloc %d : memref<64xi32>
  return
}

// RUN: @two_barriers_in_loop_fine EMU_CHECK=races,memory EMU_SEED=3
func.func @two_barriers_in_loop_fine() {
  %b = arith.constant 1 : index
  %t = arith.constant 64 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  %d = gpu.alloc() : memref<64xi32>
  gpu.memset %d, %zero : memref<64xi32>, i32
  gpu.launch_func @kernels::@two_barriers_in_loop_fine blocks in (%b, %c1, %c1) threads in (%t, %c1, %c1) args(%d : memref<64xi32>)
  gpu.wait
  gpu.dealloc %d : memref<64xi32>
  return
}

// RUN: @warp_barrier_fine EMU_CHECK=races,memory EMU_SEED=3
func.func @warp_barrier_fine() {
  %b = arith.constant 1 : index
  %t = arith.constant 64 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  %d = gpu.alloc() : memref<64xi32>
  gpu.memset %d, %zero : memref<64xi32>, i32
  gpu.launch_func @kernels::@warp_barrier_fine blocks in (%b, %c1, %c1) threads in (%t, %c1, %c1) args(%d : memref<64xi32>)
  gpu.wait
  gpu.dealloc %d : memref<64xi32>
  return
}

// RUN: @warp_barrier EMU_CHECK=races
// ERROR: thread_races.mlir:[[@LINE-250]]:10: error: race: kernel 'warp_barrier', block 0,0,0: thread 0,0,0 reads 4 bytes at byte 128 of workgroup memory, which thread 32,0,0 writes at {{.*}}thread_races.mlir:[[@LINE-252]]:5;
func.func @warp_barrier() {
  %b = arith.constant 1 : index
  %t = arith.constant 64 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  %d = gpu.alloc() : memref<64xi32>
  gpu.memset %d, %zero : memref<64xi32>, i32
  gpu.launch_func @kernels::@warp_barrier blocks in (%b, %c1, %c1) threads in (%t, %c1, %c1) args(%d : memref<64xi32>)
  gpu.wait
  gpu.dealloc %d : memref<64xi32>
  return
}

// RUN: @shuffle EMU_CHECK=races
// ERROR: thread_races.mlir:[[@LINE-250]]:10: error: race: kernel 'shuffle', block 0,0,0: thread 0,0,0 reads 4 bytes at byte 4 of workgroup memory, which thread 1,0,0 writes at {{.*}}thread_races.mlir:[[@LINE-252]]:5;
func.func @shuffle() {
  %b = arith.constant 1 : index
  %t = arith.constant 64 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  %d = gpu.alloc() : memref<64xi32>
  gpu.memset %d, %zero : memref<64xi32>, i32
  gpu.launch_func @kernels::@shuffle blocks in (%b, %c1, %c1) threads in (%t, %c1, %c1) args(%d : memref<64xi32>)
  gpu.wait
  gpu.dealloc %d : memref<64xi32>
  return
}

// RUN: @atomic_and_plain EMU_CHECK=races
// ERROR: thread_races.mlir:[[@LINE-225]]:12: error: race: kernel 'atomic_and_plain', block 0,0,0: thread 1,0,0 atomically updates 4 bytes at byte 0 of workgroup memory, which thread 0,0,0 writes at {{.*}}thread_races.mlir:[[@LINE-226]]:5;
func.func @atomic_and_plain() {
  %b = arith.constant 1 : index
  %t = arith.constant 64 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  %d = gpu.alloc() : memref<64xi32>
  gpu.memset %d, %zero : memref<64xi32>, i32
  gpu.launch_func @kernels::@atomic_and_plain blocks in (%b, %c1, %c1) threads in (%t, %c1, %c1) args(%d : memref<64xi32>)
  gpu.wait
  gpu.dealloc %d : memref<64xi32>
  return
}

// RUN: @atomic_fine EMU_CHECK=races,memory EMU_SEED=3
func.func @atomic_fine() {
  %b = arith.constant 1 : index
  %t = arith.constant 64 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  %d = gpu.alloc() : memref<64xi32>
  gpu.memset %d, %zero : memref<64xi32>, i32
  gpu.launch_func @kernels::@atomic_fine blocks in (%b, %c1, %c1) threads in (%t, %c1, %c1) args(%d : memref<64xi32>)
  gpu.wait
  gpu.dealloc %d : memref<64xi32>
  return
}

// RUN: @same_value EMU_CHECK=races
// ERROR: thread_races.mlir:[[@LINE-229]]:5: error: race: kernel 'same_value', block 0,0,0: thread 1,0,0 writes 4 bytes at byte 20 of the 256 allocated at {{.*}}thread_races.mlir:{{[0-9]+}}:8, which thread 0,0,0 writes at {{.*}}thread_races.mlir:[[@LINE-229]]:5;
func.func @same_value() {
  %b = arith.constant 1 : index
  %t = arith.constant 64 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  %d = gpu.alloc() : memref<64xi32>
  gpu.memset %d, %zero : memref<64xi32>, i32
  gpu.launch_func @kernels::@same_value blocks in (%b, %c1, %c1) threads in (%t, %c1, %c1) args(%d : memref<64xi32>)
  gpu.wait
  gpu.dealloc %d : memref<64xi32>
  return
}

// RUN: @vectors EMU_CHECK=races
// ERROR: thread_races.mlir:[[@LINE-170]]:5: error: race: kernel 'vectors', block 0,0,0: thread 1,0,0 writes 8 bytes at byte 4 of the 256 allocated at {{.*}}, which thread 0,0,0 writes at {{.*}}thread_races.mlir:[[@LINE-170]]:5;
func.func @vectors() {
  %b = arith.constant 1 : index
  %t = arith.constant 63 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  %d = gpu.alloc() : memref<64xi32>
  gpu.memset %d, %zero : memref<64xi32>, i32
  gpu.launch_func @kernels::@vectors blocks in (%b, %c1, %c1) threads in (%t, %c1, %c1) args(%d : memref<64xi32>)
  gpu.wait
  gpu.dealloc %d : memref<64xi32>
  return
}

// RUN: @masked_fine EMU_CHECK=races,memory EMU_SEED=3
func.func @masked_fine() {
  %b = arith.constant 1 : index
  %t = arith.constant 64 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  %d = gpu.alloc() : memref<64xi32>
  gpu.memset %d, %zero : memref<64xi32>, i32
  gpu.launch_func @kernels::@masked_fine blocks in (%b, %c1, %c1) threads in (%t, %c1, %c1) args(%d : memref<64xi32>)
  gpu.wait
  gpu.dealloc %d : memref<64xi32>
  return
}

// RUN: @masked EMU_CHECK=races
// ERROR: thread_races.mlir:[[@LINE-181]]:5: error: race: kernel 'masked', block 0,0,0: thread 1,0,0 writes 4 bytes at byte 4 of the 256 allocated at {{.*}}, which thread 0,0,0 writes at {{.*}}thread_races.mlir:[[@LINE-181]]:5;
func.func @masked() {
  %b = arith.constant 1 : index
  %t = arith.constant 63 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  %d = gpu.alloc() : memref<64xi32>
  gpu.memset %d, %zero : memref<64xi32>, i32
  gpu.launch_func @kernels::@masked blocks in (%b, %c1, %c1) threads in (%t, %c1, %c1) args(%d : memref<64xi32>)
  gpu.wait
  gpu.dealloc %d : memref<64xi32>
  return
}

// RUN: @blocks EMU_CHECK=races
// ERROR: thread_races.mlir:{{[0-9:]+}}: error: race: kernel 'blocks': thread 0,0,0 of block {{[0-3]}},0,0 writes 4 bytes at byte {{32|64|96}} of the 256 allocated at {{.*}}, which thread 0,0,0 of block {{[0-3]}},0,0 writes at {{.*}}thread_races.mlir:{{[0-9:]+}}; nothing orders the blocks of a launch
func.func @blocks() {
  %b = arith.constant 4 : index
  %t = arith.constant 8 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  %d = gpu.alloc() : memref<64xi32>
  gpu.memset %d, %zero : memref<64xi32>, i32
  gpu.launch_func @kernels::@blocks blocks in (%b, %c1, %c1) threads in (%t, %c1, %c1) args(%d : memref<64xi32>)
  gpu.wait
  gpu.dealloc %d : memref<64xi32>
  return
}

// RUN: @last_block_fine EMU_CHECK=races,memory EMU_SEED=3
func.func @last_block_fine() {
  %b = arith.constant 4 : index
  %t = arith.constant 8 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  %d = gpu.alloc() : memref<64xi32>
  gpu.memset %d, %zero : memref<64xi32>, i32
  gpu.launch_func @kernels::@last_block_fine blocks in (%b, %c1, %c1) threads in (%t, %c1, %c1) args(%d : memref<64xi32>)
  gpu.wait
  gpu.dealloc %d : memref<64xi32>
  return
}

// RUN: @bytes_fine EMU_CHECK=races,memory EMU_SEED=3
func.func @bytes_fine() {
  %b = arith.constant 3 : index
  %t = arith.constant 40 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  %d = gpu.alloc() : memref<64xi32>
  gpu.memset %d, %zero : memref<64xi32>, i32
  %n = arith.constant 120 : index
  %e = gpu.alloc(%n) : memref<?xi8>
  gpu.launch_func @kernels::@bytes_fine blocks in (%b, %c1, %c1) threads in (%t, %c1, %c1) args(%d : memref<64xi32>, %e : memref<?xi8>)
  gpu.wait
  gpu.dealloc %d : memref<64xi32>
  gpu.dealloc %e : memref<?xi8>
  return
}

// RUN: @numbered_fine EMU_CHECK=races,memory EMU_SEED=3
func.func @numbered_fine() {
  %b = arith.constant 1 : index
  %t = arith.constant 96 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  %d = gpu.alloc() : memref<64xi32>
  gpu.memset %d, %zero : memref<64xi32>, i32
  %last = arith.constant 96 : index
  gpu.launch_func @kernels::@numbered blocks in (%b, %c1, %c1) threads in (%t, %c1, %c1) args(%d : memref<64xi32>, %last : index)
  gpu.wait
  gpu.dealloc %d : memref<64xi32>
  return
}

// RUN: @numbered EMU_CHECK=races
// ERROR: thread_races.mlir:[[@LINE-387]]:7: error: race: kernel 'numbered', block 0,0,0: thread 95,0,0 writes 4 bytes at byte 128 of workgroup memory, which thread 32,0,0 {{reads|writes}} at {{.*}}thread_races.mlir:[[@LINE-397]]:5;
func.func @numbered() {
  %b = arith.constant 1 : index
  %t = arith.constant 96 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  %d = gpu.alloc() : memref<64xi32>
  gpu.memset %d, %zero : memref<64xi32>, i32
  %last = arith.constant 95 : index
  gpu.launch_func @kernels::@numbered blocks in (%b, %c1, %c1) threads in (%t, %c1, %c1) args(%d : memref<64xi32>, %last : index)
  gpu.wait
  gpu.dealloc %d : memref<64xi32>
  return
}

}
