// Atomic operations on workgroup memory and on the device's, which all blocks
// share, of every kind: what a cell ends with does not depend on the order.
// FAULTS: brief, all kernels make the same calls

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @k(%x: memref<?xi32>, %out: memref<?xi32>)
        workgroup(%w: memref<1024xi32, #gpu.address_space<workgroup>>) kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %t = gpu.thread_id x
      %n = gpu.block_dim x
      %b = gpu.block_id x
      %g = gpu.global_id x
      %v = memref.load %x[%g] : memref<?xi32>

      %c5 = arith.constant 5 : index
      %zero = arith.constant 0 : i32
      %first = arith.cmpi eq, %t, %c0 : index
      scf.if %first {
        memref.store %zero, %w[%c0] : memref<1024xi32, #gpu.address_space<workgroup>>
      }
      gpu.barrier
      %one = arith.constant 1 : i32
      %old = memref.atomic_rmw addi %one, %w[%c0] : (i32, memref<1024xi32, #gpu.address_space<workgroup>>) -> i32
      %max = memref.generic_atomic_rmw %w[%c0] : memref<1024xi32, #gpu.address_space<workgroup>> {
      ^bb0(%now: i32):
        %three = arith.constant 3 : i32
        %next = arith.addi %now, %three : i32
        memref.atomic_yield %next : i32
      }
      gpu.barrier
      %sum = memref.load %w[%c0] : memref<1024xi32, #gpu.address_space<workgroup>>
      // Cells 0 to 4 of the output are everyone's; the rest is left alone.
      %a = memref.atomic_rmw addi %sum, %out[%c0] : (i32, memref<?xi32>) -> i32
      %n32 = arith.index_cast %n : index to i32
      %enough = arith.constant 5 : index
      %has = arith.cmpi uge, %n, %enough : index
      scf.if %has {
        %c2 = arith.constant 2 : index
        %c3 = arith.constant 3 : index
        %c4 = arith.constant 4 : index
        %s0 = memref.atomic_rmw maxs %v, %out[%c1] : (i32, memref<?xi32>) -> i32
        %s1 = memref.atomic_rmw mins %v, %out[%c2] : (i32, memref<?xi32>) -> i32
        %s2 = memref.atomic_rmw ori %v, %out[%c3] : (i32, memref<?xi32>) -> i32
        %s3 = memref.atomic_rmw maxu %v, %out[%c4] : (i32, memref<?xi32>) -> i32
      }
      gpu.return
    }
  }

  // What the kernel makes of elements from .. to, those of block b.
  func.func @expect(%x: memref<?xi32>, %want: memref<?xi32>, %b: index,
                    %from: index, %to: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %n = arith.subi %to, %from : index
    %n32 = arith.index_cast %n : index to i32
    %four = arith.constant 4 : i32
    // Each of the block's threads adds what they made of the cell: 4 for each.
    %each = arith.muli %n32, %four : i32
    %block = arith.muli %each, %n32 : i32
    %a = memref.load %want[%c0] : memref<?xi32>
    %a1 = arith.addi %a, %block : i32
    memref.store %a1, %want[%c0] : memref<?xi32>
    %enough = arith.constant 5 : index
    %has = arith.cmpi uge, %n, %enough : index
    scf.if %has {
      %c2 = arith.constant 2 : index
      %c3 = arith.constant 3 : index
      %c4 = arith.constant 4 : index
      scf.for %i = %from to %to step %c1 {
        %v = memref.load %x[%i] : memref<?xi32>
        %p = memref.load %want[%c1] : memref<?xi32>
        %q = memref.load %want[%c2] : memref<?xi32>
        %r = memref.load %want[%c3] : memref<?xi32>
        %s = memref.load %want[%c4] : memref<?xi32>
        %p1 = arith.maxsi %p, %v : i32
        %q1 = arith.minsi %q, %v : i32
        %r1 = arith.ori %r, %v : i32
        %s1 = arith.maxui %s, %v : i32
        memref.store %p1, %want[%c1] : memref<?xi32>
        memref.store %q1, %want[%c2] : memref<?xi32>
        memref.store %r1, %want[%c3] : memref<?xi32>
        memref.store %s1, %want[%c4] : memref<?xi32>
      }
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
