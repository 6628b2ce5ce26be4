// Blocks and grids of three dimensions: a thread has the number that CUDA
// gives it, and barriers are for all of them.

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @k(%x: memref<?xi32>, %out: memref<?xi32>)
        workgroup(%w: memref<1024xi32, #gpu.address_space<workgroup>>) kernel {
      %c1 = arith.constant 1 : index
      %tx = gpu.thread_id x
      %ty = gpu.thread_id y
      %tz = gpu.thread_id z
      %nx = gpu.block_dim x
      %ny = gpu.block_dim y
      %nz = gpu.block_dim z
      %bx = gpu.block_id x
      %by = gpu.block_id y
      %gx = gpu.grid_dim x
      %r0 = arith.muli %tz, %ny : index
      %r1 = arith.addi %r0, %ty : index
      %r2 = arith.muli %r1, %nx : index
      %t = arith.addi %r2, %tx : index
      %n0 = arith.muli %nx, %ny : index
      %n = arith.muli %n0, %nz : index
      %b0 = arith.muli %by, %gx : index
      %b = arith.addi %b0, %bx : index
      %base = arith.muli %b, %n : index
      %g = arith.addi %base, %t : index
      %v = memref.load %x[%g] : memref<?xi32>
      %lane = gpu.lane_id
      %warp = gpu.subgroup_id : index
      %warps = gpu.num_subgroups : index
      %size = gpu.subgroup_size : index
      %w0 = arith.muli %warp, %size : index
      %number = arith.addi %w0, %lane : index
      // Each thread stores where its warp and lane say that it is.
      memref.store %v, %w[%number] : memref<1024xi32, #gpu.address_space<workgroup>>
      gpu.barrier
      %last = arith.subi %n, %c1 : index
      %j = arith.subi %last, %t : index
      %o = memref.load %w[%j] : memref<1024xi32, #gpu.address_space<workgroup>>
      %k = arith.index_cast %warps : index to i32
      %r = arith.addi %o, %k : i32
      memref.store %r, %out[%g] : memref<?xi32>
      gpu.return
    }
  }

  // What the kernel makes of elements from .. to, those of block b.
  func.func @expect(%x: memref<?xi32>, %want: memref<?xi32>, %b: index,
                    %from: index, %to: index) {
    %c31 = arith.constant 31 : index
    %c32 = arith.constant 32 : index
    %n = arith.subi %to, %from : index
    %up = arith.addi %n, %c31 : index
    %warps = arith.divui %up, %c32 : index
    %k32 = arith.index_cast %warps : index to i32

    %c1 = arith.constant 1 : index
    %last = arith.subi %to, %c1 : index
    scf.for %i = %from to %to step %c1 {
      %k = arith.subi %i, %from : index
      %j = arith.subi %last, %k : index

      %v = memref.load %x[%j] : memref<?xi32>
      %r = arith.addi %v, %k32 : i32
      memref.store %r, %want[%i] : memref<?xi32>
    }
    return
  }

  // Launches the kernel on numbers that repeat nowhere near, and prints how many
  // elements differ from what the host wants.
  func.func @check(%blocks: index, %threads: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0 : i32
    %factor = arith.constant 7919 : i32
    %n = arith.muli %blocks, %threads : index
    %x = memref.alloc(%n) : memref<?xi32>
    %out = memref.alloc(%n) : memref<?xi32>
    %want = memref.alloc(%n) : memref<?xi32>
    scf.for %i = %c0 to %n step %c1 {
      %k = arith.index_cast %i : index to i32
      %v = arith.muli %k, %factor : i32
      memref.store %v, %x[%i] : memref<?xi32>
      memref.store %zero, %out[%i] : memref<?xi32>
      memref.store %zero, %want[%i] : memref<?xi32>
    }
    %dx = gpu.alloc(%n) : memref<?xi32>
    %dout = gpu.alloc(%n) : memref<?xi32>
    gpu.memcpy %dx, %x : memref<?xi32>, memref<?xi32>
    gpu.memcpy %dout, %out : memref<?xi32>, memref<?xi32>
    // As many threads, in a shape that is as cubic as their number allows.
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %by2 = arith.remui %threads, %c4 : index
    %whole = arith.cmpi eq, %by2, %c0 : index
    %ny = arith.select %whole, %c2, %c1 : index
    %nz = arith.select %whole, %c2, %c1 : index
    %plane = arith.muli %ny, %nz : index
    %nx = arith.divui %threads, %plane : index
    gpu.launch_func @kernels::@k
        blocks in (%c1, %blocks, %c1) threads in (%nx, %ny, %nz)
        args(%dx : memref<?xi32>, %dout : memref<?xi32>)
    gpu.memcpy %out, %dout : memref<?xi32>, memref<?xi32>
    scf.for %b = %c0 to %blocks step %c1 {
      %from = arith.muli %b, %threads : index
      %to = arith.addi %from, %threads : index
      func.call @expect(%x, %want, %b, %from, %to)
          : (memref<?xi32>, memref<?xi32>, index, index, index) -> ()
    }
    %wrong = scf.for %i = %c0 to %n step %c1 iter_args(%w = %zero) -> i32 {
      %a = memref.load %out[%i] : memref<?xi32>
      %e = memref.load %want[%i] : memref<?xi32>
      %differ = arith.cmpi ne, %a, %e : i32
      %d = arith.extui %differ : i1 to i32
      %w1 = arith.addi %w, %d : i32
      scf.yield %w1 : i32
    }
    vector.print %wrong : i32
    gpu.dealloc %dx : memref<?xi32>
    gpu.dealloc %dout : memref<?xi32>
    memref.dealloc %x : memref<?xi32>
    memref.dealloc %out : memref<?xi32>
    memref.dealloc %want : memref<?xi32>
    return
  }

  // RUN: kernel
  // CHECK: 0
  // CHECK: 0
  // CHECK: 0
  // CHECK: 0
  // CHECK: 0
  // CHECK: 0
  func.func @main() {
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %c7 = arith.constant 7 : index
    %c31 = arith.constant 31 : index
    %c32 = arith.constant 32 : index
    %c33 = arith.constant 33 : index
    %c256 = arith.constant 256 : index
    %c1024 = arith.constant 1024 : index
    func.call @check(%c7, %c1) : (index, index) -> ()
    func.call @check(%c3, %c31) : (index, index) -> ()
    func.call @check(%c7, %c32) : (index, index) -> ()
    func.call @check(%c3, %c33) : (index, index) -> ()
    func.call @check(%c7, %c256) : (index, index) -> ()
    func.call @check(%c3, %c1024) : (index, index) -> ()
    return
  }
}
