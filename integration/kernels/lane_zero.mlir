// Regions that the first lane of a warp runs, whose results all lanes get.

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @k(%x: memref<?xi32>, %out: memref<?xi32>)
        workgroup(%w: memref<1024xi32, #gpu.address_space<workgroup>>) kernel {
      %c1 = arith.constant 1 : index
      %t = gpu.thread_id x
      %n = gpu.block_dim x
      %g = gpu.global_id x
      %v = memref.load %x[%g] : memref<?xi32>
      %zero = arith.constant 0 : i32
      %c32 = arith.constant 32 : index
      %lane = gpu.lane_id
      %start = arith.subi %g, %lane : index
      %rest = arith.subi %n, %t : index
      %left = arith.addi %rest, %lane : index
      %lanes = arith.minui %left, %c32 : index
      // The first lane sums what the whole warp has, and all get it.
      %sum, %at, %pair = gpu.warp_execute_on_lane_0(%lane)[32] args(%v : i32) -> (i32, index, vector<2xf16>) {
      ^bb0(%own: i32):
        %end = arith.addi %start, %lanes : index
        %s = scf.for %j = %start to %end step %c1 iter_args(%a = %zero) -> i32 {
          %u = memref.load %x[%j] : memref<?xi32>
          %next = arith.addi %a, %u : i32
          scf.yield %next : i32
        }
        %both = arith.xori %s, %own : i32
        %half = arith.constant dense<[0.5, 7.0]> : vector<2xf16>
        gpu.yield %both, %start, %half : i32, index, vector<2xf16>
      }
      gpu.warp_execute_on_lane_0(%lane)[32] {
        memref.store %sum, %w[%t] : memref<1024xi32, #gpu.address_space<workgroup>>
      }
      %all = arith.constant -1 : i32
      nvvm.bar.warp.sync %all : i32
      %first = arith.subi %t, %lane : index
      %stored = memref.load %w[%first] : memref<1024xi32, #gpu.address_space<workgroup>>
      %seven16 = vector.extract %pair[1] : f16 from vector<2xf16>
      %seven = arith.fptosi %seven16 : f16 to i32
      %at32 = arith.index_cast %at : index to i32
      %r0 = arith.addi %stored, %at32 : i32
      %r1 = arith.muli %r0, %seven : i32
      %r2 = arith.addi %r1, %v : i32
      memref.store %r2, %out[%g] : memref<?xi32>
      gpu.return
    }
  }

  // What the kernel makes of elements from .. to, those of block b.
  func.func @expect(%x: memref<?xi32>, %want: memref<?xi32>, %b: index,
                    %from: index, %to: index) {
    %zero = arith.constant 0 : i32
    %seven = arith.constant 7 : i32
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    scf.for %i = %from to %to step %c1 {
      %v = memref.load %x[%i] : memref<?xi32>
      %t = arith.subi %i, %from : index
      %lane = arith.remui %t, %c32 : index
      %start = arith.subi %i, %lane : index
      %own = memref.load %x[%start] : memref<?xi32>
      %end = arith.addi %start, %c32 : index
      %stop = arith.minui %end, %to : index
      %s = scf.for %j = %start to %stop step %c1 iter_args(%a = %zero) -> i32 {
        %u = memref.load %x[%j] : memref<?xi32>
        %next = arith.addi %a, %u : i32
        scf.yield %next : i32
      }
      %both = arith.xori %s, %own : i32
      %at32 = arith.index_cast %start : index to i32
      %r0 = arith.addi %both, %at32 : i32
      %r1 = arith.muli %r0, %seven : i32
      %r2 = arith.addi %r1, %v : i32
      memref.store %r2, %want[%i] : memref<?xi32>
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
