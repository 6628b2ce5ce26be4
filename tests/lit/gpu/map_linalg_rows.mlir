// Ops over the same rows are one kernel.

// RUN: async-gpu-opt %s --async-gpu-map-linalg=remarks=true 2>&1 >%t.mlir | FileCheck %s --check-prefix=REMARK
// RUN: async-gpu-opt %t.mlir --canonicalize --cse | FileCheck %s --check-prefixes=CHECK,GPU
// RUN: async-gpu-opt %s --async-gpu-map-linalg="device=emu remarks=true" 2>&1 >%t.emu.mlir | FileCheck %s --check-prefix=EMU-REMARK
// RUN: async-gpu-opt %t.emu.mlir --canonicalize --cse | FileCheck %s --check-prefixes=CHECK,EMU
// RUN: async-gpu-opt %s --async-gpu-from-linalg --async-gpu-lower=gpu-math=expand -o /dev/null

#cells = affine_map<(i, j, k) -> (i, j, k)>
#most = affine_map<(i, u, j, k) -> (i, u, j, k)>
#most_of_row = affine_map<(i, u, j, k) -> (i, j)>
#number = affine_map<(i, j, k) -> (i, j)>
#column = affine_map<(i, j, k) -> (k)>
#plane = affine_map<(i, j) -> (i, j)>
#across = affine_map<(i, j) -> (j, i)>
#row = affine_map<(i, j) -> (i)>
#line = affine_map<(i) -> (i)>

// Of a softmax, threads keep two elements, the second of 36 only four of them, which
// read the last one again. What is read of another shape is read once.
// REMARK-DAG: map_linalg_rows.mlir:[[#@LINE+44]]:3: remark: a kernel with a block for each row, for 4 ops
// EMU-REMARK-DAG: map_linalg_rows.mlir:[[#@LINE+43]]:3: remark: a kernel with rows as vectors, for 4 ops
// CHECK-LABEL: func.func @softmax
// CHECK-NOT:   linalg.generic
// GPU:         %[[OUT:.*]] = memref.alloc() : memref<6x8x36xf32>
// GPU:         gpu.launch blocks({{.*}}) in (%{{.*}} = %c48, {{.*}}) threads({{.*}}) in (%{{.*}} = %c32
// GPU:           %[[FAR:.*]] = arith.addi %[[TX:.*]], %c32
// GPU:           %[[IN:.*]] = arith.cmpi ult, %[[FAR]], %c36
// GPU:           %[[NEAR:.*]] = arith.minui %[[FAR]], %c35
// GPU:           %[[X0:.*]] = memref.load %[[X:.*]][{{.*}}, %[[TX]]]
// GPU:           %[[X1:.*]] = memref.load %[[X]][{{.*}}, %[[NEAR]]]
// GPU:           %[[BOTH:.*]] = arith.maximumf %[[X1]], %[[X0]]
// GPU:           arith.select %[[IN]], %[[BOTH]], %[[X0]]
// GPU:           gpu.all_reduce maximumf
// GPU-NOT:       memref.load
// GPU:           math.exp
// GPU:           math.exp
// GPU:           gpu.all_reduce add
// GPU-NOT:       memref.load
// GPU:           memref.store %{{.*}}, %[[OUT]][{{.*}}, %[[TX]]]
// GPU:           scf.if %[[IN]] {
// GPU-NEXT:        memref.store %{{.*}}, %[[OUT]][{{.*}}, %[[NEAR]]]
// A vector is of 32 elements, and the four at the end are one by one; the powers are
// in a buffer for the loop that divides.
// EMU:         gpu.launch {{.*}} threads({{.*}}) in (%{{.*}} = %c1, %{{.*}} = %c1, %{{.*}} = %c1)
// EMU:           %[[BUFFER:.*]] = memref.alloca() {{.*}}memref<36xf32>
// EMU:           scf.for
// EMU:             vector.load {{.*}} vector<32xf32>
// EMU:             scf.for {{.*}} = %c32 to %c36 {{.*}} -> (f32)
// EMU:             vector.reduction <maximumf>
// EMU:             math.exp {{.*}} : vector<32xf32>
// EMU:             vector.store {{.*}}, %[[BUFFER]]
// EMU:             memref.store {{.*}}, %[[BUFFER]]
// EMU:             vector.reduction <add>
// EMU:             vector.load %[[BUFFER]]
// EMU:             arith.divf {{.*}} : vector<32xf32>
// CHECK:       return
func.func @softmax(%x: memref<6x8x36xf32>) -> memref<6x8x36xf32> {
  %low = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  %m = memref.alloc() : memref<6x8xf32>
  linalg.fill ins(%low : f32) outs(%m : memref<6x8xf32>)
  %view = memref.expand_shape %x [[0, 1], [2], [3]] output_shape [6, 1, 8, 36]
      : memref<6x8x36xf32> into memref<6x1x8x36xf32>
  linalg.generic {indexing_maps = [#most, #most_of_row], iterator_types = ["parallel", "reduction", "parallel", "reduction"]}
      ins(%view : memref<6x1x8x36xf32>) outs(%m : memref<6x8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = arith.maximumf %a, %o : f32
    linalg.yield %r : f32
  }
  %e = memref.alloc() : memref<6x8x36xf32>
  linalg.generic {indexing_maps = [#cells, #number, #cells], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %m : memref<6x8x36xf32>, memref<6x8xf32>) outs(%e : memref<6x8x36xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %d = arith.subf %a, %b : f32
    %r = math.exp %d : f32
    linalg.yield %r : f32
  }
  memref.dealloc %m : memref<6x8xf32>
  %s = memref.alloc() : memref<6x8xf32>
  linalg.fill ins(%zero : f32) outs(%s : memref<6x8xf32>)
  linalg.generic {indexing_maps = [#cells, #number], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%e : memref<6x8x36xf32>) outs(%s : memref<6x8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = arith.addf %a, %o : f32
    linalg.yield %r : f32
  }
  %out = memref.alloc() : memref<6x8x36xf32>
  linalg.generic {indexing_maps = [#cells, #number, #cells], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%e, %s : memref<6x8x36xf32>, memref<6x8xf32>) outs(%out : memref<6x8x36xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %r = arith.divf %a, %b : f32
    linalg.yield %r : f32
  }
  memref.dealloc %s : memref<6x8xf32>
  memref.dealloc %e : memref<6x8x36xf32>
  return %out : memref<6x8x36xf32>
}

// What others read is stored: the sum, by one thread of a block, and the elements in
// between. The sums begin with copies of what was filled, far away.
// REMARK-DAG: remark: a kernel with a block for each row, for 3 ops
// CHECK-LABEL: func.func @sums
// CHECK-NOT:   linalg.generic
// CHECK-NOT:   memref.copy
// CHECK:       %[[SUM:.*]] = memref.alloc() : memref<40xf32>
// CHECK:       %[[SQUARES:.*]] = memref.alloc() : memref<40x64xf32>
// CHECK:       gpu.launch
// GPU:           memref.store %{{.*}}, %[[SQUARES]]
// GPU:           gpu.all_reduce add
// GPU:           arith.addf %{{.*}}, %cst
// GPU-NEXT:      scf.if
// GPU-NEXT:        memref.store %{{.*}}, %[[SUM]]
// EMU:           vector.store %{{.*}}, %[[SQUARES]]
// EMU:           vector.reduction <add>
// EMU:           memref.store %{{.*}}, %[[SUM]]
// CHECK:       return
func.func @sums(%x: memref<40x64xf32>, %y: memref<40x64xf32>) -> (memref<40xf32>, memref<40x64xf32>, memref<40x64xf32>) {
  %one = arith.constant 1.0 : f32
  %filled = memref.alloc() : memref<40xf32>
  linalg.fill ins(%one : f32) outs(%filled : memref<40xf32>)
  %sum = memref.alloc() : memref<40xf32>
  %squares = memref.alloc() : memref<40x64xf32>
  linalg.generic {indexing_maps = [#plane, #plane], iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<40x64xf32>) outs(%squares : memref<40x64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = arith.mulf %a, %a : f32
    linalg.yield %r : f32
  }
  memref.copy %filled, %sum : memref<40xf32> to memref<40xf32>
  linalg.generic {indexing_maps = [#plane, #row], iterator_types = ["parallel", "reduction"]}
      ins(%squares : memref<40x64xf32>) outs(%sum : memref<40xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = arith.addf %a, %o : f32
    linalg.yield %r : f32
  }
  memref.dealloc %filled : memref<40xf32>
  %out = memref.alloc() : memref<40x64xf32>
  linalg.generic {indexing_maps = [#plane, #row, #plane], iterator_types = ["parallel", "parallel"]}
      ins(%y, %sum : memref<40x64xf32>, memref<40xf32>) outs(%out : memref<40x64xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %r = arith.mulf %a, %b : f32
    linalg.yield %r : f32
  }
  return %sum, %squares, %out : memref<40xf32>, memref<40x64xf32>, memref<40x64xf32>
}

// A row that is read along another dimension is no row.
// CHECK-LABEL: func.func @across
// CHECK:       gpu.launch
// CHECK:       gpu.launch
// CHECK:       return
func.func @across(%x: memref<64x64xf32>) -> memref<64x64xf32> {
  %zero = arith.constant 0.0 : f32
  %sum = memref.alloc() : memref<64xf32>
  linalg.fill ins(%zero : f32) outs(%sum : memref<64xf32>)
  linalg.generic {indexing_maps = [#plane, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<64x64xf32>) outs(%sum : memref<64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = arith.addf %a, %o : f32
    linalg.yield %r : f32
  }
  %out = memref.alloc() : memref<64x64xf32>
  linalg.generic {indexing_maps = [#across, #row, #plane], iterator_types = ["parallel", "parallel"]}
      ins(%x, %sum : memref<64x64xf32>, memref<64xf32>) outs(%out : memref<64x64xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %r = arith.divf %a, %b : f32
    linalg.yield %r : f32
  }
  return %out : memref<64x64xf32>
}

// A sum that is of another row has to be done before.
// CHECK-LABEL: func.func @others
// CHECK:       gpu.launch
// CHECK:       gpu.launch
// CHECK:       return
func.func @others(%x: memref<64x64xf32>) -> memref<64x64xf32> {
  %zero = arith.constant 0.0 : f32
  %sum = memref.alloc() : memref<64xf32>
  linalg.fill ins(%zero : f32) outs(%sum : memref<64xf32>)
  linalg.generic {indexing_maps = [#plane, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<64x64xf32>) outs(%sum : memref<64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = arith.addf %a, %o : f32
    linalg.yield %r : f32
  }
  %out = memref.alloc() : memref<64x64xf32>
  linalg.generic {indexing_maps = [#plane, affine_map<(i, j) -> (j)>, #plane], iterator_types = ["parallel", "parallel"]}
      ins(%x, %sum : memref<64x64xf32>, memref<64xf32>) outs(%out : memref<64x64xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %r = arith.divf %a, %b : f32
    linalg.yield %r : f32
  }
  return %out : memref<64x64xf32>
}

// So has what reads memory before others write it.
// CHECK-LABEL: func.func @written
// CHECK:       gpu.launch
// CHECK:       memref.store
// CHECK:       gpu.launch
// CHECK:       return
func.func @written(%x: memref<64x64xf32>) -> memref<64x64xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %sum = memref.alloc() : memref<64xf32>
  linalg.fill ins(%zero : f32) outs(%sum : memref<64xf32>)
  linalg.generic {indexing_maps = [#plane, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<64x64xf32>) outs(%sum : memref<64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = arith.addf %a, %o : f32
    linalg.yield %r : f32
  }
  memref.store %zero, %x[%c0, %c0] : memref<64x64xf32>
  %out = memref.alloc() : memref<64x64xf32>
  linalg.generic {indexing_maps = [#plane, #row, #plane], iterator_types = ["parallel", "parallel"]}
      ins(%x, %sum : memref<64x64xf32>, memref<64xf32>) outs(%out : memref<64x64xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %r = arith.divf %a, %b : f32
    linalg.yield %r : f32
  }
  return %out : memref<64x64xf32>
}
