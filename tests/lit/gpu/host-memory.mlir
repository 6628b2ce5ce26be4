// Constants go into the launches that use them; other memory of the host that
// nothing registers is warned of.
// RUN: async-gpu-opt %s --async-gpu-host-memory -verify-diagnostics | FileCheck %s

memref.global "private" constant @table : memref<4xf32> = dense<1.0>
memref.global "private" @state : memref<4xf32> = dense<0.0>
func.func private @elsewhere(memref<4xf32>)
func.func private @printAndRegister(memref<4xf32>)
func.func private @printMemref1dF32(memref<4xf32>)

// CHECK-LABEL: func.func @constant
// CHECK: gpu.launch
// CHECK-NEXT: %[[T:.*]] = memref.get_global @table
// CHECK-NEXT: %[[V:.*]] = memref.cast %[[T]]
// CHECK: memref.load %[[V]]
// CHECK: memref.load %[[T]]
func.func @constant(%d: memref<4xf32>, %c1: index) {
  %t = memref.get_global @table : memref<4xf32>
  %v = memref.cast %t : memref<4xf32> to memref<?xf32>
  gpu.launch blocks(%a, %b, %c) in (%d0 = %c1, %d1 = %c1, %d2 = %c1)
      threads(%x, %y, %z) in (%e0 = %c1, %e1 = %c1, %e2 = %c1) {
    %f = memref.load %v[%x] : memref<?xf32>
    %g = memref.load %t[%x] : memref<4xf32>
    %h = arith.addf %f, %g : f32
    memref.store %h, %d[%x] : memref<4xf32>
    gpu.terminator
  }
  return
}

// Numbers, too: a kernel whose loops' bounds are parameters is slow.
// CHECK-LABEL: func.func @numbers
// CHECK: gpu.launch
// CHECK-DAG: %[[ZERO:.*]] = arith.constant 0 : index
// CHECK-DAG: %[[ONE:.*]] = arith.constant 1 : index
// CHECK-DAG: %[[END:.*]] = arith.constant 16 : index
// CHECK-DAG: %[[V:.*]] = arith.constant dense<1.0{{.*}}> : vector<4xf32>
// CHECK: scf.for %{{.*}} = %[[ZERO]] to %[[END]] step %[[ONE]]
// CHECK-NEXT: vector.store %[[V]]
func.func @numbers(%d: memref<64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %v = arith.constant dense<1.0> : vector<4xf32>
  gpu.launch blocks(%a, %b, %c) in (%d0 = %c1, %d1 = %c1, %d2 = %c1)
      threads(%x, %y, %z) in (%e0 = %c16, %e1 = %c1, %e2 = %c1) {
    scf.for %i = %c0 to %c16 step %c1 {
      vector.store %v, %d[%i] : memref<64xf32>, vector<4xf32>
    }
    gpu.terminator
  }
  return
}

func.func @plain(%c1: index, %v: f32) {
  %h = memref.alloc() : memref<4xf32>
  %s = memref.get_global @state : memref<4xf32>
  // expected-warning @below {{the kernel is given memory of the host, from the memref.alloc at }}
  // expected-warning @below {{the kernel is given memory of the host, from the memref.get_global at }}
  gpu.launch blocks(%a, %b, %c) in (%d0 = %c1, %d1 = %c1, %d2 = %c1)
      threads(%x, %y, %z) in (%e0 = %c1, %e1 = %c1, %e2 = %c1) {
    memref.store %v, %h[%x] : memref<4xf32>
    memref.store %v, %s[%x] : memref<4xf32>
    gpu.terminator
  }
  func.call @printMemref1dF32(%h) : (memref<4xf32>) -> ()
  memref.dealloc %h : memref<4xf32>
  return
}

// A shape is read, which tells no driver of its memory.
func.func @shape(%c1: index, %v: index, %m: memref<4xf32>) {
  %h = memref.alloc() : memref<1xindex>
  // expected-warning @below {{the kernel is given memory of the host, from the memref.alloc at }}
  gpu.launch blocks(%a, %b, %c) in (%d0 = %c1, %d1 = %c1, %d2 = %c1)
      threads(%x, %y, %z) in (%e0 = %c1, %e1 = %c1, %e2 = %c1) {
    memref.store %v, %h[%x] : memref<1xindex>
    gpu.terminator
  }
  %r = memref.reshape %m(%h) : (memref<4xf32>, memref<1xindex>) -> memref<?xf32>
  memref.dealloc %h : memref<1xindex>
  return
}

// Registered, or perhaps: nothing is said.
func.func @known(%c1: index, %v: f32) {
  %h = memref.alloc() : memref<4xf32>
  %p = memref.alloc() : memref<4xf32>
  %u = memref.cast %h : memref<4xf32> to memref<*xf32>
  gpu.host_register %u : memref<*xf32>
  func.call @elsewhere(%p) : (memref<4xf32>) -> ()
  // By its whole name, no function that is known to print.
  %q = memref.alloc() : memref<4xf32>
  func.call @printAndRegister(%q) : (memref<4xf32>) -> ()
  gpu.launch blocks(%a, %b, %c) in (%d0 = %c1, %d1 = %c1, %d2 = %c1)
      threads(%x, %y, %z) in (%e0 = %c1, %e1 = %c1, %e2 = %c1) {
    %own = memref.alloca() : memref<4xf32>
    memref.store %v, %own[%x] : memref<4xf32>
    memref.store %v, %h[%x] : memref<4xf32>
    memref.store %v, %p[%x] : memref<4xf32>
    memref.store %v, %q[%x] : memref<4xf32>
    gpu.terminator
  }
  return
}
