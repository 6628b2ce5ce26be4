// A block's place in its cluster, and the cluster's in the grid.
// CHIPS: sm_90 sm_100

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @k(%x: memref<?xi32>, %out: memref<?xi32>) kernel {
      %c0 = arith.constant 0 : index
      %t = gpu.thread_id x
      %n = gpu.block_dim x
      %bx = gpu.block_id x
      %by = gpu.block_id y
      %gx = gpu.grid_dim x
      %k31 = arith.constant 31 : index
      %row = arith.muli %by, %gx : index
      %block = arith.addi %row, %bx : index
      %first = arith.muli %block, %n : index
      %at = arith.addi %first, %t : index
      %cx = gpu.cluster_id x
      %cy = gpu.cluster_id y
      %cz = gpu.cluster_id z
      %nx = gpu.cluster_dim x
      %ny = gpu.cluster_dim y
      %ix = gpu.cluster_block_id x
      %iy = gpu.cluster_block_id y
      %iz = gpu.cluster_block_id z
      %sx = gpu.cluster_dim_blocks x
      %sy = gpu.cluster_dim_blocks y
      %sz = gpu.cluster_dim_blocks z
      %rank = nvvm.read.ptx.sreg.cluster.ctarank : i32
      %size = nvvm.read.ptx.sreg.cluster.nctarank : i32
      %rank_index = arith.index_cast %rank : i32 to index
      %size_index = arith.index_cast %size : i32 to index
      %m0 = arith.muli %c0, %k31 : index
      %s0 = arith.addi %m0, %cx : index
      %m1 = arith.muli %s0, %k31 : index
      %s1 = arith.addi %m1, %cy : index
      %m2 = arith.muli %s1, %k31 : index
      %s2 = arith.addi %m2, %cz : index
      %m3 = arith.muli %s2, %k31 : index
      %s3 = arith.addi %m3, %nx : index
      %m4 = arith.muli %s3, %k31 : index
      %s4 = arith.addi %m4, %ny : index
      %m5 = arith.muli %s4, %k31 : index
      %s5 = arith.addi %m5, %ix : index
      %m6 = arith.muli %s5, %k31 : index
      %s6 = arith.addi %m6, %iy : index
      %m7 = arith.muli %s6, %k31 : index
      %s7 = arith.addi %m7, %iz : index
      %m8 = arith.muli %s7, %k31 : index
      %s8 = arith.addi %m8, %sx : index
      %m9 = arith.muli %s8, %k31 : index
      %s9 = arith.addi %m9, %sy : index
      %m10 = arith.muli %s9, %k31 : index
      %s10 = arith.addi %m10, %sz : index
      %m11 = arith.muli %s10, %k31 : index
      %s11 = arith.addi %m11, %rank_index : index
      %m12 = arith.muli %s11, %k31 : index
      %s12 = arith.addi %m12, %size_index : index
      %r = arith.index_cast %s12 : index to i32
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
    %c3 = arith.constant 3 : index
    %c6 = arith.constant 6 : index
    %k31 = arith.constant 31 : index
    %all = memref.dim %x, %c0 : memref<?xi32>
    %threads = arith.subi %to, %from : index
    %blocks = arith.divui %all, %threads : index
    %gx = arith.divui %blocks, %c3 : index
    %nx = arith.divui %gx, %c2 : index
    %bx = arith.remui %b, %gx : index
    %iy = arith.divui %b, %gx : index
    %cx = arith.divui %bx, %c2 : index
    %ix = arith.remui %bx, %c2 : index
    %r0 = arith.muli %iy, %c2 : index
    %rank_index = arith.addi %r0, %ix : index
    %m0 = arith.muli %c0, %k31 : index
    %s0 = arith.addi %m0, %cx : index
    %m1 = arith.muli %s0, %k31 : index
    %s1 = arith.addi %m1, %c0 : index
    %m2 = arith.muli %s1, %k31 : index
    %s2 = arith.addi %m2, %c0 : index
    %m3 = arith.muli %s2, %k31 : index
    %s3 = arith.addi %m3, %nx : index
    %m4 = arith.muli %s3, %k31 : index
    %s4 = arith.addi %m4, %c1 : index
    %m5 = arith.muli %s4, %k31 : index
    %s5 = arith.addi %m5, %ix : index
    %m6 = arith.muli %s5, %k31 : index
    %s6 = arith.addi %m6, %iy : index
    %m7 = arith.muli %s6, %k31 : index
    %s7 = arith.addi %m7, %c0 : index
    %m8 = arith.muli %s7, %k31 : index
    %s8 = arith.addi %m8, %c2 : index
    %m9 = arith.muli %s8, %k31 : index
    %s9 = arith.addi %m9, %c3 : index
    %m10 = arith.muli %s9, %k31 : index
    %s10 = arith.addi %m10, %c1 : index
    %m11 = arith.muli %s10, %k31 : index
    %s11 = arith.addi %m11, %rank_index : index
    %m12 = arith.muli %s11, %k31 : index
    %s12 = arith.addi %m12, %c6 : index
    %r = arith.index_cast %s12 : index to i32
    scf.for %i = %from to %to step %c1 {
      memref.store %r, %want[%i] : memref<?xi32>
    }
    return
  }

  // Launches the kernel on numbers that repeat nowhere near, and prints how many
  // elements differ from what the host wants.
  func.func @check(%clusters: index, %threads: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    // In clusters of two by three; there is one row of them.
    %gx = arith.muli %clusters, %c2 : index
    %blocks = arith.muli %gx, %c3 : index
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
    gpu.launch_func @kernels::@k
        clusters in (%c2, %c3, %c1)
        blocks in (%gx, %c3, %c1) threads in (%threads, %c1, %c1)
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
