// Matrices of 8 by 8 half words, spread over a warp by their columns.

module attributes {gpu.container_module} {
  // The element in column %j of row %row of the matrices from %start on.
  func.func private @element(%x: memref<?xi32>, %start: index, %row: index, %j: index) -> i32 {
    %k8 = arith.constant 8 : i32
    %at = arith.addi %start, %row : index
    %v = memref.load %x[%at] : memref<?xi32>
    %j32 = arith.index_cast %j : index to i32
    %u = arith.muli %j32, %k8 : i32
    %s = arith.addi %v, %u : i32
    %h = arith.trunci %s : i32 to i16
    %r = arith.extui %h : i16 to i32
    return %r : i32
  }

  gpu.module @kernels {
    gpu.func @k(%x: memref<?xi32>, %out: memref<?xi32>)
        workgroup(%w: memref<32x32x8xi16, #gpu.address_space<workgroup>>) kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %t = gpu.thread_id x
      %n = gpu.block_dim x
      %g = gpu.global_id x
      %v = memref.load %x[%g] : memref<?xi32>
      %zero = arith.constant 0 : i32
      %c32 = arith.constant 32 : index
      %c8 = arith.constant 8 : index
      %c31 = arith.constant 31 : index
      %warp = arith.divui %t, %c32 : index
      %lane = arith.remui %t, %c32 : index
      // Row `lane` of the four matrices of the warp.
      %k8 = arith.constant 8 : i32
      scf.for %j = %c0 to %c8 step %c1 {
        %j32 = arith.index_cast %j : index to i32
        %u = arith.muli %j32, %k8 : i32
        %s = arith.addi %v, %u : i32
        %h = arith.trunci %s : i32 to i16
        memref.store %h, %w[%warp, %lane, %j] : memref<32x32x8xi16, #gpu.address_space<workgroup>>
      }
      gpu.barrier
      // Only whole warps have whole matrices.
      %end = arith.ori %t, %c31 : index
      %whole = arith.cmpi ult, %end, %n : index
      %r = scf.if %whole -> i32 {
        %flat = memref.reinterpret_cast %w to offset: [0], sizes: [8192], strides: [1] : memref<32x32x8xi16, #gpu.address_space<workgroup>> to memref<8192xi16, #gpu.address_space<workgroup>>
        %base = memref.extract_aligned_pointer_as_index %flat : memref<8192xi16, #gpu.address_space<workgroup>> -> index
        %r0 = arith.muli %warp, %c32 : index
        %r1 = arith.addi %r0, %lane : index
        %c16 = arith.constant 16 : index
        %bytes = arith.muli %r1, %c16 : index
        %place = arith.addi %base, %bytes : index
        %place64 = arith.index_cast %place : index to i64
        %p = llvm.inttoptr %place64 : i64 to !llvm.ptr<3>
        %m = nvvm.ldmatrix %p {num = 4 : i32, layout = #nvvm.mma_layout<col>, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>, eltType = #nvvm.ld_st_matrix_elt_type<b16>} : (!llvm.ptr<3>) -> !llvm.struct<(i32, i32, i32, i32)>
        %a = llvm.extractvalue %m[0] : !llvm.struct<(i32, i32, i32, i32)>
        %b0 = llvm.extractvalue %m[1] : !llvm.struct<(i32, i32, i32, i32)>
        %c = llvm.extractvalue %m[2] : !llvm.struct<(i32, i32, i32, i32)>
        %d = llvm.extractvalue %m[3] : !llvm.struct<(i32, i32, i32, i32)>
        %three = arith.constant 3 : i32
        %five = arith.constant 5 : i32
        %seven = arith.constant 7 : i32
        %e0 = arith.muli %b0, %three : i32
        %e1 = arith.muli %c, %five : i32
        %e2 = arith.muli %d, %seven : i32
        %e3 = arith.addi %a, %e0 : i32
        %e4 = arith.addi %e3, %e1 : i32
        %e5 = arith.addi %e4, %e2 : i32
        scf.yield %e5 : i32
      } else {
        scf.yield %zero : i32
      }
      memref.store %r, %out[%g] : memref<?xi32>
      gpu.return
    }
  }

  // What the kernel makes of elements from .. to, those of block b.
  func.func @expect(%x: memref<?xi32>, %want: memref<?xi32>, %b: index,
                    %from: index, %to: index) {
    %zero = arith.constant 0 : i32
    %sixteen = arith.constant 16 : i32
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %c32 = arith.constant 32 : index
    scf.for %i = %from to %to step %c1 {
      %t = arith.subi %i, %from : index
      %lane = arith.remui %t, %c32 : index
      %start = arith.subi %i, %lane : index
      %end = arith.addi %start, %c32 : index
      %whole = arith.cmpi ule, %end, %to : index
      %r = scf.if %whole -> i32 {
        %row = arith.divui %lane, %c4 : index
        %c = arith.remui %lane, %c4 : index
        %col = arith.muli %c, %c2 : index
        %col1 = arith.addi %col, %c1 : index
        %one = arith.constant 1 : i32
        %three = arith.constant 3 : i32
        %five = arith.constant 5 : i32
        %seven = arith.constant 7 : i32
        %m0 = arith.constant 0 : index
        %ra0 = arith.addi %m0, %col : index
        %rb0 = arith.addi %m0, %col1 : index
        %lo0 = func.call @element(%x, %start, %ra0, %row) : (memref<?xi32>, index, index, index) -> i32
        %hi0 = func.call @element(%x, %start, %rb0, %row) : (memref<?xi32>, index, index, index) -> i32
        %up0 = arith.shli %hi0, %sixteen : i32
        %w0 = arith.ori %lo0, %up0 : i32
        %m1 = arith.constant 8 : index
        %ra1 = arith.addi %m1, %col : index
        %rb1 = arith.addi %m1, %col1 : index
        %lo1 = func.call @element(%x, %start, %ra1, %row) : (memref<?xi32>, index, index, index) -> i32
        %hi1 = func.call @element(%x, %start, %rb1, %row) : (memref<?xi32>, index, index, index) -> i32
        %up1 = arith.shli %hi1, %sixteen : i32
        %w1 = arith.ori %lo1, %up1 : i32
        %m2 = arith.constant 16 : index
        %ra2 = arith.addi %m2, %col : index
        %rb2 = arith.addi %m2, %col1 : index
        %lo2 = func.call @element(%x, %start, %ra2, %row) : (memref<?xi32>, index, index, index) -> i32
        %hi2 = func.call @element(%x, %start, %rb2, %row) : (memref<?xi32>, index, index, index) -> i32
        %up2 = arith.shli %hi2, %sixteen : i32
        %w2 = arith.ori %lo2, %up2 : i32
        %m3 = arith.constant 24 : index
        %ra3 = arith.addi %m3, %col : index
        %rb3 = arith.addi %m3, %col1 : index
        %lo3 = func.call @element(%x, %start, %ra3, %row) : (memref<?xi32>, index, index, index) -> i32
        %hi3 = func.call @element(%x, %start, %rb3, %row) : (memref<?xi32>, index, index, index) -> i32
        %up3 = arith.shli %hi3, %sixteen : i32
        %w3 = arith.ori %lo3, %up3 : i32
        %e0 = arith.muli %w1, %three : i32
        %e1 = arith.muli %w2, %five : i32
        %e2 = arith.muli %w3, %seven : i32
        %e3 = arith.addi %w0, %e0 : i32
        %e4 = arith.addi %e3, %e1 : i32
        %e5 = arith.addi %e4, %e2 : i32
        scf.yield %e5 : i32
      } else {
        scf.yield %zero : i32
      }
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
    gpu.launch_func @kernels::@k
        blocks in (%blocks, %c1, %c1) threads in (%threads, %c1, %c1)
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
