// Barriers with a number: warps that produce arrive at one and go on, and those
// that consume wait there for them. A second barrier tells the producers that
// their values have been read.

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @k(%x: memref<?xi32>, %out: memref<?xi32>)
        workgroup(%w: memref<1024xi32, #gpu.address_space<workgroup>>) kernel {
      %c0 = arith.constant 0 : index
      %t = gpu.thread_id x
      %n = gpu.block_dim x
      %g = gpu.global_id x
      %v = memref.load %x[%g] : memref<?xi32>
      %zero = arith.constant 0 : i32
      %c31 = arith.constant 31 : index
      %c32 = arith.constant 32 : index
      %c2 = arith.constant 2 : index
      %full = arith.constant 1 : i32
      %empty = arith.constant 2 : i32
      // Of every two warps, the first produces for the second; a warp without a
      // whole partner does nothing.
      %up = arith.addi %n, %c31 : index
      %whole = arith.divui %n, %c32 : index
      %pairs = arith.divui %whole, %c2 : index
      %double = arith.muli %pairs, %c2 : index
      %used = arith.muli %double, %c32 : index
      %used32 = arith.index_cast %used : index to i32
      %warp = arith.divui %t, %c32 : index
      %side = arith.remui %warp, %c2 : index
      %takes_part = arith.cmpi ult, %t, %used : index
      %produces0 = arith.cmpi eq, %side, %c0 : index
      scf.if %takes_part {
        scf.if %produces0 {
          memref.store %v, %w[%t] : memref<1024xi32, #gpu.address_space<workgroup>>
          nvvm.barrier.arrive id = %full number_of_threads = %used32
          // Not before the first values are read.
          nvvm.barrier id = %empty number_of_threads = %used32
          %again = arith.addi %v, %used32 : i32
          memref.store %again, %w[%t] : memref<1024xi32, #gpu.address_space<workgroup>>
          nvvm.barrier.arrive id = %full number_of_threads = %used32
        } else {
          %from = arith.subi %t, %c32 : index
          nvvm.barrier id = %full number_of_threads = %used32
          %first = memref.load %w[%from] : memref<1024xi32, #gpu.address_space<workgroup>>
          nvvm.barrier.arrive id = %empty number_of_threads = %used32
          nvvm.barrier id = %full number_of_threads = %used32
          %second = memref.load %w[%from] : memref<1024xi32, #gpu.address_space<workgroup>>
          %r = arith.xori %first, %second : i32
          memref.store %r, %out[%g] : memref<?xi32>
        }
      }
      gpu.return
    }
  }

  // What the kernel makes of elements from .. to, those of block b.
  func.func @expect(%x: memref<?xi32>, %want: memref<?xi32>, %b: index,
                    %from: index, %to: index) {
    %zero = arith.constant 0 : i32
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %n = arith.subi %to, %from : index
    %pairs = arith.divui %n, %c64 : index
    %used = arith.muli %pairs, %c64 : index
    %used32 = arith.index_cast %used : index to i32
    scf.for %i = %from to %to step %c1 {
      %t = arith.subi %i, %from : index
      %warp = arith.divui %t, %c32 : index
      %side = arith.remui %warp, %c2 : index
      %in = arith.cmpi ult, %t, %used : index
      %is_second = arith.cmpi eq, %side, %c1 : index
      %consumes = arith.andi %in, %is_second : i1
      %j0 = arith.subi %i, %c32 : index
      %j = arith.select %consumes, %j0, %i : index
      %first = memref.load %x[%j] : memref<?xi32>
      %second = arith.addi %first, %used32 : i32
      %r = arith.xori %first, %second : i32
      %e = arith.select %consumes, %r, %zero : i32
      memref.store %e, %want[%i] : memref<?xi32>
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
