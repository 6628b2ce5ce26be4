// Where buffers of the host go that kernels are given, and when they are copied.
// RUN: async-gpu-opt %s --async-gpu-place-data | FileCheck %s
// RUN: async-gpu-opt %s --async-gpu-place-data=remarks=true --verify-diagnostics -o /dev/null

module attributes {gpu.container_module} {
gpu.module @k {
  gpu.func @scale(%m: memref<2048xf32>, %a: f32) kernel {
    %i = gpu.thread_id x
    %x = memref.load %m[%i] : memref<2048xf32>
    %y = arith.mulf %x, %a : f32
    memref.store %y, %m[%i] : memref<2048xf32>
    gpu.return
  }
  gpu.func @read(%m: memref<2048xf32>, %to: memref<1xf32>) kernel {
    %i = gpu.thread_id x
    %c0 = arith.constant 0 : index
    %x = memref.load %m[%i] : memref<2048xf32>
    memref.store %x, %to[%c0] : memref<1xf32>
    gpu.return
  }
  gpu.func @row(%m: memref<?xf32, strided<[?], offset: ?>>) kernel {
    %i = gpu.thread_id x
    %x = memref.load %m[%i] : memref<?xf32, strided<[?], offset: ?>>
    memref.store %x, %m[%i] : memref<?xf32, strided<[?], offset: ?>>
    gpu.return
  }
}
func.func private @touch(%m: memref<2048xf32>) {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1.0 : f32
  %x = memref.load %m[%c0] : memref<2048xf32>
  %y = arith.addf %x, %one : f32
  memref.store %y, %m[%c0] : memref<2048xf32>
  return
}
func.func private @unknown(memref<2048xf32>)

// Copied there and back, whatever the number of kernels and rounds.
// CHECK-LABEL: func.func @stays
// CHECK: %[[H:.*]] = memref.alloc
// CHECK: %[[D:.*]] = gpu.alloc
// CHECK: call @touch(%[[H]])
// CHECK-NEXT: gpu.memcpy %[[D]], %[[H]]
// CHECK-NEXT: scf.for
// CHECK-NEXT: @k::@scale {{.*}} args(%[[D]]
// CHECK-NEXT: @k::@scale {{.*}} args(%[[D]]
// CHECK-NEXT: }
// CHECK-NEXT: gpu.memcpy %[[H]], %[[D]]
// CHECK-NEXT: call @touch(%[[H]])
// CHECK-NEXT: gpu.dealloc %[[D]]
// CHECK-NEXT: memref.dealloc %[[H]]
func.func @stays(%n: index, %a: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  // expected-remark @+1 {{the memref.alloc in line 57 has a buffer on the device: 2 copies}}
  %h = memref.alloc() : memref<2048xf32>
  call @touch(%h) : (memref<2048xf32>) -> ()
  scf.for %i = %c0 to %n step %c1 {
    gpu.launch_func @k::@scale blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%h : memref<2048xf32>, %a : f32)
    gpu.launch_func @k::@scale blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%h : memref<2048xf32>, %a : f32)
  }
  call @touch(%h) : (memref<2048xf32>) -> ()
  memref.dealloc %h : memref<2048xf32>
  return
}

// What only kernels use, and copies between such, never are on the host; what a
// loop would copy in each round is shared if it is small, and copied if not: here
// the kernel only reads, so that nothing comes back.
// CHECK-LABEL: func.func @kinds
// CHECK: %[[A:.*]] = gpu.alloc () : memref<2048xf32>
// CHECK: %[[B:.*]] = gpu.alloc () : memref<2048xf32>
// CHECK: %[[F:.*]] = gpu.alloc host_shared () : memref<1xf32>
// CHECK: %[[H:.*]] = memref.alloc
// CHECK: %[[D:.*]] = gpu.alloc
// CHECK: gpu.memcpy %[[B]], %[[A]]
// CHECK: scf.for
// CHECK-NEXT: call @touch(%[[H]])
// CHECK-NEXT: gpu.memcpy %[[D]], %[[H]]
// CHECK-NEXT: @k::@read {{.*}} args(%[[D]] : memref<2048xf32>, %[[F]] : memref<1xf32>)
// CHECK-NEXT: memref.load %[[F]]
// CHECK: return
func.func @kinds(%n: index, %a: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  // expected-remark @+1 {{is allocated on the device: the host never touches it}}
  %a1 = memref.alloc() : memref<2048xf32>
  // expected-remark @+1 {{is allocated on the device: the host never touches it}}
  %b = memref.alloc() : memref<2048xf32>
  // expected-remark @+1 {{is shared by host and device: it is small, and would be copied in a loop}}
  %f = memref.alloc() : memref<1xf32>
  // expected-remark @+1 {{has a buffer on the device: 1 copy, in a loop}}
  %h = memref.alloc() : memref<2048xf32>
  gpu.launch_func @k::@scale blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%a1 : memref<2048xf32>, %a : f32)
  memref.copy %a1, %b : memref<2048xf32> to memref<2048xf32>
  gpu.launch_func @k::@scale blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%b : memref<2048xf32>, %a : f32)
  scf.for %i = %c0 to %n step %c1 {
    func.call @touch(%h) : (memref<2048xf32>) -> ()
    gpu.launch_func @k::@read blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%h : memref<2048xf32>, %f : memref<1xf32>)
    %x = memref.load %f[%c0] : memref<1xf32>
    vector.print %x : f32
  }
  return
}

// A view of the host's is one of the device's buffer. Where branches leave the
// contents on different sides, both are made valid in front of them.
// CHECK-LABEL: func.func @branches
// CHECK-SAME: (%[[H:.*]]: memref<64x32xf32>
// CHECK: %[[D:.*]] = gpu.alloc
// CHECK: %[[V:.*]] = memref.subview %[[H]]
// CHECK: %[[W:.*]] = memref.subview %[[D]]
// CHECK: %[[X:.*]] = memref.cast %[[W]]
// CHECK: gpu.memcpy %[[D]], %[[H]]
// CHECK: scf.if
// CHECK-NEXT: @k::@row {{.*}} args(%[[X]]
// CHECK-NEXT: gpu.memcpy %[[H]], %[[D]]
// CHECK-NEXT: } else {
// CHECK-NEXT: memref.store {{.*}}, %[[H]]
// CHECK-NEXT: }
// CHECK-NEXT: gpu.dealloc %[[D]]
// CHECK-NEXT: return
// expected-remark @+1 {{argument 0 has a buffer on the device: 2 copies}}
func.func @branches(%h: memref<64x32xf32>, %do: i1, %a: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %v = memref.subview %h[3, 0] [1, 32] [1, 1] : memref<64x32xf32> to memref<32xf32, strided<[1], offset: 96>>
  %w = memref.cast %v : memref<32xf32, strided<[1], offset: 96>> to memref<?xf32, strided<[?], offset: ?>>
  scf.if %do {
    gpu.launch_func @k::@row blocks in (%c1, %c1, %c1) threads in (%c32, %c1, %c1) args(%w : memref<?xf32, strided<[?], offset: ?>>)
  } else {
    memref.store %a, %h[%c0, %c0] : memref<64x32xf32>
  }
  return
}

// An address that goes elsewhere; memory that has its place already.
// CHECK-LABEL: func.func @elsewhere
// CHECK: %[[H:.*]] = memref.alloc
// CHECK-NEXT: %[[U:.*]] = memref.cast %[[H]]
// CHECK-NEXT: gpu.host_register %[[U]]
// CHECK: gpu.host_unregister %[[U]]
// CHECK-NEXT: memref.dealloc %[[H]]
// CHECK-NOT: gpu.memcpy
func.func @elsewhere(%a: f32) {
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  // expected-remark @+1 {{is registered: its address goes where it is not followed}}
  %h = memref.alloc() : memref<2048xf32>
  call @unknown(%h) : (memref<2048xf32>) -> ()
  gpu.launch_func @k::@scale blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%h : memref<2048xf32>, %a : f32)
  memref.dealloc %h : memref<2048xf32>
  %d = gpu.alloc () : memref<2048xf32>
  gpu.launch_func @k::@scale blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%d : memref<2048xf32>, %a : f32)
  %s = gpu.alloc host_shared () : memref<2048xf32>
  gpu.launch_func @k::@scale blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%s : memref<2048xf32>, %a : f32)
  return
}

// Private, and never called with the same memory twice.
// CHECK-LABEL: func.func private @callee
// CHECK-SAME: {llvm.noalias}{{.*}}{llvm.noalias}
// expected-remark @+2 {{argument 0 has a buffer on the device: 2 copies}}
// expected-remark @+1 {{argument 1 has a buffer on the device: 2 copies}}
func.func private @callee(%x: memref<2048xf32>, %y: memref<1xf32>, %z: memref<2048xf32>, %a: f32) {
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  gpu.launch_func @k::@scale blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%x : memref<2048xf32>, %a : f32)
  gpu.launch_func @k::@scale blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%z : memref<2048xf32>, %a : f32)
  gpu.launch_func @k::@read blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%x : memref<2048xf32>, %y : memref<1xf32>)
  return
}
func.func @caller(%a: f32) {
  %h = memref.alloc() : memref<2048xf32>
  %i = memref.alloc() : memref<1xf32>
  // Of the device or registered, and so not copied in @callee.
  %d = gpu.alloc () : memref<2048xf32>
  call @callee(%h, %i, %d, %a) : (memref<2048xf32>, memref<1xf32>, memref<2048xf32>, f32) -> ()
  %r = memref.alloc() : memref<2048xf32>
  %u = memref.cast %r : memref<2048xf32> to memref<*xf32>
  gpu.host_register %u : memref<*xf32>
  call @callee(%h, %i, %r, %a) : (memref<2048xf32>, memref<1xf32>, memref<2048xf32>, f32) -> ()
  return
}

// Allocated anew in each round, and so nothing is handed on to the next.
// CHECK-LABEL: func.func @rounds
// CHECK: scf.for
// CHECK-NEXT: %[[H:.*]] = memref.alloc
// CHECK-NEXT: %[[D:.*]] = gpu.alloc
// CHECK-NEXT: call @touch(%[[H]])
// CHECK-NEXT: gpu.memcpy %[[D]], %[[H]]
// CHECK-NEXT: @k::@scale
// CHECK-NEXT: gpu.dealloc %[[D]]
// CHECK-NEXT: memref.dealloc %[[H]]
// CHECK-NEXT: }
func.func @rounds(%n: index, %a: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  scf.for %i = %c0 to %n step %c1 {
    // expected-remark @+1 {{has a buffer on the device: 1 copy, in a loop}}
    %h = memref.alloc() : memref<2048xf32>
    func.call @touch(%h) : (memref<2048xf32>) -> ()
    gpu.launch_func @k::@scale blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%h : memref<2048xf32>, %a : f32)
    memref.dealloc %h : memref<2048xf32>
  }
  return
}

// An unknown function has kept the address of what one call gives.
// CHECK-LABEL: func.func private @kept
// CHECK-SAME: (%{{.*}}: memref<2048xf32>, %
func.func private @kept(%x: memref<2048xf32>, %y: memref<1xf32>) {
  call @unknown(%x) : (memref<2048xf32>) -> ()
  return
}
func.func @keeper() {
  %h = memref.alloc() : memref<2048xf32>
  %i = memref.alloc() : memref<1xf32>
  call @unknown(%h) : (memref<2048xf32>) -> ()
  call @kept(%h, %i) : (memref<2048xf32>, memref<1xf32>) -> ()
  return
}
}
