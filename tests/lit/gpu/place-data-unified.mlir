// For a device that reaches the host's memory nothing is copied: what it alone uses
// is allocated there, and the rest stays where it is.
// RUN: async-gpu-opt %s --async-gpu-place-data=memory=unified | FileCheck %s
// RUN: async-gpu-opt %s --pass-pipeline="builtin.module(async-gpu-place-data{memory=unified remarks=true})" --verify-diagnostics -o /dev/null
// RUN: async-gpu-opt %s --async-gpu-plan="sequential memory=unified" -o /dev/null 2>&1 | FileCheck %s --check-prefix=SILENT --allow-empty
// RUN: async-gpu-opt %s --async-gpu-place-data=memory=unified --async-gpu-kernel-facts | FileCheck %s --check-prefix=FACTS
// RUN: async-gpu-opt %s --async-gpu-place-data=memory=unified --async-gpu-kernel-facts | not grep unified_memory.*func.func
// RUN: async-gpu-opt %s --emit=mlir --sequential --memory=unified --async-gpu-lower | FileCheck %s --check-prefix=LOWERED
// RUN: not async-gpu-opt %s --emit=mlir --sequential --memory=discrete --async-gpu-lower 2>&1 | FileCheck %s --check-prefix=DISCRETE
// RUN: not async-gpu-opt %s --async-gpu-place-data=memory=managed 2>&1 | FileCheck %s --check-prefix=WORD

// SILENT-NOT: warning
// WORD: option 'memory' is discrete or unified, not 'managed'
// LOWERED-NOT: unified_memory
// LOWERED-COUNT-1: llvm.call @agpu_memcpy
// LOWERED-NOT: llvm.call @agpu_memcpy
// LOWERED-NOT: unified_memory
// DISCRETE: error: the kernel is given memory of the host, argument 0, which cannot be placed

// CHECK: module attributes {async_gpu.unified_memory, gpu.container_module}
module attributes {gpu.container_module} {
// Allocations of a function are not what it is given, and what is given may be
// one memory, which matters where the kernel writes.
// FACTS-LABEL: gpu.func @scale
// FACTS-SAME: agpu.apart = array<i32: 0, 1>
// FACTS-LABEL: gpu.func @two
// FACTS-NOT: agpu.apart
// FACTS-LABEL: gpu.func @sum
// FACTS-SAME: agpu.apart = array<i32: 0, 1, 2>
gpu.module @k {
  gpu.func @scale(%m: memref<64xf32>, %n: memref<64xf32>) kernel {
    %i = gpu.thread_id x
    %x = memref.load %n[%i] : memref<64xf32>
    memref.store %x, %m[%i] : memref<64xf32>
    gpu.return
  }
  gpu.func @two(%m: memref<64xf32>, %n: memref<64xf32>) kernel {
    %i = gpu.thread_id x
    %x = memref.load %n[%i] : memref<64xf32>
    memref.store %x, %m[%i] : memref<64xf32>
    gpu.return
  }
  gpu.func @sum(%to: memref<64xf32>, %m: memref<64xf32>, %n: memref<64xf32>) kernel {
    %i = gpu.thread_id x
    %x = memref.load %n[%i] : memref<64xf32>
    %y = memref.load %m[%i] : memref<64xf32>
    %z = arith.addf %x, %y : f32
    memref.store %z, %to[%i] : memref<64xf32>
    gpu.return
  }
}
memref.global "private" constant @weights : memref<64xf32> = dense<1.0>

// CHECK-LABEL: func.func @layer
// CHECK-SAME: %[[A:.*]]: memref<64xf32>, %[[B:.*]]: memref<64xf32>
// CHECK-SAME: async_gpu.unified_memory
// CHECK: %[[W:.*]] = memref.get_global @weights
// CHECK: %[[T:.*]] = gpu.alloc
// CHECK-NEXT: %[[R:.*]] = memref.alloc
// CHECK-NEXT: @k::@sum {{.*}} args(%[[T]] : memref<64xf32>, %[[A]] : memref<64xf32>, %[[W]] : memref<64xf32>)
// CHECK-NEXT: @k::@sum {{.*}} args(%[[R]] : memref<64xf32>, %[[A]] : memref<64xf32>, %[[B]] : memref<64xf32>)
// CHECK-NEXT: @k::@scale {{.*}} args(%[[R]] : memref<64xf32>, %[[T]] : memref<64xf32>)
// CHECK-NEXT: @k::@two {{.*}} args(%[[A]] : memref<64xf32>, %[[B]] : memref<64xf32>)
// CHECK-NEXT: gpu.dealloc %[[T]]
// CHECK-NEXT: return %[[R]]
// expected-remark @+3 {{argument 0 stays where it is: the device reaches it}}
// expected-remark @+2 {{argument 1 stays where it is: the device reaches it}}
// expected-remark @+1 {{global @weights stays where it is: the device reaches it}}
func.func @layer(%a: memref<64xf32>, %b: memref<64xf32>) -> memref<64xf32> {
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %w = memref.get_global @weights : memref<64xf32>
  // expected-remark @+1 {{is allocated on the device: the host never touches it}}
  %t = memref.alloc() : memref<64xf32>
  // expected-remark @+1 {{stays where it is: the device reaches it}}
  %r = memref.alloc() : memref<64xf32>
  gpu.launch_func @k::@sum blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%t : memref<64xf32>, %a : memref<64xf32>, %w : memref<64xf32>)
  gpu.launch_func @k::@sum blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%r : memref<64xf32>, %a : memref<64xf32>, %b : memref<64xf32>)
  gpu.launch_func @k::@scale blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%r : memref<64xf32>, %t : memref<64xf32>)
  gpu.launch_func @k::@two blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%a : memref<64xf32>, %b : memref<64xf32>)
  memref.dealloc %t : memref<64xf32>
  return %r : memref<64xf32>
}

// What control flow hands on, and what goes by other names.
// CHECK-LABEL: func.func @carried
// CHECK-NOT: gpu.memcpy
// CHECK-NOT: gpu.alloc
// CHECK: return
func.func @carried(%n: index, %at: memref<1xmemref<64xf32>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  // expected-remark @+1 {{stays where it is: the device reaches it}}
  %p = memref.alloc() : memref<64xf32>
  // expected-remark @+1 {{stays where it is: the device reaches it}}
  %q = memref.alloc() : memref<64xf32>
  // expected-remark @+1 {{stays where it is: the device reaches it}}
  %s = memref.alloc() : memref<64xf32>
  memref.store %s, %at[%c0] : memref<1xmemref<64xf32>>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%u = %p, %v = %q) -> (memref<64xf32>, memref<64xf32>) {
    gpu.launch_func @k::@two blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%u : memref<64xf32>, %s : memref<64xf32>)
    scf.yield %v, %u : memref<64xf32>, memref<64xf32>
  }
  memref.dealloc %r#0 : memref<64xf32>
  memref.dealloc %r#1 : memref<64xf32>
  return
}

// Copies are for the device where the host has nothing to do with either side.
// CHECK-LABEL: func.func @copies
// CHECK: %[[P:.*]] = gpu.alloc
// CHECK: %[[Q:.*]] = gpu.alloc
// CHECK: %[[R:.*]] = memref.alloc
// CHECK: gpu.memcpy %[[Q]], %[[P]]
// CHECK: memref.copy %{{.*}}, %[[R]]
func.func @copies(%a: memref<64xf32>) {
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  // expected-remark @+1 {{is allocated on the device: the host never touches it}}
  %p = memref.alloc() : memref<64xf32>
  // expected-remark @+1 {{is allocated on the device: the host never touches it}}
  %q = memref.alloc() : memref<64xf32>
  // expected-remark @+1 {{stays where it is: the device reaches it}}
  %r = memref.alloc() : memref<64xf32>
  gpu.launch_func @k::@two blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%p : memref<64xf32>, %p : memref<64xf32>)
  memref.copy %p, %q : memref<64xf32> to memref<64xf32>
  memref.copy %a, %r : memref<64xf32> to memref<64xf32>
  gpu.launch_func @k::@two blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%q : memref<64xf32>, %r : memref<64xf32>)
  memref.dealloc %p : memref<64xf32>
  memref.dealloc %q : memref<64xf32>
  memref.dealloc %r : memref<64xf32>
  return
}

// With tokens of its own it places its own data.
// CHECK-LABEL: func.func @tokens() {
func.func @tokens() {
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %d, %t = gpu.alloc async () : memref<64xf32>
  %u = gpu.launch_func async [%t] @k::@two blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%d : memref<64xf32>, %d : memref<64xf32>)
  gpu.wait [%u]
  return
}
}
