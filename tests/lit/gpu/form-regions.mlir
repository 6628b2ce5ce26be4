// What is behind what, from what ops read and write.
// RUN: async-gpu-opt %s "--async-gpu-form-regions=host-region-ops=0 device-region-ops=0" | FileCheck %s

module attributes {gpu.container_module} {
gpu.module @k {
  gpu.func @fill(%m: memref<64xf32>, %x: f32) kernel {
    %i = gpu.thread_id x
    memref.store %x, %m[%i] : memref<64xf32>
    gpu.return
  }
  gpu.func @copy(%to: memref<64xf32>, %from: memref<64xf32>) kernel {
    %i = gpu.thread_id x
    %x = memref.load %from[%i] : memref<64xf32>
    memref.store %x, %to[%i] : memref<64xf32>
    gpu.return
  }
  // From so many elements on.
  gpu.func @part(%m: memref<64xf32>, %first: index, %x: f32) kernel {
    %t = gpu.thread_id x
    %i = arith.addi %t, %first : index
    memref.store %x, %m[%i] : memref<64xf32>
    gpu.return
  }
  gpu.func @say(%x: f32) kernel {
    gpu.printf "%f\n", %x : f32
    gpu.return
  }
}
func.func private @print(%m: memref<64xf32>) {
  %c0 = arith.constant 0 : index
  %x = memref.load %m[%c0] : memref<64xf32>
  vector.print %x : f32
  return
}
func.func private @unknown(memref<64xf32>)
func.func private @long(%m: memref<64xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f32
  scf.for %i = %c0 to %n step %c1 {
    %j = arith.remui %i, %n : index
    memref.store %one, %m[%j] : memref<64xf32>
  }
  return
}

// Two that only read have no order; the write in front of them and the one
// behind them have, and so nothing to run beside.
// CHECK-LABEL: func.func @reads
// CHECK: gpu.alloc
// CHECK: gpu.alloc
// CHECK: gpu.alloc
// CHECK-NEXT: @k::@fill
// CHECK: %[[B:.*]] = async.execute {{(attributes )?}}{
// CHECK-NEXT: @k::@copy
// CHECK: %[[C:.*]] = async.execute {{(attributes )?}}{
// CHECK-NEXT: @k::@copy
// CHECK: async.await %[[B]]
// CHECK-NEXT: async.await %[[C]]
// CHECK-NEXT: @k::@fill
// CHECK-NEXT: return
func.func @reads(%x: f32) {
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %a = gpu.alloc () : memref<64xf32>
  %b = gpu.alloc () : memref<64xf32>
  %c = gpu.alloc () : memref<64xf32>
  gpu.launch_func @k::@fill blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%a : memref<64xf32>, %x : f32)
  gpu.launch_func @k::@copy blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%b : memref<64xf32>, %a : memref<64xf32>)
  gpu.launch_func @k::@copy blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%c : memref<64xf32>, %a : memref<64xf32>)
  gpu.launch_func @k::@fill blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%a : memref<64xf32>, %x : f32)
  return
}

// Parts that do not meet, of subviews and of kernels.
// CHECK-LABEL: func.func @parts
// CHECK: %[[A:.*]] = async.execute {{(attributes )?}}{
// CHECK-NEXT: @k::@part
// CHECK: %[[B:.*]] = async.execute {{(attributes )?}}{
// CHECK-NEXT: @k::@part
// CHECK: %[[C:.*]] = async.execute {{(attributes )?}}{
// CHECK-NEXT: gpu.memset
// CHECK: %[[D:.*]] = async.execute [%[[A]], %[[B]]] attributes {
// CHECK-NEXT: @k::@part
func.func @parts(%x: f32) {
  %c1 = arith.constant 1 : index
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c8 = arith.constant 8 : index
  %a = gpu.alloc () : memref<64xf32>
  %s = memref.subview %a[32] [32] [1] : memref<64xf32> to memref<32xf32, strided<[1], offset: 32>>
  gpu.launch_func @k::@part blocks in (%c1, %c1, %c1) threads in (%c16, %c1, %c1) args(%a : memref<64xf32>, %c0 : index, %x : f32)
  gpu.launch_func @k::@part blocks in (%c1, %c1, %c1) threads in (%c16, %c1, %c1) args(%a : memref<64xf32>, %c16 : index, %x : f32)
  gpu.memset %s, %x : memref<32xf32, strided<[1], offset: 32>>, f32
  gpu.launch_func @k::@part blocks in (%c1, %c1, %c1) threads in (%c16, %c1, %c1) args(%a : memref<64xf32>, %c8 : index, %x : f32)
  return
}

// Arguments may be the same, unless one says that it is not.
// CHECK-LABEL: func.func @arguments
// CHECK-NOT: async.execute
// CHECK: return
func.func @arguments(%a: memref<64xf32>, %b: memref<64xf32>, %x: f32) {
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  gpu.launch_func @k::@fill blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%a : memref<64xf32>, %x : f32)
  gpu.launch_func @k::@fill blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%b : memref<64xf32>, %x : f32)
  return
}
// CHECK-LABEL: func.func @apart
// CHECK: async.execute {{(attributes )?}}{
// CHECK: async.execute {{(attributes )?}}{
func.func @apart(%a: memref<64xf32> {llvm.noalias}, %b: memref<64xf32>, %x: f32) {
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  gpu.launch_func @k::@fill blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%a : memref<64xf32>, %x : f32)
  gpu.launch_func @k::@fill blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%b : memref<64xf32>, %x : f32)
  return
}

// What is printed keeps its order, by kernels too; the second kernel goes in
// front of what waits for the first, and the third does not.
// CHECK-LABEL: func.func @prints
// CHECK: %[[A:.*]] = async.execute {{(attributes )?}}{
// CHECK-NEXT: @k::@fill
// CHECK-NEXT: gpu.memcpy
// CHECK: %[[B:.*]] = async.execute {{(attributes )?}}{
// CHECK-NEXT: @k::@fill
// CHECK: async.await %[[A]]
// CHECK-NEXT: call @print
// CHECK-NEXT: %[[C:.*]] = async.execute {{(attributes )?}}{
// CHECK-NEXT: @k::@say
// CHECK: async.await %[[C]]
// CHECK-NEXT: vector.print
func.func @prints(%x: f32) {
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %a = gpu.alloc () : memref<64xf32>
  %b = gpu.alloc () : memref<64xf32>
  %h = memref.alloc() : memref<64xf32>
  gpu.launch_func @k::@fill blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%a : memref<64xf32>, %x : f32)
  gpu.memcpy %h, %a : memref<64xf32>, memref<64xf32>
  call @print(%h) : (memref<64xf32>) -> ()
  gpu.launch_func @k::@fill blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%b : memref<64xf32>, %x : f32)
  gpu.launch_func @k::@say blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%x : f32)
  vector.print %x : f32
  memref.dealloc %h : memref<64xf32>
  return
}

// Work of the host stays where it is if nothing behind it can run beside it.
// A call that keeps an address may touch the memory in any later one.
// CHECK-LABEL: func.func @host
// CHECK: %[[A:.*]] = async.execute {{(attributes )?}}{
// CHECK-NEXT: call @long
// CHECK: %[[B:.*]] = async.execute {{(attributes )?}}{
// CHECK-NEXT: @k::@fill
// CHECK: async.await %[[B]]
// CHECK-NEXT: call @unknown
// CHECK-NEXT: call @unknown
// CHECK-NEXT: call @long
// CHECK-NEXT: async.await %[[A]]
// CHECK-NEXT: return
func.func @host(%x: f32, %n: index) {
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %a = gpu.alloc () : memref<64xf32>
  %b = gpu.alloc () : memref<64xf32>
  %h = memref.alloc() : memref<64xf32>
  %i = memref.alloc() : memref<64xf32>
  call @long(%h, %n) : (memref<64xf32>, index) -> ()
  gpu.launch_func @k::@fill blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%a : memref<64xf32>, %x : f32)
  call @unknown(%a) : (memref<64xf32>) -> ()
  call @unknown(%b) : (memref<64xf32>) -> ()
  call @long(%i, %n) : (memref<64xf32>, index) -> ()
  return
}

// Tokens go through branches and loops. In a loop each region is behind itself,
// and the fill behind the copy of the round before, which is behind the last one.
// The last fill needs nothing of the loop and goes in front of it.
// CHECK-LABEL: func.func @loop
// CHECK: %[[R:.*]] = async.execute {
// CHECK-NEXT: async.yield
// CHECK: async.execute attributes {
// CHECK-NEXT: @k::@fill
// CHECK: %[[L:.*]]:2 = scf.for {{.*}} iter_args(%[[F:.*]] = %[[R]], %[[C:.*]] = %[[R]])
// CHECK: %[[G:.*]] = scf.if
// CHECK: %[[T:.*]] = async.execute [%[[C]]] attributes {
// CHECK-NEXT: @k::@fill
// CHECK: scf.yield %[[T]]
// CHECK: else
// CHECK-NEXT: scf.yield %[[F]]
// CHECK: %[[U:.*]] = async.execute [%[[G]], %[[C]]] attributes {
// CHECK-NEXT: @k::@copy
// CHECK: scf.yield %[[G]], %[[U]]
func.func @loop(%x: f32, %n: index, %do: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %a = gpu.alloc () : memref<64xf32>
  %b = gpu.alloc () : memref<64xf32>
  %d = gpu.alloc () : memref<64xf32>
  scf.for %i = %c0 to %n step %c1 {
    scf.if %do {
      gpu.launch_func @k::@fill blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%a : memref<64xf32>, %x : f32)
    }
    gpu.launch_func @k::@copy blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%b : memref<64xf32>, %a : memref<64xf32>)
  }
  gpu.launch_func @k::@fill blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%d : memref<64xf32>, %x : f32)
  return
}

// Who writes tokens has said what the order is.
// CHECK-LABEL: func.func @tokens
// CHECK: gpu.wait async
// CHECK-NOT: async.execute
func.func @tokens(%x: f32) {
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %t = gpu.wait async
  %a, %u = gpu.alloc async [%t] () : memref<64xf32>
  gpu.launch_func @k::@fill blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%a : memref<64xf32>, %x : f32)
  return
}
}
