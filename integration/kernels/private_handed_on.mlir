// Memory of a thread's own that a loop hands on, two buffers that change places,
// is used behind a wait through what the loop gives; and scopes of the stack hold
// branches. Thread t has 41 t in one buffer and 11 t in the other.

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @k(%out: memref<?xi32>) kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %c3 = arith.constant 3 : index
      %five = arith.constant 5 : i32
      %all = arith.constant -1 : i32
      %t = gpu.thread_id x
      %t32 = arith.index_cast %t : index to i32
      gpu.barrier
      memref.alloca_scope {
        %m = memref.alloca() : memref<2xi32>
        %n = memref.alloca() : memref<2xi32>
        memref.store %t32, %m[%c1] : memref<2xi32>
        memref.store %t32, %n[%c1] : memref<2xi32>
        %r:2 = scf.for %i = %c0 to %c3 step %c1
            iter_args(%p = %m, %q = %n) -> (memref<2xi32>, memref<2xi32>) {
          %x = memref.load %p[%c1] : memref<2xi32>
          %y = memref.load %q[%c1] : memref<2xi32>
          %z = arith.muli %y, %five : i32
          %w = arith.addi %x, %z : i32
          memref.store %w, %q[%c1] : memref<2xi32>
          scf.yield %q, %p : memref<2xi32>, memref<2xi32>
        }
        // No loop over threads has this one: each is a coroutine.
        nvvm.bar.warp.sync %all : i32
        %rest = arith.remui %t, %c2 : index
        %odd = arith.cmpi eq, %rest, %c1 : index
        scf.if %odd {
          %v = memref.load %r#0[%c1] : memref<2xi32>
          memref.store %v, %out[%t] : memref<?xi32>
        } else {
          %v = memref.load %m[%c1] : memref<2xi32>
          memref.store %v, %out[%t] : memref<?xi32>
        }
      }
      gpu.return
    }
  }

  // RUN: kernel
  // CHECK: ( 0, 41, 22, 123, 44 )
  func.func @main() {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c5 = arith.constant 5 : index
    %out = gpu.alloc(%c5) : memref<?xi32>
    gpu.launch_func @kernels::@k
        blocks in (%c1, %c1, %c1) threads in (%c5, %c1, %c1)
        args(%out : memref<?xi32>)
    %h = memref.alloc(%c5) : memref<?xi32>
    gpu.memcpy %h, %out : memref<?xi32>, memref<?xi32>
    %v = vector.load %h[%c0] : memref<?xi32>, vector<5xi32>
    vector.print %v : vector<5xi32>
    memref.dealloc %h : memref<?xi32>
    gpu.dealloc %out : memref<?xi32>
    return
  }
}
