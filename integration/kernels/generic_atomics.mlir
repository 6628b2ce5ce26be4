// Atomic operations whose operation is a region, on integers and floats of 32 and
// 64 bits: all threads of a block change one place.

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @k(%x: memref<?xi32>, %out: memref<?xi32>)
        workgroup(%a: memref<1xi32, #gpu.address_space<workgroup>>,
                  %p: memref<1xf32, #gpu.address_space<workgroup>>,
                  %q: memref<1xi64, #gpu.address_space<workgroup>>,
                  %d: memref<1xf64, #gpu.address_space<workgroup>>) kernel {
      %c0 = arith.constant 0 : index
      %t = gpu.thread_id x
      %g = gpu.global_id x
      %v = memref.load %x[%g] : memref<?xi32>
      %is_first = arith.cmpi eq, %t, %c0 : index
      %k0 = arith.constant 0 : i32
      %k1 = arith.constant 0.0 : f32
      %k2 = arith.constant 0 : i64
      %k3 = arith.constant 0.0 : f64
      scf.if %is_first {
        memref.store %k0, %a[%c0] : memref<1xi32, #gpu.address_space<workgroup>>
        memref.store %k1, %p[%c0] : memref<1xf32, #gpu.address_space<workgroup>>
        memref.store %k2, %q[%c0] : memref<1xi64, #gpu.address_space<workgroup>>
        memref.store %k3, %d[%c0] : memref<1xf64, #gpu.address_space<workgroup>>
      }
      gpu.barrier
      %k7 = arith.constant 7 : i32
      %small = arith.andi %v, %k7 : i32
      %f = arith.uitofp %small : i32 to f32
      %l = arith.extui %small : i32 to i64
      %e = arith.uitofp %small : i32 to f64
      %old0 = memref.generic_atomic_rmw %a[%c0] : memref<1xi32, #gpu.address_space<workgroup>> {
      ^bb0(%now: i32):
        // Modulo 1021, so that addition and subtraction meet.
        %prime = arith.constant 1021 : i32
        %s = arith.addi %now, %small : i32
        %next = arith.remui %s, %prime : i32
        memref.atomic_yield %next : i32
      }
      %old1 = memref.generic_atomic_rmw %p[%c0] : memref<1xf32, #gpu.address_space<workgroup>> {
      ^bb0(%now: f32):
        %next = arith.addf %now, %f : f32
        memref.atomic_yield %next : f32
      }
      %old2 = memref.generic_atomic_rmw %q[%c0] : memref<1xi64, #gpu.address_space<workgroup>> {
      ^bb0(%now: i64):
        %prime = arith.constant 1000000007 : i64
        %big = arith.muli %l, %prime : i64
        %next = arith.addi %now, %big : i64
        memref.atomic_yield %next : i64
      }
      %old3 = memref.generic_atomic_rmw %d[%c0] : memref<1xf64, #gpu.address_space<workgroup>> {
      ^bb0(%now: f64):
        %next = arith.addf %now, %e : f64
        memref.atomic_yield %next : f64
      }
      gpu.barrier
      %r0 = memref.load %a[%c0] : memref<1xi32, #gpu.address_space<workgroup>>
      %r1 = memref.load %p[%c0] : memref<1xf32, #gpu.address_space<workgroup>>
      %r2 = memref.load %q[%c0] : memref<1xi64, #gpu.address_space<workgroup>>
      %r3 = memref.load %d[%c0] : memref<1xf64, #gpu.address_space<workgroup>>
      %i1 = arith.fptosi %r1 : f32 to i32
      %i2 = arith.trunci %r2 : i64 to i32
      %i3 = arith.fptosi %r3 : f64 to i32
      %k33 = arith.constant 33 : i32
      %m0 = arith.muli %r0, %k33 : i32
      %s0 = arith.addi %m0, %i1 : i32
      %m1 = arith.muli %s0, %k33 : i32
      %s1 = arith.addi %m1, %i2 : i32
      %m2 = arith.muli %s1, %k33 : i32
      %s2 = arith.addi %m2, %i3 : i32
      memref.store %s2, %out[%g] : memref<?xi32>
      gpu.return
    }
  }

  // What the kernel makes of elements from .. to, those of block b.
  func.func @expect(%x: memref<?xi32>, %want: memref<?xi32>, %b: index,
                    %from: index, %to: index) {
    %zero = arith.constant 0 : i32
    %c1 = arith.constant 1 : index
    %k7 = arith.constant 7 : i32
    %sum = scf.for %i = %from to %to step %c1 iter_args(%s = %zero) -> i32 {
      %v = memref.load %x[%i] : memref<?xi32>
      %small = arith.andi %v, %k7 : i32
      %next = arith.addi %s, %small : i32
      scf.yield %next : i32
    }
    %prime = arith.constant 1021 : i32
    %r0 = arith.remui %sum, %prime : i32
    %sum64 = arith.extui %sum : i32 to i64
    %large = arith.constant 1000000007 : i64
    %r2 = arith.muli %sum64, %large : i64
    %i2 = arith.trunci %r2 : i64 to i32
    %k33 = arith.constant 33 : i32
    %m0 = arith.muli %r0, %k33 : i32
    %s0 = arith.addi %m0, %sum : i32
    %m1 = arith.muli %s0, %k33 : i32
    %s1 = arith.addi %m1, %i2 : i32
    %m2 = arith.muli %s1, %k33 : i32
    %s2 = arith.addi %m2, %sum : i32
    scf.for %i = %from to %to step %c1 {
      memref.store %s2, %want[%i] : memref<?xi32>
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
