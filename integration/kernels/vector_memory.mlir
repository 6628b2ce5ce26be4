// Vectors loaded and stored: whole, masked, transferred, gathered.

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @k(%x: memref<?xi32>, %out: memref<?xi32>)
        workgroup(%w: memref<1028xi32, #gpu.address_space<workgroup>>) kernel {
      %c0 = arith.constant 0 : index
      %t = gpu.thread_id x
      %n = gpu.block_dim x
      %g = gpu.global_id x
      %v = memref.load %x[%g] : memref<?xi32>
      %zero = arith.constant 0 : i32
      %c4 = arith.constant 4 : index
      %c1024 = arith.constant 1024 : index
      // Behind the block's elements are zeros.
      %z = arith.constant dense<0> : vector<4xi32>
      %is_first = arith.cmpi eq, %t, %c0 : index
      scf.if %is_first {
        vector.store %z, %w[%n] : memref<1028xi32, #gpu.address_space<workgroup>>, vector<4xi32>
      }
      memref.store %v, %w[%t] : memref<1028xi32, #gpu.address_space<workgroup>>
      gpu.barrier
      %a = vector.load %w[%t] : memref<1028xi32, #gpu.address_space<workgroup>>, vector<4xi32>
      %rest = arith.subi %n, %t : index
      %few = arith.minui %rest, %c4 : index
      %mask = vector.create_mask %few : vector<4xi1>
      %masked = vector.maskedload %w[%t], %mask, %z : memref<1028xi32, #gpu.address_space<workgroup>>, vector<4xi1>, vector<4xi32> into vector<4xi32>
      %c = vector.transfer_read %w[%t], %zero {in_bounds = [true]} : memref<1028xi32, #gpu.address_space<workgroup>>, vector<4xi32>
      %two = arith.constant dense<[0, 2, 1, 3]> : vector<4xi32>
      %d = vector.gather %w[%t] [%two], %mask, %z : memref<1028xi32, #gpu.address_space<workgroup>>, vector<4xi32>, vector<4xi1>, vector<4xi32> into vector<4xi32>
      %weights = arith.constant dense<[1, 3, 5, 7]> : vector<4xi32>
      %e0 = arith.muli %masked, %weights : vector<4xi32>
      %e1 = arith.addi %a, %e0 : vector<4xi32>
      %e2 = arith.muli %c, %weights : vector<4xi32>
      %e3 = arith.addi %e1, %e2 : vector<4xi32>
      %e4 = arith.muli %d, %weights : vector<4xi32>
      %e5 = arith.xori %e3, %e4 : vector<4xi32>
      %r = vector.reduction <add>, %e5 : vector<4xi32> into i32
      memref.store %r, %out[%g] : memref<?xi32>
      gpu.return
    }
  }

  // What the kernel makes of elements from .. to, those of block b.
  func.func @expect(%x: memref<?xi32>, %want: memref<?xi32>, %b: index,
                    %from: index, %to: index) {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %two = arith.constant 2 : i32
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %last = arith.subi %to, %c1 : index
    scf.for %i = %from to %to step %c1 {
      %rest = arith.subi %to, %i : index
      %r = scf.for %j = %c0 to %c4 step %c1 iter_args(%sum = %zero) -> i32 {
        %j32 = arith.index_cast %j : index to i32
        %w0 = arith.muli %j32, %two : i32
        %weight = arith.addi %w0, %one : i32
        %in = arith.cmpi ult, %j, %rest : index
        %at0 = arith.addi %i, %j : index
        %at = arith.minui %at0, %last : index
        %v0 = memref.load %x[%at] : memref<?xi32>
        %v = arith.select %in, %v0, %zero : i32
        // The gathered element: 0, 2, 1, 3.
        %is_one = arith.cmpi eq, %j, %c1 : index
        %is_two = arith.cmpi eq, %j, %c2 : index
        %p0 = arith.select %is_one, %c2, %j : index
        %p = arith.select %is_two, %c1, %p0 : index
        %pin0 = arith.cmpi ult, %p, %rest : index
        %pin = arith.andi %pin0, %in : i1
        %pat0 = arith.addi %i, %p : index
        %pat = arith.minui %pat0, %last : index
        %u0 = memref.load %x[%pat] : memref<?xi32>
        %u = arith.select %pin, %u0, %zero : i32
        %e0 = arith.muli %v, %weight : i32
        %e1 = arith.addi %v, %e0 : i32
        %e3 = arith.addi %e1, %e0 : i32
        %e4 = arith.muli %u, %weight : i32
        %e5 = arith.xori %e3, %e4 : i32
        %next = arith.addi %sum, %e5 : i32
        scf.yield %next : i32
      }
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
