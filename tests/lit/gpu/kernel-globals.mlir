// Globals that kernels and the host use are one object, or an error.
// RUN: async-gpu-opt %s --async-gpu-kernel-globals -split-input-file -verify-diagnostics | FileCheck %s

memref.global "private" @state : memref<4xf32> = dense<0.0>

// CHECK-LABEL: func.func @both
// CHECK: %[[G:.*]] = memref.get_global @state
// CHECK-NEXT: gpu.launch
// CHECK: memref.store %{{.*}}, %[[G]]
// CHECK: memref.get_global @state
func.func @both(%c1: index, %v: f32) -> f32 {
  gpu.launch blocks(%a, %b, %c) in (%d0 = %c1, %d1 = %c1, %d2 = %c1)
      threads(%x, %y, %z) in (%e0 = %c1, %e1 = %c1, %e2 = %c1) {
    %g = memref.get_global @state : memref<4xf32>
    memref.store %v, %g[%x] : memref<4xf32>
    gpu.terminator
  }
  %h = memref.get_global @state : memref<4xf32>
  %r = memref.load %h[%c1] : memref<4xf32>
  return %r : f32
}

// -----

// A view that is written to is the global.
memref.global @viewed : memref<4xf32> = dense<0.0>
// CHECK-LABEL: func.func @view
// CHECK: memref.get_global @viewed
// CHECK: memref.get_global @viewed
// CHECK-NEXT: gpu.launch
func.func @view(%c1: index, %d: memref<4xf32>, %v: f32) {
  %h = memref.get_global @viewed : memref<4xf32>
  %s = memref.cast %h : memref<4xf32> to memref<?xf32>
  memref.store %v, %s[%c1] : memref<?xf32>
  gpu.launch blocks(%a, %b, %c) in (%d0 = %c1, %d1 = %c1, %d2 = %c1)
      threads(%x, %y, %z) in (%e0 = %c1, %e1 = %c1, %e2 = %c1) {
    %g = memref.get_global @viewed : memref<4xf32>
    %f = memref.load %g[%x] : memref<4xf32>
    memref.store %f, %d[%x] : memref<4xf32>
    gpu.terminator
  }
  return
}

// -----

// Nobody writes to the one, the host does not use the other, and workgroup
// memory is the kernel's.
memref.global "private" @read : memref<4xf32> = dense<1.0>
memref.global "private" @device : memref<4xf32> = dense<1.0>
memref.global "private" @group : memref<4xf32, #gpu.address_space<workgroup>>
func.func private @printMemrefF32(memref<*xf32>)
// CHECK-LABEL: func.func @copies
// CHECK: gpu.launch
// CHECK: memref.get_global @read
// CHECK: memref.get_global @device
// CHECK: memref.get_global @group
func.func @copies(%c1: index) {
  gpu.launch blocks(%a, %b, %c) in (%d0 = %c1, %d1 = %c1, %d2 = %c1)
      threads(%x, %y, %z) in (%e0 = %c1, %e1 = %c1, %e2 = %c1) {
    %g = memref.get_global @read : memref<4xf32>
    %f = memref.load %g[%x] : memref<4xf32>
    %h = memref.get_global @device : memref<4xf32>
    memref.store %f, %h[%x] : memref<4xf32>
    %i = memref.get_global @group : memref<4xf32, #gpu.address_space<workgroup>>
    memref.store %f, %i[%x] : memref<4xf32, #gpu.address_space<workgroup>>
    gpu.terminator
  }
  %r = memref.get_global @read : memref<4xf32>
  %u = memref.cast %r : memref<4xf32> to memref<*xf32>
  call @printMemrefF32(%u) : (memref<*xf32>) -> ()
  return
}

// -----

memref.global "private" @helped : memref<4xf32> = dense<0.0>
func.func private @helper(%i: index) {
  // expected-error @below {{a kernel that calls this function would have a copy of 'helped', which the host uses too, at }}
  %g = memref.get_global @helped : memref<4xf32>
  %f = memref.load %g[%i] : memref<4xf32>
  %h = arith.addf %f, %f : f32
  memref.store %h, %g[%i] : memref<4xf32>
  return
}
func.func private @between(%i: index) {
  call @helper(%i) : (index) -> ()
  return
}
func.func @main(%c1: index) -> f32 {
  gpu.launch blocks(%a, %b, %c) in (%d0 = %c1, %d1 = %c1, %d2 = %c1)
      threads(%x, %y, %z) in (%e0 = %c1, %e1 = %c1, %e2 = %c1) {
    func.call @between(%x) : (index) -> ()
    gpu.terminator
  }
  %h = memref.get_global @helped : memref<4xf32>
  %r = memref.load %h[%c1] : memref<4xf32>
  return %r : f32
}

// -----

// Upstream's outlining has made a copy already.
memref.global "private" @outlined : memref<4xf32> = dense<0.0>
gpu.module @kernels {
  memref.global "private" @outlined : memref<4xf32> = dense<0.0>
  gpu.func @write(%v: f32) kernel {
    %x = gpu.thread_id x
    // expected-warning @below {{the kernel uses the 'outlined' of its gpu.module, and the host another global of that name}}
    %g = memref.get_global @outlined : memref<4xf32>
    memref.store %v, %g[%x] : memref<4xf32>
    gpu.return
  }
}
func.func @host(%i: index) -> f32 {
  %h = memref.get_global @outlined : memref<4xf32>
  %r = memref.load %h[%i] : memref<4xf32>
  return %r : f32
}
