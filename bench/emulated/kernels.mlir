// The kernels of kernels.cl, and what ours.c calls.
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#shared = #gpu.address_space<workgroup>

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @saxpy(%n: index, %a: f32, %x: memref<?xf32>, %y: memref<?xf32>)
        kernel {
      %i = gpu.global_id x
      %in = arith.cmpi slt, %i, %n : index
      scf.if %in {
        %xi = memref.load %x[%i] : memref<?xf32>
        %yi = memref.load %y[%i] : memref<?xf32>
        %ax = arith.mulf %a, %xi : f32
        %sum = arith.addf %ax, %yi : f32
        memref.store %sum, %y[%i] : memref<?xf32>
      }
      gpu.return
    }

    gpu.func @product(%n: index, %a: memref<?xf32>, %b: memref<?xf32>,
                      %c: memref<?xf32>)
        workgroup(%as: memref<16x16xf32, #shared>,
                  %bs: memref<16x16xf32, #shared>) kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c16 = arith.constant 16 : index
      %zero = arith.constant 0.0 : f32
      %x = gpu.thread_id x
      %y = gpu.thread_id y
      %column = gpu.global_id x
      %row = gpu.global_id y
      %line = arith.muli %row, %n : index
      %sum = scf.for %first = %c0 to %n step %c16
          iter_args(%before = %zero) -> f32 {
        %ac = arith.addi %first, %x : index
        %ai = arith.addi %line, %ac : index
        %av = memref.load %a[%ai] : memref<?xf32>
        memref.store %av, %as[%y, %x] : memref<16x16xf32, #shared>
        %br = arith.addi %first, %y : index
        %bl = arith.muli %br, %n : index
        %bi = arith.addi %bl, %column : index
        %bv = memref.load %b[%bi] : memref<?xf32>
        memref.store %bv, %bs[%y, %x] : memref<16x16xf32, #shared>
        gpu.barrier
        %after = scf.for %k = %c0 to %c16 step %c1
            iter_args(%so_far = %before) -> f32 {
          %p = memref.load %as[%y, %k] : memref<16x16xf32, #shared>
          %q = memref.load %bs[%k, %x] : memref<16x16xf32, #shared>
          %pq = arith.mulf %p, %q : f32
          %next = arith.addf %so_far, %pq : f32
          scf.yield %next : f32
        }
        gpu.barrier
        scf.yield %after : f32
      }
      %ci = arith.addi %line, %column : index
      memref.store %sum, %c[%ci] : memref<?xf32>
      gpu.return
    }

    gpu.func @sums(%x: memref<?xf32>, %out: memref<?xf32>)
        workgroup(%part: memref<256xf32, #shared>) kernel {
      %c0 = arith.constant 0 : index
      %c2 = arith.constant 2 : index
      %c128 = arith.constant 128 : index
      %t = gpu.thread_id x
      %g = gpu.global_id x
      %block = gpu.block_id x
      %v = memref.load %x[%g] : memref<?xf32>
      memref.store %v, %part[%t] : memref<256xf32, #shared>
      gpu.barrier
      %rest = scf.while (%half = %c128) : (index) -> index {
        %more = arith.cmpi sgt, %half, %c0 : index
        scf.condition(%more) %half : index
      } do {
      ^bb0(%half: index):
        %in = arith.cmpi slt, %t, %half : index
        scf.if %in {
          %other = arith.addi %t, %half : index
          %p = memref.load %part[%t] : memref<256xf32, #shared>
          %q = memref.load %part[%other] : memref<256xf32, #shared>
          %s = arith.addf %p, %q : f32
          memref.store %s, %part[%t] : memref<256xf32, #shared>
        }
        gpu.barrier
        %next = arith.divsi %half, %c2 : index
        scf.yield %next : index
      }
      %first = arith.cmpi eq, %t, %c0 : index
      scf.if %first {
        %s = memref.load %part[%c0] : memref<256xf32, #shared>
        memref.store %s, %out[%block] : memref<?xf32>
      }
      gpu.return
    }

    gpu.func @stencil(%rows: index, %columns: index, %in: memref<?xf32>,
                      %out: memref<?xf32>) kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %half = arith.constant 0.5 : f32
      %eighth = arith.constant 0.125 : f32
      %x = gpu.global_id x
      %y = gpu.global_id y
      %last_row = arith.subi %rows, %c1 : index
      %last_column = arith.subi %columns, %c1 : index
      %left = arith.cmpi sgt, %x, %c0 : index
      %top = arith.cmpi sgt, %y, %c0 : index
      %right = arith.cmpi slt, %x, %last_column : index
      %bottom = arith.cmpi slt, %y, %last_row : index
      %in_x = arith.andi %left, %right : i1
      %in_y = arith.andi %top, %bottom : i1
      %inside = arith.andi %in_x, %in_y : i1
      scf.if %inside {
        %line = arith.muli %y, %columns : index
        %at = arith.addi %line, %x : index
        %w = arith.subi %at, %c1 : index
        %e = arith.addi %at, %c1 : index
        %n = arith.subi %at, %columns : index
        %s = arith.addi %at, %columns : index
        %cv = memref.load %in[%at] : memref<?xf32>
        %wv = memref.load %in[%w] : memref<?xf32>
        %ev = memref.load %in[%e] : memref<?xf32>
        %nv = memref.load %in[%n] : memref<?xf32>
        %sv = memref.load %in[%s] : memref<?xf32>
        %we = arith.addf %wv, %ev : f32
        %wen = arith.addf %we, %nv : f32
        %around = arith.addf %wen, %sv : f32
        %own = arith.mulf %half, %cv : f32
        %others = arith.mulf %eighth, %around : f32
        %sum = arith.addf %own, %others : f32
        memref.store %sum, %out[%at] : memref<?xf32>
      }
      gpu.return
    }

    gpu.func @histogram(%n: index, %x: memref<?xi32>, %bins: memref<?xi32>)
        workgroup(%own: memref<256xi32, #shared>) kernel {
      %zero = arith.constant 0 : i32
      %one = arith.constant 1 : i32
      %t = gpu.thread_id x
      %g = gpu.global_id x
      %threads = gpu.block_dim x
      %blocks = gpu.grid_dim x
      %all = arith.muli %threads, %blocks : index
      memref.store %zero, %own[%t] : memref<256xi32, #shared>
      gpu.barrier
      scf.for %i = %g to %n step %all {
        %v = memref.load %x[%i] : memref<?xi32>
        %bin = arith.index_cast %v : i32 to index
        %old = memref.atomic_rmw addi %one, %own[%bin]
            : (i32, memref<256xi32, #shared>) -> i32
      }
      gpu.barrier
      %count = memref.load %own[%t] : memref<256xi32, #shared>
      %before = memref.atomic_rmw addi %count, %bins[%t]
          : (i32, memref<?xi32>) -> i32
      gpu.return
    }

    gpu.func @small(%n: i32, %x: memref<?xi32>) kernel {
      %i = gpu.global_id x
      memref.store %n, %x[%i] : memref<?xi32>
      gpu.return
    }
  }

  func.func @allocate(%count: index) -> memref<?xi32>
      attributes {llvm.emit_c_interface} {
    %buffer = gpu.alloc(%count) : memref<?xi32>
    return %buffer : memref<?xi32>
  }

  func.func @copy(%to: memref<?xi32>, %from: memref<?xi32>)
      attributes {llvm.emit_c_interface} {
    gpu.memcpy %to, %from : memref<?xi32>, memref<?xi32>
    return
  }

  func.func @release(%buffer: memref<?xi32>)
      attributes {llvm.emit_c_interface} {
    gpu.dealloc %buffer : memref<?xi32>
    return
  }

  func.func @saxpy(%n: index, %a: f32, %x: memref<?xf32>, %y: memref<?xf32>)
      attributes {llvm.emit_c_interface} {
    %c1 = arith.constant 1 : index
    %c256 = arith.constant 256 : index
    %blocks = arith.ceildivui %n, %c256 : index
    gpu.launch_func @kernels::@saxpy
        blocks in (%blocks, %c1, %c1) threads in (%c256, %c1, %c1)
        args(%n : index, %a : f32, %x : memref<?xf32>, %y : memref<?xf32>)
    return
  }

  func.func @product(%n: index, %a: memref<?xf32>, %b: memref<?xf32>,
                     %c: memref<?xf32>) attributes {llvm.emit_c_interface} {
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %blocks = arith.divui %n, %c16 : index
    gpu.launch_func @kernels::@product
        blocks in (%blocks, %blocks, %c1) threads in (%c16, %c16, %c1)
        args(%n : index, %a : memref<?xf32>, %b : memref<?xf32>,
             %c : memref<?xf32>)
    return
  }

  func.func @sums(%n: index, %x: memref<?xf32>, %out: memref<?xf32>)
      attributes {llvm.emit_c_interface} {
    %c1 = arith.constant 1 : index
    %c256 = arith.constant 256 : index
    %blocks = arith.divui %n, %c256 : index
    gpu.launch_func @kernels::@sums
        blocks in (%blocks, %c1, %c1) threads in (%c256, %c1, %c1)
        args(%x : memref<?xf32>, %out : memref<?xf32>)
    return
  }

  func.func @stencil(%rows: index, %columns: index, %in: memref<?xf32>,
                     %out: memref<?xf32>)
      attributes {llvm.emit_c_interface} {
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %c32 = arith.constant 32 : index
    %across = arith.ceildivui %columns, %c32 : index
    %down = arith.ceildivui %rows, %c8 : index
    gpu.launch_func @kernels::@stencil
        blocks in (%across, %down, %c1) threads in (%c32, %c8, %c1)
        args(%rows : index, %columns : index, %in : memref<?xf32>,
             %out : memref<?xf32>)
    return
  }

  func.func @histogram(%n: index, %x: memref<?xi32>, %bins: memref<?xi32>)
      attributes {llvm.emit_c_interface} {
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %c256 = arith.constant 256 : index
    gpu.launch_func @kernels::@histogram
        blocks in (%c64, %c1, %c1) threads in (%c256, %c1, %c1)
        args(%n : index, %x : memref<?xi32>, %bins : memref<?xi32>)
    return
  }

  func.func @small(%n: i32, %x: memref<?xi32>)
      attributes {llvm.emit_c_interface} {
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    gpu.launch_func @kernels::@small
        blocks in (%c1, %c1, %c1) threads in (%c32, %c1, %c1)
        args(%n : i32, %x : memref<?xi32>)
    return
  }
}
