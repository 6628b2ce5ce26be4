// Memory that a kernel asks for: in workgroup memory it is one buffer for all threads
// of a block, in private memory one for each; in global memory the device's malloc
// gives it. Each block of 4 threads stores in each, and reads what others stored.
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @k(%out: memref<?xindex>) kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %c3 = arith.constant 3 : index
      %c100 = arith.constant 100 : index
      %t = gpu.thread_id x
      %g = gpu.global_id x
      %s = memref.alloc() : memref<4xindex, #gpu.address_space<workgroup>>
      %r = memref.alloca() : memref<4xindex, #gpu.address_space<workgroup>>
      memref.store %g, %s[%t] : memref<4xindex, #gpu.address_space<workgroup>>
      %h = arith.muli %g, %c100 : index
      memref.store %h, %r[%t] : memref<4xindex, #gpu.address_space<workgroup>>
      gpu.barrier
      %o = arith.subi %c3, %t : index
      %v = memref.load %s[%o] : memref<4xindex, #gpu.address_space<workgroup>>
      %w = memref.load %r[%o] : memref<4xindex, #gpu.address_space<workgroup>>
      %x = arith.addi %v, %w : index
      memref.dealloc %s : memref<4xindex, #gpu.address_space<workgroup>>

      // The sum of 0, 1 and 2, twice, each through memory of the turn's own.
      %y = scf.for %i = %c0 to %c3 step %c1 iter_args(%sum = %x) -> index {
        %p = memref.alloc() : memref<2xindex, #gpu.address_space<private>>
        %n = memref.alloc() : memref<1xindex, 3>
        memref.store %i, %p[%c1] : memref<2xindex, #gpu.address_space<private>>
        %first = arith.cmpi eq, %t, %c0 : index
        scf.if %first {
          memref.store %i, %n[%c0] : memref<1xindex, 3>
        }
        gpu.barrier
        %a = memref.load %p[%c1] : memref<2xindex, #gpu.address_space<private>>
        %b = memref.load %n[%c0] : memref<1xindex, 3>
        gpu.barrier
        %both = arith.addi %a, %b : index
        %next = arith.addi %sum, %both : index
        memref.dealloc %p : memref<2xindex, #gpu.address_space<private>>
        memref.dealloc %n : memref<1xindex, 3>
        scf.yield %next : index
      }
      %m = memref.alloc(%c2) : memref<?xindex>
      memref.store %y, %m[%c1] : memref<?xindex>
      %z = memref.load %m[%c1] : memref<?xindex>
      memref.dealloc %m : memref<?xindex>
      memref.store %z, %out[%g] : memref<?xindex>
      gpu.return
    }
  }

  // RUN: kernel
  // CHECK: 309
  // CHECK: 208
  // CHECK: 107
  // CHECK: 6
  // CHECK: 713
  // CHECK: 612
  // CHECK: 511
  // CHECK: 410
  func.func @main() {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %c8 = arith.constant 8 : index
    %out = gpu.alloc host_shared (%c8) : memref<?xindex>
    gpu.launch_func @kernels::@k blocks in (%c2, %c1, %c1)
        threads in (%c4, %c1, %c1) args(%out : memref<?xindex>)
    scf.for %i = %c0 to %c8 step %c1 {
      %v = memref.load %out[%i] : memref<?xindex>
      vector.print %v : index
    }
    gpu.dealloc %out : memref<?xindex>
    return
  }
}
