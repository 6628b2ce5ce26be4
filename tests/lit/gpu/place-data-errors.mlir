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
  // expected-error @+1 {{the memref.alloca in line 45, which cannot be placed: its address goes where it is not followed; copy it to the device (gpu.memcpy), register it (gpu.host_register), or allocate it for both (gpu.alloc host_shared)}}
  gpu.launch_func @k::@fill blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%h : memref<64xf32>, %x : f32)
  return
}
}

// -----

// What a buffer that stands in for memory cannot follow.
module attributes {gpu.container_module} {
gpu.module @k {
  gpu.func @fill(%to: memref<64xf32>, %x: f32) kernel {
    %i = gpu.thread_id x
    memref.store %x, %to[%i] : memref<64xf32>
    gpu.return
  }
}
memref.global "private" @g : memref<64xf32> = dense<1.0>
func.func private @reads() -> f32 {
  %c0 = arith.constant 0 : index
  %g = memref.get_global @g : memref<64xf32>
  %x = memref.load %g[%c0] : memref<64xf32>
  return %x : f32
}
func.func @called(%c: i1, %x: f32) -> f32 {
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %h = memref.alloc() : memref<64xf32>
  %g = memref.get_global @g : memref<64xf32>
  %m = arith.select %c, %h, %g : memref<64xf32>
  // expected-error @+1 {{functions that are called use it, too; copy it to the device (gpu.memcpy)}}
  gpu.launch_func @k::@fill blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%m : memref<64xf32>, %x : f32)
  %y = call @reads() : () -> f32
  memref.dealloc %h : memref<64xf32>
  return %y : f32
}
func.func private @unknown(memref<64xf32>)
func.func @other_name(%c: i1, %a: memref<64xf32>, %x: f32) {
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %h = memref.alloc() : memref<64xf32>
  %m = arith.select %c, %h, %a : memref<64xf32>
  // expected-error @+1 {{argument 1, which cannot be placed: control flow passes it on, and line 94 may use it by another name}}
  gpu.launch_func @k::@fill blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%m : memref<64xf32>, %x : f32)
  call @unknown(%a) : (memref<64xf32>) -> ()
  memref.dealloc %h : memref<64xf32>
  return
}
func.func @layout(%c: i1, %a: memref<8x8xf32>, %b: memref<8x8xf32>) -> memref<8x8xf32, affine_map<(i, j) -> (j, i)>> {
  %c1 = arith.constant 1 : index
  %x = arith.constant 1.0 : f32
  %h = memref.alloc() : memref<8x8xf32, affine_map<(i, j) -> (j, i)>>
  %n = memref.alloc() : memref<8x8xf32, affine_map<(i, j) -> (j, i)>>
  %m = arith.select %c, %h, %n : memref<8x8xf32, affine_map<(i, j) -> (j, i)>>
  // expected-error @+1 {{which cannot be placed: }}
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1) threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {
    memref.store %x, %m[%tx, %tx] : memref<8x8xf32, affine_map<(i, j) -> (j, i)>>
    gpu.terminator
  }
  return %m : memref<8x8xf32, affine_map<(i, j) -> (j, i)>>
}
func.func @loop(%n: index, %x: f32) {
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %h = memref.alloc() : memref<64xf32>
  %r = affine.for %i = 0 to 4 iter_args(%p = %h) -> memref<64xf32> {
    // expected-error @+1 {{the kernel is given memory that cannot be placed: it comes from control flow that is not followed; copy it}}
    gpu.launch_func @k::@fill blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%p : memref<64xf32>, %x : f32)
    affine.yield %p : memref<64xf32>
  }
  memref.dealloc %h : memref<64xf32>
  return
}
// The argument may be the other global.
memref.global "private" @one : memref<64xf32> = dense<1.0>
memref.global "private" @other : memref<64xf32> = dense<2.0>
func.func @globals(%c: i1, %a: memref<64xf32>, %x: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %one = memref.get_global @one : memref<64xf32>
  %other = memref.get_global @other : memref<64xf32>
  %m = arith.select %c, %a, %one : memref<64xf32>
  // expected-error @+1 {{argument 1, which cannot be placed: control flow passes it on, and line 135 may use it by another name}}
  gpu.launch_func @k::@fill blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%m : memref<64xf32>, %x : f32)
  %y = memref.load %other[%c0] : memref<64xf32>
  return %y : f32
}
}
