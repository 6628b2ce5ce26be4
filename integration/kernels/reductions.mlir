// Reductions of a block and of a warp, by op and by region. The last warp of a
// block may be partly filled.
// FAULTS: brief, all kernels make the same calls

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @k(%x: memref<?xi32>, %out: memref<?xi32>) kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %t = gpu.thread_id x
      %n = gpu.block_dim x
      %b = gpu.block_id x
      %g = gpu.global_id x
      %v = memref.load %x[%g] : memref<?xi32>

      %all = gpu.all_reduce add %v uniform {
      } : (i32) -> i32
      %largest = gpu.all_reduce %v uniform {
      ^bb0(%l: i32, %r: i32):
        %m = arith.maxsi %l, %r : i32
        gpu.yield %m : i32
      } : (i32) -> i32
      %warp_or = gpu.subgroup_reduce or %v uniform : (i32) -> i32
      %long = arith.extsi %v : i32 to i64
      %warp_min = gpu.subgroup_reduce minsi %long uniform : (i64) -> i64
      %warp_min32 = arith.trunci %warp_min : i64 to i32
      %a = arith.xori %all, %largest : i32
      %b1 = arith.xori %a, %warp_or : i32
      %three = arith.constant 3 : i32
      %b2 = arith.muli %b1, %three : i32
      %r0 = arith.addi %b2, %warp_min32 : i32
      memref.store %r0, %out[%g] : memref<?xi32>
      gpu.return
    }
  }

  // What the kernel makes of elements from .. to, those of block b.
  func.func @expect(%x: memref<?xi32>, %want: memref<?xi32>, %b: index,
                    %from: index, %to: index) {
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %zero = arith.constant 0 : i32
    %three = arith.constant 3 : i32
    %first = memref.load %x[%from] : memref<?xi32>
    %all, %largest = scf.for %j = %from to %to step %c1
        iter_args(%s = %zero, %m = %first) -> (i32, i32) {
      %v = memref.load %x[%j] : memref<?xi32>
      %s1 = arith.addi %s, %v : i32
      %m1 = arith.maxsi %m, %v : i32
      scf.yield %s1, %m1 : i32, i32
    }
    scf.for %i = %from to %to step %c1 {
      %t = arith.subi %i, %from : index
      %lane = arith.remui %t, %c32 : index
      %start = arith.subi %i, %lane : index
      %end = arith.addi %start, %c32 : index
      %stop = arith.minui %end, %to : index
      %own = memref.load %x[%i] : memref<?xi32>
      %or, %min = scf.for %j = %start to %stop step %c1
          iter_args(%o = %zero, %m = %own) -> (i32, i32) {
        %v = memref.load %x[%j] : memref<?xi32>
        %o1 = arith.ori %o, %v : i32
        %m1 = arith.minsi %m, %v : i32
        scf.yield %o1, %m1 : i32, i32
      }
      %a = arith.xori %all, %largest : i32
      %b1 = arith.xori %a, %or : i32
      %b2 = arith.muli %b1, %three : i32
      %r = arith.addi %b2, %min : i32
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
