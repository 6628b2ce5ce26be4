// Functions that a kernel calls: nested, with several results, with memory of the
// caller's, one of them kept out of line.

module attributes {gpu.container_module} {
  // The kernel calls the same function.
  func.func private @least(%p: memref<8xi32>) -> (i32, index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %first = memref.load %p[%c0] : memref<8xi32>
    %least, %at = scf.for %i = %c1 to %c8 step %c1 iter_args(%l = %first, %k = %c0) -> (i32, index) {
      %e = memref.load %p[%i] : memref<8xi32>
      %is_less = arith.cmpi ult, %e, %l : i32
      %l1 = arith.select %is_less, %e, %l : i32
      %k1 = arith.select %is_less, %i, %k : index
      scf.yield %l1, %k1 : i32, index
    }
    return %least, %at : i32, index
  }
  func.func private @mix(%a: i32, %b: i32) -> i32 attributes {passthrough = ["noinline"]} {
    %k = arith.constant 0x9E3779B1 : i32
    %c = arith.muli %a, %k : i32
    %d = arith.xori %c, %b : i32
    return %d : i32
  }
  func.func private @f(%v: i32) -> i32 {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %own = memref.alloca() : memref<8xi32>
    scf.for %i = %c0 to %c8 step %c1 {
      %i32 = arith.index_cast %i : index to i32
      %e = func.call @mix(%v, %i32) : (i32, i32) -> i32
      %f = func.call @mix(%e, %v) : (i32, i32) -> i32
      memref.store %f, %own[%i] : memref<8xi32>
    }
    %least, %at = func.call @least(%own) : (memref<8xi32>) -> (i32, index)
    %at32 = arith.index_cast %at : index to i32
    %r = func.call @mix(%least, %at32) : (i32, i32) -> i32
    return %r : i32
  }

  gpu.module @kernels {
    func.func private @least(%p: memref<8xi32>) -> (i32, index) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c8 = arith.constant 8 : index
      %first = memref.load %p[%c0] : memref<8xi32>
      %least, %at = scf.for %i = %c1 to %c8 step %c1 iter_args(%l = %first, %k = %c0) -> (i32, index) {
        %e = memref.load %p[%i] : memref<8xi32>
        %is_less = arith.cmpi ult, %e, %l : i32
        %l1 = arith.select %is_less, %e, %l : i32
        %k1 = arith.select %is_less, %i, %k : index
        scf.yield %l1, %k1 : i32, index
      }
      return %least, %at : i32, index
    }
    func.func private @mix(%a: i32, %b: i32) -> i32 attributes {passthrough = ["noinline"]} {
      %k = arith.constant 0x9E3779B1 : i32
      %c = arith.muli %a, %k : i32
      %d = arith.xori %c, %b : i32
      return %d : i32
    }
    func.func private @f(%v: i32) -> i32 {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c8 = arith.constant 8 : index
      %own = memref.alloca() : memref<8xi32>
      scf.for %i = %c0 to %c8 step %c1 {
        %i32 = arith.index_cast %i : index to i32
        %e = func.call @mix(%v, %i32) : (i32, i32) -> i32
        %f = func.call @mix(%e, %v) : (i32, i32) -> i32
        memref.store %f, %own[%i] : memref<8xi32>
      }
      %least, %at = func.call @least(%own) : (memref<8xi32>) -> (i32, index)
      %at32 = arith.index_cast %at : index to i32
      %r = func.call @mix(%least, %at32) : (i32, i32) -> i32
      return %r : i32
    }
    gpu.func @k(%x: memref<?xi32>, %out: memref<?xi32>) kernel {
      %g = gpu.global_id x
      %v = memref.load %x[%g] : memref<?xi32>
      %r = func.call @f(%v) : (i32) -> i32
      memref.store %r, %out[%g] : memref<?xi32>
      gpu.return
    }
  }

  // What the kernel makes of elements from .. to, those of block b.
  func.func @expect(%x: memref<?xi32>, %want: memref<?xi32>, %b: index,
                    %from: index, %to: index) {
    %c1 = arith.constant 1 : index
    scf.for %i = %from to %to step %c1 {
      %v = memref.load %x[%i] : memref<?xi32>
      %r = func.call @f(%v) : (i32) -> i32
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
