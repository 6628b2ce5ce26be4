// The sum of each block's elements, through workgroup memory: a barrier in a
// loop whose trip count depends on the block, and one behind it.

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @sums(%x: memref<?xi32>, %out: memref<?xi32>)
        workgroup(%w: memref<1024xi32, #gpu.address_space<workgroup>>) kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %t = gpu.thread_id x
      %n = gpu.block_dim x
      %b = gpu.block_id x
      %g = gpu.global_id x
      %v = memref.load %x[%g] : memref<?xi32>
      memref.store %v, %w[%t] : memref<1024xi32, #gpu.address_space<workgroup>>
      gpu.barrier
      // Halves what is left, rounded up, until one is.
      %rest = scf.while (%m = %n) : (index) -> index {
        %more = arith.cmpi ugt, %m, %c1 : index
        scf.condition(%more) %m : index
      } do {
      ^bb0(%m: index):
        %up = arith.addi %m, %c1 : index
        %half = arith.divui %up, %c2 : index
        %other = arith.addi %t, %half : index
        %in = arith.cmpi ult, %other, %m : index
        scf.if %in {
          %p = memref.load %w[%t] : memref<1024xi32, #gpu.address_space<workgroup>>
          %q = memref.load %w[%other] : memref<1024xi32, #gpu.address_space<workgroup>>
          %s = arith.addi %p, %q : i32
          memref.store %s, %w[%t] : memref<1024xi32, #gpu.address_space<workgroup>>
        }
        gpu.barrier
        scf.yield %half : index
      }
      %first = arith.cmpi eq, %t, %c0 : index
      scf.if %first {
        %s = memref.load %w[%c0] : memref<1024xi32, #gpu.address_space<workgroup>>
        memref.store %s, %out[%b] : memref<?xi32>
      }
      gpu.return
    }
  }

  // Launches the kernel and prints how many of its sums differ from the host's.
  func.func @check(%blocks: index, %threads: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %factor = arith.constant 7919 : i32
    %n = arith.muli %blocks, %threads : index
    %x = memref.alloc(%n) : memref<?xi32>
    %out = memref.alloc(%blocks) : memref<?xi32>
    scf.for %i = %c0 to %n step %c1 {
      %k = arith.index_cast %i : index to i32
      %v = arith.muli %k, %factor : i32
      memref.store %v, %x[%i] : memref<?xi32>
    }
    %dx = gpu.alloc(%n) : memref<?xi32>
    %dout = gpu.alloc(%blocks) : memref<?xi32>
    gpu.memcpy %dx, %x : memref<?xi32>, memref<?xi32>
    gpu.launch_func @kernels::@sums
        blocks in (%blocks, %c1, %c1) threads in (%threads, %c1, %c1)
        args(%dx : memref<?xi32>, %dout : memref<?xi32>)
    gpu.memcpy %out, %dout : memref<?xi32>, memref<?xi32>
    %wrong = scf.for %b = %c0 to %blocks step %c1
        iter_args(%w = %zero) -> i32 {
      %from = arith.muli %b, %threads : index
      %to = arith.addi %from, %threads : index
      %sum = scf.for %i = %from to %to step %c1 iter_args(%s = %zero) -> i32 {
        %v = memref.load %x[%i] : memref<?xi32>
        %s1 = arith.addi %s, %v : i32
        scf.yield %s1 : i32
      }
      %got = memref.load %out[%b] : memref<?xi32>
      %differ = arith.cmpi ne, %got, %sum : i32
      %d = arith.extui %differ : i1 to i32
      %w1 = arith.addi %w, %d : i32
      scf.yield %w1 : i32
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
