// Native code: special registers, calls, math and address spaces.
// RUN: async-gpu-opt %s --async-gpu-kernels=targets=native --split-input-file | FileCheck %s

// A global of the module is one of the program; names say where it is from.
// CHECK-LABEL: llvm.mlir.global internal @agpu_global.m.counter
// CHECK-SAME: addr_space = 0
// A device function is told where the thread is.
// CHECK: llvm.func internal @agpu_device.m.where(%[[BASE:.*]]: i64, %[[TID:[a-z0-9]+]]: i32, {{.*}}: i32) -> i64
// CHECK: llvm.sext %[[TID]]
// CHECK: llvm.func internal @agpu_body.m.k({{.*}}, %[[X:.*]]: i32, %{{.*}}: i32, %{{.*}}: i32, %{{.*}}: i32, %{{.*}}: i32, %{{.*}}: i32, %{{.*}}: i32, %{{.*}}: i32, %{{.*}}: i32, %{{.*}}: i32, %{{.*}}: i32, %{{.*}}: i32) attributes {always_inline}
// CHECK: llvm.call @agpu_device.m.where(%{{.*}}, %[[X]],
// CHECK: llvm.mlir.addressof @agpu_global.m.counter
// CHECK: llvm.atomicrmw add
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

// Math is an intrinsic of LLVM or a function of the host's libm.
// CHECK-LABEL: func.func private @erff(f32) -> f32 attributes {llvm.readnone}
// CHECK: llvm.func internal @agpu_body.math.k
// CHECK: llvm.intr.exp(%{{.*}}) : (f32) -> f32
// CHECK: call @erff
// CHECK: llvm.intr.sqrt
// CHECK: llvm.fdiv
// CHECK: llvm.intr.powi
// CHECK-NOT: __nv_
gpu.module @math {
  gpu.func @k(%x: memref<f32>, %n: i32) kernel {
    %v = memref.load %x[] : memref<f32>
    %0 = math.exp %v : f32
    %1 = math.erf %0 : f32
    %2 = math.rsqrt %1 : f32
    %3 = math.fpowi %2, %n : f32, i32
    memref.store %3, %x[] : memref<f32>
    gpu.return
  }
}

// -----

// Each thread has its own alloca in the source but LLVM's loop has one: only
// what surely is not private memory counts as parallel.
// CHECK-LABEL: llvm.func internal @agpu_body.private.k
// CHECK: %[[A:.*]] = llvm.alloca
// CHECK: llvm.load %{{.*}} {access_groups
// CHECK: llvm.store %{{.*}}, %{{.*}} : f32
// CHECK: llvm.load %{{[0-9]+}} : !llvm.ptr -> f32
// CHECK: llvm.store %{{.*}}, %{{.*}} {access_groups
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

// A function that the program declares itself, and the heap.
// CHECK-LABEL: llvm.func @erff
// CHECK: llvm.func @malloc
// CHECK: llvm.call @erff
// CHECK: llvm.call @malloc
// CHECK: llvm.call @free
llvm.func @erff(f32) -> f32
llvm.func @malloc(i64) -> !llvm.ptr
gpu.module @declared {
  gpu.func @k(%x: memref<f32>, %n: index) kernel {
    %v = memref.load %x[] : memref<f32>
    %e = math.erf %v : f32
    %a = memref.alloc(%n) : memref<?xf32>
    memref.store %e, %a[%n] : memref<?xf32>
    memref.dealloc %a : memref<?xf32>
    gpu.return
  }
}
