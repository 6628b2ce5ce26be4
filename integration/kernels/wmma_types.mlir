// Matrices of tf32, f64 and bytes that a warp holds.
// CHIPS: sm_80 sm_90 sm_100

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @m16n16k8_tf32_f32(%a: memref<?x16x24xf32>, %b: memref<?x8x32xf32>, %c: memref<?x16x32xf32>, %d: memref<?x16x32xf32>) kernel {
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
      %ma = gpu.subgroup_mma_load_matrix %a[%w, %c0, %c0] {leadDimension = 24 : index} : memref<?x16x24xf32> -> !gpu.mma_matrix<16x8xf32, "AOp">
      %mb = gpu.subgroup_mma_load_matrix %b[%w, %c0, %c0] {leadDimension = 32 : index} : memref<?x8x32xf32> -> !gpu.mma_matrix<8x16xf32, "BOp">
      %mc = gpu.subgroup_mma_load_matrix %c[%w, %c0, %c0] {leadDimension = 32 : index} : memref<?x16x32xf32> -> !gpu.mma_matrix<16x16xf32, "COp">
      %md = gpu.subgroup_mma_compute %ma, %mb, %mc : !gpu.mma_matrix<16x8xf32, "AOp">, !gpu.mma_matrix<8x16xf32, "BOp"> -> !gpu.mma_matrix<16x16xf32, "COp">
      gpu.subgroup_mma_store_matrix %md, %d[%w, %c0, %c0] {leadDimension = 32 : index} : !gpu.mma_matrix<16x16xf32, "COp">, memref<?x16x32xf32>
      gpu.return
    }
    gpu.func @m16n16k8_tf32_f32_at_bt_ct(%a: memref<?x8x32xf32>, %b: memref<?x16x24xf32>, %c: memref<?x16x32xf32>, %d: memref<?x16x32xf32>) kernel {
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
      %ma = gpu.subgroup_mma_load_matrix %a[%w, %c0, %c0] {leadDimension = 32 : index, transpose} : memref<?x8x32xf32> -> !gpu.mma_matrix<16x8xf32, "AOp">
      %mb = gpu.subgroup_mma_load_matrix %b[%w, %c0, %c0] {leadDimension = 24 : index, transpose} : memref<?x16x24xf32> -> !gpu.mma_matrix<8x16xf32, "BOp">
      %mc = gpu.subgroup_mma_load_matrix %c[%w, %c0, %c0] {leadDimension = 32 : index} : memref<?x16x32xf32> -> !gpu.mma_matrix<16x16xf32, "COp">
      %md = gpu.subgroup_mma_compute %ma, %mb, %mc {a_transpose, b_transpose} : !gpu.mma_matrix<16x8xf32, "AOp">, !gpu.mma_matrix<8x16xf32, "BOp"> -> !gpu.mma_matrix<16x16xf32, "COp">
      gpu.subgroup_mma_store_matrix %md, %d[%w, %c0, %c0] {leadDimension = 32 : index, transpose} : !gpu.mma_matrix<16x16xf32, "COp">, memref<?x16x32xf32>
      gpu.return
    }
    gpu.func @m8n8k4_f64_f64(%a: memref<?x8x20xf64>, %b: memref<?x4x24xf64>, %c: memref<?x8x24xf64>, %d: memref<?x8x24xf64>) kernel {
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
      %ma = gpu.subgroup_mma_load_matrix %a[%w, %c0, %c0] {leadDimension = 20 : index} : memref<?x8x20xf64> -> !gpu.mma_matrix<8x4xf64, "AOp">
      %mb = gpu.subgroup_mma_load_matrix %b[%w, %c0, %c0] {leadDimension = 24 : index} : memref<?x4x24xf64> -> !gpu.mma_matrix<4x8xf64, "BOp">
      %mc = gpu.subgroup_mma_load_matrix %c[%w, %c0, %c0] {leadDimension = 24 : index} : memref<?x8x24xf64> -> !gpu.mma_matrix<8x8xf64, "COp">
      %md = gpu.subgroup_mma_compute %ma, %mb, %mc : !gpu.mma_matrix<8x4xf64, "AOp">, !gpu.mma_matrix<4x8xf64, "BOp"> -> !gpu.mma_matrix<8x8xf64, "COp">
      gpu.subgroup_mma_store_matrix %md, %d[%w, %c0, %c0] {leadDimension = 24 : index} : !gpu.mma_matrix<8x8xf64, "COp">, memref<?x8x24xf64>
      gpu.return
    }
    gpu.func @m8n8k4_f64_f64_at_bt_ct(%a: memref<?x4x24xf64>, %b: memref<?x8x20xf64>, %c: memref<?x8x24xf64>, %d: memref<?x8x24xf64>) kernel {
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
      %ma = gpu.subgroup_mma_load_matrix %a[%w, %c0, %c0] {leadDimension = 24 : index, transpose} : memref<?x4x24xf64> -> !gpu.mma_matrix<8x4xf64, "AOp">
      %mb = gpu.subgroup_mma_load_matrix %b[%w, %c0, %c0] {leadDimension = 20 : index, transpose} : memref<?x8x20xf64> -> !gpu.mma_matrix<4x8xf64, "BOp">
      %mc = gpu.subgroup_mma_load_matrix %c[%w, %c0, %c0] {leadDimension = 24 : index} : memref<?x8x24xf64> -> !gpu.mma_matrix<8x8xf64, "COp">
      %md = gpu.subgroup_mma_compute %ma, %mb, %mc {a_transpose, b_transpose} : !gpu.mma_matrix<8x4xf64, "AOp">, !gpu.mma_matrix<4x8xf64, "BOp"> -> !gpu.mma_matrix<8x8xf64, "COp">
      gpu.subgroup_mma_store_matrix %md, %d[%w, %c0, %c0] {leadDimension = 24 : index, transpose} : !gpu.mma_matrix<8x8xf64, "COp">, memref<?x8x24xf64>
      gpu.return
    }
    gpu.func @m16n16k16_s8_s32(%a: memref<?x16x32xi8>, %b: memref<?x16x32xi8>, %c: memref<?x16x32xi32>, %d: memref<?x16x32xi32>) kernel {
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
      %ma = gpu.subgroup_mma_load_matrix %a[%w, %c0, %c0] {leadDimension = 32 : index} : memref<?x16x32xi8> -> !gpu.mma_matrix<16x16xsi8, "AOp">
      %mb = gpu.subgroup_mma_load_matrix %b[%w, %c0, %c0] {leadDimension = 32 : index} : memref<?x16x32xi8> -> !gpu.mma_matrix<16x16xsi8, "BOp">
      %mc = gpu.subgroup_mma_load_matrix %c[%w, %c0, %c0] {leadDimension = 32 : index} : memref<?x16x32xi32> -> !gpu.mma_matrix<16x16xi32, "COp">
      %md = gpu.subgroup_mma_compute %ma, %mb, %mc : !gpu.mma_matrix<16x16xsi8, "AOp">, !gpu.mma_matrix<16x16xsi8, "BOp"> -> !gpu.mma_matrix<16x16xi32, "COp">
      gpu.subgroup_mma_store_matrix %md, %d[%w, %c0, %c0] {leadDimension = 32 : index} : !gpu.mma_matrix<16x16xi32, "COp">, memref<?x16x32xi32>
      gpu.return
    }
    gpu.func @m16n16k16_u8_s32_at_bt_ct(%a: memref<?x16x32xi8>, %b: memref<?x16x32xi8>, %c: memref<?x16x32xi32>, %d: memref<?x16x32xi32>) kernel {
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
      %ma = gpu.subgroup_mma_load_matrix %a[%w, %c0, %c0] {leadDimension = 32 : index, transpose} : memref<?x16x32xi8> -> !gpu.mma_matrix<16x16xui8, "AOp">
      %mb = gpu.subgroup_mma_load_matrix %b[%w, %c0, %c0] {leadDimension = 32 : index, transpose} : memref<?x16x32xi8> -> !gpu.mma_matrix<16x16xui8, "BOp">
      %mc = gpu.subgroup_mma_load_matrix %c[%w, %c0, %c0] {leadDimension = 32 : index} : memref<?x16x32xi32> -> !gpu.mma_matrix<16x16xi32, "COp">
      %md = gpu.subgroup_mma_compute %ma, %mb, %mc {a_transpose, b_transpose} : !gpu.mma_matrix<16x16xui8, "AOp">, !gpu.mma_matrix<16x16xui8, "BOp"> -> !gpu.mma_matrix<16x16xi32, "COp">
      gpu.subgroup_mma_store_matrix %md, %d[%w, %c0, %c0] {leadDimension = 32 : index, transpose} : !gpu.mma_matrix<16x16xi32, "COp">, memref<?x16x32xi32>
      gpu.return
    }
    gpu.func @m32n8k16_s8_s32_at(%a: memref<?x16x48xi8>, %b: memref<?x16x32xi8>, %c: memref<?x32x24xi32>, %d: memref<?x32x24xi32>) kernel {
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
      %ma = gpu.subgroup_mma_load_matrix %a[%w, %c0, %c0] {leadDimension = 48 : index, transpose} : memref<?x16x48xi8> -> !gpu.mma_matrix<32x16xsi8, "AOp">
      %mb = gpu.subgroup_mma_load_matrix %b[%w, %c0, %c0] {leadDimension = 32 : index} : memref<?x16x32xi8> -> !gpu.mma_matrix<16x8xsi8, "BOp">
      %mc = gpu.subgroup_mma_load_matrix %c[%w, %c0, %c0] {leadDimension = 24 : index} : memref<?x32x24xi32> -> !gpu.mma_matrix<32x8xi32, "COp">
      %md = gpu.subgroup_mma_compute %ma, %mb, %mc {a_transpose} : !gpu.mma_matrix<32x16xsi8, "AOp">, !gpu.mma_matrix<16x8xsi8, "BOp"> -> !gpu.mma_matrix<32x8xi32, "COp">
      gpu.subgroup_mma_store_matrix %md, %d[%w, %c0, %c0] {leadDimension = 24 : index} : !gpu.mma_matrix<32x8xi32, "COp">, memref<?x32x24xi32>
      gpu.return
    }
    gpu.func @m8n32k16_u8_s32_bt(%a: memref<?x8x32xi8>, %b: memref<?x32x32xi8>, %c: memref<?x8x48xi32>, %d: memref<?x8x48xi32>) kernel {
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
      %ma = gpu.subgroup_mma_load_matrix %a[%w, %c0, %c0] {leadDimension = 32 : index} : memref<?x8x32xi8> -> !gpu.mma_matrix<8x16xui8, "AOp">
      %mb = gpu.subgroup_mma_load_matrix %b[%w, %c0, %c0] {leadDimension = 32 : index, transpose} : memref<?x32x32xi8> -> !gpu.mma_matrix<16x32xui8, "BOp">
      %mc = gpu.subgroup_mma_load_matrix %c[%w, %c0, %c0] {leadDimension = 48 : index} : memref<?x8x48xi32> -> !gpu.mma_matrix<8x32xi32, "COp">
      %md = gpu.subgroup_mma_compute %ma, %mb, %mc {b_transpose} : !gpu.mma_matrix<8x16xui8, "AOp">, !gpu.mma_matrix<16x32xui8, "BOp"> -> !gpu.mma_matrix<8x32xi32, "COp">
      gpu.subgroup_mma_store_matrix %md, %d[%w, %c0, %c0] {leadDimension = 48 : index} : !gpu.mma_matrix<8x32xi32, "COp">, memref<?x8x48xi32>
      gpu.return
    }
  }

  // Element %i of a matrix.
  func.func private @value_tf32(%i: index) -> i32 {
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
  // Element %i of a matrix.
  func.func private @value_f64(%i: index) -> i32 {
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
  // Element %i of a matrix.
  func.func private @value_s8(%i: index) -> i32 {
    %factor = arith.constant 40503 : i32
    %places = arith.constant 7 : i32
    %count = arith.constant 256 : i32
    %least = arith.constant -128 : i32
    %i32 = arith.index_cast %i : index to i32
    %p = arith.muli %i32, %factor : i32
    %q = arith.shrui %p, %places : i32
    %u = arith.remui %q, %count : i32
    %r = arith.addi %u, %least : i32
    return %r : i32
  }
  // Element %i of a matrix.
  func.func private @value_u8(%i: index) -> i32 {
    %factor = arith.constant 40503 : i32
    %places = arith.constant 7 : i32
    %count = arith.constant 256 : i32
    %least = arith.constant 0 : i32
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
  func.func @check_m16n16k8_tf32_f32(%blocks: index, %x: index, %y: index) {
    %zero = arith.constant 0 : i32
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %threads = arith.muli %x, %y : index
    %per_block = arith.divui %threads, %c32 : index
    %warps = arith.muli %blocks, %per_block : index
    %m = arith.constant 16 : index
    %n = arith.constant 16 : index
    %k = arith.constant 8 : index
    %other = arith.constant 100003 : index
    %a = gpu.alloc host_shared (%warps) : memref<?x16x24xf32>
    %b = gpu.alloc host_shared (%warps) : memref<?x8x32xf32>
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
          %v = func.call @value_tf32(%p) : (index) -> i32
          %e = arith.sitofp %v : i32 to f32
          memref.store %e, %a[%w, %i, %j] : memref<?x16x24xf32>
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
          %v = func.call @value_tf32(%p) : (index) -> i32
          %e = arith.sitofp %v : i32 to f32
          memref.store %e, %b[%w, %i, %j] : memref<?x8x32xf32>
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
    gpu.launch_func @kernels::@m16n16k8_tf32_f32 blocks in (%blocks, %c1, %c1) threads in (%x, %y, %c1)
        args(%a : memref<?x16x24xf32>, %b : memref<?x8x32xf32>, %c : memref<?x16x32xf32>, %d : memref<?x16x32xf32>)
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
            %va = func.call @value_tf32(%pa) : (index) -> i32
            %vb = func.call @value_tf32(%pb) : (index) -> i32
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
    gpu.dealloc %a : memref<?x16x24xf32>
    gpu.dealloc %b : memref<?x8x32xf32>
    gpu.dealloc %c : memref<?x16x32xf32>
    gpu.dealloc %d : memref<?x16x32xf32>
    return
  }
  func.func @check_m16n16k8_tf32_f32_at_bt_ct(%blocks: index, %x: index, %y: index) {
    %zero = arith.constant 0 : i32
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %threads = arith.muli %x, %y : index
    %per_block = arith.divui %threads, %c32 : index
    %warps = arith.muli %blocks, %per_block : index
    %m = arith.constant 16 : index
    %n = arith.constant 16 : index
    %k = arith.constant 8 : index
    %other = arith.constant 100003 : index
    %a = gpu.alloc host_shared (%warps) : memref<?x8x32xf32>
    %b = gpu.alloc host_shared (%warps) : memref<?x16x24xf32>
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
          %v = func.call @value_tf32(%p) : (index) -> i32
          %e = arith.sitofp %v : i32 to f32
          memref.store %e, %a[%w, %j, %i] : memref<?x8x32xf32>
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
          %v = func.call @value_tf32(%p) : (index) -> i32
          %e = arith.sitofp %v : i32 to f32
          memref.store %e, %b[%w, %j, %i] : memref<?x16x24xf32>
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
    gpu.launch_func @kernels::@m16n16k8_tf32_f32_at_bt_ct blocks in (%blocks, %c1, %c1) threads in (%x, %y, %c1)
        args(%a : memref<?x8x32xf32>, %b : memref<?x16x24xf32>, %c : memref<?x16x32xf32>, %d : memref<?x16x32xf32>)
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
            %va = func.call @value_tf32(%pa) : (index) -> i32
            %vb = func.call @value_tf32(%pb) : (index) -> i32
            %product = arith.muli %va, %vb : i32
            %s1 = arith.addi %s, %product : i32
            scf.yield %s1 : i32
          }
          %got = memref.load %d[%w, %j, %i] : memref<?x16x32xf32>
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
    gpu.dealloc %a : memref<?x8x32xf32>
    gpu.dealloc %b : memref<?x16x24xf32>
    gpu.dealloc %c : memref<?x16x32xf32>
    gpu.dealloc %d : memref<?x16x32xf32>
    return
  }
  func.func @check_m8n8k4_f64_f64(%blocks: index, %x: index, %y: index) {
    %zero = arith.constant 0 : i32
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %threads = arith.muli %x, %y : index
    %per_block = arith.divui %threads, %c32 : index
    %warps = arith.muli %blocks, %per_block : index
    %m = arith.constant 8 : index
    %n = arith.constant 8 : index
    %k = arith.constant 4 : index
    %other = arith.constant 100003 : index
    %a = gpu.alloc host_shared (%warps) : memref<?x8x20xf64>
    %b = gpu.alloc host_shared (%warps) : memref<?x4x24xf64>
    %c = gpu.alloc host_shared (%warps) : memref<?x8x24xf64>
    %d = gpu.alloc host_shared (%warps) : memref<?x8x24xf64>
    scf.for %w = %c0 to %warps step %c1 {
      scf.for %i = %c0 to %m step %c1 {
        scf.for %j = %c0 to %k step %c1 {
          %p0 = arith.muli %w, %m : index
          %p1 = arith.addi %p0, %i : index
          %p2 = arith.muli %p1, %k : index
          %p3 = arith.addi %p2, %j : index
          %p = arith.addi %p3, %c0 : index
          %v = func.call @value_f64(%p) : (index) -> i32
          %e = arith.sitofp %v : i32 to f64
          memref.store %e, %a[%w, %i, %j] : memref<?x8x20xf64>
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
          %v = func.call @value_f64(%p) : (index) -> i32
          %e = arith.sitofp %v : i32 to f64
          memref.store %e, %b[%w, %i, %j] : memref<?x4x24xf64>
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
          %e = arith.sitofp %v : i32 to f64
          memref.store %e, %c[%w, %i, %j] : memref<?x8x24xf64>
        }
      }
    }
    gpu.launch_func @kernels::@m8n8k4_f64_f64 blocks in (%blocks, %c1, %c1) threads in (%x, %y, %c1)
        args(%a : memref<?x8x20xf64>, %b : memref<?x4x24xf64>, %c : memref<?x8x24xf64>, %d : memref<?x8x24xf64>)
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
            %va = func.call @value_f64(%pa) : (index) -> i32
            %vb = func.call @value_f64(%pb) : (index) -> i32
            %product = arith.muli %va, %vb : i32
            %s1 = arith.addi %s, %product : i32
            scf.yield %s1 : i32
          }
          %got = memref.load %d[%w, %i, %j] : memref<?x8x24xf64>
          %wanted = arith.sitofp %want : i32 to f64
          %differs = arith.cmpf une, %got, %wanted : f64
          %one = arith.extui %differs : i1 to i32
          %bad = arith.addi %bad4, %one : i32
          scf.yield %bad : i32
        }
        scf.yield %bad3 : i32
      }
      scf.yield %bad1 : i32
    }
    vector.print %wrong : i32
    gpu.dealloc %a : memref<?x8x20xf64>
    gpu.dealloc %b : memref<?x4x24xf64>
    gpu.dealloc %c : memref<?x8x24xf64>
    gpu.dealloc %d : memref<?x8x24xf64>
    return
  }
  func.func @check_m8n8k4_f64_f64_at_bt_ct(%blocks: index, %x: index, %y: index) {
    %zero = arith.constant 0 : i32
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %threads = arith.muli %x, %y : index
    %per_block = arith.divui %threads, %c32 : index
    %warps = arith.muli %blocks, %per_block : index
    %m = arith.constant 8 : index
    %n = arith.constant 8 : index
    %k = arith.constant 4 : index
    %other = arith.constant 100003 : index
    %a = gpu.alloc host_shared (%warps) : memref<?x4x24xf64>
    %b = gpu.alloc host_shared (%warps) : memref<?x8x20xf64>
    %c = gpu.alloc host_shared (%warps) : memref<?x8x24xf64>
    %d = gpu.alloc host_shared (%warps) : memref<?x8x24xf64>
    scf.for %w = %c0 to %warps step %c1 {
      scf.for %i = %c0 to %m step %c1 {
        scf.for %j = %c0 to %k step %c1 {
          %p0 = arith.muli %w, %m : index
          %p1 = arith.addi %p0, %i : index
          %p2 = arith.muli %p1, %k : index
          %p3 = arith.addi %p2, %j : index
          %p = arith.addi %p3, %c0 : index
          %v = func.call @value_f64(%p) : (index) -> i32
          %e = arith.sitofp %v : i32 to f64
          memref.store %e, %a[%w, %j, %i] : memref<?x4x24xf64>
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
          %v = func.call @value_f64(%p) : (index) -> i32
          %e = arith.sitofp %v : i32 to f64
          memref.store %e, %b[%w, %j, %i] : memref<?x8x20xf64>
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
          %e = arith.sitofp %v : i32 to f64
          memref.store %e, %c[%w, %i, %j] : memref<?x8x24xf64>
        }
      }
    }
    gpu.launch_func @kernels::@m8n8k4_f64_f64_at_bt_ct blocks in (%blocks, %c1, %c1) threads in (%x, %y, %c1)
        args(%a : memref<?x4x24xf64>, %b : memref<?x8x20xf64>, %c : memref<?x8x24xf64>, %d : memref<?x8x24xf64>)
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
            %va = func.call @value_f64(%pa) : (index) -> i32
            %vb = func.call @value_f64(%pb) : (index) -> i32
            %product = arith.muli %va, %vb : i32
            %s1 = arith.addi %s, %product : i32
            scf.yield %s1 : i32
          }
          %got = memref.load %d[%w, %j, %i] : memref<?x8x24xf64>
          %wanted = arith.sitofp %want : i32 to f64
          %differs = arith.cmpf une, %got, %wanted : f64
          %one = arith.extui %differs : i1 to i32
          %bad = arith.addi %bad4, %one : i32
          scf.yield %bad : i32
        }
        scf.yield %bad3 : i32
      }
      scf.yield %bad1 : i32
    }
    vector.print %wrong : i32
    gpu.dealloc %a : memref<?x4x24xf64>
    gpu.dealloc %b : memref<?x8x20xf64>
    gpu.dealloc %c : memref<?x8x24xf64>
    gpu.dealloc %d : memref<?x8x24xf64>
    return
  }
  func.func @check_m16n16k16_s8_s32(%blocks: index, %x: index, %y: index) {
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
    %a = gpu.alloc host_shared (%warps) : memref<?x16x32xi8>
    %b = gpu.alloc host_shared (%warps) : memref<?x16x32xi8>
    %c = gpu.alloc host_shared (%warps) : memref<?x16x32xi32>
    %d = gpu.alloc host_shared (%warps) : memref<?x16x32xi32>
    scf.for %w = %c0 to %warps step %c1 {
      scf.for %i = %c0 to %m step %c1 {
        scf.for %j = %c0 to %k step %c1 {
          %p0 = arith.muli %w, %m : index
          %p1 = arith.addi %p0, %i : index
          %p2 = arith.muli %p1, %k : index
          %p3 = arith.addi %p2, %j : index
          %p = arith.addi %p3, %c0 : index
          %v = func.call @value_s8(%p) : (index) -> i32
          %e = arith.trunci %v : i32 to i8
          memref.store %e, %a[%w, %i, %j] : memref<?x16x32xi8>
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
          %v = func.call @value_s8(%p) : (index) -> i32
          %e = arith.trunci %v : i32 to i8
          memref.store %e, %b[%w, %i, %j] : memref<?x16x32xi8>
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
          %e = arith.addi %v, %zero : i32
          memref.store %e, %c[%w, %i, %j] : memref<?x16x32xi32>
        }
      }
    }
    gpu.launch_func @kernels::@m16n16k16_s8_s32 blocks in (%blocks, %c1, %c1) threads in (%x, %y, %c1)
        args(%a : memref<?x16x32xi8>, %b : memref<?x16x32xi8>, %c : memref<?x16x32xi32>, %d : memref<?x16x32xi32>)
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
            %va = func.call @value_s8(%pa) : (index) -> i32
            %vb = func.call @value_s8(%pb) : (index) -> i32
            %product = arith.muli %va, %vb : i32
            %s1 = arith.addi %s, %product : i32
            scf.yield %s1 : i32
          }
          %got = memref.load %d[%w, %i, %j] : memref<?x16x32xi32>
          %wanted = arith.addi %want, %zero : i32
          %differs = arith.cmpi ne, %got, %wanted : i32
          %one = arith.extui %differs : i1 to i32
          %bad = arith.addi %bad4, %one : i32
          scf.yield %bad : i32
        }
        scf.yield %bad3 : i32
      }
      scf.yield %bad1 : i32
    }
    vector.print %wrong : i32
    gpu.dealloc %a : memref<?x16x32xi8>
    gpu.dealloc %b : memref<?x16x32xi8>
    gpu.dealloc %c : memref<?x16x32xi32>
    gpu.dealloc %d : memref<?x16x32xi32>
    return
  }
  func.func @check_m16n16k16_u8_s32_at_bt_ct(%blocks: index, %x: index, %y: index) {
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
    %a = gpu.alloc host_shared (%warps) : memref<?x16x32xi8>
    %b = gpu.alloc host_shared (%warps) : memref<?x16x32xi8>
    %c = gpu.alloc host_shared (%warps) : memref<?x16x32xi32>
    %d = gpu.alloc host_shared (%warps) : memref<?x16x32xi32>
    scf.for %w = %c0 to %warps step %c1 {
      scf.for %i = %c0 to %m step %c1 {
        scf.for %j = %c0 to %k step %c1 {
          %p0 = arith.muli %w, %m : index
          %p1 = arith.addi %p0, %i : index
          %p2 = arith.muli %p1, %k : index
          %p3 = arith.addi %p2, %j : index
          %p = arith.addi %p3, %c0 : index
          %v = func.call @value_u8(%p) : (index) -> i32
          %e = arith.trunci %v : i32 to i8
          memref.store %e, %a[%w, %j, %i] : memref<?x16x32xi8>
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
          %v = func.call @value_u8(%p) : (index) -> i32
          %e = arith.trunci %v : i32 to i8
          memref.store %e, %b[%w, %j, %i] : memref<?x16x32xi8>
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
          %e = arith.addi %v, %zero : i32
          memref.store %e, %c[%w, %i, %j] : memref<?x16x32xi32>
        }
      }
    }
    gpu.launch_func @kernels::@m16n16k16_u8_s32_at_bt_ct blocks in (%blocks, %c1, %c1) threads in (%x, %y, %c1)
        args(%a : memref<?x16x32xi8>, %b : memref<?x16x32xi8>, %c : memref<?x16x32xi32>, %d : memref<?x16x32xi32>)
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
            %va = func.call @value_u8(%pa) : (index) -> i32
            %vb = func.call @value_u8(%pb) : (index) -> i32
            %product = arith.muli %va, %vb : i32
            %s1 = arith.addi %s, %product : i32
            scf.yield %s1 : i32
          }
          %got = memref.load %d[%w, %j, %i] : memref<?x16x32xi32>
          %wanted = arith.addi %want, %zero : i32
          %differs = arith.cmpi ne, %got, %wanted : i32
          %one = arith.extui %differs : i1 to i32
          %bad = arith.addi %bad4, %one : i32
          scf.yield %bad : i32
        }
        scf.yield %bad3 : i32
      }
      scf.yield %bad1 : i32
    }
    vector.print %wrong : i32
    gpu.dealloc %a : memref<?x16x32xi8>
    gpu.dealloc %b : memref<?x16x32xi8>
    gpu.dealloc %c : memref<?x16x32xi32>
    gpu.dealloc %d : memref<?x16x32xi32>
    return
  }
  func.func @check_m32n8k16_s8_s32_at(%blocks: index, %x: index, %y: index) {
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
    %a = gpu.alloc host_shared (%warps) : memref<?x16x48xi8>
    %b = gpu.alloc host_shared (%warps) : memref<?x16x32xi8>
    %c = gpu.alloc host_shared (%warps) : memref<?x32x24xi32>
    %d = gpu.alloc host_shared (%warps) : memref<?x32x24xi32>
    scf.for %w = %c0 to %warps step %c1 {
      scf.for %i = %c0 to %m step %c1 {
        scf.for %j = %c0 to %k step %c1 {
          %p0 = arith.muli %w, %m : index
          %p1 = arith.addi %p0, %i : index
          %p2 = arith.muli %p1, %k : index
          %p3 = arith.addi %p2, %j : index
          %p = arith.addi %p3, %c0 : index
          %v = func.call @value_s8(%p) : (index) -> i32
          %e = arith.trunci %v : i32 to i8
          memref.store %e, %a[%w, %j, %i] : memref<?x16x48xi8>
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
          %v = func.call @value_s8(%p) : (index) -> i32
          %e = arith.trunci %v : i32 to i8
          memref.store %e, %b[%w, %i, %j] : memref<?x16x32xi8>
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
          %e = arith.addi %v, %zero : i32
          memref.store %e, %c[%w, %i, %j] : memref<?x32x24xi32>
        }
      }
    }
    gpu.launch_func @kernels::@m32n8k16_s8_s32_at blocks in (%blocks, %c1, %c1) threads in (%x, %y, %c1)
        args(%a : memref<?x16x48xi8>, %b : memref<?x16x32xi8>, %c : memref<?x32x24xi32>, %d : memref<?x32x24xi32>)
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
            %va = func.call @value_s8(%pa) : (index) -> i32
            %vb = func.call @value_s8(%pb) : (index) -> i32
            %product = arith.muli %va, %vb : i32
            %s1 = arith.addi %s, %product : i32
            scf.yield %s1 : i32
          }
          %got = memref.load %d[%w, %i, %j] : memref<?x32x24xi32>
          %wanted = arith.addi %want, %zero : i32
          %differs = arith.cmpi ne, %got, %wanted : i32
          %one = arith.extui %differs : i1 to i32
          %bad = arith.addi %bad4, %one : i32
          scf.yield %bad : i32
        }
        scf.yield %bad3 : i32
      }
      scf.yield %bad1 : i32
    }
    vector.print %wrong : i32
    gpu.dealloc %a : memref<?x16x48xi8>
    gpu.dealloc %b : memref<?x16x32xi8>
    gpu.dealloc %c : memref<?x32x24xi32>
    gpu.dealloc %d : memref<?x32x24xi32>
    return
  }
  func.func @check_m8n32k16_u8_s32_bt(%blocks: index, %x: index, %y: index) {
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
    %a = gpu.alloc host_shared (%warps) : memref<?x8x32xi8>
    %b = gpu.alloc host_shared (%warps) : memref<?x32x32xi8>
    %c = gpu.alloc host_shared (%warps) : memref<?x8x48xi32>
    %d = gpu.alloc host_shared (%warps) : memref<?x8x48xi32>
    scf.for %w = %c0 to %warps step %c1 {
      scf.for %i = %c0 to %m step %c1 {
        scf.for %j = %c0 to %k step %c1 {
          %p0 = arith.muli %w, %m : index
          %p1 = arith.addi %p0, %i : index
          %p2 = arith.muli %p1, %k : index
          %p3 = arith.addi %p2, %j : index
          %p = arith.addi %p3, %c0 : index
          %v = func.call @value_u8(%p) : (index) -> i32
          %e = arith.trunci %v : i32 to i8
          memref.store %e, %a[%w, %i, %j] : memref<?x8x32xi8>
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
          %v = func.call @value_u8(%p) : (index) -> i32
          %e = arith.trunci %v : i32 to i8
          memref.store %e, %b[%w, %j, %i] : memref<?x32x32xi8>
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
          %e = arith.addi %v, %zero : i32
          memref.store %e, %c[%w, %i, %j] : memref<?x8x48xi32>
        }
      }
    }
    gpu.launch_func @kernels::@m8n32k16_u8_s32_bt blocks in (%blocks, %c1, %c1) threads in (%x, %y, %c1)
        args(%a : memref<?x8x32xi8>, %b : memref<?x32x32xi8>, %c : memref<?x8x48xi32>, %d : memref<?x8x48xi32>)
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
            %va = func.call @value_u8(%pa) : (index) -> i32
            %vb = func.call @value_u8(%pb) : (index) -> i32
            %product = arith.muli %va, %vb : i32
            %s1 = arith.addi %s, %product : i32
            scf.yield %s1 : i32
          }
          %got = memref.load %d[%w, %i, %j] : memref<?x8x48xi32>
          %wanted = arith.addi %want, %zero : i32
          %differs = arith.cmpi ne, %got, %wanted : i32
          %one = arith.extui %differs : i1 to i32
          %bad = arith.addi %bad4, %one : i32
          scf.yield %bad : i32
        }
        scf.yield %bad3 : i32
      }
      scf.yield %bad1 : i32
    }
    vector.print %wrong : i32
    gpu.dealloc %a : memref<?x8x32xi8>
    gpu.dealloc %b : memref<?x32x32xi8>
    gpu.dealloc %c : memref<?x8x48xi32>
    gpu.dealloc %d : memref<?x8x48xi32>
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
    func.call @check_m16n16k8_tf32_f32(%c3, %c32, %c1) : (index, index, index) -> ()
    func.call @check_m16n16k8_tf32_f32(%c2, %c8, %c12) : (index, index, index) -> ()
    func.call @check_m16n16k8_tf32_f32_at_bt_ct(%c3, %c32, %c1) : (index, index, index) -> ()
    func.call @check_m16n16k8_tf32_f32_at_bt_ct(%c2, %c8, %c12) : (index, index, index) -> ()
    func.call @check_m8n8k4_f64_f64(%c3, %c32, %c1) : (index, index, index) -> ()
    func.call @check_m8n8k4_f64_f64(%c2, %c8, %c12) : (index, index, index) -> ()
    func.call @check_m8n8k4_f64_f64_at_bt_ct(%c3, %c32, %c1) : (index, index, index) -> ()
    func.call @check_m8n8k4_f64_f64_at_bt_ct(%c2, %c8, %c12) : (index, index, index) -> ()
    func.call @check_m16n16k16_s8_s32(%c3, %c32, %c1) : (index, index, index) -> ()
    func.call @check_m16n16k16_s8_s32(%c2, %c8, %c12) : (index, index, index) -> ()
    func.call @check_m16n16k16_u8_s32_at_bt_ct(%c3, %c32, %c1) : (index, index, index) -> ()
    func.call @check_m16n16k16_u8_s32_at_bt_ct(%c2, %c8, %c12) : (index, index, index) -> ()
    func.call @check_m32n8k16_s8_s32_at(%c3, %c32, %c1) : (index, index, index) -> ()
    func.call @check_m32n8k16_s8_s32_at(%c2, %c8, %c12) : (index, index, index) -> ()
    func.call @check_m8n32k16_u8_s32_bt(%c3, %c32, %c1) : (index, index, index) -> ()
    func.call @check_m8n32k16_u8_s32_bt(%c2, %c8, %c12) : (index, index, index) -> ()
    func.call @check_m16n16k8_tf32_f32(%c1, %c1024, %c1) : (index, index, index) -> ()
    return
  }
}
