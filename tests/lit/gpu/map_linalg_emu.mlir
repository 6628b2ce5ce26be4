// Kernels for the emulated device, where one CPU runs all threads of a block.

// RUN: async-gpu-opt %s --async-gpu-map-linalg="device=emu remarks=true" 2>&1 >%t.mlir | FileCheck %s --check-prefix=REMARK
// RUN: async-gpu-opt %t.mlir --canonicalize --cse | FileCheck %s
// RUN: not async-gpu-opt %s --async-gpu-map-linalg=device=cpu -o /dev/null 2>&1 | FileCheck %s --check-prefix=WRONG
// WRONG: error: {{.*}}gpu{{.*}}emu

// One thread keeps four rows of three vectors in registers, and copies the columns that
// sixteen of these need.
// REMARK: remark: a kernel with tiles in registers: 64 by 24 elements of the result a block
// CHECK-LABEL: func.func @product
// CHECK:       gpu.launch {{.*}} threads({{.*}}) in (%{{.*}} = %c1, %{{.*}} = %c1, %{{.*}} = %c1) workgroup(%[[COPY:.*]] : memref<192x24xf32, #gpu.address_space<workgroup>>)
// CHECK:         vector.store {{.*}}, %[[COPY]]
// CHECK:         scf.for {{.*}} -> (vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>)
// CHECK:           vector.load %[[COPY]]
// CHECK:           arith.mulf {{.*}} fastmath<contract>
// CHECK-NOT:     gpu.barrier
func.func @product(%a: memref<64x192xf32>, %b: memref<192x192xf32>, %c: memref<64x192xf32>) {
  linalg.matmul ins(%a, %b : memref<64x192xf32>, memref<192x192xf32>) outs(%c : memref<64x192xf32>)
  return
}

// Few rows, which read the columns once: no copy.
// REMARK: remark: a kernel with tiles in registers: 4 by 72 elements of the result a block
// CHECK-LABEL: func.func @flat
// CHECK-NOT:   workgroup
// CHECK:       return
func.func @flat(%a: memref<4x64xf32>, %b: memref<64x512xf32>, %c: memref<4x512xf32>) {
  linalg.matmul ins(%a, %b : memref<4x64xf32>, memref<64x512xf32>) outs(%c : memref<4x512xf32>)
  return
}

// One row: a thread for each column, which are neighbours.
// REMARK: remark: a kernel with a thread for each element
// CHECK-LABEL: func.func @row
// CHECK-NOT:   workgroup
// CHECK:       return
func.func @row(%a: memref<1x784xf32>, %b: memref<784x512xf32>, %c: memref<1x512xf32>) {
  linalg.matmul ins(%a, %b : memref<1x784xf32>, memref<784x512xf32>) outs(%c : memref<1x512xf32>)
  return
}

// The same where neighbours are terms of one sum: vectors of them are added up, in blocks
// of one thread, and their elements at the end.
// REMARK: remark: a kernel with vectors of terms
// CHECK-LABEL: func.func @turned
// CHECK:       gpu.launch {{.*}} threads({{.*}}) in (%{{.*}} = %c1, %{{.*}} = %c1, %{{.*}} = %c1)
// CHECK:         scf.for {{.*}} -> (vector<32xf32>)
// CHECK:           vector.load {{.*}} vector<32xf32>
// CHECK:         scf.for {{.*}} -> (f32)
// CHECK:         vector.reduction <add>, {{.*}} fastmath<reassoc>
// CHECK-NOT:   gpu.all_reduce
// CHECK:       return
func.func @turned(%a: memref<1x784xf32>, %b: memref<512x784xf32>, %c: memref<1x512xf32>) {
  linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (j, k)>,
                                   affine_map<(i, j, k) -> (i, j)>],
                  iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<1x784xf32>, memref<512x784xf32>) outs(%c : memref<1x512xf32>) {
  ^bb0(%v: f32, %w: f32, %s: f32):
    %p = arith.mulf %v, %w : f32
    %n = arith.addf %s, %p : f32
    linalg.yield %n : f32
  }
  return
}

// Few blocks, which the loops divide.
// REMARK: remark: a kernel with a thread for each element
// CHECK-LABEL: func.func @filled
// CHECK:       gpu.launch blocks({{.*}}) in (%{{.*}} = %c6, {{.*}} threads({{.*}}) in (%{{.*}} = %c14, %{{.*}} = %c70, %{{.*}} = %c1)
// CHECK-NOT:     arith.cmpi
// CHECK:         memref.store
func.func @filled(%x: f32, %m: memref<30x14x14xf32>) {
  linalg.fill ins(%x : f32) outs(%m : memref<30x14x14xf32>)
  return
}
