// What bench-gpu calibrate measures a device with: each kernel is bound by one thing.
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

module attributes {gpu.container_module} {
  gpu.module @calibrate {
    gpu.func @empty() kernel {
      gpu.return
    }

    // cells[0] = value, after `rounds` steps that depend on each other.
    gpu.func @spin(%cells: memref<4096xi32>, %value: i32, %rounds: i32) kernel {
      %c0 = arith.constant 0 : index
      %zero = arith.constant 0 : i32
      %one = arith.constant 1 : i32
      %factor = arith.constant 1664525 : i32
      %summand = arith.constant 1013904223 : i32
      %last = scf.for %i = %zero to %rounds step %one
          iter_args(%x = %value) -> i32 : i32 {
        %product = arith.muli %x, %factor : i32
        %sum = arith.addi %product, %summand : i32
        scf.yield %sum : i32
      }
      // Never true, which no compiler knows: the store comes behind the steps.
      %is_same = arith.cmpi eq, %last, %value : i32
      %is_none = arith.cmpi eq, %rounds, %zero : i32
      %never = arith.xori %is_same, %is_none : i1
      %more = arith.extui %never : i1 to i32
      %new = arith.addi %value, %more : i32
      memref.store %new, %cells[%c0] : memref<4096xi32>
      gpu.return
    }

    // Links lines of 128 bytes to a cycle through all of them (a full-period linear
    // congruential generator): each line's first word is the index of the next one's.
    gpu.func @link(%data: memref<134217728xi64>, %mask: i64) kernel {
      %block = gpu.block_id x
      %size = gpu.block_dim x
      %thread = gpu.thread_id x
      %begin = arith.muli %block, %size : index
      %i = arith.addi %begin, %thread : index
      %words = arith.constant 16 : index
      %words64 = arith.constant 16 : i64
      %factor = arith.constant 1664525 : i64
      %summand = arith.constant 1013904223 : i64
      %line = arith.index_cast %i : index to i64
      %product = arith.muli %line, %factor : i64
      %sum = arith.addi %product, %summand : i64
      %next = arith.andi %sum, %mask : i64
      %word = arith.muli %next, %words64 : i64
      %at = arith.muli %i, %words : index
      memref.store %word, %data[%at] : memref<134217728xi64>
      gpu.return
    }

    // Follows 8 * rounds links, in one thread.
    gpu.func @chase(%data: memref<134217728xi64>, %rounds: i32,
                    %out: memref<4194304xi64>) kernel {
      %c0 = arith.constant 0 : index
      %zero = arith.constant 0 : i32
      %one = arith.constant 1 : i32
      %last = scf.for %r = %zero to %rounds step %one
          iter_args(%p0 = %c0) -> index : i32 {
        %l0 = memref.load %data[%p0] : memref<134217728xi64>
        %p1 = arith.index_cast %l0 : i64 to index
        %l1 = memref.load %data[%p1] : memref<134217728xi64>
        %p2 = arith.index_cast %l1 : i64 to index
        %l2 = memref.load %data[%p2] : memref<134217728xi64>
        %p3 = arith.index_cast %l2 : i64 to index
        %l3 = memref.load %data[%p3] : memref<134217728xi64>
        %p4 = arith.index_cast %l3 : i64 to index
        %l4 = memref.load %data[%p4] : memref<134217728xi64>
        %p5 = arith.index_cast %l4 : i64 to index
        %l5 = memref.load %data[%p5] : memref<134217728xi64>
        %p6 = arith.index_cast %l5 : i64 to index
        %l6 = memref.load %data[%p6] : memref<134217728xi64>
        %p7 = arith.index_cast %l6 : i64 to index
        %l7 = memref.load %data[%p7] : memref<134217728xi64>
        %p8 = arith.index_cast %l7 : i64 to index
        scf.yield %p8 : index
      }
      %value = arith.index_cast %last : index to i64
      memref.store %value, %out[%c0] : memref<4194304xi64>
      gpu.return
    }

    // Each thread reads 4 * rounds words, as many apart as there are threads; `mask`
    // keeps them inside a power of two.
    gpu.func @read(%data: memref<134217728xi64>, %mask: index, %rounds: i32,
                   %out: memref<4194304xi64>) kernel {
      %block = gpu.block_id x
      %size = gpu.block_dim x
      %blocks = gpu.grid_dim x
      %thread = gpu.thread_id x
      %begin = arith.muli %block, %size : index
      %i = arith.addi %begin, %thread : index
      %total = arith.muli %blocks, %size : index
      %zero = arith.constant 0 : i32
      %one = arith.constant 1 : i32
      %none = arith.constant 0 : i64
      %at, %last = scf.for %r = %zero to %rounds step %one
          iter_args(%j0 = %i, %s0 = %none) -> (index, i64) : i32 {
        %k0 = arith.andi %j0, %mask : index
        %x0 = memref.load %data[%k0] : memref<134217728xi64>
        %s1 = arith.xori %s0, %x0 : i64
        %j1 = arith.addi %j0, %total : index
        %k1 = arith.andi %j1, %mask : index
        %x1 = memref.load %data[%k1] : memref<134217728xi64>
        %s2 = arith.xori %s1, %x1 : i64
        %j2 = arith.addi %j1, %total : index
        %k2 = arith.andi %j2, %mask : index
        %x2 = memref.load %data[%k2] : memref<134217728xi64>
        %s3 = arith.xori %s2, %x2 : i64
        %j3 = arith.addi %j2, %total : index
        %k3 = arith.andi %j3, %mask : index
        %x3 = memref.load %data[%k3] : memref<134217728xi64>
        %s4 = arith.xori %s3, %x3 : i64
        %j4 = arith.addi %j3, %total : index
        scf.yield %j4, %s4 : index, i64
      }
      memref.store %last, %out[%i] : memref<4194304xi64>
      gpu.return
    }

    // The same, and writes.
    gpu.func @write(%data: memref<134217728xi64>, %mask: index, %rounds: i32) kernel {
      %block = gpu.block_id x
      %size = gpu.block_dim x
      %blocks = gpu.grid_dim x
      %thread = gpu.thread_id x
      %begin = arith.muli %block, %size : index
      %i = arith.addi %begin, %thread : index
      %total = arith.muli %blocks, %size : index
      %zero = arith.constant 0 : i32
      %one = arith.constant 1 : i32
      %value = arith.index_cast %i : index to i64
      %at = scf.for %r = %zero to %rounds step %one
          iter_args(%j0 = %i) -> index : i32 {
        %k0 = arith.andi %j0, %mask : index
        memref.store %value, %data[%k0] : memref<134217728xi64>
        %j1 = arith.addi %j0, %total : index
        %k1 = arith.andi %j1, %mask : index
        memref.store %value, %data[%k1] : memref<134217728xi64>
        %j2 = arith.addi %j1, %total : index
        %k2 = arith.andi %j2, %mask : index
        memref.store %value, %data[%k2] : memref<134217728xi64>
        %j3 = arith.addi %j2, %total : index
        %k3 = arith.andi %j3, %mask : index
        memref.store %value, %data[%k3] : memref<134217728xi64>
        %j4 = arith.addi %j3, %total : index
        scf.yield %j4 : index
      }
      gpu.return
    }

    // The same, from a to b: b = 1.5 a.
    gpu.func @scale(%a: memref<134217728xf64>, %b: memref<134217728xf64>,
                    %mask: index, %rounds: i32) kernel {
      %block = gpu.block_id x
      %size = gpu.block_dim x
      %blocks = gpu.grid_dim x
      %thread = gpu.thread_id x
      %begin = arith.muli %block, %size : index
      %i = arith.addi %begin, %thread : index
      %total = arith.muli %blocks, %size : index
      %zero = arith.constant 0 : i32
      %one = arith.constant 1 : i32
      %f = arith.constant 1.5 : f64
      %at = scf.for %r = %zero to %rounds step %one
          iter_args(%j0 = %i) -> index : i32 {
        %k0 = arith.andi %j0, %mask : index
        %x0 = memref.load %a[%k0] : memref<134217728xf64>
        %y0 = arith.mulf %x0, %f : f64
        memref.store %y0, %b[%k0] : memref<134217728xf64>
        %j1 = arith.addi %j0, %total : index
        %k1 = arith.andi %j1, %mask : index
        %x1 = memref.load %a[%k1] : memref<134217728xf64>
        %y1 = arith.mulf %x1, %f : f64
        memref.store %y1, %b[%k1] : memref<134217728xf64>
        %j2 = arith.addi %j1, %total : index
        %k2 = arith.andi %j2, %mask : index
        %x2 = memref.load %a[%k2] : memref<134217728xf64>
        %y2 = arith.mulf %x2, %f : f64
        memref.store %y2, %b[%k2] : memref<134217728xf64>
        %j3 = arith.addi %j2, %total : index
        %k3 = arith.andi %j3, %mask : index
        %x3 = memref.load %a[%k3] : memref<134217728xf64>
        %y3 = arith.mulf %x3, %f : f64
        memref.store %y3, %b[%k3] : memref<134217728xf64>
        %j4 = arith.addi %j3, %total : index
        scf.yield %j4 : index
      }
      gpu.return
    }

    // The same, and c = 1.5 a + b.
    gpu.func @triad(%a: memref<134217728xf64>, %b: memref<134217728xf64>,
                    %c: memref<134217728xf64>, %mask: index, %rounds: i32) kernel {
      %block = gpu.block_id x
      %size = gpu.block_dim x
      %blocks = gpu.grid_dim x
      %thread = gpu.thread_id x
      %begin = arith.muli %block, %size : index
      %i = arith.addi %begin, %thread : index
      %total = arith.muli %blocks, %size : index
      %zero = arith.constant 0 : i32
      %one = arith.constant 1 : i32
      %f = arith.constant 1.5 : f64
      %at = scf.for %r = %zero to %rounds step %one
          iter_args(%j0 = %i) -> index : i32 {
        %k0 = arith.andi %j0, %mask : index
        %x0 = memref.load %a[%k0] : memref<134217728xf64>
        %z0 = memref.load %b[%k0] : memref<134217728xf64>
        %y0 = math.fma %x0, %f, %z0 : f64
        memref.store %y0, %c[%k0] : memref<134217728xf64>
        %j1 = arith.addi %j0, %total : index
        %k1 = arith.andi %j1, %mask : index
        %x1 = memref.load %a[%k1] : memref<134217728xf64>
        %z1 = memref.load %b[%k1] : memref<134217728xf64>
        %y1 = math.fma %x1, %f, %z1 : f64
        memref.store %y1, %c[%k1] : memref<134217728xf64>
        %j2 = arith.addi %j1, %total : index
        %k2 = arith.andi %j2, %mask : index
        %x2 = memref.load %a[%k2] : memref<134217728xf64>
        %z2 = memref.load %b[%k2] : memref<134217728xf64>
        %y2 = math.fma %x2, %f, %z2 : f64
        memref.store %y2, %c[%k2] : memref<134217728xf64>
        %j3 = arith.addi %j2, %total : index
        %k3 = arith.andi %j3, %mask : index
        %x3 = memref.load %a[%k3] : memref<134217728xf64>
        %z3 = memref.load %b[%k3] : memref<134217728xf64>
        %y3 = math.fma %x3, %f, %z3 : f64
        memref.store %y3, %c[%k3] : memref<134217728xf64>
        %j4 = arith.addi %j3, %total : index
        scf.yield %j4 : index
      }
      gpu.return
    }

    // b = 1.2 a, an element for each thread.
    gpu.func @scale_once(%a: memref<134217728xf64>, %b: memref<134217728xf64>,
                         %elements: index) kernel {
      %block = gpu.block_id x
      %size = gpu.block_dim x
      %thread = gpu.thread_id x
      %begin = arith.muli %block, %size : index
      %i = arith.addi %begin, %thread : index
      %f = arith.constant 1.2 : f64
      %is_inside = arith.cmpi ult, %i, %elements : index
      scf.if %is_inside {
        %x = memref.load %a[%i] : memref<134217728xf64>
        %y = arith.mulf %x, %f : f64
        memref.store %y, %b[%i] : memref<134217728xf64>
      }
      gpu.return
    }

    // 64 * rounds multiply-adds that depend on each other.
    gpu.func @fp32(%rounds: i32, %a: f32, %b: f32, %out: memref<4194304xf32>) kernel {
      %block = gpu.block_id x
      %size = gpu.block_dim x
      %blocks = gpu.grid_dim x
      %thread = gpu.thread_id x
      %begin = arith.muli %block, %size : index
      %i = arith.addi %begin, %thread : index
      %zero = arith.constant 0 : i32
      %one = arith.constant 1 : i32
      %last = scf.for %r = %zero to %rounds step %one
          iter_args(%x0 = %a) -> f32 : i32 {
        %x1 = math.fma %x0, %a, %b : f32
        %x2 = math.fma %x1, %a, %b : f32
        %x3 = math.fma %x2, %a, %b : f32
        %x4 = math.fma %x3, %a, %b : f32
        %x5 = math.fma %x4, %a, %b : f32
        %x6 = math.fma %x5, %a, %b : f32
        %x7 = math.fma %x6, %a, %b : f32
        %x8 = math.fma %x7, %a, %b : f32
        %x9 = math.fma %x8, %a, %b : f32
        %x10 = math.fma %x9, %a, %b : f32
        %x11 = math.fma %x10, %a, %b : f32
        %x12 = math.fma %x11, %a, %b : f32
        %x13 = math.fma %x12, %a, %b : f32
        %x14 = math.fma %x13, %a, %b : f32
        %x15 = math.fma %x14, %a, %b : f32
        %x16 = math.fma %x15, %a, %b : f32
        %x17 = math.fma %x16, %a, %b : f32
        %x18 = math.fma %x17, %a, %b : f32
        %x19 = math.fma %x18, %a, %b : f32
        %x20 = math.fma %x19, %a, %b : f32
        %x21 = math.fma %x20, %a, %b : f32
        %x22 = math.fma %x21, %a, %b : f32
        %x23 = math.fma %x22, %a, %b : f32
        %x24 = math.fma %x23, %a, %b : f32
        %x25 = math.fma %x24, %a, %b : f32
        %x26 = math.fma %x25, %a, %b : f32
        %x27 = math.fma %x26, %a, %b : f32
        %x28 = math.fma %x27, %a, %b : f32
        %x29 = math.fma %x28, %a, %b : f32
        %x30 = math.fma %x29, %a, %b : f32
        %x31 = math.fma %x30, %a, %b : f32
        %x32 = math.fma %x31, %a, %b : f32
        %x33 = math.fma %x32, %a, %b : f32
        %x34 = math.fma %x33, %a, %b : f32
        %x35 = math.fma %x34, %a, %b : f32
        %x36 = math.fma %x35, %a, %b : f32
        %x37 = math.fma %x36, %a, %b : f32
        %x38 = math.fma %x37, %a, %b : f32
        %x39 = math.fma %x38, %a, %b : f32
        %x40 = math.fma %x39, %a, %b : f32
        %x41 = math.fma %x40, %a, %b : f32
        %x42 = math.fma %x41, %a, %b : f32
        %x43 = math.fma %x42, %a, %b : f32
        %x44 = math.fma %x43, %a, %b : f32
        %x45 = math.fma %x44, %a, %b : f32
        %x46 = math.fma %x45, %a, %b : f32
        %x47 = math.fma %x46, %a, %b : f32
        %x48 = math.fma %x47, %a, %b : f32
        %x49 = math.fma %x48, %a, %b : f32
        %x50 = math.fma %x49, %a, %b : f32
        %x51 = math.fma %x50, %a, %b : f32
        %x52 = math.fma %x51, %a, %b : f32
        %x53 = math.fma %x52, %a, %b : f32
        %x54 = math.fma %x53, %a, %b : f32
        %x55 = math.fma %x54, %a, %b : f32
        %x56 = math.fma %x55, %a, %b : f32
        %x57 = math.fma %x56, %a, %b : f32
        %x58 = math.fma %x57, %a, %b : f32
        %x59 = math.fma %x58, %a, %b : f32
        %x60 = math.fma %x59, %a, %b : f32
        %x61 = math.fma %x60, %a, %b : f32
        %x62 = math.fma %x61, %a, %b : f32
        %x63 = math.fma %x62, %a, %b : f32
        %x64 = math.fma %x63, %a, %b : f32
        scf.yield %x64 : f32
      }
      memref.store %last, %out[%i] : memref<4194304xf32>
      gpu.return
    }

    // The same.
    gpu.func @fp64(%rounds: i32, %a: f64, %b: f64, %out: memref<4194304xf64>) kernel {
      %block = gpu.block_id x
      %size = gpu.block_dim x
      %blocks = gpu.grid_dim x
      %thread = gpu.thread_id x
      %begin = arith.muli %block, %size : index
      %i = arith.addi %begin, %thread : index
      %zero = arith.constant 0 : i32
      %one = arith.constant 1 : i32
      %last = scf.for %r = %zero to %rounds step %one
          iter_args(%x0 = %a) -> f64 : i32 {
        %x1 = math.fma %x0, %a, %b : f64
        %x2 = math.fma %x1, %a, %b : f64
        %x3 = math.fma %x2, %a, %b : f64
        %x4 = math.fma %x3, %a, %b : f64
        %x5 = math.fma %x4, %a, %b : f64
        %x6 = math.fma %x5, %a, %b : f64
        %x7 = math.fma %x6, %a, %b : f64
        %x8 = math.fma %x7, %a, %b : f64
        %x9 = math.fma %x8, %a, %b : f64
        %x10 = math.fma %x9, %a, %b : f64
        %x11 = math.fma %x10, %a, %b : f64
        %x12 = math.fma %x11, %a, %b : f64
        %x13 = math.fma %x12, %a, %b : f64
        %x14 = math.fma %x13, %a, %b : f64
        %x15 = math.fma %x14, %a, %b : f64
        %x16 = math.fma %x15, %a, %b : f64
        %x17 = math.fma %x16, %a, %b : f64
        %x18 = math.fma %x17, %a, %b : f64
        %x19 = math.fma %x18, %a, %b : f64
        %x20 = math.fma %x19, %a, %b : f64
        %x21 = math.fma %x20, %a, %b : f64
        %x22 = math.fma %x21, %a, %b : f64
        %x23 = math.fma %x22, %a, %b : f64
        %x24 = math.fma %x23, %a, %b : f64
        %x25 = math.fma %x24, %a, %b : f64
        %x26 = math.fma %x25, %a, %b : f64
        %x27 = math.fma %x26, %a, %b : f64
        %x28 = math.fma %x27, %a, %b : f64
        %x29 = math.fma %x28, %a, %b : f64
        %x30 = math.fma %x29, %a, %b : f64
        %x31 = math.fma %x30, %a, %b : f64
        %x32 = math.fma %x31, %a, %b : f64
        %x33 = math.fma %x32, %a, %b : f64
        %x34 = math.fma %x33, %a, %b : f64
        %x35 = math.fma %x34, %a, %b : f64
        %x36 = math.fma %x35, %a, %b : f64
        %x37 = math.fma %x36, %a, %b : f64
        %x38 = math.fma %x37, %a, %b : f64
        %x39 = math.fma %x38, %a, %b : f64
        %x40 = math.fma %x39, %a, %b : f64
        %x41 = math.fma %x40, %a, %b : f64
        %x42 = math.fma %x41, %a, %b : f64
        %x43 = math.fma %x42, %a, %b : f64
        %x44 = math.fma %x43, %a, %b : f64
        %x45 = math.fma %x44, %a, %b : f64
        %x46 = math.fma %x45, %a, %b : f64
        %x47 = math.fma %x46, %a, %b : f64
        %x48 = math.fma %x47, %a, %b : f64
        %x49 = math.fma %x48, %a, %b : f64
        %x50 = math.fma %x49, %a, %b : f64
        %x51 = math.fma %x50, %a, %b : f64
        %x52 = math.fma %x51, %a, %b : f64
        %x53 = math.fma %x52, %a, %b : f64
        %x54 = math.fma %x53, %a, %b : f64
        %x55 = math.fma %x54, %a, %b : f64
        %x56 = math.fma %x55, %a, %b : f64
        %x57 = math.fma %x56, %a, %b : f64
        %x58 = math.fma %x57, %a, %b : f64
        %x59 = math.fma %x58, %a, %b : f64
        %x60 = math.fma %x59, %a, %b : f64
        %x61 = math.fma %x60, %a, %b : f64
        %x62 = math.fma %x61, %a, %b : f64
        %x63 = math.fma %x62, %a, %b : f64
        %x64 = math.fma %x63, %a, %b : f64
        scf.yield %x64 : f64
      }
      memref.store %last, %out[%i] : memref<4194304xf64>
      gpu.return
    }

    // 64 * rounds integer instructions that depend on each other.
    gpu.func @integer(%rounds: i32, %a: i32, %b: i32, %out: memref<4194304xi32>) kernel {
      %block = gpu.block_id x
      %size = gpu.block_dim x
      %blocks = gpu.grid_dim x
      %thread = gpu.thread_id x
      %begin = arith.muli %block, %size : index
      %i = arith.addi %begin, %thread : index
      %zero = arith.constant 0 : i32
      %one = arith.constant 1 : i32
      %last = scf.for %r = %zero to %rounds step %one
          iter_args(%x0 = %a) -> i32 : i32 {
        %y0 = arith.xori %x0, %a : i32
        %x1 = arith.addi %y0, %b : i32
        %y1 = arith.xori %x1, %a : i32
        %x2 = arith.addi %y1, %b : i32
        %y2 = arith.xori %x2, %a : i32
        %x3 = arith.addi %y2, %b : i32
        %y3 = arith.xori %x3, %a : i32
        %x4 = arith.addi %y3, %b : i32
        %y4 = arith.xori %x4, %a : i32
        %x5 = arith.addi %y4, %b : i32
        %y5 = arith.xori %x5, %a : i32
        %x6 = arith.addi %y5, %b : i32
        %y6 = arith.xori %x6, %a : i32
        %x7 = arith.addi %y6, %b : i32
        %y7 = arith.xori %x7, %a : i32
        %x8 = arith.addi %y7, %b : i32
        %y8 = arith.xori %x8, %a : i32
        %x9 = arith.addi %y8, %b : i32
        %y9 = arith.xori %x9, %a : i32
        %x10 = arith.addi %y9, %b : i32
        %y10 = arith.xori %x10, %a : i32
        %x11 = arith.addi %y10, %b : i32
        %y11 = arith.xori %x11, %a : i32
        %x12 = arith.addi %y11, %b : i32
        %y12 = arith.xori %x12, %a : i32
        %x13 = arith.addi %y12, %b : i32
        %y13 = arith.xori %x13, %a : i32
        %x14 = arith.addi %y13, %b : i32
        %y14 = arith.xori %x14, %a : i32
        %x15 = arith.addi %y14, %b : i32
        %y15 = arith.xori %x15, %a : i32
        %x16 = arith.addi %y15, %b : i32
        %y16 = arith.xori %x16, %a : i32
        %x17 = arith.addi %y16, %b : i32
        %y17 = arith.xori %x17, %a : i32
        %x18 = arith.addi %y17, %b : i32
        %y18 = arith.xori %x18, %a : i32
        %x19 = arith.addi %y18, %b : i32
        %y19 = arith.xori %x19, %a : i32
        %x20 = arith.addi %y19, %b : i32
        %y20 = arith.xori %x20, %a : i32
        %x21 = arith.addi %y20, %b : i32
        %y21 = arith.xori %x21, %a : i32
        %x22 = arith.addi %y21, %b : i32
        %y22 = arith.xori %x22, %a : i32
        %x23 = arith.addi %y22, %b : i32
        %y23 = arith.xori %x23, %a : i32
        %x24 = arith.addi %y23, %b : i32
        %y24 = arith.xori %x24, %a : i32
        %x25 = arith.addi %y24, %b : i32
        %y25 = arith.xori %x25, %a : i32
        %x26 = arith.addi %y25, %b : i32
        %y26 = arith.xori %x26, %a : i32
        %x27 = arith.addi %y26, %b : i32
        %y27 = arith.xori %x27, %a : i32
        %x28 = arith.addi %y27, %b : i32
        %y28 = arith.xori %x28, %a : i32
        %x29 = arith.addi %y28, %b : i32
        %y29 = arith.xori %x29, %a : i32
        %x30 = arith.addi %y29, %b : i32
        %y30 = arith.xori %x30, %a : i32
        %x31 = arith.addi %y30, %b : i32
        %y31 = arith.xori %x31, %a : i32
        %x32 = arith.addi %y31, %b : i32
        scf.yield %x32 : i32
      }
      memref.store %last, %out[%i] : memref<4194304xi32>
      gpu.return
    }

    // 16 * rounds powers of two, and as many sums.
    gpu.func @special(%rounds: i32, %a: f32, %b: f32, %out: memref<4194304xf32>) kernel {
      %block = gpu.block_id x
      %size = gpu.block_dim x
      %blocks = gpu.grid_dim x
      %thread = gpu.thread_id x
      %begin = arith.muli %block, %size : index
      %i = arith.addi %begin, %thread : index
      %zero = arith.constant 0 : i32
      %one = arith.constant 1 : i32
      %last = scf.for %r = %zero to %rounds step %one
          iter_args(%x0 = %a) -> f32 : i32 {
        %y0 = math.exp2 %x0 : f32
        %x1 = arith.addf %y0, %b : f32
        %y1 = math.exp2 %x1 : f32
        %x2 = arith.addf %y1, %b : f32
        %y2 = math.exp2 %x2 : f32
        %x3 = arith.addf %y2, %b : f32
        %y3 = math.exp2 %x3 : f32
        %x4 = arith.addf %y3, %b : f32
        %y4 = math.exp2 %x4 : f32
        %x5 = arith.addf %y4, %b : f32
        %y5 = math.exp2 %x5 : f32
        %x6 = arith.addf %y5, %b : f32
        %y6 = math.exp2 %x6 : f32
        %x7 = arith.addf %y6, %b : f32
        %y7 = math.exp2 %x7 : f32
        %x8 = arith.addf %y7, %b : f32
        %y8 = math.exp2 %x8 : f32
        %x9 = arith.addf %y8, %b : f32
        %y9 = math.exp2 %x9 : f32
        %x10 = arith.addf %y9, %b : f32
        %y10 = math.exp2 %x10 : f32
        %x11 = arith.addf %y10, %b : f32
        %y11 = math.exp2 %x11 : f32
        %x12 = arith.addf %y11, %b : f32
        %y12 = math.exp2 %x12 : f32
        %x13 = arith.addf %y12, %b : f32
        %y13 = math.exp2 %x13 : f32
        %x14 = arith.addf %y13, %b : f32
        %y14 = math.exp2 %x14 : f32
        %x15 = arith.addf %y14, %b : f32
        %y15 = math.exp2 %x15 : f32
        %x16 = arith.addf %y15, %b : f32
        scf.yield %x16 : f32
      }
      memref.store %last, %out[%i] : memref<4194304xf32>
      gpu.return
    }

    // 32 * rounds loads of workgroup memory, and `rounds` stores, without conflicts.
    gpu.func @workgroup(%rounds: i32, %out: memref<4194304xf32>)
        workgroup(%w: memref<2048xf32, #gpu.address_space<workgroup>>) kernel {
      %block = gpu.block_id x
      %size = gpu.block_dim x
      %blocks = gpu.grid_dim x
      %thread = gpu.thread_id x
      %begin = arith.muli %block, %size : index
      %i = arith.addi %begin, %thread : index
      %zero = arith.constant 0 : i32
      %one = arith.constant 1 : i32
      %none = arith.constant 0.0 : f32
      %mask = arith.constant 1023 : i32
      %lane = arith.index_cast %thread : index to i32
      memref.store %none, %w[%thread] : memref<2048xf32, #gpu.address_space<workgroup>>
      gpu.barrier
      %c1 = arith.constant 1 : index
      %t1 = arith.addi %thread, %c1 : index
      %c2 = arith.constant 2 : index
      %t2 = arith.addi %thread, %c2 : index
      %c3 = arith.constant 3 : index
      %t3 = arith.addi %thread, %c3 : index
      %c4 = arith.constant 4 : index
      %t4 = arith.addi %thread, %c4 : index
      %c5 = arith.constant 5 : index
      %t5 = arith.addi %thread, %c5 : index
      %c6 = arith.constant 6 : index
      %t6 = arith.addi %thread, %c6 : index
      %c7 = arith.constant 7 : index
      %t7 = arith.addi %thread, %c7 : index
      %c8 = arith.constant 8 : index
      %t8 = arith.addi %thread, %c8 : index
      %c9 = arith.constant 9 : index
      %t9 = arith.addi %thread, %c9 : index
      %c10 = arith.constant 10 : index
      %t10 = arith.addi %thread, %c10 : index
      %c11 = arith.constant 11 : index
      %t11 = arith.addi %thread, %c11 : index
      %c12 = arith.constant 12 : index
      %t12 = arith.addi %thread, %c12 : index
      %c13 = arith.constant 13 : index
      %t13 = arith.addi %thread, %c13 : index
      %c14 = arith.constant 14 : index
      %t14 = arith.addi %thread, %c14 : index
      %c15 = arith.constant 15 : index
      %t15 = arith.addi %thread, %c15 : index
      %c16 = arith.constant 16 : index
      %t16 = arith.addi %thread, %c16 : index
      %c17 = arith.constant 17 : index
      %t17 = arith.addi %thread, %c17 : index
      %c18 = arith.constant 18 : index
      %t18 = arith.addi %thread, %c18 : index
      %c19 = arith.constant 19 : index
      %t19 = arith.addi %thread, %c19 : index
      %c20 = arith.constant 20 : index
      %t20 = arith.addi %thread, %c20 : index
      %c21 = arith.constant 21 : index
      %t21 = arith.addi %thread, %c21 : index
      %c22 = arith.constant 22 : index
      %t22 = arith.addi %thread, %c22 : index
      %c23 = arith.constant 23 : index
      %t23 = arith.addi %thread, %c23 : index
      %c24 = arith.constant 24 : index
      %t24 = arith.addi %thread, %c24 : index
      %c25 = arith.constant 25 : index
      %t25 = arith.addi %thread, %c25 : index
      %c26 = arith.constant 26 : index
      %t26 = arith.addi %thread, %c26 : index
      %c27 = arith.constant 27 : index
      %t27 = arith.addi %thread, %c27 : index
      %c28 = arith.constant 28 : index
      %t28 = arith.addi %thread, %c28 : index
      %c29 = arith.constant 29 : index
      %t29 = arith.addi %thread, %c29 : index
      %c30 = arith.constant 30 : index
      %t30 = arith.addi %thread, %c30 : index
      %c31 = arith.constant 31 : index
      %t31 = arith.addi %thread, %c31 : index
      %last = scf.for %r = %zero to %rounds step %one
          iter_args(%s0 = %none) -> f32 : i32 {
        %x0 = memref.load %w[%thread] : memref<2048xf32, #gpu.address_space<workgroup>>
        %s1 = arith.addf %s0, %x0 : f32
        %x1 = memref.load %w[%t1] : memref<2048xf32, #gpu.address_space<workgroup>>
        %s2 = arith.addf %s1, %x1 : f32
        %x2 = memref.load %w[%t2] : memref<2048xf32, #gpu.address_space<workgroup>>
        %s3 = arith.addf %s2, %x2 : f32
        %x3 = memref.load %w[%t3] : memref<2048xf32, #gpu.address_space<workgroup>>
        %s4 = arith.addf %s3, %x3 : f32
        %x4 = memref.load %w[%t4] : memref<2048xf32, #gpu.address_space<workgroup>>
        %s5 = arith.addf %s4, %x4 : f32
        %x5 = memref.load %w[%t5] : memref<2048xf32, #gpu.address_space<workgroup>>
        %s6 = arith.addf %s5, %x5 : f32
        %x6 = memref.load %w[%t6] : memref<2048xf32, #gpu.address_space<workgroup>>
        %s7 = arith.addf %s6, %x6 : f32
        %x7 = memref.load %w[%t7] : memref<2048xf32, #gpu.address_space<workgroup>>
        %s8 = arith.addf %s7, %x7 : f32
        %x8 = memref.load %w[%t8] : memref<2048xf32, #gpu.address_space<workgroup>>
        %s9 = arith.addf %s8, %x8 : f32
        %x9 = memref.load %w[%t9] : memref<2048xf32, #gpu.address_space<workgroup>>
        %s10 = arith.addf %s9, %x9 : f32
        %x10 = memref.load %w[%t10] : memref<2048xf32, #gpu.address_space<workgroup>>
        %s11 = arith.addf %s10, %x10 : f32
        %x11 = memref.load %w[%t11] : memref<2048xf32, #gpu.address_space<workgroup>>
        %s12 = arith.addf %s11, %x11 : f32
        %x12 = memref.load %w[%t12] : memref<2048xf32, #gpu.address_space<workgroup>>
        %s13 = arith.addf %s12, %x12 : f32
        %x13 = memref.load %w[%t13] : memref<2048xf32, #gpu.address_space<workgroup>>
        %s14 = arith.addf %s13, %x13 : f32
        %x14 = memref.load %w[%t14] : memref<2048xf32, #gpu.address_space<workgroup>>
        %s15 = arith.addf %s14, %x14 : f32
        %x15 = memref.load %w[%t15] : memref<2048xf32, #gpu.address_space<workgroup>>
        %s16 = arith.addf %s15, %x15 : f32
        %x16 = memref.load %w[%t16] : memref<2048xf32, #gpu.address_space<workgroup>>
        %s17 = arith.addf %s16, %x16 : f32
        %x17 = memref.load %w[%t17] : memref<2048xf32, #gpu.address_space<workgroup>>
        %s18 = arith.addf %s17, %x17 : f32
        %x18 = memref.load %w[%t18] : memref<2048xf32, #gpu.address_space<workgroup>>
        %s19 = arith.addf %s18, %x18 : f32
        %x19 = memref.load %w[%t19] : memref<2048xf32, #gpu.address_space<workgroup>>
        %s20 = arith.addf %s19, %x19 : f32
        %x20 = memref.load %w[%t20] : memref<2048xf32, #gpu.address_space<workgroup>>
        %s21 = arith.addf %s20, %x20 : f32
        %x21 = memref.load %w[%t21] : memref<2048xf32, #gpu.address_space<workgroup>>
        %s22 = arith.addf %s21, %x21 : f32
        %x22 = memref.load %w[%t22] : memref<2048xf32, #gpu.address_space<workgroup>>
        %s23 = arith.addf %s22, %x22 : f32
        %x23 = memref.load %w[%t23] : memref<2048xf32, #gpu.address_space<workgroup>>
        %s24 = arith.addf %s23, %x23 : f32
        %x24 = memref.load %w[%t24] : memref<2048xf32, #gpu.address_space<workgroup>>
        %s25 = arith.addf %s24, %x24 : f32
        %x25 = memref.load %w[%t25] : memref<2048xf32, #gpu.address_space<workgroup>>
        %s26 = arith.addf %s25, %x25 : f32
        %x26 = memref.load %w[%t26] : memref<2048xf32, #gpu.address_space<workgroup>>
        %s27 = arith.addf %s26, %x26 : f32
        %x27 = memref.load %w[%t27] : memref<2048xf32, #gpu.address_space<workgroup>>
        %s28 = arith.addf %s27, %x27 : f32
        %x28 = memref.load %w[%t28] : memref<2048xf32, #gpu.address_space<workgroup>>
        %s29 = arith.addf %s28, %x28 : f32
        %x29 = memref.load %w[%t29] : memref<2048xf32, #gpu.address_space<workgroup>>
        %s30 = arith.addf %s29, %x29 : f32
        %x30 = memref.load %w[%t30] : memref<2048xf32, #gpu.address_space<workgroup>>
        %s31 = arith.addf %s30, %x30 : f32
        %x31 = memref.load %w[%t31] : memref<2048xf32, #gpu.address_space<workgroup>>
        %s32 = arith.addf %s31, %x31 : f32
        // Where nobody knows that it changes nothing: the loads stay in the loop.
        %place = arith.addi %lane, %r : i32
        %kept = arith.andi %place, %mask : i32
        %at = arith.index_cast %kept : i32 to index
        memref.store %none, %w[%at] : memref<2048xf32, #gpu.address_space<workgroup>>
        scf.yield %s32 : f32
      }
      memref.store %last, %out[%i] : memref<4194304xf32>
      gpu.return
    }
  }
}
