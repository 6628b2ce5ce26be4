// Native code: special registers, calls, math and address spaces.
// RUN: async-gpu-opt %s --async-gpu-kernels=targets=native --split-input-file | FileCheck %s

// A global of the module is one of the program; names say where it is from.
// CHECK-LABEL: llvm.mlir.global internal @agpu_global.m.counter
// CHECK-SAME: addr_space = 0
// A device function is told where the thread is.
// CHECK: llvm.func internal @agpu_device.m.where(%[[BASE:.*]]: i64, %[[TID:[a-z0-9]+]]: i32, {{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr) -> i64
// CHECK: llvm.sext %[[TID]]
// CHECK: llvm.func internal @agpu_body.m.k(
// CHECK: llvm.mlir.addressof @agpu_global.m.counter
// CHECK: llvm.call @agpu_device.m.where(%{{[0-9a-z]+}}, %[[X:[0-9]+]],
// CHECK: llvm.atomicrmw add
// CHECK: ^{{.*}}(%[[X]]: i32):
gpu.module @m {
  memref.global @counter : memref<i32, #gpu.address_space<global>> = dense<0>
  func.func private @where(%base: index) -> index {
    %t = gpu.thread_id x
    %r = arith.addi %base, %t : index
    return %r : index
  }
  gpu.func @k(%x: memref<?xindex>) kernel {
    %t = gpu.block_id x
    %w = func.call @where(%t) : (index) -> index
    memref.store %w, %x[%t] : memref<?xindex>
    %c = memref.get_global @counter : memref<i32, #gpu.address_space<global>>
    %one = arith.constant 1 : i32
    %old = memref.atomic_rmw addi %one, %c[]
        : (i32, memref<i32, #gpu.address_space<global>>) -> i32
    gpu.return
  }
}

// -----

// Math is an intrinsic of LLVM, a function of the host's libm, or code without
// calls.
// CHECK-LABEL: func.func private @erfcf(f32) -> f32 attributes {llvm.readnone}
// CHECK: llvm.func internal @agpu_body.math.k
// CHECK-NOT: llvm.intr.exp
// CHECK: llvm.intr.fmuladd
// CHECK-NOT: llvm.intr.exp
// CHECK: call @erfcf
// CHECK: llvm.intr.sqrt
// CHECK: llvm.fdiv
// CHECK: llvm.intr.powi
// CHECK-NOT: __nv_
gpu.module @math {
  gpu.func @k(%x: memref<f32>, %n: i32) kernel {
    %v = memref.load %x[] : memref<f32>
    %0 = math.exp %v : f32
    %1 = math.erfc %0 : f32
    %2 = math.rsqrt %1 : f32
    %3 = math.fpowi %2, %n : f32, i32
    memref.store %3, %x[] : memref<f32>
    gpu.return
  }
}

// -----

// Each thread has its own alloca in the source but LLVM's loop has one: such a
// loop is not said to be parallel.
// CHECK-LABEL: llvm.func internal @agpu_body.private.k
// CHECK: llvm.alloca
// CHECK-NOT: access_groups
// CHECK-NOT: loop_annotation
// CHECK: llvm.func internal @agpu_native.private.k
// CHECK: llvm.mlir.global internal constant @agpu_param_sizes.private.k
gpu.module @private {
  gpu.func @k(%x: memref<?xf32>) kernel {
    %t = gpu.thread_id x
    %p = memref.alloca() : memref<4xf32>
    %c4 = arith.constant 4 : index
    %i = arith.remui %t, %c4 : index
    %v = memref.load %x[%t] : memref<?xf32>
    memref.store %v, %p[%i] : memref<4xf32>
    %w = memref.load %p[%i] : memref<4xf32>
    memref.store %w, %x[%t] : memref<?xf32>
    gpu.return
  }
}

// -----

// A load that can follow a store of the same thread must not be moved over it,
// so that the loop is not said to be parallel either; loads before the one
// store are free.
// CHECK-LABEL: llvm.func internal @agpu_body.order.again
// CHECK-NOT: access_groups
// CHECK: llvm.func internal @agpu_body.order.once
// CHECK: llvm.load %{{.*}} {access_groups = [#[[GROUP:.*]]]}
// CHECK: llvm.load %{{.*}} {access_groups = [#[[GROUP]]]}
// CHECK: llvm.store %{{.*}} {access_groups = [#[[GROUP]]]}
// CHECK: loop_annotation
// CHECK: llvm.func internal @agpu_native.order.once
gpu.module @order {
  gpu.func @again(%x: memref<?xf32>) kernel {
    %t = gpu.thread_id x
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    scf.for %i = %c0 to %t step %c1 {
      %v = memref.load %x[%i] : memref<?xf32>
      memref.store %v, %x[%t] : memref<?xf32>
    }
    gpu.return
  }
  gpu.func @once(%x: memref<?xf32>, %n: index) kernel {
    %t = gpu.thread_id x
    %c = arith.cmpi ult, %t, %n : index
    scf.if %c {
      %v = memref.load %x[%t] : memref<?xf32>
      %w = memref.load %x[%n] : memref<?xf32>
      %s = arith.addf %v, %w : f32
      memref.store %s, %x[%t] : memref<?xf32>
    }
    gpu.return
  }
}

// -----

// Equal names in two modules, and dots in them, do not meet.
// CHECK-LABEL: module
// CHECK-DAG: @agpu_kernel.a$.b.c
// CHECK-DAG: @agpu_kernel.a.b.c
module {
  gpu.module @a.b {
    gpu.func @c() kernel {
      gpu.return
    }
  }
  gpu.module @a {
    gpu.func @b.c() kernel {
      gpu.return
    }
  }
}

// -----

// A function that the program declares itself, and the heap, which is not the host's.
// CHECK-LABEL: llvm.func @erfcf
// CHECK: llvm.func @malloc
// CHECK: llvm.call @erfcf
// CHECK: call @agpu_native_malloc
// CHECK: call @agpu_native_free
llvm.func @erfcf(f32) -> f32
llvm.func @malloc(i64) -> !llvm.ptr
gpu.module @declared {
  gpu.func @k(%x: memref<f32>, %n: index) kernel {
    %v = memref.load %x[] : memref<f32>
    %e = math.erfc %v : f32
    %a = memref.alloc(%n) : memref<?xf32>
    memref.store %e, %a[%n] : memref<?xf32>
    memref.dealloc %a : memref<?xf32>
    gpu.return
  }
}

// -----

// Threads meet where an atomic operation on workgroup memory stores.
// CHECK-LABEL: llvm.func internal @agpu_body.counts.count
// CHECK-NOT: access_groups
// CHECK-NOT: agpu.atomic
// CHECK: llvm.func internal @agpu_native.counts.count
gpu.module @counts {
  gpu.func @count(%x: memref<?xindex>)
      workgroup(%w: memref<64xi32, #gpu.address_space<workgroup>>) kernel {
    %one = arith.constant 1 : i32
    %t = gpu.thread_id x
    %i = memref.load %x[%t] : memref<?xindex>
    %old = memref.atomic_rmw addi %one, %w[%i]
        : (i32, memref<64xi32, #gpu.address_space<workgroup>>) -> i32
    gpu.return
  }
}
