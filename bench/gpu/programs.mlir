// What bench-gpu measures async-gpu with: kernels, which all peers launch, and
// the same work as bench/gpu/by_hand.c has it, as regions.
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

module attributes {gpu.container_module} {
  gpu.module @bench {
    gpu.func @empty() kernel {
      gpu.return
    }

    // Adds 1 to cells[index], after `rounds` steps that depend on each other.
    gpu.func @work(%cells: memref<4096xi32>, %index: index, %rounds: i32) kernel {
      %zero = arith.constant 0 : i32
      %one = arith.constant 1 : i32
      %factor = arith.constant 1664525 : i32
      %summand = arith.constant 1013904223 : i32
      %old = memref.load %cells[%index] : memref<4096xi32>
      %last = scf.for %i = %zero to %rounds step %one
          iter_args(%value = %old) -> i32 : i32 {
        %product = arith.muli %value, %factor : i32
        %sum = arith.addi %product, %summand : i32
        scf.yield %sum : i32
      }
      // Never true, which no compiler knows: the steps run through all values
      // before one comes again. So the store comes behind them.
      %is_same = arith.cmpi eq, %last, %old : i32
      %is_none = arith.cmpi eq, %rounds, %zero : i32
      %never = arith.xori %is_same, %is_none : i1
      %nothing = arith.extui %never : i1 to i32
      %more = arith.addi %one, %nothing : i32
      %new = arith.addi %old, %more : i32
      memref.store %new, %cells[%index] : memref<4096xi32>
      gpu.return
    }

    // chunk[i] = 2 * chunk[i] + 1
    gpu.func @scale(%chunk: memref<262144xf32>) kernel {
      %block = gpu.block_id x
      %size = gpu.block_dim x
      %thread = gpu.thread_id x
      %begin = arith.muli %block, %size : index
      %i = arith.addi %begin, %thread : index
      %two = arith.constant 2.0 : f32
      %one = arith.constant 1.0 : f32
      %old = memref.load %chunk[%i] : memref<262144xf32>
      %product = arith.mulf %old, %two : f32
      %new = arith.addf %product, %one : f32
      memref.store %new, %chunk[%i] : memref<262144xf32>
      gpu.return
    }
  }

  func.func private @bench_resumed()

  // A coroutine goes on when the kernel has ended, whose last store a thread of
  // the host watches for.
  func.func @bench_resume(%cells: memref<4096xi32>, %rounds: i32) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %done = async.execute {
      gpu.launch_func @bench::@work blocks in (%c1, %c1, %c1)
        threads in (%c1, %c1, %c1)
        args(%cells : memref<4096xi32>, %c0 : index, %rounds : i32)
      func.call @bench_resumed() : () -> ()
      async.yield
    }
    async.await %done : !async.token
    return
  }

  // Regions side by side, each with kernels one behind the other.
  func.func @bench_fork_join(%cells: memref<4096xi32>, %regions: index,
                             %kernels: index, %rounds: i32) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %group = async.create_group %regions : !async.group
    scf.for %region = %c0 to %regions step %c1 {
      %done = async.execute {
        scf.for %kernel = %c0 to %kernels step %c1 {
          gpu.launch_func @bench::@work blocks in (%c1, %c1, %c1)
            threads in (%c1, %c1, %c1)
            args(%cells : memref<4096xi32>, %region : index, %rounds : i32)
        }
        async.yield
      }
      async.add_to_group %done, %group : !async.token
    }
    async.await_all %group
    return
  }

  // Kernels one behind the other in one region.
  func.func @bench_chain(%cells: memref<4096xi32>, %kernels: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %none = arith.constant 0 : i32
    %done = async.execute {
      scf.for %kernel = %c0 to %kernels step %c1 {
        gpu.launch_func @bench::@work blocks in (%c1, %c1, %c1)
          threads in (%c1, %c1, %c1)
          args(%cells : memref<4096xi32>, %c0 : index, %none : i32)
      }
      async.yield
    }
    async.await %done : !async.token
    return
  }

  // The same kernels in rounds of twenty, as graphs and without.
  func.func @bench_steps(%cells: memref<4096xi32>, %rounds: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c20 = arith.constant 20 : index
    %none = arith.constant 0 : i32
    scf.for %round = %c0 to %rounds step %c1 {
      scf.for %kernel = %c0 to %c20 step %c1 {
        gpu.launch_func @bench::@work blocks in (%c1, %c1, %c1)
            threads in (%c1, %c1, %c1)
            args(%cells : memref<4096xi32>, %c0 : index, %none : i32)
      }
    } {async_gpu.graphs = "on"}
    return
  }

  func.func @bench_steps_on_streams(%cells: memref<4096xi32>, %rounds: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c20 = arith.constant 20 : index
    %none = arith.constant 0 : i32
    scf.for %round = %c0 to %rounds step %c1 {
      scf.for %kernel = %c0 to %c20 step %c1 {
        gpu.launch_func @bench::@work blocks in (%c1, %c1, %c1)
            threads in (%c1, %c1, %c1)
            args(%cells : memref<4096xi32>, %c0 : index, %none : i32)
      }
    }
    return
  }

  // Regions one behind the other, each with a kernel.
  func.func @bench_chain_of_regions(%cells: memref<4096xi32>, %regions: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %none = arith.constant 0 : i32
    %first = async.execute {
      async.yield
    }
    %last = scf.for %region = %c0 to %regions step %c1
        iter_args(%before = %first) -> !async.token {
      %done = async.execute [%before] {
        gpu.launch_func @bench::@work blocks in (%c1, %c1, %c1)
          threads in (%c1, %c1, %c1)
          args(%cells : memref<4096xi32>, %c0 : index, %none : i32)
        async.yield
      }
      scf.yield %done : !async.token
    }
    async.await %last : !async.token
    return
  }

  // Chunks that go up, are worked on and come down, side by side.
  func.func @bench_pipeline(%data: memref<?xf32>, %chunks: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %threads = arith.constant 256 : index
    %blocks = arith.constant 1024 : index
    %elements = arith.constant 262144 : index
    %group = async.create_group %chunks : !async.group
    scf.for %chunk = %c0 to %chunks step %c1 {
      %done = async.execute {
        %begin = arith.muli %chunk, %elements : index
        %host = memref.subview %data[%begin] [262144] [1]
          : memref<?xf32> to memref<262144xf32, strided<[1], offset: ?>>
        %device = gpu.alloc() : memref<262144xf32>
        gpu.memcpy %device, %host
          : memref<262144xf32>, memref<262144xf32, strided<[1], offset: ?>>
        gpu.launch_func @bench::@scale blocks in (%blocks, %c1, %c1)
          threads in (%threads, %c1, %c1) args(%device : memref<262144xf32>)
        gpu.memcpy %host, %device
          : memref<262144xf32, strided<[1], offset: ?>>, memref<262144xf32>
        gpu.dealloc %device : memref<262144xf32>
        async.yield
      }
      async.add_to_group %done, %group : !async.token
    }
    async.await_all %group
    return
  }
}
