// A kernel that is in the LLVM dialect already is launched with what it takes.
// RUN: async-gpu-opt %s --async-gpu-regions --async-gpu-kernels=targets=ptx --split-input-file --verify-diagnostics -o /dev/null

module attributes {gpu.container_module} {
  gpu.module @m {
    llvm.func @k(%x: f32, %p: !llvm.ptr, %q: !llvm.ptr<1>) attributes {gpu.kernel, nvvm.kernel} {
      llvm.return
    }
    llvm.func @with_memref(%a: !llvm.ptr, %b: !llvm.ptr, %offset: i64, %size: i64, %stride: i64,
        %n: i64) attributes {gpu.kernel, nvvm.kernel} {
      llvm.return
    }
  }
  func.func @launch(%n: index, %x: f32, %y: i32, %p: !llvm.ptr, %m: memref<4xf32>) {
    gpu.launch_func @m::@k blocks in (%n, %n, %n) threads in (%n, %n, %n)
      args(%x : f32, %p : !llvm.ptr, %p : !llvm.ptr)
    gpu.launch_func @m::@with_memref blocks in (%n, %n, %n) threads in (%n, %n, %n)
      args(%m : memref<4xf32>, %n : index)
    // expected-error@+1 {{kernel 'k' takes 3 parameters, and the launch passes 2; a memref makes one for each part of its descriptor}}
    gpu.launch_func @m::@k blocks in (%n, %n, %n) threads in (%n, %n, %n)
      args(%x : f32, %p : !llvm.ptr)
    // expected-error@+1 {{kernel 'k' takes 3 parameters, and the launch passes 7;}}
    gpu.launch_func @m::@k blocks in (%n, %n, %n) threads in (%n, %n, %n)
      args(%x : f32, %p : !llvm.ptr, %m : memref<4xf32>)
    // expected-error@+1 {{parameter 0 of kernel 'k' is passed as i32, and the kernel takes f32}}
    gpu.launch_func @m::@k clusters in (%n, %n, %n) blocks in (%n, %n, %n) threads in (%n, %n, %n)
      args(%y : i32, %p : !llvm.ptr, %p : !llvm.ptr)
    return
  }
}

// -----

// Pointers in place of descriptors, where that is asked for.
// RUN: not async-gpu-opt %s --split-input-file --async-gpu-regions --async-gpu-kernels="targets=ptx bare-pointers=true" -o /dev/null 2>&1 | FileCheck %s
// CHECK: error: kernel 'with_memref' takes 6 parameters, and the launch passes 2
// CHECK-NOT: kernel 'bare'
module attributes {gpu.container_module} {
  gpu.module @m {
    llvm.func @bare(%p: !llvm.ptr) attributes {gpu.kernel, nvvm.kernel} {
      llvm.return
    }
  }
  func.func @launch(%n: index, %m: memref<4xf32>) {
    // expected-error@+1 {{kernel 'bare' takes 1 parameters, and the launch passes 5; a memref makes one for each part of its descriptor, or a single pointer with the option gpu-bare-pointers}}
    gpu.launch_func @m::@bare blocks in (%n, %n, %n) threads in (%n, %n, %n)
      args(%m : memref<4xf32>)
    return
  }
}
