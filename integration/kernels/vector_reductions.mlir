// Reductions of the rows, of the columns and of all of a matrix in registers.

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @k(%x: memref<?xi32>, %out: memref<?xi32>) kernel {
      %g = gpu.global_id x
      %v = memref.load %x[%g] : memref<?xi32>
      %k0 = arith.constant 1 : i32
      %e0 = arith.muli %v, %k0 : i32
      %k1 = arith.constant 8 : i32
      %e1 = arith.muli %v, %k1 : i32
      %k2 = arith.constant 15 : i32
      %e2 = arith.muli %v, %k2 : i32
      %k3 = arith.constant 22 : i32
      %e3 = arith.muli %v, %k3 : i32
      %k4 = arith.constant 29 : i32
      %e4 = arith.muli %v, %k4 : i32
      %k5 = arith.constant 36 : i32
      %e5 = arith.muli %v, %k5 : i32
      %m = vector.from_elements %e0, %e1, %e2, %e3, %e4, %e5 : vector<2x3xi32>
      %two = vector.from_elements %e0, %e1 : vector<2xi32>
      %three = vector.from_elements %e0, %e1, %e2 : vector<3xi32>
      %columns = vector.multi_reduction <xor>, %m, %three [0] : vector<2x3xi32> to vector<3xi32>
      %rows = vector.multi_reduction <maxsi>, %m, %two [1] : vector<2x3xi32> to vector<2xi32>
      %all = vector.multi_reduction <add>, %m, %e5 [0, 1] : vector<2x3xi32> to i32
      %c2 = vector.extract %columns[2] : i32 from vector<3xi32>
      %r1 = vector.extract %rows[1] : i32 from vector<2xi32>
      %s0 = arith.addi %c2, %r1 : i32
      %s1 = arith.xori %s0, %all : i32
      memref.store %s1, %out[%g] : memref<?xi32>
      gpu.return
    }
  }

  // What the kernel makes of elements from .. to, those of block b.
  func.func @expect(%x: memref<?xi32>, %want: memref<?xi32>, %b: index,
                    %from: index, %to: index) {
    %c1 = arith.constant 1 : index
    scf.for %i = %from to %to step %c1 {
      %v = memref.load %x[%i] : memref<?xi32>
      %k0 = arith.constant 1 : i32
      %e0 = arith.muli %v, %k0 : i32
      %k1 = arith.constant 8 : i32
      %e1 = arith.muli %v, %k1 : i32
      %k2 = arith.constant 15 : i32
      %e2 = arith.muli %v, %k2 : i32
      %k3 = arith.constant 22 : i32
      %e3 = arith.muli %v, %k3 : i32
      %k4 = arith.constant 29 : i32
      %e4 = arith.muli %v, %k4 : i32
      %k5 = arith.constant 36 : i32
      %e5 = arith.muli %v, %k5 : i32
      %a0 = arith.xori %e2, %e5 : i32
      %c2 = arith.xori %a0, %e2 : i32
      %b0 = arith.maxsi %e3, %e4 : i32
      %b1 = arith.maxsi %b0, %e5 : i32
      %r1 = arith.maxsi %b1, %e1 : i32
      %d0 = arith.addi %e0, %e1 : i32
      %d1 = arith.addi %d0, %e2 : i32
      %d2 = arith.addi %d1, %e3 : i32
      %d3 = arith.addi %d2, %e4 : i32
      %d4 = arith.addi %d3, %e5 : i32
      %all = arith.addi %d4, %e5 : i32
      %s0 = arith.addi %c2, %r1 : i32
      %s1 = arith.xori %s0, %all : i32
      memref.store %s1, %want[%i] : memref<?xi32>
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
