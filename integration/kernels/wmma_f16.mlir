// Matrices of f16 that a warp holds, with sums of f16 and f32, in all shapes; A, B
// and the result also by columns.

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @m16n16k16_f16_f32(%a: memref<?x16x32xf16>, %b: memref<?x16x32xf16>, %c: memref<?x16x32xf32>, %d: memref<?x16x32xf32>) kernel {
      %c0 = arith.constant 0 : index
      %c32 = arith.constant 32 : index
      %t = gpu.thread_id x
      %y = gpu.thread_id y
      %nx = gpu.block_dim x
      %ny = gpu.block_dim y
      %block = gpu.block_id x
      %rows = arith.muli %y, %nx : index
      %number = arith.addi %t, %rows : index
      %size = arith.muli %nx, %ny : index
      %warps = arith.divui %size, %c32 : index
      %own = arith.divui %number, %c32 : index
      %first = arith.muli %block, %warps : index
      %w = arith.addi %first, %own : index
      %ma = gpu.subgroup_mma_load_matrix %a[%w, %c0, %c0] {leadDimension = 32 : index} : memref<?x16x32xf16> -> !gpu.mma_matrix<16x16xf16, "AOp">
      %mb = gpu.subgroup_mma_load_matrix %b[%w, %c0, %c0] {leadDimension = 32 : index} : memref<?x16x32xf16> -> !gpu.mma_matrix<16x16xf16, "BOp">
      %mc = gpu.subgroup_mma_load_matrix %c[%w, %c0, %c0] {leadDimension = 32 : index} : memref<?x16x32xf32> -> !gpu.mma_matrix<16x16xf32, "COp">
      %md = gpu.subgroup_mma_compute %ma, %mb, %mc : !gpu.mma_matrix<16x16xf16, "AOp">, !gpu.mma_matrix<16x16xf16, "BOp"> -> !gpu.mma_matrix<16x16xf32, "COp">
      gpu.subgroup_mma_store_matrix %md, %d[%w, %c0, %c0] {leadDimension = 32 : index} : !gpu.mma_matrix<16x16xf32, "COp">, memref<?x16x32xf32>
      gpu.return
    }
    gpu.func @m16n16k16_f16_f16_at_ct(%a: memref<?x16x32xf16>, %b: memref<?x16x32xf16>, %c: memref<?x16x32xf16>, %d: memref<?x16x32xf16>) kernel {
      %c0 = arith.constant 0 : index
      %c32 = arith.constant 32 : index
      %t = gpu.thread_id x
      %y = gpu.thread_id y
      %nx = gpu.block_dim x
      %ny = gpu.block_dim y
      %block = gpu.block_id x
      %rows = arith.muli %y, %nx : index
      %number = arith.addi %t, %rows : index
      %size = arith.muli %nx, %ny : index
      %warps = arith.divui %size, %c32 : index
      %own = arith.divui %number, %c32 : index
      %first = arith.muli %block, %warps : index
      %w = arith.addi %first, %own : index
      %ma = gpu.subgroup_mma_load_matrix %a[%w, %c0, %c0] {leadDimension = 32 : index, transpose} : memref<?x16x32xf16> -> !gpu.mma_matrix<16x16xf16, "AOp">
      %mb = gpu.subgroup_mma_load_matrix %b[%w, %c0, %c0] {leadDimension = 32 : index} : memref<?x16x32xf16> -> !gpu.mma_matrix<16x16xf16, "BOp">
      %mc = gpu.subgroup_mma_load_matrix %c[%w, %c0, %c0] {leadDimension = 32 : index} : memref<?x16x32xf16> -> !gpu.mma_matrix<16x16xf16, "COp">
      %md = gpu.subgroup_mma_compute %ma, %mb, %mc {a_transpose} : !gpu.mma_matrix<16x16xf16, "AOp">, !gpu.mma_matrix<16x16xf16, "BOp"> -> !gpu.mma_matrix<16x16xf16, "COp">
      gpu.subgroup_mma_store_matrix %md, %d[%w, %c0, %c0] {leadDimension = 32 : index, transpose} : !gpu.mma_matrix<16x16xf16, "COp">, memref<?x16x32xf16>
      gpu.return
    }
    gpu.func @m32n8k16_f16_f32_bt(%a: memref<?x32x32xf16>, %b: memref<?x8x32xf16>, %c: memref<?x32x24xf32>, %d: memref<?x32x24xf32>) kernel {
      %c0 = arith.constant 0 : index
      %c32 = arith.constant 32 : index
      %t = gpu.thread_id x
      %y = gpu.thread_id y
      %nx = gpu.block_dim x
      %ny = gpu.block_dim y
      %block = gpu.block_id x
      %rows = arith.muli %y, %nx : index
      %number = arith.addi %t, %rows : index
      %size = arith.muli %nx, %ny : index
      %warps = arith.divui %size, %c32 : index
      %own = arith.divui %number, %c32 : index
      %first = arith.muli %block, %warps : index
      %w = arith.addi %first, %own : index
      %ma = gpu.subgroup_mma_load_matrix %a[%w, %c0, %c0] {leadDimension = 32 : index} : memref<?x32x32xf16> -> !gpu.mma_matrix<32x16xf16, "AOp">
      %mb = gpu.subgroup_mma_load_matrix %b[%w, %c0, %c0] {leadDimension = 32 : index, transpose} : memref<?x8x32xf16> -> !gpu.mma_matrix<16x8xf16, "BOp">
      %mc = gpu.subgroup_mma_load_matrix %c[%w, %c0, %c0] {leadDimension = 24 : index} : memref<?x32x24xf32> -> !gpu.mma_matrix<32x8xf32, "COp">
      %md = gpu.subgroup_mma_compute %ma, %mb, %mc {b_transpose} : !gpu.mma_matrix<32x16xf16, "AOp">, !gpu.mma_matrix<16x8xf16, "BOp"> -> !gpu.mma_matrix<32x8xf32, "COp">
      gpu.subgroup_mma_store_matrix %md, %d[%w, %c0, %c0] {leadDimension = 24 : index} : !gpu.mma_matrix<32x8xf32, "COp">, memref<?x32x24xf32>
      gpu.return
    }
    gpu.func @m8n32k16_f16_f32_at_bt_ct(%a: memref<?x16x24xf16>, %b: memref<?x32x32xf16>, %c: memref<?x8x48xf32>, %d: memref<?x32x24xf32>) kernel {
      %c0 = arith.constant 0 : index
      %c32 = arith.constant 32 : index
      %t = gpu.thread_id x
      %y = gpu.thread_id y
      %nx = gpu.block_dim x
      %ny = gpu.block_dim y
      %block = gpu.block_id x
      %rows = arith.muli %y, %nx : index
      %number = arith.addi %t, %rows : index
      %size = arith.muli %nx, %ny : index
      %warps = arith.divui %size, %c32 : index
      %own = arith.divui %number, %c32 : index
      %first = arith.muli %block, %warps : index
      %w = arith.addi %first, %own : index
      %ma = gpu.subgroup_mma_load_matrix %a[%w, %c0, %c0] {leadDimension = 24 : index, transpose} : memref<?x16x24xf16> -> !gpu.mma_matrix<8x16xf16, "AOp">
      %mb = gpu.subgroup_mma_load_matrix %b[%w, %c0, %c0] {leadDimension = 32 : index, transpose} : memref<?x32x32xf16> -> !gpu.mma_matrix<16x32xf16, "BOp">
      %mc = gpu.subgroup_mma_load_matrix %c[%w, %c0, %c0] {leadDimension = 48 : index} : memref<?x8x48xf32> -> !gpu.mma_matrix<8x32xf32, "COp">
      %md = gpu.subgroup_mma_compute %ma, %mb, %mc {a_transpose, b_transpose} : !gpu.mma_matrix<8x16xf16, "AOp">, !gpu.mma_matrix<16x32xf16, "BOp"> -> !gpu.mma_matrix<8x32xf32, "COp">
      gpu.subgroup_mma_store_matrix %md, %d[%w, %c0, %c0] {leadDimension = 24 : index, transpose} : !gpu.mma_matrix<8x32xf32, "COp">, memref<?x32x24xf32>
      gpu.return
    }
  }

  // Element %i of a matrix.
  func.func private @value_f16(%i: index) -> i32 {
    %factor = arith.constant 40503 : i32
    %places = arith.constant 7 : i32
    %count = arith.constant 7 : i32
    %least = arith.constant -3 : i32
    %i32 = arith.index_cast %i : index to i32
    %p = arith.muli %i32, %factor : i32
    %q = arith.shrui %p, %places : i32
    %u = arith.remui %q, %count : i32
    %r = arith.addi %u, %least : i32
    return %r : i32
  }
  // An element of C.
  func.func private @sum(%i: index) -> i32 {
    %thirteen = arith.constant 13 : i32
    %six = arith.constant 6 : i32
    %i32 = arith.index_cast %i : index to i32
    %u = arith.remui %i32, %thirteen : i32
    %r = arith.subi %u, %six : i32
    return %r : i32
  }
  func.func @check_m16n16k16_f16_f32(%blocks: index, %x: index, %y: index) {
    %zero = arith.constant 0 : i32
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %threads = arith.muli %x, %y : index
    %per_block = arith.divui %threads, %c32 : index
    %warps = arith.muli %blocks, %per_block : index
    %m = arith.constant 16 : index
    %n = arith.constant 16 : index
    %k = arith.constant 16 : index
    %other = arith.constant 100003 : index
    %a = gpu.alloc host_shared (%warps) : memref<?x16x32xf16>
    %b = gpu.alloc host_shared (%warps) : memref<?x16x32xf16>
    %c = gpu.alloc host_shared (%warps) : memref<?x16x32xf32>
    %d = gpu.alloc host_shared (%warps) : memref<?x16x32xf32>
    scf.for %w = %c0 to %warps step %c1 {
      scf.for %i = %c0 to %m step %c1 {
        scf.for %j = %c0 to %k step %c1 {
          %p0 = arith.muli %w, %m : index
          %p1 = arith.addi %p0, %i : index
          %p2 = arith.muli %p1, %k : index
          %p3 = arith.addi %p2, %j : index
          %p = arith.addi %p3, %c0 : index
          %v = func.call @value_f16(%p) : (index) -> i32
          %e = arith.sitofp %v : i32 to f16
          memref.store %e, %a[%w, %i, %j] : memref<?x16x32xf16>
        }
      }
    }
    scf.for %w = %c0 to %warps step %c1 {
      scf.for %i = %c0 to %k step %c1 {
        scf.for %j = %c0 to %n step %c1 {
          %p0 = arith.muli %w, %k : index
          %p1 = arith.addi %p0, %i : index
          %p2 = arith.muli %p1, %n : index
          %p3 = arith.addi %p2, %j : index
          %p = arith.addi %p3, %other : index
          %v = func.call @value_f16(%p) : (index) -> i32
          %e = arith.sitofp %v : i32 to f16
          memref.store %e, %b[%w, %i, %j] : memref<?x16x32xf16>
        }
      }
    }
    scf.for %w = %c0 to %warps step %c1 {
      scf.for %i = %c0 to %m step %c1 {
        scf.for %j = %c0 to %n step %c1 {
          %p0 = arith.muli %w, %m : index
          %p1 = arith.addi %p0, %i : index
          %p2 = arith.muli %p1, %n : index
          %p3 = arith.addi %p2, %j : index
          %p = arith.addi %p3, %c0 : index
          %v = func.call @sum(%p) : (index) -> i32
          %e = arith.sitofp %v : i32 to f32
          memref.store %e, %c[%w, %i, %j] : memref<?x16x32xf32>
        }
      }
    }
    gpu.launch_func @kernels::@m16n16k16_f16_f32 blocks in (%blocks, %c1, %c1) threads in (%x, %y, %c1)
        args(%a : memref<?x16x32xf16>, %b : memref<?x16x32xf16>, %c : memref<?x16x32xf32>, %d : memref<?x16x32xf32>)
    %wrong = scf.for %w = %c0 to %warps step %c1 iter_args(%bad0 = %zero) -> i32 {
      %bad1 = scf.for %i = %c0 to %m step %c1 iter_args(%bad2 = %bad0) -> i32 {
        %bad3 = scf.for %j = %c0 to %n step %c1 iter_args(%bad4 = %bad2) -> i32 {
          %q0 = arith.muli %w, %m : index
          %q1 = arith.addi %q0, %i : index
          %q2 = arith.muli %q1, %n : index
          %q3 = arith.addi %q2, %j : index
          %start = func.call @sum(%q3) : (index) -> i32
          %row = arith.muli %q1, %k : index
          %r0 = arith.muli %w, %k : index
          %want = scf.for %l = %c0 to %k step %c1 iter_args(%s = %start) -> i32 {
            %pa = arith.addi %row, %l : index
            %r1 = arith.addi %r0, %l : index
            %r2 = arith.muli %r1, %n : index
            %r3 = arith.addi %r2, %j : index
            %pb = arith.addi %r3, %other : index
            %va = func.call @value_f16(%pa) : (index) -> i32
            %vb = func.call @value_f16(%pb) : (index) -> i32
            %product = arith.muli %va, %vb : i32
            %s1 = arith.addi %s, %product : i32
            scf.yield %s1 : i32
          }
          %got = memref.load %d[%w, %i, %j] : memref<?x16x32xf32>
          %wanted = arith.sitofp %want : i32 to f32
          %differs = arith.cmpf une, %got, %wanted : f32
          %one = arith.extui %differs : i1 to i32
          %bad = arith.addi %bad4, %one : i32
          scf.yield %bad : i32
        }
        scf.yield %bad3 : i32
      }
      scf.yield %bad1 : i32
    }
    vector.print %wrong : i32
    gpu.dealloc %a : memref<?x16x32xf16>
    gpu.dealloc %b : memref<?x16x32xf16>
    gpu.dealloc %c : memref<?x16x32xf32>
    gpu.dealloc %d : memref<?x16x32xf32>
    return
  }
  func.func @check_m16n16k16_f16_f16_at_ct(%blocks: index, %x: index, %y: index) {
    %zero = arith.constant 0 : i32
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %threads = arith.muli %x, %y : index
    %per_block = arith.divui %threads, %c32 : index
    %warps = arith.muli %blocks, %per_block : index
    %m = arith.constant 16 : index
    %n = arith.constant 16 : index
    %k = arith.constant 16 : index
    %other = arith.constant 100003 : index
    %a = gpu.alloc host_shared (%warps) : memref<?x16x32xf16>
    %b = gpu.alloc host_shared (%warps) : memref<?x16x32xf16>
    %c = gpu.alloc host_shared (%warps) : memref<?x16x32xf16>
    %d = gpu.alloc host_shared (%warps) : memref<?x16x32xf16>
    scf.for %w = %c0 to %warps step %c1 {
      scf.for %i = %c0 to %m step %c1 {
        scf.for %j = %c0 to %k step %c1 {
          %p0 = arith.muli %w, %m : index
          %p1 = arith.addi %p0, %i : index
          %p2 = arith.muli %p1, %k : index
          %p3 = arith.addi %p2, %j : index
          %p = arith.addi %p3, %c0 : index
          %v = func.call @value_f16(%p) : (index) -> i32
          %e = arith.sitofp %v : i32 to f16
          memref.store %e, %a[%w, %j, %i] : memref<?x16x32xf16>
        }
      }
    }
    scf.for %w = %c0 to %warps step %c1 {
      scf.for %i = %c0 to %k step %c1 {
        scf.for %j = %c0 to %n step %c1 {
          %p0 = arith.muli %w, %k : index
          %p1 = arith.addi %p0, %i : index
          %p2 = arith.muli %p1, %n : index
          %p3 = arith.addi %p2, %j : index
          %p = arith.addi %p3, %other : index
          %v = func.call @value_f16(%p) : (index) -> i32
          %e = arith.sitofp %v : i32 to f16
          memref.store %e, %b[%w, %i, %j] : memref<?x16x32xf16>
        }
      }
    }
    scf.for %w = %c0 to %warps step %c1 {
      scf.for %i = %c0 to %m step %c1 {
        scf.for %j = %c0 to %n step %c1 {
          %p0 = arith.muli %w, %m : index
          %p1 = arith.addi %p0, %i : index
          %p2 = arith.muli %p1, %n : index
          %p3 = arith.addi %p2, %j : index
          %p = arith.addi %p3, %c0 : index
          %v = func.call @sum(%p) : (index) -> i32
          %e = arith.sitofp %v : i32 to f16
          memref.store %e, %c[%w, %i, %j] : memref<?x16x32xf16>
        }
      }
    }
    gpu.launch_func @kernels::@m16n16k16_f16_f16_at_ct blocks in (%blocks, %c1, %c1) threads in (%x, %y, %c1)
        args(%a : memref<?x16x32xf16>, %b : memref<?x16x32xf16>, %c : memref<?x16x32xf16>, %d : memref<?x16x32xf16>)
    %wrong = scf.for %w = %c0 to %warps step %c1 iter_args(%bad0 = %zero) -> i32 {
      %bad1 = scf.for %i = %c0 to %m step %c1 iter_args(%bad2 = %bad0) -> i32 {
        %bad3 = scf.for %j = %c0 to %n step %c1 iter_args(%bad4 = %bad2) -> i32 {
          %q0 = arith.muli %w, %m : index
          %q1 = arith.addi %q0, %i : index
          %q2 = arith.muli %q1, %n : index
          %q3 = arith.addi %q2, %j : index
          %start = func.call @sum(%q3) : (index) -> i32
          %row = arith.muli %q1, %k : index
          %r0 = arith.muli %w, %k : index
          %want = scf.for %l = %c0 to %k step %c1 iter_args(%s = %start) -> i32 {
            %pa = arith.addi %row, %l : index
            %r1 = arith.addi %r0, %l : index
            %r2 = arith.muli %r1, %n : index
            %r3 = arith.addi %r2, %j : index
            %pb = arith.addi %r3, %other : index
            %va = func.call @value_f16(%pa) : (index) -> i32
            %vb = func.call @value_f16(%pb) : (index) -> i32
            %product = arith.muli %va, %vb : i32
            %s1 = arith.addi %s, %product : i32
            scf.yield %s1 : i32
          }
          %got = memref.load %d[%w, %j, %i] : memref<?x16x32xf16>
          %wanted = arith.sitofp %want : i32 to f16
          %differs = arith.cmpf une, %got, %wanted : f16
          %one = arith.extui %differs : i1 to i32
          %bad = arith.addi %bad4, %one : i32
          scf.yield %bad : i32
        }
        scf.yield %bad3 : i32
      }
      scf.yield %bad1 : i32
    }
    vector.print %wrong : i32
    gpu.dealloc %a : memref<?x16x32xf16>
    gpu.dealloc %b : memref<?x16x32xf16>
    gpu.dealloc %c : memref<?x16x32xf16>
    gpu.dealloc %d : memref<?x16x32xf16>
    return
  }
  func.func @check_m32n8k16_f16_f32_bt(%blocks: index, %x: index, %y: index) {
    %zero = arith.constant 0 : i32
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %threads = arith.muli %x, %y : index
    %per_block = arith.divui %threads, %c32 : index
    %warps = arith.muli %blocks, %per_block : index
    %m = arith.constant 32 : index
    %n = arith.constant 8 : index
    %k = arith.constant 16 : index
    %other = arith.constant 100003 : index
    %a = gpu.alloc host_shared (%warps) : memref<?x32x32xf16>
    %b = gpu.alloc host_shared (%warps) : memref<?x8x32xf16>
    %c = gpu.alloc host_shared (%warps) : memref<?x32x24xf32>
    %d = gpu.alloc host_shared (%warps) : memref<?x32x24xf32>
    scf.for %w = %c0 to %warps step %c1 {
      scf.for %i = %c0 to %m step %c1 {
        scf.for %j = %c0 to %k step %c1 {
          %p0 = arith.muli %w, %m : index
          %p1 = arith.addi %p0, %i : index
          %p2 = arith.muli %p1, %k : index
          %p3 = arith.addi %p2, %j : index
          %p = arith.addi %p3, %c0 : index
          %v = func.call @value_f16(%p) : (index) -> i32
          %e = arith.sitofp %v : i32 to f16
          memref.store %e, %a[%w, %i, %j] : memref<?x32x32xf16>
        }
      }
    }
    scf.for %w = %c0 to %warps step %c1 {
      scf.for %i = %c0 to %k step %c1 {
        scf.for %j = %c0 to %n step %c1 {
          %p0 = arith.muli %w, %k : index
          %p1 = arith.addi %p0, %i : index
          %p2 = arith.muli %p1, %n : index
          %p3 = arith.addi %p2, %j : index
          %p = arith.addi %p3, %other : index
          %v = func.call @value_f16(%p) : (index) -> i32
          %e = arith.sitofp %v : i32 to f16
          memref.store %e, %b[%w, %j, %i] : memref<?x8x32xf16>
        }
      }
    }
    scf.for %w = %c0 to %warps step %c1 {
      scf.for %i = %c0 to %m step %c1 {
        scf.for %j = %c0 to %n step %c1 {
          %p0 = arith.muli %w, %m : index
          %p1 = arith.addi %p0, %i : index
          %p2 = arith.muli %p1, %n : index
          %p3 = arith.addi %p2, %j : index
          %p = arith.addi %p3, %c0 : index
          %v = func.call @sum(%p) : (index) -> i32
          %e = arith.sitofp %v : i32 to f32
          memref.store %e, %c[%w, %i, %j] : memref<?x32x24xf32>
        }
      }
    }
    gpu.launch_func @kernels::@m32n8k16_f16_f32_bt blocks in (%blocks, %c1, %c1) threads in (%x, %y, %c1)
        args(%a : memref<?x32x32xf16>, %b : memref<?x8x32xf16>, %c : memref<?x32x24xf32>, %d : memref<?x32x24xf32>)
    %wrong = scf.for %w = %c0 to %warps step %c1 iter_args(%bad0 = %zero) -> i32 {
      %bad1 = scf.for %i = %c0 to %m step %c1 iter_args(%bad2 = %bad0) -> i32 {
        %bad3 = scf.for %j = %c0 to %n step %c1 iter_args(%bad4 = %bad2) -> i32 {
          %q0 = arith.muli %w, %m : index
          %q1 = arith.addi %q0, %i : index
          %q2 = arith.muli %q1, %n : index
          %q3 = arith.addi %q2, %j : index
          %start = func.call @sum(%q3) : (index) -> i32
          %row = arith.muli %q1, %k : index
          %r0 = arith.muli %w, %k : index
          %want = scf.for %l = %c0 to %k step %c1 iter_args(%s = %start) -> i32 {
            %pa = arith.addi %row, %l : index
            %r1 = arith.addi %r0, %l : index
            %r2 = arith.muli %r1, %n : index
            %r3 = arith.addi %r2, %j : index
            %pb = arith.addi %r3, %other : index
            %va = func.call @value_f16(%pa) : (index) -> i32
            %vb = func.call @value_f16(%pb) : (index) -> i32
            %product = arith.muli %va, %vb : i32
            %s1 = arith.addi %s, %product : i32
            scf.yield %s1 : i32
          }
          %got = memref.load %d[%w, %i, %j] : memref<?x32x24xf32>
          %wanted = arith.sitofp %want : i32 to f32
          %differs = arith.cmpf une, %got, %wanted : f32
          %one = arith.extui %differs : i1 to i32
          %bad = arith.addi %bad4, %one : i32
          scf.yield %bad : i32
        }
        scf.yield %bad3 : i32
      }
      scf.yield %bad1 : i32
    }
    vector.print %wrong : i32
    gpu.dealloc %a : memref<?x32x32xf16>
    gpu.dealloc %b : memref<?x8x32xf16>
    gpu.dealloc %c : memref<?x32x24xf32>
    gpu.dealloc %d : memref<?x32x24xf32>
    return
  }
  func.func @check_m8n32k16_f16_f32_at_bt_ct(%blocks: index, %x: index, %y: index) {
    %zero = arith.constant 0 : i32
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %threads = arith.muli %x, %y : index
    %per_block = arith.divui %threads, %c32 : index
    %warps = arith.muli %blocks, %per_block : index
    %m = arith.constant 8 : index
    %n = arith.constant 32 : index
    %k = arith.constant 16 : index
    %other = arith.constant 100003 : index
    %a = gpu.alloc host_shared (%warps) : memref<?x16x24xf16>
    %b = gpu.alloc host_shared (%warps) : memref<?x32x32xf16>
    %c = gpu.alloc host_shared (%warps) : memref<?x8x48xf32>
    %d = gpu.alloc host_shared (%warps) : memref<?x32x24xf32>
    scf.for %w = %c0 to %warps step %c1 {
      scf.for %i = %c0 to %m step %c1 {
        scf.for %j = %c0 to %k step %c1 {
          %p0 = arith.muli %w, %m : index
          %p1 = arith.addi %p0, %i : index
          %p2 = arith.muli %p1, %k : index
          %p3 = arith.addi %p2, %j : index
          %p = arith.addi %p3, %c0 : index
          %v = func.call @value_f16(%p) : (index) -> i32
          %e = arith.sitofp %v : i32 to f16
          memref.store %e, %a[%w, %j, %i] : memref<?x16x24xf16>
        }
      }
    }
    scf.for %w = %c0 to %warps step %c1 {
      scf.for %i = %c0 to %k step %c1 {
        scf.for %j = %c0 to %n step %c1 {
          %p0 = arith.muli %w, %k : index
          %p1 = arith.addi %p0, %i : index
          %p2 = arith.muli %p1, %n : index
          %p3 = arith.addi %p2, %j : index
          %p = arith.addi %p3, %other : index
          %v = func.call @value_f16(%p) : (index) -> i32
          %e = arith.sitofp %v : i32 to f16
          memref.store %e, %b[%w, %j, %i] : memref<?x32x32xf16>
        }
      }
    }
    scf.for %w = %c0 to %warps step %c1 {
      scf.for %i = %c0 to %m step %c1 {
        scf.for %j = %c0 to %n step %c1 {
          %p0 = arith.muli %w, %m : index
          %p1 = arith.addi %p0, %i : index
          %p2 = arith.muli %p1, %n : index
          %p3 = arith.addi %p2, %j : index
          %p = arith.addi %p3, %c0 : index
          %v = func.call @sum(%p) : (index) -> i32
          %e = arith.sitofp %v : i32 to f32
          memref.store %e, %c[%w, %i, %j] : memref<?x8x48xf32>
        }
      }
    }
    gpu.launch_func @kernels::@m8n32k16_f16_f32_at_bt_ct blocks in (%blocks, %c1, %c1) threads in (%x, %y, %c1)
        args(%a : memref<?x16x24xf16>, %b : memref<?x32x32xf16>, %c : memref<?x8x48xf32>, %d : memref<?x32x24xf32>)
    %wrong = scf.for %w = %c0 to %warps step %c1 iter_args(%bad0 = %zero) -> i32 {
      %bad1 = scf.for %i = %c0 to %m step %c1 iter_args(%bad2 = %bad0) -> i32 {
        %bad3 = scf.for %j = %c0 to %n step %c1 iter_args(%bad4 = %bad2) -> i32 {
          %q0 = arith.muli %w, %m : index
          %q1 = arith.addi %q0, %i : index
          %q2 = arith.muli %q1, %n : index
          %q3 = arith.addi %q2, %j : index
          %start = func.call @sum(%q3) : (index) -> i32
          %row = arith.muli %q1, %k : index
          %r0 = arith.muli %w, %k : index
          %want = scf.for %l = %c0 to %k step %c1 iter_args(%s = %start) -> i32 {
            %pa = arith.addi %row, %l : index
            %r1 = arith.addi %r0, %l : index
            %r2 = arith.muli %r1, %n : index
            %r3 = arith.addi %r2, %j : index
            %pb = arith.addi %r3, %other : index
            %va = func.call @value_f16(%pa) : (index) -> i32
            %vb = func.call @value_f16(%pb) : (index) -> i32
            %product = arith.muli %va, %vb : i32
            %s1 = arith.addi %s, %product : i32
            scf.yield %s1 : i32
          }
          %got = memref.load %d[%w, %j, %i] : memref<?x32x24xf32>
          %wanted = arith.sitofp %want : i32 to f32
          %differs = arith.cmpf une, %got, %wanted : f32
          %one = arith.extui %differs : i1 to i32
          %bad = arith.addi %bad4, %one : i32
          scf.yield %bad : i32
        }
        scf.yield %bad3 : i32
      }
      scf.yield %bad1 : i32
    }
    vector.print %wrong : i32
    gpu.dealloc %a : memref<?x16x24xf16>
    gpu.dealloc %b : memref<?x32x32xf16>
    gpu.dealloc %c : memref<?x8x48xf32>
    gpu.dealloc %d : memref<?x32x24xf32>
    return
  }

  // RUN: kernel
  // CHECK: 0
  // CHECK: 0
  // CHECK: 0
  // CHECK: 0
  // CHECK: 0
  // CHECK: 0
  // CHECK: 0
  // CHECK: 0
  // CHECK: 0
  func.func @main() {
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %c8 = arith.constant 8 : index
    %c12 = arith.constant 12 : index
    %c32 = arith.constant 32 : index
    %c1024 = arith.constant 1024 : index
    func.call @check_m16n16k16_f16_f32(%c3, %c32, %c1) : (index, index, index) -> ()
    func.call @check_m16n16k16_f16_f32(%c2, %c8, %c12) : (index, index, index) -> ()
    func.call @check_m16n16k16_f16_f16_at_ct(%c3, %c32, %c1) : (index, index, index) -> ()
    func.call @check_m16n16k16_f16_f16_at_ct(%c2, %c8, %c12) : (index, index, index) -> ()
    func.call @check_m32n8k16_f16_f32_bt(%c3, %c32, %c1) : (index, index, index) -> ()
    func.call @check_m32n8k16_f16_f32_bt(%c2, %c8, %c12) : (index, index, index) -> ()
    func.call @check_m8n32k16_f16_f32_at_bt_ct(%c3, %c32, %c1) : (index, index, index) -> ()
    func.call @check_m8n32k16_f16_f32_at_bt_ct(%c2, %c8, %c12) : (index, index, index) -> ()
    func.call @check_m16n16k16_f16_f32(%c1, %c1024, %c1) : (index, index, index) -> ()
    return
  }
}
