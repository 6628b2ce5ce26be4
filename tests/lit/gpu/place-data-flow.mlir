// Buffers of the host that control flow hands on: which one a kernel is given is
// known only when the program runs.
// RUN: async-gpu-opt %s --async-gpu-place-data | FileCheck %s
// RUN: async-gpu-opt %s --async-gpu-place-data=remarks=true --verify-diagnostics -o /dev/null

module attributes {gpu.container_module} {
gpu.module @k {
  gpu.func @add(%m: memref<2048xf32>, %n: memref<2048xf32>, %to: memref<2048xf32>) kernel {
    %i = gpu.thread_id x
    %x = memref.load %m[%i] : memref<2048xf32>
    %y = memref.load %n[%i] : memref<2048xf32>
    %z = arith.addf %x, %y : f32
    memref.store %z, %to[%i] : memref<2048xf32>
    gpu.return
  }
  gpu.func @scale(%m: memref<2048xf32>) kernel {
    %i = gpu.thread_id x
    %x = memref.load %m[%i] : memref<2048xf32>
    %y = arith.addf %x, %x : f32
    memref.store %y, %m[%i] : memref<2048xf32>
    gpu.return
  }
}
func.func private @unknown(memref<2048xf32>)

// A buffer for each round, which the next one frees: all on the device. What does not
// change is copied once in front of the loop, and the result once behind it.
// CHECK-LABEL: func.func @rounds
// CHECK-SAME: (%[[ARG:.*]]: memref<2048xf32>,
// CHECK: %[[A:.*]] = gpu.alloc
// CHECK: %[[P:.*]] = gpu.alloc
// CHECK: gpu.memcpy %[[A]], %[[ARG]]
// CHECK-NEXT: gpu.memcpy %[[P]], %[[A]]
// CHECK-NEXT: %[[R:.*]] = scf.for {{.*}} iter_args(%[[Q:.*]] = %[[P]])
// CHECK-NEXT: %[[O:.*]] = gpu.alloc
// CHECK-NEXT: args(%[[A]] : memref<2048xf32>, %[[Q]] : memref<2048xf32>, %[[O]] : memref<2048xf32>)
// CHECK-NEXT: gpu.dealloc %[[Q]]
// CHECK-NEXT: scf.yield %[[O]]
// CHECK-NEXT: }
// CHECK-NOT: memref.load
// CHECK: %[[H:.*]] = memref.alloc() : memref<2048xf32>
// CHECK-NEXT: gpu.memcpy %[[H]], %[[R]]
// CHECK: gpu.dealloc %[[R]]
// CHECK: return %[[H]]
// expected-remark @+1 {{argument 0 has a buffer on the device: 1 copy}}
func.func @rounds(%a: memref<2048xf32>, %n: index) -> memref<2048xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  // expected-remark @+1 {{is on the device: the host only hands it on, frees, returns or reads it}}
  %h = memref.alloc() : memref<2048xf32>
  memref.copy %a, %h : memref<2048xf32> to memref<2048xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%p = %h) -> (memref<2048xf32>) {
    // expected-remark @+1 {{is on the device: the host only hands it on, frees, returns or reads it}}
    %o = memref.alloc() : memref<2048xf32>
    gpu.launch_func @k::@add blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%a : memref<2048xf32>, %p : memref<2048xf32>, %o : memref<2048xf32>)
    memref.dealloc %p : memref<2048xf32>
    scf.yield %o : memref<2048xf32>
  }
  return %r : memref<2048xf32>
}

// Arguments that change places have buffers as long as the function: copied there
// once, and back once.
// CHECK-LABEL: func.func @arguments
// CHECK-SAME: (%[[A:.*]]: memref<2048xf32> {llvm.noalias}, %[[B:.*]]: memref<2048xf32> {llvm.noalias},
// CHECK-DAG: gpu.memcpy %[[D:.*]], %[[A]]
// CHECK-DAG: gpu.memcpy %[[E:.*]], %[[B]]
// CHECK: scf.for {{.*}} iter_args(%[[P:.*]] = %[[D]], %[[Q:.*]] = %[[E]])
// CHECK-NEXT: args(%[[P]]
// CHECK-NEXT: scf.yield %[[Q]], %[[P]]
// CHECK-NEXT: }
// CHECK-DAG: gpu.memcpy %[[A]], %[[D]]
// CHECK-DAG: gpu.memcpy %[[B]], %[[E]]
// CHECK: return
// expected-remark @+2 {{argument 0 is on the device: the host only hands it on}}
// expected-remark @+1 {{argument 1 is on the device: the host only hands it on}}
func.func @arguments(%a: memref<2048xf32> {llvm.noalias}, %b: memref<2048xf32> {llvm.noalias}, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%p = %a, %q = %b) -> (memref<2048xf32>, memref<2048xf32>) {
    gpu.launch_func @k::@scale blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%p : memref<2048xf32>)
    scf.yield %q, %p : memref<2048xf32>, memref<2048xf32>
  }
  return
}

// The host writes what it has been handed, too.
// CHECK-LABEL: func.func @both
// CHECK: %[[A:.*]] = gpu.alloc host_shared
// CHECK: %[[B:.*]] = gpu.alloc host_shared
// CHECK: %[[M:.*]] = arith.select %{{.*}}, %[[A]], %[[B]]
// CHECK: memref.store %{{.*}}, %[[M]]
// CHECK: args(%[[M]]
// CHECK: gpu.dealloc %[[A]]
// CHECK: gpu.dealloc %[[B]]
func.func @both(%c: i1, %x: f32) {
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  // expected-remark @+1 {{is shared by host and device: control flow passes it on}}
  %a = memref.alloc() : memref<2048xf32>
  // expected-remark @+1 {{is shared by host and device: control flow passes it on}}
  %b = memref.alloc() : memref<2048xf32>
  %m = arith.select %c, %a, %b : memref<2048xf32>
  memref.store %x, %m[%c1] : memref<2048xf32>
  gpu.launch_func @k::@scale blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%m : memref<2048xf32>)
  memref.dealloc %a : memref<2048xf32>
  memref.dealloc %b : memref<2048xf32>
  return
}

// Kernels are given buffers by their own names alone: each has one on the device.
// CHECK-LABEL: func.func @names
// CHECK: %[[A:.*]] = memref.alloc
// CHECK: %[[D:.*]] = gpu.alloc
// CHECK: gpu.memcpy %[[D]], %[[A]]
// CHECK-NEXT: args(%[[D]]
// CHECK: gpu.memcpy %[[A]], %[[D]]
// CHECK-NEXT: memref.load
func.func @names(%c: i1, %n: index, %x: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  // expected-remark @+1 {{has a buffer on the device: 2 copies}}
  %a = memref.alloc() : memref<2048xf32>
  %b = memref.alloc() : memref<2048xf32>
  %m = arith.select %c, %a, %b : memref<2048xf32>
  memref.store %x, %m[%c1] : memref<2048xf32>
  gpu.launch_func @k::@scale blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%a : memref<2048xf32>)
  %y = memref.load %m[%c1] : memref<2048xf32>
  memref.dealloc %a : memref<2048xf32>
  memref.dealloc %b : memref<2048xf32>
  return %y : f32
}

// Registered for no longer than the device uses it, whatever becomes of it then.
// CHECK-LABEL: func.func @registered
// CHECK: gpu.host_register
// CHECK: scf.for
// CHECK: }
// CHECK-NEXT: memref.cast
// CHECK-NEXT: gpu.host_unregister
// CHECK-NOT: gpu.host_unregister
// CHECK: return
func.func @registered(%c: i1, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  // expected-remark @+1 {{is registered: its address goes where it is not followed}}
  %h = memref.alloc() : memref<2048xf32>
  call @unknown(%h) : (memref<2048xf32>) -> ()
  scf.for %i = %c0 to %n step %c1 {
    gpu.launch_func @k::@scale blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%h : memref<2048xf32>)
  }
  scf.if %c {
    memref.dealloc %h : memref<2048xf32>
  }
  return
}

// Of the host in one call, and of the device in another.
func.func @callers() {
  %h = memref.alloc() : memref<2048xf32>
  %d = gpu.alloc () : memref<2048xf32>
  call @callee(%h) : (memref<2048xf32>) -> ()
  call @callee(%d) : (memref<2048xf32>) -> ()
  return
}
// CHECK-LABEL: func.func private @callee
// CHECK-SAME: (%[[A:.*]]: memref<2048xf32>
// CHECK: gpu.memcpy %[[D:.*]], %[[A]]
// CHECK-NEXT: args(%[[D]]
// CHECK-NEXT: gpu.memcpy %[[A]], %[[D]]
// expected-remark @+1 {{argument 0 has a buffer on the device: 2 copies}}
func.func private @callee(%a: memref<2048xf32>) {
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  gpu.launch_func @k::@scale blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%a : memref<2048xf32>)
  return
}
// In the loop, what is written may be the argument.
// CHECK-LABEL: func.func @not_followed
// CHECK-SAME: (%[[A:.*]]: memref<2048xf32>
// CHECK: gpu.memcpy %[[D:.*]], %[[A]]
// CHECK-NEXT: args(%[[D]]
// CHECK-NEXT: gpu.memcpy %[[A]], %[[D]]
// CHECK-NEXT: affine.for
// CHECK: gpu.memcpy %[[D]], %[[A]]
// CHECK-NEXT: args(%[[D]]
// CHECK-NEXT: gpu.memcpy %[[A]], %[[D]]
// expected-remark @+1 {{argument 0 has a buffer on the device: 4 copies}}
func.func @not_followed(%a: memref<2048xf32>, %c: i1, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %own = memref.alloca() : memref<2048xf32>
  gpu.launch_func @k::@scale blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%a : memref<2048xf32>)
  %r = affine.for %i = 0 to 4 iter_args(%p = %a) -> memref<2048xf32> {
    %m = arith.select %c, %p, %own : memref<2048xf32>
    memref.store %x, %m[%c0] : memref<2048xf32>
    affine.yield %p : memref<2048xf32>
  }
  gpu.launch_func @k::@scale blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%a : memref<2048xf32>)
  return
}
}
