// The kernels of native_threads_test.c.

gpu.module @m {
  gpu.func @saxpy(%n: index, %a: f32, %x: memref<?xf32>,
                  %y: memref<?xf32>) kernel {
    %i = gpu.global_id x
    %c = arith.cmpi ult, %i, %n : index
    scf.if %c {
      %xv = memref.load %x[%i] : memref<?xf32>
      %yv = memref.load %y[%i] : memref<?xf32>
      %p = arith.mulf %a, %xv : f32
      %s = arith.addf %p, %yv : f32
      memref.store %s, %y[%i] : memref<?xf32>
    }
    gpu.return
  }
  // Every id and size, written where thread and block say.
  gpu.func @ids(%out: memref<?xi64>) kernel {
    %tx = gpu.thread_id x
    %ty = gpu.thread_id y
    %tz = gpu.thread_id z
    %bx = gpu.block_id x
    %by = gpu.block_id y
    %bz = gpu.block_id z
    %nx = gpu.block_dim x
    %ny = gpu.block_dim y
    %nz = gpu.block_dim z
    %gx = gpu.grid_dim x
    %gy = gpu.grid_dim y
    %gz = gpu.grid_dim z
    %lane = gpu.lane_id
    %warp = gpu.subgroup_id : index
    %warps = gpu.num_subgroups : index
    %size = gpu.subgroup_size : index
    %0 = arith.muli %bz, %gy : index
    %1 = arith.addi %0, %by : index
    %2 = arith.muli %1, %gx : index
    %block = arith.addi %2, %bx : index
    %3 = arith.muli %tz, %ny : index
    %4 = arith.addi %3, %ty : index
    %5 = arith.muli %4, %nx : index
    %thread = arith.addi %5, %tx : index
    %6 = arith.muli %nx, %ny : index
    %7 = arith.muli %6, %nz : index
    %8 = arith.muli %block, %7 : index
    %at = arith.addi %8, %thread : index
    %k = arith.constant 1000 : index
    %9 = arith.muli %lane, %k : index
    %10 = arith.addi %9, %gz : index
    %11 = arith.muli %10, %k : index
    %12 = arith.muli %warps, %size : index
    %13 = arith.muli %12, %size : index
    %14 = arith.addi %11, %13 : index
    %15 = arith.addi %14, %warp : index
    %v = arith.index_cast %15 : index to i64
    memref.store %v, %out[%at] : memref<?xi64>
    gpu.return
  }
  // A device function that reads ids itself, called twice.
  func.func private @offset(%base: index) -> index {
    %t = gpu.thread_id x
    %r = arith.addi %base, %t : index
    return %r : index
  }
  func.func private @twice(%base: index) -> index {
    %a = func.call @offset(%base) : (index) -> index
    %b = func.call @offset(%a) : (index) -> index
    return %b : index
  }
  gpu.func @calls(%out: memref<?xindex>) kernel {
    %t = gpu.thread_id x
    %c5 = arith.constant 5 : index
    %v = func.call @twice(%c5) : (index) -> index
    memref.store %v, %out[%t] : memref<?xindex>
    gpu.return
  }
  // Private memory that cannot be kept in registers: filled, then read at
  // an index known at run time. Iterations of a vectorised thread loop
  // would see each other's.
  gpu.func @private(%in: memref<?xi32>, %out: memref<?xi32>)
      private(%p: memref<4xi32, #gpu.address_space<private>>) kernel {
    %t = gpu.thread_id x
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %q = memref.alloca() : memref<4xi32>
    scf.for %i = %c0 to %c4 step %c1 {
      %a = arith.muli %t, %c4 : index
      %b = arith.addi %a, %i : index
      %v = memref.load %in[%b] : memref<?xi32>
      memref.store %v, %q[%i] : memref<4xi32>
    }
    scf.for %i = %c0 to %c4 step %c1 {
      %v = memref.load %q[%i] : memref<4xi32>
      %k = arith.andi %v, %v : i32
      %kk = arith.index_cast %k : i32 to index
      %w = arith.remui %kk, %c4 : index
      %u = memref.load %q[%w] : memref<4xi32>
      memref.store %u, %p[%i] : memref<4xi32,
          #gpu.address_space<private>>
    }
    scf.for %i = %c0 to %c4 step %c1 {
      %a = arith.muli %t, %c4 : index
      %b = arith.addi %a, %i : index
      %v = memref.load %p[%i] : memref<4xi32,
          #gpu.address_space<private>>
      memref.store %v, %out[%b] : memref<?xi32>
    }
    gpu.return
  }
  // The same in a straight line, with enough arithmetic that a vectoriser which
  // thinks the threads' private memory apart would go for it.
  gpu.func @shuffle(%in: memref<?xf32>, %pick: memref<?xi32>,
                    %out: memref<?xf32>)
      private(%p: memref<4xf32, #gpu.address_space<private>>) kernel {
    %t = gpu.thread_id x
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %m = arith.constant 3 : i32
    %v = memref.load %in[%t] : memref<?xf32>
    %k = memref.load %pick[%t] : memref<?xi32>
    %a = arith.mulf %v, %v : f32
    %b = arith.addf %a, %v : f32
    %c = arith.mulf %b, %a : f32
    %d = arith.subf %c, %v : f32
    memref.store %a, %p[%c0] : memref<4xf32, #gpu.address_space<private>>
    memref.store %b, %p[%c1] : memref<4xf32, #gpu.address_space<private>>
    memref.store %c, %p[%c2] : memref<4xf32, #gpu.address_space<private>>
    memref.store %d, %p[%c3] : memref<4xf32, #gpu.address_space<private>>
    %k3 = arith.andi %k, %m : i32
    %i = arith.index_cast %k3 : i32 to index
    %u = memref.load %p[%i] : memref<4xf32, #gpu.address_space<private>>
    %w = arith.mulf %u, %c : f32
    %x = arith.addf %w, %d : f32
    %y = arith.mulf %x, %b : f32
    %z = arith.subf %y, %a : f32
    memref.store %z, %out[%t] : memref<?xf32>
    gpu.return
  }
  // One thread's own accesses stay in order, also where two parameters name
  // the same memory: the second load sees the store before it.
  gpu.func @overlap(%n: index, %in: memref<?xf32>, %out: memref<?xf32>) kernel {
    %t = gpu.global_id x
    %c = arith.cmpi ult, %t, %n : index
    scf.if %c {
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %two = arith.constant 2.0 : f32
      %even = arith.muli %t, %c2 : index
      %odd = arith.addi %even, %c1 : index
      %a = memref.load %in[%even] : memref<?xf32>
      %b = arith.mulf %a, %two : f32
      memref.store %b, %out[%odd] : memref<?xf32>
      %d = memref.load %in[%odd] : memref<?xf32>
      %e = arith.addf %d, %a : f32
      memref.store %e, %out[%even] : memref<?xf32>
    }
    gpu.return
  }
  gpu.func @overlap2(%in: memref<?xf32>, %out: memref<?xf32>) kernel {
    %t = gpu.thread_id x
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %two = arith.constant 2.0 : f32
    %even = arith.muli %t, %c2 : index
    %odd = arith.addi %even, %c1 : index
    %a = memref.load %in[%even] : memref<?xf32>
    %b = arith.mulf %a, %two : f32
    memref.store %b, %out[%odd] : memref<?xf32>
    %d = memref.load %in[%odd] : memref<?xf32>
    %e = arith.addf %d, %a : f32
    memref.store %e, %out[%even] : memref<?xf32>
    gpu.return
  }
  gpu.func @atomics(%f: memref<?xf32>, %i: memref<?xi32>) kernel {
    %t = gpu.global_id x
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %one = arith.constant 1.0 : f32
    %v = arith.index_cast %t : index to i32
    %0 = memref.atomic_rmw addf %one, %f[%c0]
        : (f32, memref<?xf32>) -> f32
    %1 = memref.atomic_rmw addi %v, %i[%c0]
        : (i32, memref<?xi32>) -> i32
    %2 = memref.atomic_rmw maxs %v, %i[%c1]
        : (i32, memref<?xi32>) -> i32
    %3 = memref.generic_atomic_rmw %i[%c2] : memref<?xi32> {
    ^bb0(%now: i32):
      %next = arith.addi %now, %v : i32
      memref.atomic_yield %next : i32
    }
    gpu.return
  }
  gpu.func @"odd.name$1"(%out: memref<i32>) kernel {
    %c = arith.constant 42 : i32
    memref.store %c, %out[] : memref<i32>
    gpu.return
  }
}
