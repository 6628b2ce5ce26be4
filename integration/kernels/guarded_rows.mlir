// A thread that asks whether it has an element at all: for whole rows of threads
// that have, for rows that end in between, and where the number that is asked
// for wraps in the middle of a row, so that its ends say nothing of the others.

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @less(%base: i32, %bound: i32, %out: memref<?xi32>) kernel {
      %t = gpu.global_id x
      %y = gpu.global_id y
      %width = gpu.block_dim x
      %grid = gpu.grid_dim x
      %across = arith.muli %width, %grid : index
      %row = arith.muli %y, %across : index
      %at = arith.addi %row, %t : index
      %number = arith.index_cast %t : index to i32
      %i = arith.addi %base, %number : i32
      %in = arith.cmpi slt, %i, %bound : i32
      scf.if %in {
        memref.store %i, %out[%at] : memref<?xi32>
      }
      gpu.return
    }

    gpu.func @unsigned(%base: i32, %bound: i32, %out: memref<?xi32>) kernel {
      %t = gpu.global_id x
      %y = gpu.global_id y
      %width = gpu.block_dim x
      %grid = gpu.grid_dim x
      %across = arith.muli %width, %grid : index
      %row = arith.muli %y, %across : index
      %at = arith.addi %row, %t : index
      %number = arith.index_cast %t : index to i32
      %i = arith.addi %base, %number : i32
      %in = arith.cmpi ult, %i, %bound : i32
      scf.if %in {
        memref.store %i, %out[%at] : memref<?xi32>
      }
      gpu.return
    }

    gpu.func @greater(%base: i32, %bound: i32, %out: memref<?xi32>) kernel {
      %t = gpu.global_id x
      %y = gpu.global_id y
      %width = gpu.block_dim x
      %grid = gpu.grid_dim x
      %across = arith.muli %width, %grid : index
      %row = arith.muli %y, %across : index
      %at = arith.addi %row, %t : index
      %number = arith.index_cast %t : index to i32
      %i = arith.addi %base, %number : i32
      %in = arith.cmpi sgt, %bound, %i : i32
      scf.if %in {
        memref.store %i, %out[%at] : memref<?xi32>
      }
      gpu.return
    }

    gpu.func @not_least(%base: i32, %bound: i32, %out: memref<?xi32>) kernel {
      %t = gpu.global_id x
      %y = gpu.global_id y
      %width = gpu.block_dim x
      %grid = gpu.grid_dim x
      %across = arith.muli %width, %grid : index
      %row = arith.muli %y, %across : index
      %at = arith.addi %row, %t : index
      %number = arith.index_cast %t : index to i32
      %i = arith.addi %base, %number : i32
      %in = arith.cmpi sge, %i, %bound : i32
      scf.if %in {
        memref.store %i, %out[%at] : memref<?xi32>
      }
      gpu.return
    }

    gpu.func @wide(%base: i32, %bound: i32, %out: memref<?xi32>) kernel {
      %t = gpu.global_id x
      %y = gpu.global_id y
      %width = gpu.block_dim x
      %grid = gpu.grid_dim x
      %across = arith.muli %width, %grid : index
      %row = arith.muli %y, %across : index
      %at = arith.addi %row, %t : index
      %number = arith.index_cast %t : index to i32
      %i = arith.addi %base, %number : i32
      %wide = arith.extsi %i : i32 to i64
      %bound_wide = arith.extsi %bound : i32 to i64
      %in = arith.cmpi sle, %wide, %bound_wide : i64
      scf.if %in {
        memref.store %i, %out[%at] : memref<?xi32>
      }
      gpu.return
    }

    gpu.func @zero_wide(%base: i32, %bound: i32, %out: memref<?xi32>) kernel {
      %t = gpu.global_id x
      %y = gpu.global_id y
      %width = gpu.block_dim x
      %grid = gpu.grid_dim x
      %across = arith.muli %width, %grid : index
      %row = arith.muli %y, %across : index
      %at = arith.addi %row, %t : index
      %number = arith.index_cast %t : index to i32
      %i = arith.addi %base, %number : i32
      %wide = arith.extui %i : i32 to i64
      %bound_wide = arith.extsi %bound : i32 to i64
      %in = arith.cmpi sge, %wide, %bound_wide : i64
      scf.if %in {
        memref.store %i, %out[%at] : memref<?xi32>
      }
      gpu.return
    }

    gpu.func @between(%base: i32, %bound: i32, %out: memref<?xi32>) kernel {
      %t = gpu.global_id x
      %y = gpu.global_id y
      %width = gpu.block_dim x
      %grid = gpu.grid_dim x
      %across = arith.muli %width, %grid : index
      %row = arith.muli %y, %across : index
      %at = arith.addi %row, %t : index
      %number = arith.index_cast %t : index to i32
      %i = arith.addi %base, %number : i32
      %below = arith.cmpi slt, %i, %bound : i32
      %five = arith.constant 5 : i32
      %above = arith.cmpi sgt, %i, %five : i32
      %in = arith.andi %below, %above : i1
      scf.if %in {
        memref.store %i, %out[%at] : memref<?xi32>
      }
      gpu.return
    }

    gpu.func @either(%base: i32, %bound: i32, %out: memref<?xi32>) kernel {
      %t = gpu.global_id x
      %y = gpu.global_id y
      %width = gpu.block_dim x
      %grid = gpu.grid_dim x
      %across = arith.muli %width, %grid : index
      %row = arith.muli %y, %across : index
      %at = arith.addi %row, %t : index
      %number = arith.index_cast %t : index to i32
      %i = arith.addi %base, %number : i32
      %below = arith.cmpi slt, %i, %bound : i32
      %five = arith.constant 5 : i32
      %above = arith.cmpi slt, %i, %five : i32
      %in = arith.ori %below, %above : i1
      scf.if %in {
        memref.store %i, %out[%at] : memref<?xi32>
      }
      gpu.return
    }

    // The way out is the other one, and a second guard follows.
    gpu.func @returns(%base: i32, %bound: i32, %out: memref<?xi32>) kernel {
      %t = gpu.global_id x
      %y = gpu.global_id y
      %width = gpu.block_dim x
      %grid = gpu.grid_dim x
      %across = arith.muli %width, %grid : index
      %row = arith.muli %y, %across : index
      %at = arith.addi %row, %t : index
      %number = arith.index_cast %t : index to i32
      %i = arith.addi %base, %number : i32
      %outside = arith.cmpi sge, %i, %bound : i32
      cf.cond_br %outside, ^end, ^more
    ^more:
      %two = arith.constant 2 : i32
      %few = arith.cmpi sle, %i, %two : i32
      cf.cond_br %few, ^end, ^store
    ^store:
      memref.store %i, %out[%at] : memref<?xi32>
      cf.br ^end
    ^end:
      gpu.return
    }

    // Who has no element goes another way, and has a result.
    gpu.func @pads(%base: i32, %bound: i32, %out: memref<?xi32>) kernel {
      %t = gpu.global_id x
      %y = gpu.global_id y
      %width = gpu.block_dim x
      %grid = gpu.grid_dim x
      %across = arith.muli %width, %grid : index
      %row = arith.muli %y, %across : index
      %at = arith.addi %row, %t : index
      %number = arith.index_cast %t : index to i32
      %i = arith.addi %base, %number : i32
      %in = arith.cmpi slt, %i, %bound : i32
      %v = scf.if %in -> i32 {
        %old = memref.load %out[%at] : memref<?xi32>
        %sum = arith.addi %old, %i : i32
        scf.yield %sum : i32
      } else {
        %minus = arith.constant -2 : i32
        scf.yield %minus : i32
      }
      memref.store %v, %out[%at] : memref<?xi32>
      gpu.return
    }
  }

  // What the kernel number `kind` stores for the number, which is -1 where it
  // stores none.
  func.func @expect(%kind: index, %i: i32, %bound: i32) -> i32 {
    %none = arith.constant -1 : i32
    %v = scf.index_switch %kind -> i32
    case 0 {
      %in = arith.cmpi slt, %i, %bound : i32
      %r = arith.select %in, %i, %none : i32
      scf.yield %r : i32
    }
    case 1 {
      %in = arith.cmpi ult, %i, %bound : i32
      %r = arith.select %in, %i, %none : i32
      scf.yield %r : i32
    }
    case 2 {
      %in = arith.cmpi sgt, %bound, %i : i32
      %r = arith.select %in, %i, %none : i32
      scf.yield %r : i32
    }
    case 3 {
      %in = arith.cmpi sge, %i, %bound : i32
      %r = arith.select %in, %i, %none : i32
      scf.yield %r : i32
    }
    case 4 {
      %wide = arith.extsi %i : i32 to i64
      %bound_wide = arith.extsi %bound : i32 to i64
      %in = arith.cmpi sle, %wide, %bound_wide : i64
      %r = arith.select %in, %i, %none : i32
      scf.yield %r : i32
    }
    case 5 {
      %wide = arith.extui %i : i32 to i64
      %bound_wide = arith.extsi %bound : i32 to i64
      %in = arith.cmpi sge, %wide, %bound_wide : i64
      %r = arith.select %in, %i, %none : i32
      scf.yield %r : i32
    }
    case 6 {
      %below = arith.cmpi slt, %i, %bound : i32
      %five = arith.constant 5 : i32
      %above = arith.cmpi sgt, %i, %five : i32
      %in = arith.andi %below, %above : i1
      %r = arith.select %in, %i, %none : i32
      scf.yield %r : i32
    }
    case 7 {
      %below = arith.cmpi slt, %i, %bound : i32
      %five = arith.constant 5 : i32
      %above = arith.cmpi slt, %i, %five : i32
      %in = arith.ori %below, %above : i1
      %r = arith.select %in, %i, %none : i32
      scf.yield %r : i32
    }
    case 8 {
      %two = arith.constant 2 : i32
      %below = arith.cmpi slt, %i, %bound : i32
      %above = arith.cmpi sgt, %i, %two : i32
      %in = arith.andi %below, %above : i1
      %r = arith.select %in, %i, %none : i32
      scf.yield %r : i32
    }
    default {
      %minus = arith.constant -2 : i32
      %in = arith.cmpi slt, %i, %bound : i32
      %sum = arith.addi %none, %i : i32
      %r = arith.select %in, %sum, %minus : i32
      scf.yield %r : i32
    }
    return %v : i32
  }

  // The numbers of elements that differ, of all kernels, summed up.
  func.func @check(%base: i32, %bound: i32) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %c4 = arith.constant 4 : index
    %c32 = arith.constant 32 : index
    %kinds = arith.constant 10 : index
    %n = arith.constant 768 : index
    %across = arith.constant 96 : index
    %none = arith.constant -1 : i32
    %zero = arith.constant 0 : i32
    %out = memref.alloc(%n) : memref<?xi32>
    %dout = gpu.alloc(%n) : memref<?xi32>
    %wrong = scf.for %kind = %c0 to %kinds step %c1
        iter_args(%before = %zero) -> i32 {
      scf.for %at = %c0 to %n step %c1 {
        memref.store %none, %out[%at] : memref<?xi32>
      }
      gpu.memcpy %dout, %out : memref<?xi32>, memref<?xi32>
      scf.index_switch %kind
      case 0 {
        gpu.launch_func @kernels::@less
            blocks in (%c3, %c2, %c1) threads in (%c32, %c4, %c1)
            args(%base : i32, %bound : i32, %dout : memref<?xi32>)
        scf.yield
      }
      case 1 {
        gpu.launch_func @kernels::@unsigned
            blocks in (%c3, %c2, %c1) threads in (%c32, %c4, %c1)
            args(%base : i32, %bound : i32, %dout : memref<?xi32>)
        scf.yield
      }
      case 2 {
        gpu.launch_func @kernels::@greater
            blocks in (%c3, %c2, %c1) threads in (%c32, %c4, %c1)
            args(%base : i32, %bound : i32, %dout : memref<?xi32>)
        scf.yield
      }
      case 3 {
        gpu.launch_func @kernels::@not_least
            blocks in (%c3, %c2, %c1) threads in (%c32, %c4, %c1)
            args(%base : i32, %bound : i32, %dout : memref<?xi32>)
        scf.yield
      }
      case 4 {
        gpu.launch_func @kernels::@wide
            blocks in (%c3, %c2, %c1) threads in (%c32, %c4, %c1)
            args(%base : i32, %bound : i32, %dout : memref<?xi32>)
        scf.yield
      }
      case 5 {
        gpu.launch_func @kernels::@zero_wide
            blocks in (%c3, %c2, %c1) threads in (%c32, %c4, %c1)
            args(%base : i32, %bound : i32, %dout : memref<?xi32>)
        scf.yield
      }
      case 6 {
        gpu.launch_func @kernels::@between
            blocks in (%c3, %c2, %c1) threads in (%c32, %c4, %c1)
            args(%base : i32, %bound : i32, %dout : memref<?xi32>)
        scf.yield
      }
      case 7 {
        gpu.launch_func @kernels::@either
            blocks in (%c3, %c2, %c1) threads in (%c32, %c4, %c1)
            args(%base : i32, %bound : i32, %dout : memref<?xi32>)
        scf.yield
      }
      case 8 {
        gpu.launch_func @kernels::@returns
            blocks in (%c3, %c2, %c1) threads in (%c32, %c4, %c1)
            args(%base : i32, %bound : i32, %dout : memref<?xi32>)
        scf.yield
      }
      default {
        gpu.launch_func @kernels::@pads
            blocks in (%c3, %c2, %c1) threads in (%c32, %c4, %c1)
            args(%base : i32, %bound : i32, %dout : memref<?xi32>)
        scf.yield
      }
      gpu.memcpy %out, %dout : memref<?xi32>, memref<?xi32>
      %after = scf.for %at = %c0 to %n step %c1 iter_args(%w = %before) -> i32 {
        %t = arith.remui %at, %across : index
        %number = arith.index_cast %t : index to i32
        %i = arith.addi %base, %number : i32
        %want = func.call @expect(%kind, %i, %bound) : (index, i32, i32) -> i32
        %got = memref.load %out[%at] : memref<?xi32>
        %differ = arith.cmpi ne, %got, %want : i32
        %d = arith.extui %differ : i1 to i32
        %w1 = arith.addi %w, %d : i32
        scf.yield %w1 : i32
      }
      scf.yield %after : i32
    }
    vector.print %wrong : i32
    gpu.dealloc %dout : memref<?xi32>
    memref.dealloc %out : memref<?xi32>
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
  func.func @main() {
    %base0 = arith.constant 0 : i32
    %bound0 = arith.constant 96 : i32
    func.call @check(%base0, %bound0) : (i32, i32) -> ()
    %base1 = arith.constant 0 : i32
    %bound1 = arith.constant 95 : i32
    func.call @check(%base1, %bound1) : (i32, i32) -> ()
    %base2 = arith.constant 0 : i32
    %bound2 = arith.constant 40 : i32
    func.call @check(%base2, %bound2) : (i32, i32) -> ()
    %base3 = arith.constant 0 : i32
    %bound3 = arith.constant 0 : i32
    func.call @check(%base3, %bound3) : (i32, i32) -> ()
    %base4 = arith.constant 0 : i32
    %bound4 = arith.constant 1000 : i32
    func.call @check(%base4, %bound4) : (i32, i32) -> ()
    %base5 = arith.constant -10 : i32
    %bound5 = arith.constant 3 : i32
    func.call @check(%base5, %bound5) : (i32, i32) -> ()
    %base6 = arith.constant 2147483640 : i32
    %bound6 = arith.constant 2147483647 : i32
    func.call @check(%base6, %bound6) : (i32, i32) -> ()
    %base7 = arith.constant 2147483620 : i32
    %bound7 = arith.constant 2147483647 : i32
    func.call @check(%base7, %bound7) : (i32, i32) -> ()
    %base8 = arith.constant -8 : i32
    %bound8 = arith.constant -1 : i32
    func.call @check(%base8, %bound8) : (i32, i32) -> ()
    %base9 = arith.constant -2147483648 : i32
    %bound9 = arith.constant -2147483600 : i32
    func.call @check(%base9, %bound9) : (i32, i32) -> ()
    %base10 = arith.constant 2147483600 : i32
    %bound10 = arith.constant -2147483648 : i32
    func.call @check(%base10, %bound10) : (i32, i32) -> ()
    %base11 = arith.constant 2147483600 : i32
    %bound11 = arith.constant 5 : i32
    func.call @check(%base11, %bound11) : (i32, i32) -> ()
    return
  }
}
