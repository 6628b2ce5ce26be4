// The kernels of native_memory_test.c.

gpu.module @m {
  memref.global "private" constant @table : memref<4xf32>
      = dense<[1.0, 10.0, 100.0, 1000.0]>
  memref.global @counter : memref<i32> = dense<5>

  gpu.func @stencil(%in: memref<?x?xf32>, %out: memref<?x?xf32>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %h = memref.dim %in, %c0 : memref<?x?xf32>
    %w = memref.dim %in, %c1 : memref<?x?xf32>
    %h1 = arith.subi %h, %c1 : index
    %w1 = arith.subi %w, %c1 : index
    %i = gpu.global_id y
    %j = gpu.global_id x
    %0 = arith.cmpi ugt, %i, %c0 : index
    %1 = arith.cmpi ult, %i, %h1 : index
    %2 = arith.cmpi ugt, %j, %c0 : index
    %3 = arith.cmpi ult, %j, %w1 : index
    %4 = arith.andi %0, %1 : i1
    %5 = arith.andi %2, %3 : i1
    %6 = arith.andi %4, %5 : i1
    scf.if %6 {
      %im = arith.subi %i, %c1 : index
      %ip = arith.addi %i, %c1 : index
      %jm = arith.subi %j, %c1 : index
      %jp = arith.addi %j, %c1 : index
      %n = memref.load %in[%im, %j] : memref<?x?xf32>
      %s = memref.load %in[%ip, %j] : memref<?x?xf32>
      %a = memref.load %in[%i, %jm] : memref<?x?xf32>
      %b = memref.load %in[%i, %jp] : memref<?x?xf32>
      %ns = arith.addf %n, %s : f32
      %ab = arith.addf %a, %b : f32
      %sum = arith.addf %ns, %ab : f32
      memref.store %sum, %out[%i, %j] : memref<?x?xf32>
    }
    gpu.return
  }
  gpu.func @matmul(%a: memref<?x?xf64>, %b: memref<?x?xf64>,
                   %c: memref<?x?xf64>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0.0 : f64
    %i = gpu.thread_id y
    %j = gpu.thread_id x
    %k = memref.dim %a, %c1 : memref<?x?xf64>
    %sum = scf.for %l = %c0 to %k step %c1 iter_args(%s = %zero) -> (f64) {
      %x = memref.load %a[%i, %l] : memref<?x?xf64>
      %y = memref.load %b[%l, %j] : memref<?x?xf64>
      %p = arith.mulf %x, %y : f64
      %r = arith.addf %s, %p : f64
      scf.yield %r : f64
    }
    memref.store %sum, %c[%i, %j] : memref<?x?xf64>
    gpu.return
  }
  // Stride and offset from the launch, a view of a view, and an offset that
  // only the kernel knows.
  gpu.func @views(%in: memref<?xi32, strided<[?], offset: ?>>,
                  %out: memref<?xi32>) kernel {
    %t = gpu.thread_id x
    %c2 = arith.constant 2 : index
    %view = memref.subview %in[%c2] [4] [2]
        : memref<?xi32, strided<[?], offset: ?>>
        to memref<4xi32, strided<[?], offset: ?>>
    %v = memref.load %view[%t] : memref<4xi32, strided<[?], offset: ?>>
    memref.store %v, %out[%t] : memref<?xi32>
    gpu.return
  }
  gpu.func @globals(%out: memref<?xf32>, %seen: memref<i32>) kernel {
    %t = gpu.thread_id x
    %table = memref.get_global @table : memref<4xf32>
    %v = memref.load %table[%t] : memref<4xf32>
    memref.store %v, %out[%t] : memref<?xf32>
    %one = arith.constant 1 : i32
    %counter = memref.get_global @counter : memref<i32>
    %old = memref.atomic_rmw addi %one, %counter[] : (i32, memref<i32>) -> i32
    memref.store %old, %seen[] : memref<i32>
    gpu.return
  }
  gpu.func @vectors(%x: memref<?xf32>) kernel {
    %t = gpu.thread_id x
    %c4 = arith.constant 4 : index
    %at = arith.muli %t, %c4 : index
    %v = vector.load %x[%at] : memref<?xf32>, vector<4xf32>
    %w = arith.addf %v, %v : vector<4xf32>
    vector.store %w, %x[%at] : memref<?xf32>, vector<4xf32>
    gpu.return
  }
  // Pointers in an address space of their own.
  gpu.func @spaces(%x: memref<?xi32, #gpu.address_space<global>>,
                   %y: memref<?xi32, 1>) kernel {
    %t = gpu.thread_id x
    %p = memref.memory_space_cast %x
        : memref<?xi32, #gpu.address_space<global>> to memref<?xi32>
    %v = memref.load %p[%t] : memref<?xi32>
    %w = memref.load %y[%t] : memref<?xi32, 1>
    %s = arith.addi %v, %w : i32
    memref.store %s, %x[%t] : memref<?xi32, #gpu.address_space<global>>
    gpu.return
  }
  // Control flow with an early way out and a loop whose end is data.
  gpu.func @collatz(%x: memref<?xi32>, %steps: memref<?xi32>) kernel {
    %t = gpu.thread_id x
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %c3 = arith.constant 3 : i32
    %v = memref.load %x[%t] : memref<?xi32>
    %bad = arith.cmpi sle, %v, %c0 : i32
    cf.cond_br %bad, ^exit, ^work
  ^work:
    %r:2 = scf.while (%n = %v, %s = %c0) : (i32, i32) -> (i32, i32) {
      %more = arith.cmpi ne, %n, %c1 : i32
      scf.condition(%more) %n, %s : i32, i32
    } do {
    ^bb0(%n: i32, %s: i32):
      %bit = arith.andi %n, %c1 : i32
      %odd = arith.cmpi eq, %bit, %c1 : i32
      %next = scf.if %odd -> (i32) {
        %a = arith.muli %n, %c3 : i32
        %b = arith.addi %a, %c1 : i32
        scf.yield %b : i32
      } else {
        %a = arith.divsi %n, %c2 : i32
        scf.yield %a : i32
      }
      %s1 = arith.addi %s, %c1 : i32
      scf.yield %next, %s1 : i32, i32
    }
    memref.store %r#1, %steps[%t] : memref<?xi32>
    cf.br ^exit
  ^exit:
    gpu.return
  }
}
