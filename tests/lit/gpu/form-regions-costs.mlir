// What is worth a region, and what is said of that: the work has to be more than
// starting it and handing on its token take.
// RUN: async-gpu-opt %s --async-gpu-form-regions | FileCheck %s
// RUN: async-gpu-opt %s --async-gpu-form-regions=device=emu | FileCheck %s --check-prefix EMU
// RUN: async-gpu-opt %s --async-gpu-form-regions=device-region-ops=100 | FileCheck %s --check-prefix LESS
// RUN: async-gpu-opt %s --async-gpu-form-regions=remarks=true -o /dev/null 2>&1 | FileCheck %s --check-prefix SAYS

module attributes {gpu.container_module} {
gpu.module @k {
  gpu.func @fill(%m: memref<?xf32>, %x: f32) kernel {
    %i = gpu.global_id x
    memref.store %x, %m[%i] : memref<?xf32>
    gpu.return
  }
  gpu.func @long(%m: memref<64xf32>) kernel {
    %i = gpu.thread_id x
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c512 = arith.constant 512 : index
    %x = memref.load %m[%i] : memref<64xf32>
    %y = scf.for %k = %c0 to %c512 step %c1 iter_args(%z = %x) -> (f32) {
      %w = math.fma %z, %z, %x : f32
      scf.yield %w : f32
    }
    memref.store %y, %m[%i] : memref<64xf32>
    gpu.return
  }
}

// Two small kernels stay on one stream.
// CHECK-LABEL: func.func @small
// CHECK-NOT: async.execute
// LESS-LABEL: func.func @small
// LESS-COUNT-2: async.execute attributes {
// SAYS: remark: 2 tasks form no region: none that is large enough can run concurrently with another
// SAYS: remark: takes about 12288 instructions with what depends on it alone: a region needs at least 500000
func.func @small(%x: f32) {
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %a = gpu.alloc (%c64) : memref<?xf32>
  %b = gpu.alloc (%c64) : memref<?xf32>
  gpu.launch_func @k::@fill blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%a : memref<?xf32>, %x : f32)
  gpu.launch_func @k::@fill blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%b : memref<?xf32>, %x : f32)
  return
}

// Large ones do not; the small one behind both is awaited where it stands, as
// nothing comes behind it, and the small one in front of all needs no region.
// CHECK-LABEL: func.func @large
// CHECK:       gpu.memset
// CHECK:       %[[A:.*]] = async.execute {{(attributes )?}}{
// CHECK-NEXT:    gpu.launch_func
// CHECK:       %[[B:.*]] = async.execute {{(attributes )?}}{
// CHECK-NEXT:    gpu.launch_func
// CHECK:       async.await %[[A]]
// CHECK-NEXT:  async.await %[[B]]
// CHECK-NEXT:  gpu.memcpy
// CHECK-NEXT:  return
// SAYS: remark: 4 tasks form 2 regions, up to 2 concurrent
// SAYS: remark: region {{[0-9]+}}: device, 1 op, which takes about 1572864 instructions
func.func @large(%x: f32) {
  %c1 = arith.constant 1 : index
  %c256 = arith.constant 256 : index
  %c16384 = arith.constant 16384 : index
  %n = arith.constant 4194304 : index
  %a = gpu.alloc (%n) : memref<?xf32>
  %b = gpu.alloc (%n) : memref<?xf32>
  %c = gpu.alloc () : memref<64xf32>
  %pa = memref.reinterpret_cast %a to offset: [0], sizes: [64], strides: [1] : memref<?xf32> to memref<64xf32>
  %pb = memref.reinterpret_cast %b to offset: [0], sizes: [64], strides: [1] : memref<?xf32> to memref<64xf32>
  gpu.memset %c, %x : memref<64xf32>, f32
  gpu.launch_func @k::@fill blocks in (%c16384, %c1, %c1) threads in (%c256, %c1, %c1) args(%a : memref<?xf32>, %x : f32)
  gpu.launch_func @k::@fill blocks in (%c16384, %c1, %c1) threads in (%c256, %c1, %c1) args(%b : memref<?xf32>, %x : f32)
  gpu.memcpy %pa, %pb : memref<64xf32>, memref<64xf32>
  return
}

// A chain counts as one: four small fills are worth a region.
// CHECK-LABEL: func.func @chains
// CHECK:       async.execute {{(attributes )?}}{
// CHECK-COUNT-4: gpu.memset
// CHECK-NEXT:    async.yield
// CHECK:       async.execute {{(attributes )?}}{
// CHECK-COUNT-4: gpu.memset
// CHECK-NEXT:    async.yield
// SAYS: remark: 8 tasks form 2 regions, up to 2 concurrent
// SAYS: remark: region {{[0-9]+}}: device, 4 ops, which takes about 524416 instructions
// SAYS: remark: part of region {{[0-9]+}}
func.func @chains(%x: f32) {
  %a = gpu.alloc () : memref<16384xf32>
  %b = gpu.alloc () : memref<16384xf32>
  gpu.memset %a, %x : memref<16384xf32>, f32
  gpu.memset %a, %x : memref<16384xf32>, f32
  gpu.memset %a, %x : memref<16384xf32>, f32
  gpu.memset %a, %x : memref<16384xf32>, f32
  gpu.memset %b, %x : memref<16384xf32>, f32
  gpu.memset %b, %x : memref<16384xf32>, f32
  gpu.memset %b, %x : memref<16384xf32>, f32
  gpu.memset %b, %x : memref<16384xf32>, f32
  return
}

// A small one that is behind a region would hold up what comes behind it: it
// runs with what it is for.
// CHECK-LABEL: func.func @between
// CHECK:       %[[A:.*]] = async.execute {{(attributes )?}}{
// CHECK-NEXT:    gpu.launch_func {{.*}} args(%[[MA:.*]] : memref
// CHECK-NEXT:    gpu.memcpy
// CHECK-NEXT:    async.yield
// CHECK:       async.execute {{(attributes )?}}{
// CHECK-NEXT:    gpu.launch_func
func.func @between(%x: f32, %h: memref<64xf32>) {
  %c1 = arith.constant 1 : index
  %c256 = arith.constant 256 : index
  %c16384 = arith.constant 16384 : index
  %n = arith.constant 4194304 : index
  %a = gpu.alloc (%n) : memref<?xf32>
  %b = gpu.alloc (%n) : memref<?xf32>
  %pa = memref.reinterpret_cast %a to offset: [0], sizes: [64], strides: [1] : memref<?xf32> to memref<64xf32>
  gpu.launch_func @k::@fill blocks in (%c16384, %c1, %c1) threads in (%c256, %c1, %c1) args(%a : memref<?xf32>, %x : f32)
  gpu.memcpy %h, %pa : memref<64xf32>, memref<64xf32>
  gpu.launch_func @k::@fill blocks in (%c16384, %c1, %c1) threads in (%c256, %c1, %c1) args(%b : memref<?xf32>, %x : f32)
  return
}

// A GPU takes as long for few threads as for 32,768, and not long for many with
// few ops; the emulated device takes what all threads do.
// CHECK-LABEL: func.func @few_threads
// CHECK-COUNT-2: async.execute {{(attributes )?}}{
// EMU-LABEL: func.func @few_threads
// EMU-NOT: async.execute
// EMU-LABEL: func.func @few_ops
func.func @few_threads() {
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %a = gpu.alloc () : memref<64xf32>
  %b = gpu.alloc () : memref<64xf32>
  gpu.launch_func @k::@long blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%a : memref<64xf32>)
  gpu.launch_func @k::@long blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%b : memref<64xf32>)
  return
}

// CHECK-LABEL: func.func @few_ops
// CHECK-NOT: async.execute
func.func @few_ops(%x: f32) {
  %c1 = arith.constant 1 : index
  %c256 = arith.constant 256 : index
  %c1024 = arith.constant 1024 : index
  %n = arith.constant 262144 : index
  %a = gpu.alloc (%n) : memref<?xf32>
  %b = gpu.alloc (%n) : memref<?xf32>
  gpu.launch_func @k::@fill blocks in (%c1024, %c1, %c1) threads in (%c256, %c1, %c1) args(%a : memref<?xf32>, %x : f32)
  gpu.launch_func @k::@fill blocks in (%c1024, %c1, %c1) threads in (%c256, %c1, %c1) args(%b : memref<?xf32>, %x : f32)
  return
}
}
