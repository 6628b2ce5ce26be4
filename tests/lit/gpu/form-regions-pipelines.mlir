// Loops as pipelines, and orders that others imply.
// RUN: async-gpu-opt %s "--async-gpu-form-regions=host-region-ops=0 device-region-ops=0" | FileCheck %s

module attributes {gpu.container_module} {
gpu.module @k {
  gpu.func @sum(%s: memref<64xf32>, %m: memref<64xf32>) kernel {
    %i = gpu.thread_id x
    %x = memref.load %m[%i] : memref<64xf32>
    %y = memref.load %s[%i] : memref<64xf32>
    %z = arith.addf %x, %y : f32
    memref.store %z, %s[%i] : memref<64xf32>
    gpu.return
  }
}

// Each round fills %d before it reads it, and gets one of its own. A round begins
// when the one before the last is over.
// CHECK-LABEL: func.func @rounds
// CHECK-SAME: (%[[H:.*]]: memref<64xf32> {llvm.noalias}, %[[S:.*]]: memref<64xf32> {llvm.noalias}
// CHECK: %[[D0:.*]] = gpu.alloc
// CHECK-NEXT: %[[D1:.*]] = gpu.alloc
// CHECK: scf.for {{.*}} iter_args(%[[D:.*]] = %[[D0]], %[[E:.*]] = %[[D1]], %[[C:.*]] = %{{.*}}, %[[K:.*]] = %{{.*}}, %[[OLD:.*]] = %{{.*}})
// CHECK: %[[G:.*]] = async.create_group
// CHECK-NEXT: async.add_to_group %[[OLD]], %[[G]]
// CHECK-NEXT: async.await_all %[[G]]
// CHECK-NEXT: %[[T:.*]] = async.execute [%[[C]]] attributes {
// CHECK-NEXT: gpu.memcpy %[[D]], %[[H]]
// CHECK: %[[U:.*]] = async.execute [%[[T]], %[[K]]] attributes {
// CHECK-NEXT: @k::@sum {{.*}} args(%[[S]] : memref<64xf32>, %[[D]]
// CHECK-NEXT: async.yield
// CHECK: scf.yield %[[E]], %[[D]], %[[T]], %[[U]], %[[K]]
// CHECK: async.execute [
// CHECK-NEXT: gpu.dealloc %[[D0]]
// CHECK-NEXT: gpu.dealloc %[[D1]]
func.func @rounds(%h: memref<64xf32> {llvm.noalias}, %s: memref<64xf32> {llvm.noalias}, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %d = gpu.alloc () : memref<64xf32>
  scf.for %i = %c0 to %n step %c1 {
    gpu.memcpy %d, %h : memref<64xf32>, memref<64xf32>
    gpu.launch_func @k::@sum blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%s : memref<64xf32>, %d : memref<64xf32>)
  }
  gpu.dealloc %d : memref<64xf32>
  return
}

// Read behind the loop, read before it is filled, or of no use: as it was.
// CHECK-LABEL: func.func @stays
// CHECK-COUNT-3: gpu.alloc
// CHECK: scf.for
// CHECK-NOT: gpu.alloc
// CHECK: return
func.func @stays(%s: memref<64xf32>, %x: f32, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %a = gpu.alloc () : memref<64xf32>
  %b = gpu.alloc () : memref<64xf32>
  %c = gpu.alloc () : memref<64xf32>
  scf.for %i = %c0 to %n step %c1 {
    gpu.launch_func @k::@sum blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%a : memref<64xf32>, %b : memref<64xf32>)
    gpu.memset %b, %x : memref<64xf32>, f32
    gpu.launch_func @k::@sum blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%b : memref<64xf32>, %a : memref<64xf32>)
  }
  gpu.launch_func @k::@sum blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%a : memref<64xf32>, %b : memref<64xf32>)
  return
}

// The last launch is behind the copy by way of the others, and the fill of the
// host by none of them.
// CHECK-LABEL: func.func @implied
// CHECK: %[[A:.*]] = async.execute {{(attributes )?}}{
// CHECK-NEXT: gpu.memcpy
// CHECK: %[[B:.*]] = async.execute [%[[A]]] attributes {
// CHECK-NEXT: @k::@sum
// CHECK: %[[C:.*]] = async.execute [%[[A]]] attributes {
// CHECK-NEXT: @k::@sum
// CHECK: %[[D:.*]] = async.execute {{(attributes )?}}{
// CHECK-NEXT: gpu.memset
// CHECK: %[[E:.*]] = async.execute [%[[B]], %[[C]]] attributes {
// CHECK-NEXT: @k::@sum
// CHECK: async.await %[[D]]
// CHECK-NEXT: async.await %[[E]]
// CHECK-NEXT: return
func.func @implied(%h: memref<64xf32> {llvm.noalias}, %x: f32) {
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %a = gpu.alloc () : memref<64xf32>
  %b = gpu.alloc () : memref<64xf32>
  %c = gpu.alloc () : memref<64xf32>
  %d = gpu.alloc () : memref<64xf32>
  gpu.memcpy %a, %h : memref<64xf32>, memref<64xf32>
  gpu.launch_func @k::@sum blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%b : memref<64xf32>, %a : memref<64xf32>)
  gpu.launch_func @k::@sum blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%c : memref<64xf32>, %a : memref<64xf32>)
  gpu.memset %d, %x : memref<64xf32>, f32
  gpu.launch_func @k::@sum blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%c : memref<64xf32>, %b : memref<64xf32>)
  return
}

// What is returned is read by the caller.
// CHECK-LABEL: func.func @returned
// CHECK: gpu.alloc
// CHECK: scf.for
// CHECK-NOT: gpu.alloc
// CHECK: return
func.func @returned(%h: memref<64xf32> {llvm.noalias}, %s: memref<64xf32> {llvm.noalias}, %n: index) -> memref<64xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %d = gpu.alloc () : memref<64xf32>
  scf.for %i = %c0 to %n step %c1 {
    gpu.memcpy %d, %h : memref<64xf32>, memref<64xf32>
    gpu.launch_func @k::@sum blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%s : memref<64xf32>, %d : memref<64xf32>)
  }
  return %d : memref<64xf32>
}
}
