// Loops in strides of the grid: threads end them at different times, with what
// they have summed up, in one dimension and in a grid with more, from where the
// counter would wrap, and with what only some threads do inside.

module attributes {gpu.container_module} {
  gpu.module @kernels {
    // Sums of two types, and a branch inside.
    gpu.func @sums(%first: i32, %n: i32, %x: memref<?xi32>, %out: memref<?xi32>)
        kernel {
      %zero = arith.constant 0 : i32
      %start = arith.constant 0.5 : f32
      %g = gpu.global_id x
      %width = gpu.block_dim x
      %grid = gpu.grid_dim x
      %all = arith.muli %width, %grid : index
      %from = arith.index_cast %first : i32 to index
      %i0 = arith.addi %from, %g : index
      %to = arith.index_cast %n : i32 to index
      %sum:2 = scf.for %i = %i0 to %to step %all
          iter_args(%a = %zero, %b = %start) -> (i32, f32) {
        %at = arith.subi %i, %from : index
        %v = memref.load %x[%at] : memref<?xi32>
        %odd = arith.trunci %v : i32 to i1
        %w = scf.if %odd -> i32 {
          %twice = arith.addi %v, %v : i32
          scf.yield %twice : i32
        } else {
          scf.yield %v : i32
        }
        %a1 = arith.addi %a, %w : i32
        %one = arith.constant 1.0 : f32
        %b1 = arith.addf %b, %one : f32
        scf.yield %a1, %b1 : i32, f32
      }
      %b = arith.fptosi %sum#1 : f32 to i32
      %thousand = arith.constant 1000 : i32
      %t = arith.muli %b, %thousand : i32
      %r = arith.addi %sum#0, %t : i32
      memref.store %r, %out[%g] : memref<?xi32>
      gpu.return
    }

    // The counter is an i32, which would wrap; another loop follows.
    gpu.func @narrow(%first: i32, %n: i32, %x: memref<?xi32>,
                     %out: memref<?xi32>) kernel {
      %zero = arith.constant 0 : i32
      %one = arith.constant 1 : i32
      %g = gpu.global_id x
      %width = gpu.block_dim x
      %grid = gpu.grid_dim x
      %all = arith.muli %width, %grid : index
      %step = arith.index_cast %all : index to i32
      %t = arith.index_cast %g : index to i32
      %i0 = arith.addi %first, %t : i32
      %count = scf.for %i = %i0 to %n step %step iter_args(%a = %zero) -> i32 : i32 {
        %at32 = arith.subi %i, %first : i32
        %at = arith.index_cast %at32 : i32 to index
        %v = memref.load %x[%at] : memref<?xi32>
        %a1 = arith.addi %a, %v : i32
        scf.yield %a1 : i32
      }
      memref.store %count, %out[%g] : memref<?xi32>
      scf.for %i = %i0 to %n step %step : i32 {
        %old = memref.load %out[%g] : memref<?xi32>
        %new = arith.addi %old, %one : i32
        memref.store %new, %out[%g] : memref<?xi32>
      }
      gpu.return
    }

    // Only some threads come to the loop.
    gpu.func @some(%first: i32, %n: i32, %x: memref<?xi32>,
                   %out: memref<?xi32>) kernel {
      %zero = arith.constant 0 : i32
      %g = gpu.global_id x
      %width = gpu.block_dim x
      %grid = gpu.grid_dim x
      %all = arith.muli %width, %grid : index
      %t = arith.index_cast %g : index to i32
      %odd = arith.trunci %t : i32 to i1
      %from = arith.index_cast %first : i32 to index
      %i0 = arith.addi %from, %g : index
      %to = arith.index_cast %n : i32 to index
      scf.if %odd {
        %sum = scf.for %i = %i0 to %to step %all iter_args(%a = %zero) -> i32 {
          %at = arith.subi %i, %from : index
          %v = memref.load %x[%at] : memref<?xi32>
          %a1 = arith.addi %a, %v : i32
          scf.yield %a1 : i32
        }
        memref.store %sum, %out[%g] : memref<?xi32>
      }
      gpu.return
    }
  }

  // What the kernel number `kind` has for thread `g` of `all`.
  func.func @expect(%kind: index, %first: i32, %n: i32, %g: index, %all: index,
                    %x: memref<?xi32>) -> i32 {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0 : i32
    %none = arith.constant -1 : i32
    %thousand = arith.constant 1000 : i32
    %from = arith.index_cast %first : i32 to index
    %to = arith.index_cast %n : i32 to index
    %i0 = arith.addi %from, %g : index
    %sum:3 = scf.for %i = %i0 to %to step %all
        iter_args(%a = %zero, %b = %zero, %c = %zero) -> (i32, i32, i32) {
      %one = arith.constant 1 : i32
      %at = arith.subi %i, %from : index
      %v = memref.load %x[%at] : memref<?xi32>
      %odd = arith.trunci %v : i32 to i1
      %twice = arith.addi %v, %v : i32
      %w = arith.select %odd, %twice, %v : i32
      %a1 = arith.addi %a, %w : i32
      %b1 = arith.addi %b, %one : i32
      %c2 = arith.addi %c, %v : i32
      scf.yield %a1, %b1, %c2 : i32, i32, i32
    }
    %v = scf.index_switch %kind -> i32
    case 0 {
      %t = arith.muli %sum#1, %thousand : i32
      %r = arith.addi %sum#0, %t : i32
      scf.yield %r : i32
    }
    case 1 {
      %one = arith.constant 1 : i32
      %t = arith.index_cast %g : index to i32
      %step = arith.index_cast %all : index to i32
      %start = arith.addi %first, %t : i32
      %r = scf.for %i = %start to %n step %step iter_args(%a = %zero) -> i32 : i32 {
        %at32 = arith.subi %i, %first : i32
        %at = arith.index_cast %at32 : i32 to index
        %v = memref.load %x[%at] : memref<?xi32>
        %a1 = arith.addi %a, %v : i32
        %a2 = arith.addi %a1, %one : i32
        scf.yield %a2 : i32
      }
      scf.yield %r : i32
    }
    default {
      %t = arith.index_cast %g : index to i32
      %odd = arith.trunci %t : i32 to i1
      %r = arith.select %odd, %sum#2, %none : i32
      scf.yield %r : i32
    }
    return %v : i32
  }

  // The number of threads whose results differ, of all kernels, summed up. There
  // are `n` - `first` elements; no more than 1000.
  func.func @check(%first: i32, %n: i32, %threads: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %count = arith.constant 1000 : index
    %none = arith.constant -1 : i32
    %zero = arith.constant 0 : i32
    %factor = arith.constant 7919 : i32
    %all = arith.muli %threads, %c2 : index
    %x = memref.alloc(%count) : memref<?xi32>
    %out = memref.alloc(%all) : memref<?xi32>
    scf.for %i = %c0 to %count step %c1 {
      %k = arith.index_cast %i : index to i32
      %v = arith.muli %k, %factor : i32
      memref.store %v, %x[%i] : memref<?xi32>
    }
    %dx = gpu.alloc(%count) : memref<?xi32>
    %dout = gpu.alloc(%all) : memref<?xi32>
    gpu.memcpy %dx, %x : memref<?xi32>, memref<?xi32>
    %wrong = scf.for %kind = %c0 to %c3 step %c1
        iter_args(%before = %zero) -> i32 {
      scf.for %g = %c0 to %all step %c1 {
        memref.store %none, %out[%g] : memref<?xi32>
      }
      gpu.memcpy %dout, %out : memref<?xi32>, memref<?xi32>
      scf.index_switch %kind
      case 0 {
        gpu.launch_func @kernels::@sums
            blocks in (%c2, %c1, %c1) threads in (%threads, %c1, %c1)
            args(%first : i32, %n : i32, %dx : memref<?xi32>,
                 %dout : memref<?xi32>)
        scf.yield
      }
      case 1 {
        gpu.launch_func @kernels::@narrow
            blocks in (%c2, %c1, %c1) threads in (%threads, %c1, %c1)
            args(%first : i32, %n : i32, %dx : memref<?xi32>,
                 %dout : memref<?xi32>)
        scf.yield
      }
      default {
        gpu.launch_func @kernels::@some
            blocks in (%c2, %c1, %c1) threads in (%threads, %c1, %c1)
            args(%first : i32, %n : i32, %dx : memref<?xi32>,
                 %dout : memref<?xi32>)
        scf.yield
      }
      gpu.memcpy %out, %dout : memref<?xi32>, memref<?xi32>
      %after = scf.for %g = %c0 to %all step %c1 iter_args(%w = %before) -> i32 {
        %want = func.call @expect(%kind, %first, %n, %g, %all, %x)
            : (index, i32, i32, index, index, memref<?xi32>) -> i32
        %got = memref.load %out[%g] : memref<?xi32>
        %differ = arith.cmpi ne, %got, %want : i32
        %d = arith.extui %differ : i1 to i32
        %w1 = arith.addi %w, %d : i32
        scf.yield %w1 : i32
      }
      scf.yield %after : i32
    }
    vector.print %wrong : i32
    gpu.dealloc %dx : memref<?xi32>
    gpu.dealloc %dout : memref<?xi32>
    memref.dealloc %x : memref<?xi32>
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
  func.func @main() {
    // The counters of the first threads are too large, those of the others have
    // wrapped.
    %late = arith.constant 2147483644 : i32
    %least = arith.constant -2147483600 : i32
    %row = arith.constant 32 : index
    func.call @check(%late, %least, %row) : (i32, i32, index) -> ()
    %first0 = arith.constant 0 : i32
    %n0 = arith.constant 1000 : i32
    %threads0 = arith.constant 32 : index
    func.call @check(%first0, %n0, %threads0) : (i32, i32, index) -> ()
    %first1 = arith.constant 0 : i32
    %n1 = arith.constant 1000 : i32
    %threads1 = arith.constant 31 : index
    func.call @check(%first1, %n1, %threads1) : (i32, i32, index) -> ()
    %first2 = arith.constant 0 : i32
    %n2 = arith.constant 64 : i32
    %threads2 = arith.constant 32 : index
    func.call @check(%first2, %n2, %threads2) : (i32, i32, index) -> ()
    %first3 = arith.constant 0 : i32
    %n3 = arith.constant 63 : i32
    %threads3 = arith.constant 32 : index
    func.call @check(%first3, %n3, %threads3) : (i32, i32, index) -> ()
    %first4 = arith.constant 0 : i32
    %n4 = arith.constant 5 : i32
    %threads4 = arith.constant 256 : index
    func.call @check(%first4, %n4, %threads4) : (i32, i32, index) -> ()
    %first5 = arith.constant 0 : i32
    %n5 = arith.constant 0 : i32
    %threads5 = arith.constant 32 : index
    func.call @check(%first5, %n5, %threads5) : (i32, i32, index) -> ()
    %first6 = arith.constant 5 : i32
    %n6 = arith.constant -5 : i32
    %threads6 = arith.constant 8 : index
    func.call @check(%first6, %n6, %threads6) : (i32, i32, index) -> ()
    %first7 = arith.constant -500 : i32
    %n7 = arith.constant 500 : i32
    %threads7 = arith.constant 33 : index
    func.call @check(%first7, %n7, %threads7) : (i32, i32, index) -> ()
    %first8 = arith.constant 1 : i32
    %n8 = arith.constant 1000 : i32
    %threads8 = arith.constant 1 : index
    func.call @check(%first8, %n8, %threads8) : (i32, i32, index) -> ()
    %first9 = arith.constant 0 : i32
    %n9 = arith.constant 999 : i32
    %threads9 = arith.constant 256 : index
    func.call @check(%first9, %n9, %threads9) : (i32, i32, index) -> ()
    return
  }
}
