// On the emulated device a kernel of many blocks runs on all CPUs: beside another one it
// gains nothing from a region, but it does beside one of few blocks. A card does not.
// RUN: async-gpu-opt %s --async-gpu-form-regions=device=emu | FileCheck %s
// RUN: async-gpu-opt %s --async-gpu-form-regions=device-region-ops=300000 | FileCheck %s --check-prefix CARD
// RUN: async-gpu-opt %s "--async-gpu-form-regions=device=emu device-region-ops=0" | FileCheck %s --check-prefix CARD
// RUN: async-gpu-opt %s "--async-gpu-form-regions=device=emu remarks=true" -o /dev/null 2>&1 | FileCheck %s --check-prefix SAYS
// RUN: async-gpu-opt %s --async-gpu-from-linalg=device=emu --dump-pass-pipeline -o /dev/null 2>&1 | FileCheck %s --check-prefix HANDS

// HANDS: async-gpu-form-regions{{{.*}} device=emu 

module attributes {gpu.container_module} {
gpu.module @k {
  gpu.func @fill(%m: memref<1048576xf32>, %x: f32) kernel {
    %i = gpu.global_id x
    memref.store %x, %m[%i] : memref<1048576xf32>
    gpu.return
  }
}

// CHECK-LABEL: func.func @two_that_fill
// CHECK-NOT:   async.execute
// CARD-LABEL:  func.func @two_that_fill
// CARD-COUNT-2: async.execute
// SAYS: remark: 2 tasks form no region
// SAYS: remark: fills all CPUs of the emulated device: nothing is gained beside another kernel that does
// SAYS: remark: fills all CPUs of the emulated device: nothing is gained beside another kernel that does
func.func @two_that_fill(%x: f32) {
  %c1 = arith.constant 1 : index
  %c1024 = arith.constant 1024 : index
  %a = gpu.alloc () : memref<1048576xf32>
  %b = gpu.alloc () : memref<1048576xf32>
  gpu.launch_func @k::@fill blocks in (%c1024, %c1, %c1) threads in (%c1024, %c1, %c1) args(%a : memref<1048576xf32>, %x : f32)
  gpu.launch_func @k::@fill blocks in (%c1024, %c1, %c1) threads in (%c1024, %c1, %c1) args(%b : memref<1048576xf32>, %x : f32)
  return
}

// A copy runs on one CPU.
// CHECK-LABEL: func.func @one_that_fills
// CHECK:       async.execute {{(attributes )?}}{
// CHECK-NEXT:    gpu.launch_func
// CHECK:       async.execute {{(attributes )?}}{
// CHECK-NEXT:    gpu.memcpy
// CARD-LABEL:  func.func @one_that_fills
// CARD-COUNT-2: async.execute
// SAYS: remark: 2 tasks form 2 regions, up to 2 concurrent
func.func @one_that_fills(%x: f32) {
  %c1 = arith.constant 1 : index
  %c1024 = arith.constant 1024 : index
  %a = gpu.alloc () : memref<1048576xf32>
  %b = gpu.alloc () : memref<1048576xf32>
  %c = gpu.alloc () : memref<1048576xf32>
  gpu.launch_func @k::@fill blocks in (%c1024, %c1, %c1) threads in (%c1024, %c1, %c1) args(%a : memref<1048576xf32>, %x : f32)
  gpu.memcpy %b, %c : memref<1048576xf32>, memref<1048576xf32>
  return
}

// Of few blocks, each long: CPUs would be idle.
// CHECK-LABEL: func.func @few_blocks
// CHECK-COUNT-2: async.execute
// CARD-LABEL:  func.func @few_blocks
// CARD-COUNT-2: async.execute
// SAYS: remark: 2 tasks form 2 regions, up to 2 concurrent
func.func @few_blocks(%x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c15 = arith.constant 15 : index
  %n = arith.constant 1048576 : index
  %a = gpu.alloc () : memref<1048576xf32>
  %b = gpu.alloc () : memref<1048576xf32>
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c15, %gy = %c1, %gz = %c1) threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {
    scf.for %i = %c0 to %n step %c1 {
      memref.store %x, %a[%i] : memref<1048576xf32>
    }
    gpu.terminator
  }
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c15, %gy = %c1, %gz = %c1) threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {
    scf.for %i = %c0 to %n step %c1 {
      memref.store %x, %b[%i] : memref<1048576xf32>
    }
    gpu.terminator
  }
  return
}

// Work of the host runs beside a kernel that fills.
// CHECK-LABEL: func.func @host_beside
// CHECK:       async.execute
// CARD-LABEL:  func.func @host_beside
// CARD:        async.execute
func.func @host_beside(%x: f32, %h: memref<1048576xf32> {llvm.noalias}) {
  %c1 = arith.constant 1 : index
  %c1024 = arith.constant 1024 : index
  %a = gpu.alloc () : memref<1048576xf32>
  linalg.fill ins(%x : f32) outs(%h : memref<1048576xf32>)
  gpu.launch_func @k::@fill blocks in (%c1024, %c1, %c1) threads in (%c1024, %c1, %c1) args(%a : memref<1048576xf32>, %x : f32)
  return
}
}
