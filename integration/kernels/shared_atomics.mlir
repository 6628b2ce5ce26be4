// Atomic operations on workgroup memory, one of each kind, by 33 threads: thread
// t has the number 5 t - 60.

#shared = #gpu.address_space<workgroup>

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @k(%out: memref<?xi32>, %sum: memref<?xf32>)
        workgroup(%w: memref<9xi32, #shared>, %f: memref<1xf32, #shared>)
        kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %c3 = arith.constant 3 : index
      %c4 = arith.constant 4 : index
      %c5 = arith.constant 5 : index
      %c6 = arith.constant 6 : index
      %c7 = arith.constant 7 : index
      %c8 = arith.constant 8 : index
      %t = gpu.thread_id x
      %t32 = arith.index_cast %t : index to i32
      %five = arith.constant 5 : i32
      %sixty = arith.constant 60 : i32
      %tv = arith.muli %t32, %five : i32
      %v = arith.subi %tv, %sixty : i32
      %first = arith.cmpi eq, %t, %c0 : index
      scf.if %first {
        %i0 = arith.constant 7 : i32
        memref.store %i0, %w[%c0] : memref<9xi32, #shared>
        %i1 = arith.constant -100 : i32
        memref.store %i1, %w[%c1] : memref<9xi32, #shared>
        %i2 = arith.constant 100 : i32
        memref.store %i2, %w[%c2] : memref<9xi32, #shared>
        %i3 = arith.constant 5 : i32
        memref.store %i3, %w[%c3] : memref<9xi32, #shared>
        %i4 = arith.constant -1 : i32
        memref.store %i4, %w[%c4] : memref<9xi32, #shared>
        %i5 = arith.constant 0 : i32
        memref.store %i5, %w[%c5] : memref<9xi32, #shared>
        %i6 = arith.constant -1 : i32
        memref.store %i6, %w[%c6] : memref<9xi32, #shared>
        %i7 = arith.constant 0 : i32
        memref.store %i7, %w[%c7] : memref<9xi32, #shared>
        %zero = arith.constant 0.0 : f32
        memref.store %zero, %f[%c0] : memref<1xf32, #shared>
        %i8 = arith.constant 1 : i32
        memref.store %i8, %w[%c8] : memref<9xi32, #shared>
      }
      gpu.barrier
      %r0 = memref.atomic_rmw addi %v, %w[%c0]
          : (i32, memref<9xi32, #shared>) -> i32
      %r1 = memref.atomic_rmw maxs %v, %w[%c1]
          : (i32, memref<9xi32, #shared>) -> i32
      %r2 = memref.atomic_rmw mins %v, %w[%c2]
          : (i32, memref<9xi32, #shared>) -> i32
      %r3 = memref.atomic_rmw maxu %v, %w[%c3]
          : (i32, memref<9xi32, #shared>) -> i32
      %r4 = memref.atomic_rmw minu %v, %w[%c4]
          : (i32, memref<9xi32, #shared>) -> i32
      %r5 = memref.atomic_rmw ori %v, %w[%c5]
          : (i32, memref<9xi32, #shared>) -> i32
      %r6 = memref.atomic_rmw andi %v, %w[%c6]
          : (i32, memref<9xi32, #shared>) -> i32
      %r7 = memref.atomic_rmw xori %v, %w[%c7]
          : (i32, memref<9xi32, #shared>) -> i32
      %half = arith.constant 0.5 : f32
      %rf = memref.atomic_rmw addf %half, %f[%c0]
          : (f32, memref<1xf32, #shared>) -> f32
      %three = arith.constant 3 : i32
      %rg = memref.generic_atomic_rmw %w[%c8] : memref<9xi32, #shared> {
      ^bb0(%old: i32):
        %product = arith.muli %old, %three : i32
        memref.atomic_yield %product : i32
      }
      gpu.barrier
      %in = arith.cmpi ult, %t, %c8 : index
      %last = arith.cmpi eq, %t, %c8 : index
      %copies = arith.ori %in, %last : i1
      scf.if %copies {
        %x = memref.load %w[%t] : memref<9xi32, #shared>
        memref.store %x, %out[%t] : memref<?xi32>
      }
      scf.if %first {
        %x = memref.load %f[%c0] : memref<1xf32, #shared>
        memref.store %x, %sum[%c0] : memref<?xf32>
      }
      gpu.return
    }
  }

  // RUN: kernel
  // CHECK: ( 667, 100, -60, -5, 0, -1, 0, 36, -1504003197 )
  // CHECK: 16.5
  func.func @main() {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c9 = arith.constant 9 : index
    %c33 = arith.constant 33 : index
    %out = gpu.alloc(%c9) : memref<?xi32>
    %sum = gpu.alloc(%c1) : memref<?xf32>
    gpu.launch_func @kernels::@k
        blocks in (%c1, %c1, %c1) threads in (%c33, %c1, %c1)
        args(%out : memref<?xi32>, %sum : memref<?xf32>)
    %h = memref.alloc(%c9) : memref<?xi32>
    %hf = memref.alloc(%c1) : memref<?xf32>
    gpu.memcpy %h, %out : memref<?xi32>, memref<?xi32>
    gpu.memcpy %hf, %sum : memref<?xf32>, memref<?xf32>
    %v = vector.load %h[%c0] : memref<?xi32>, vector<9xi32>
    vector.print %v : vector<9xi32>
    %s = memref.load %hf[%c0] : memref<?xf32>
    vector.print %s : f32
    memref.dealloc %h : memref<?xi32>
    memref.dealloc %hf : memref<?xf32>
    gpu.dealloc %out : memref<?xi32>
    gpu.dealloc %sum : memref<?xf32>
    return
  }
}
