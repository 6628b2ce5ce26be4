// Two kinds of warps: the first of a block produces, the others consume, each
// at a barrier instruction of its own with one number. Inside the consumers,
// half of each warp shuffles with a mask of its own.

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

      %c32 = arith.constant 32 : index
      %producer = arith.cmpi ult, %t, %c32 : index
      %r = scf.if %producer -> i32 {
        memref.store %v, %w[%t] : memref<1024xi32, #gpu.address_space<workgroup>>
        %three = llvm.mlir.constant(3 : i32) : i32
        nvvm.barrier id = %three
        scf.yield %v : i32
      } else {
        %three = llvm.mlir.constant(3 : i32) : i32
        nvvm.barrier id = %three
        %lane = arith.remui %t, %c32 : index
        %mine = memref.load %w[%lane] : memref<1024xi32, #gpu.address_space<workgroup>>
        %c16 = arith.constant 16 : index
        %low = arith.cmpi ult, %lane, %c16 : index
        %one = arith.constant 1 : i32
        %clamp = arith.constant 31 : i32
        %s = scf.if %low -> i32 {
          %mask = arith.constant 65535 : i32
          %o = nvvm.shfl.sync bfly %mask, %mine, %one, %clamp : i32 -> i32
          // What a lane that is not there gives is up to the device.
          %pair = arith.xori %t, %c1 : index
          %exists = arith.cmpi ult, %pair, %n : index
          %its = arith.select %exists, %o, %mine : i32
          scf.yield %its : i32
        } else {
          %mask = arith.constant -65536 : i32
          %zero = arith.constant 0 : i32
          %first = arith.constant 16 : i32
          %o = nvvm.shfl.sync idx %mask, %mine, %first, %clamp : i32 -> i32
          scf.yield %o : i32
        }
        scf.yield %s : i32
      }
      memref.store %r, %out[%g] : memref<?xi32>
      gpu.return
    }
  }

  // What the kernel makes of elements from .. to, those of block b.
  func.func @expect(%x: memref<?xi32>, %want: memref<?xi32>, %b: index,
                    %from: index, %to: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c16 = arith.constant 16 : index
    %c32 = arith.constant 32 : index
    scf.for %i = %from to %to step %c1 {
      %t = arith.subi %i, %from : index
      %lane = arith.remui %t, %c32 : index
      %start = arith.subi %i, %lane : index
      %producer = arith.cmpi ult, %t, %c32 : index
      %low = arith.cmpi ult, %lane, %c16 : index
      // The other one of each pair, if it is there; else lane 16.
      %odd = arith.remui %lane, %c2 : index
      %is_odd = arith.cmpi ne, %odd, %c0 : index
      %down = arith.subi %lane, %c1 : index
      %up = arith.addi %lane, %c1 : index
      %pair = arith.select %is_odd, %down, %up : index
      %pair_at = arith.addi %start, %pair : index
      %exists = arith.cmpi ult, %pair_at, %to : index
      %partner = arith.select %exists, %pair, %lane : index
      %other = arith.select %low, %partner, %c16 : index
      %source = arith.select %producer, %t, %other : index
      %j = arith.addi %from, %source : index
      %v = memref.load %x[%j] : memref<?xi32>
      memref.store %v, %want[%i] : memref<?xi32>
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
