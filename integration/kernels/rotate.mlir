// Values read from lanes further on in groups of lanes, around their ends. Lanes
// that a partly filled warp does not have are not asked for.

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @k(%x: memref<?xi32>, %out: memref<?xi32>) kernel {
      %t = gpu.thread_id x
      %n = gpu.block_dim x
      %g = gpu.global_id x
      %v = memref.load %x[%g] : memref<?xi32>
      %zero = arith.constant 0 : i32
      %c5 = arith.constant 5 : index
      %c7 = arith.constant 7 : index
      %c8 = arith.constant 8 : index
      %c32 = arith.constant 32 : index
      %r, %valid = gpu.rotate %v, 5, 32 : i32
      %s, %svalid = gpu.rotate %v, 7, 8 : i32
      // The first eight lanes have a group of that width; a warp is one of 32.
      %lane = gpu.lane_id
      %start = arith.subi %t, %lane : index
      %rest = arith.subi %n, %start : index
      %lanes = arith.minui %rest, %c32 : index
      %a0 = arith.addi %lane, %c5 : index
      %a1 = arith.remui %a0, %c32 : index
      %a2 = arith.cmpi ult, %a1, %lanes : index
      %b0 = arith.addi %lane, %c7 : index
      %b1 = arith.remui %b0, %c8 : index
      %b2 = arith.cmpi ult, %b1, %lanes : index
      %b3 = arith.andi %b2, %svalid : i1
      %a4 = arith.select %a2, %r, %zero : i32
      %b4 = arith.select %b3, %s, %zero : i32
      %flag = arith.extui %valid : i1 to i32
      %e = arith.xori %a4, %b4 : i32
      %f = arith.addi %e, %flag : i32
      memref.store %f, %out[%g] : memref<?xi32>
      gpu.return
    }
  }

  // What the kernel makes of elements from .. to, those of block b.
  func.func @expect(%x: memref<?xi32>, %want: memref<?xi32>, %b: index,
                    %from: index, %to: index) {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %c1 = arith.constant 1 : index
    %c5 = arith.constant 5 : index
    %c7 = arith.constant 7 : index
    %c8 = arith.constant 8 : index
    %c32 = arith.constant 32 : index
    %last = arith.subi %to, %c1 : index
    scf.for %i = %from to %to step %c1 {
      %t = arith.subi %i, %from : index
      %lane = arith.remui %t, %c32 : index
      %start = arith.subi %i, %lane : index
      %a0 = arith.addi %lane, %c5 : index
      %a1 = arith.remui %a0, %c32 : index
      %a2 = arith.addi %start, %a1 : index
      %a3 = arith.cmpi ult, %a2, %to : index
      %a4 = arith.minui %a2, %last : index
      %a5 = memref.load %x[%a4] : memref<?xi32>
      %a6 = arith.select %a3, %a5, %zero : i32
      %b0 = arith.addi %lane, %c7 : index
      %b1 = arith.remui %b0, %c8 : index
      %b2 = arith.addi %start, %b1 : index
      %b3 = arith.cmpi ult, %b2, %to : index
      %in_group = arith.cmpi ult, %lane, %c8 : index
      %b4 = arith.andi %b3, %in_group : i1
      %b5 = arith.minui %b2, %last : index
      %b6 = memref.load %x[%b5] : memref<?xi32>
      %b7 = arith.select %b4, %b6, %zero : i32
      %e = arith.xori %a6, %b7 : i32
      %f = arith.addi %e, %one : i32
      memref.store %f, %want[%i] : memref<?xi32>
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
