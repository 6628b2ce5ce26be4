// Memory of the host that has no place, with what its user can do about it.
// RUN: async-gpu-opt %s --async-gpu-place-data --split-input-file --verify-diagnostics
// RUN: not async-gpu-opt %s --async-gpu-place-data=noalias-arguments=true --split-input-file 2>&1 | FileCheck %s

// CHECK-NOT: may be the same memory
module attributes {gpu.container_module} {
gpu.module @k {
  gpu.func @copy(%to: memref<64xf32>, %from: memref<64xf32>) kernel {
    %i = gpu.thread_id x
    %x = memref.load %from[%i] : memref<64xf32>
    memref.store %x, %to[%i] : memref<64xf32>
    gpu.return
  }
}
func.func @same(%a: memref<64xf32>, %b: memref<64xf32>) {
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  // expected-error @+2 {{the kernel is given memory of the host, argument 0, which cannot be placed: it may be the same memory as argument 1, and a kernel writes to one of them; give the argument llvm.noalias}}
  // expected-error @+1 {{argument 1, which cannot be placed: it may be the same memory as argument 0}}
  gpu.launch_func @k::@copy blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%a : memref<64xf32>, %b : memref<64xf32>)
  return
}
}

// -----

module attributes {gpu.container_module} {
gpu.module @k {
  gpu.func @fill(%to: memref<64xf32>, %x: f32) kernel {
    %i = gpu.thread_id x
    memref.store %x, %to[%i] : memref<64xf32>
    gpu.return
  }
}
func.func private @unknown(memref<64xf32>)
func.func private @both(%a: memref<64xf32>, %x: f32) {
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  // expected-error @+1 {{argument 0, which cannot be placed: some calls give memory of the device in its place, others of the host; give memory of the device (gpu.alloc) in all of them}}
  gpu.launch_func @k::@fill blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%a : memref<64xf32>, %x : f32)
  return
}
func.func @frame(%x: f32) {
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %h = memref.alloca() : memref<64xf32>
  %d = gpu.alloc () : memref<64xf32>
  call @both(%h, %x) : (memref<64xf32>, f32) -> ()
  call @both(%d, %x) : (memref<64xf32>, f32) -> ()
  call @unknown(%h) : (memref<64xf32>) -> ()
  // expected-error @+1 {{the memref.alloca in line 46, which cannot be placed: its address goes where it is not followed; copy it to the device (gpu.memcpy), register it (gpu.host_register), or allocate it for both (gpu.alloc host_shared)}}
  gpu.launch_func @k::@fill blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%h : memref<64xf32>, %x : f32)
  return
}
}
