// Special registers as they stand in the source.
// CHIPS: sm_90 sm_100

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @k(%x: memref<?xi32>, %out: memref<?xi32>)
        workgroup(%w: memref<64xi32, #gpu.address_space<workgroup>>) kernel {
      %c0 = arith.constant 0 : index
      %t = gpu.thread_id x
      %i0 = nvvm.read.ptx.sreg.tid.x : i32
      %i1 = nvvm.read.ptx.sreg.ntid.x : i32
      %i2 = nvvm.read.ptx.sreg.ctaid.x : i32
      %i3 = nvvm.read.ptx.sreg.nctaid.x : i32
      %i4 = nvvm.read.ptx.sreg.warpsize : i32
      %at0 = arith.muli %i2, %i1 : i32
      %at1 = arith.addi %at0, %i0 : i32
      %at = arith.index_cast %at1 : i32 to index
      // Which warp of the multiprocessor this is may change; it is one of those.
      %i5 = nvvm.read.ptx.sreg.warpid : i32
      %i6 = nvvm.read.ptx.sreg.nwarpid : i32
      %in = arith.cmpi ult, %i5, %i6 : i32
      %in32 = arith.extui %in : i1 to i32
      // All threads of a launch are in one grid.
      %grid = nvvm.read.ptx.sreg.gridid : i32
      %own = arith.cmpi eq, %t, %c0 : index
      scf.if %own {
        memref.store %grid, %w[%c0] : memref<64xi32, #gpu.address_space<workgroup>>
      }
      gpu.barrier
      %its = memref.load %w[%c0] : memref<64xi32, #gpu.address_space<workgroup>>
      %other = arith.subi %its, %grid : i32
      // What the kernel declares is there, and more may be set aside.
      %k256 = arith.constant 256 : i32
      %all = nvvm.read.ptx.sreg.aggr.smem.size : i32
      %enough = arith.cmpi uge, %all, %k256 : i32
      %enough32 = arith.extui %enough : i1 to i32
      %k31 = arith.constant 31 : i32
      %a0 = arith.muli %i3, %k31 : i32
      %a1 = arith.addi %a0, %i4 : i32
      %a2 = arith.muli %a1, %k31 : i32
      %a3 = arith.addi %a2, %in32 : i32
      %a4 = arith.muli %a3, %k31 : i32
      %a5 = arith.addi %a4, %enough32 : i32
      %r = arith.addi %a5, %other : i32
      memref.store %r, %out[%at] : memref<?xi32>
      gpu.return
    }
  }

  // What the kernel makes of elements from .. to, those of block b.
  func.func @expect(%x: memref<?xi32>, %want: memref<?xi32>, %b: index,
                    %from: index, %to: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %k31 = arith.constant 31 : i32
    %warp = arith.constant 32 : i32
    %one = arith.constant 1 : i32
    %n = arith.subi %to, %from : index
    %all = memref.dim %x, %c0 : memref<?xi32>
    %blocks = arith.divui %all, %n : index
    %i3 = arith.index_cast %blocks : index to i32
    %a0 = arith.muli %i3, %k31 : i32
    %a1 = arith.addi %a0, %warp : i32
    %a2 = arith.muli %a1, %k31 : i32
    %a3 = arith.addi %a2, %one : i32
    %a4 = arith.muli %a3, %k31 : i32
    %a5 = arith.addi %a4, %one : i32
    scf.for %i = %from to %to step %c1 {
      memref.store %a5, %want[%i] : memref<?xi32>
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
