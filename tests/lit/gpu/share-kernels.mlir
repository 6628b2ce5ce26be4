// Kernels of linalg that are alike become one, which the others' launches
// launch; those that assert something say where, and stay, as do all where
// nothing was made of linalg.
// RUN: async-gpu-opt %s --split-input-file --async-gpu-share-kernels | FileCheck %s

// CHECK-LABEL: func.func @layers
// CHECK: gpu.launch_func @k::@first
// CHECK: gpu.launch_func @k::@first
// CHECK: gpu.launch_func @k::@other
// CHECK: gpu.launch_func @k::@asserts
// CHECK: gpu.launch_func @k::@asserts_too
// CHECK: gpu.func @first(
// CHECK-NOT: gpu.func @second(
// CHECK: gpu.func @other(
// CHECK: gpu.func @asserts(
// CHECK: gpu.func @asserts_too(
module attributes {gpu.container_module, async_gpu.alike_kernels} {
  func.func @layers(%m: memref<8xf32>, %n: memref<8xf32>) {
    %c1 = arith.constant 1 : index
    gpu.launch_func @k::@first blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
        args(%m : memref<8xf32>)
    gpu.launch_func @k::@second blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
        args(%n : memref<8xf32>)
    gpu.launch_func @k::@other blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
        args(%n : memref<8xf32>)
    gpu.launch_func @k::@asserts blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
        args(%c1 : index)
    gpu.launch_func @k::@asserts_too blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
        args(%c1 : index)
    return
  }
  gpu.module @k {
    gpu.func @first(%m: memref<8xf32>) kernel {
      %i = gpu.thread_id x
      %x = arith.constant 1.0 : f32
      memref.store %x, %m[%i] : memref<8xf32>
      gpu.return
    }
    gpu.func @second(%m: memref<8xf32>) kernel {
      %i = gpu.thread_id x
      %x = arith.constant 1.0 : f32
      memref.store %x, %m[%i] : memref<8xf32>
      gpu.return
    }
    gpu.func @other(%m: memref<8xf32>) kernel {
      %i = gpu.thread_id x
      %x = arith.constant 2.0 : f32
      memref.store %x, %m[%i] : memref<8xf32>
      gpu.return
    }
    gpu.func @asserts(%i: index) kernel {
      %c1 = arith.constant 1 : index
      %is = arith.cmpi eq, %i, %c1 : index
      cf.assert %is, "one"
      gpu.return
    }
    gpu.func @asserts_too(%i: index) kernel {
      %c1 = arith.constant 1 : index
      %is = arith.cmpi eq, %i, %c1 : index
      cf.assert %is, "one"
      gpu.return
    }
  }
}

// -----

// CHECK-LABEL: func.func @by_hand
// CHECK: gpu.launch_func @k::@a
// CHECK: gpu.launch_func @k::@b
module attributes {gpu.container_module} {
  func.func @by_hand() {
    %c1 = arith.constant 1 : index
    gpu.launch_func @k::@a blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
    gpu.launch_func @k::@b blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
    return
  }
  gpu.module @k {
    gpu.func @a() kernel {
      gpu.return
    }
    gpu.func @b() kernel {
      gpu.return
    }
  }
}
