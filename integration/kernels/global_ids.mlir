// A thread's place in the whole grid, in three dimensions.

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @k(%x: memref<?xi32>, %out: memref<?xi32>) kernel {

      %x3 = gpu.global_id x
      %y3 = gpu.global_id y
      %z3 = gpu.global_id z
      %nx = gpu.block_dim x
      %ny = gpu.block_dim y
      %nz = gpu.block_dim z
      %gx = gpu.grid_dim x
      %gy = gpu.grid_dim y
      // x fastest in a block, and blocks side by side in y.
      %in_y = arith.remui %y3, %ny : index
      %block = arith.divui %y3, %ny : index
      %r0 = arith.muli %z3, %ny : index
      %r1 = arith.addi %r0, %in_y : index
      %r2 = arith.muli %r1, %nx : index
      %r3 = arith.addi %r2, %x3 : index
      %s0 = arith.muli %nx, %ny : index
      %s1 = arith.muli %s0, %nz : index
      %first = arith.muli %block, %s1 : index
      %at = arith.addi %first, %r3 : index
      %k1000 = arith.constant 1000 : index
      %a0 = arith.muli %y3, %k1000 : index
      %a1 = arith.addi %a0, %x3 : index
      %a2 = arith.muli %a1, %k1000 : index
      %a3 = arith.addi %a2, %z3 : index
      %a4 = arith.muli %a3, %gy : index
      %a5 = arith.addi %a4, %gx : index
      %r = arith.index_cast %a5 : index to i32
      memref.store %r, %out[%at] : memref<?xi32>
      gpu.return
    }
  }

  // What the kernel makes of elements from .. to, those of block b.
  func.func @expect(%x: memref<?xi32>, %want: memref<?xi32>, %b: index,
                    %from: index, %to: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %k1000 = arith.constant 1000 : index
    %threads = arith.subi %to, %from : index
    %all = memref.dim %x, %c0 : memref<?xi32>
    %blocks = arith.divui %all, %threads : index
    %by4 = arith.remui %threads, %c4 : index
    %whole = arith.cmpi eq, %by4, %c0 : index
    %ny = arith.select %whole, %c2, %c1 : index
    %plane = arith.muli %ny, %ny : index
    %nx = arith.divui %threads, %plane : index
    scf.for %i = %from to %to step %c1 {
      %t = arith.subi %i, %from : index
      %tx = arith.remui %t, %nx : index
      %rows = arith.divui %t, %nx : index
      %ty = arith.remui %rows, %ny : index
      %tz = arith.divui %rows, %ny : index
      %y0 = arith.muli %b, %ny : index
      %y = arith.addi %y0, %ty : index
      %a0 = arith.muli %y, %k1000 : index
      %a1 = arith.addi %a0, %tx : index
      %a2 = arith.muli %a1, %k1000 : index
      %a3 = arith.addi %a2, %tz : index
      %a4 = arith.muli %a3, %blocks : index
      %a5 = arith.addi %a4, %c1 : index
      %r = arith.index_cast %a5 : index to i32
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
