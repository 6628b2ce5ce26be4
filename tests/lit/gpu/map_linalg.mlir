// Which kernel an op becomes, and what stays.

// RUN: async-gpu-opt %s --async-gpu-map-linalg=remarks=true 2>&1 >%t.mlir | FileCheck %s --check-prefix=REMARK
// RUN: async-gpu-opt %t.mlir --canonicalize --cse | FileCheck %s
// RUN: async-gpu-opt %s --async-gpu-map-linalg="remarks=true blocks=40" -o /dev/null 2>&1 | FileCheck %s --check-prefix=FEW
// RUN: async-gpu-opt %s --async-gpu-from-linalg=noalias-arguments=true --async-gpu-lower -o /dev/null

// 4100 rows do not fit tiles of 64 and are guarded; 256 columns do. A thread has
// eight of them, one vector.
// REMARK: map_linalg.mlir:[[#@LINE+16]]:3: remark: a kernel with tiles in workgroup memory: 64 by 128 elements of the result a block
// With fewer blocks than a GPU of 128 multiprocessors needs, they are larger.
// FEW: map_linalg.mlir:[[#@LINE+14]]:3: remark: a kernel with tiles in workgroup memory: 128 by 128 elements of the result a block
// CHECK-LABEL: func.func @product
// CHECK:       gpu.launch {{.*}} workgroup(%[[A:.*]] : memref<64x20xf32, #gpu.address_space<workgroup>>, %[[B:.*]] : memref<16x132xf32, #gpu.address_space<workgroup>>)
// What a thread brings waits in registers, four elements of one and eight of the
// other, while it multiplies.
// CHECK:         scf.for {{.*}} -> (vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)
// CHECK:           memref.store {{.*}}, %[[A]]
// CHECK:           memref.store {{.*}}, %[[B]]
// CHECK:           gpu.barrier
// CHECK:           memref.load %arg0
// CHECK:           memref.load %arg1
// CHECK:           scf.for
// CHECK:           gpu.barrier
func.func @product(%a: memref<4100x32xf32>, %b: memref<32x256xf32>, %c: memref<4100x256xf32>) {
  linalg.matmul ins(%a, %b : memref<4100x32xf32>, memref<32x256xf32>) outs(%c : memref<4100x256xf32>)
  return
}

// A small one has one element of the result for each thread: no vector, which
// would keep the host's compiler from making one of a row of threads. Its tiles are
// deeper.
// REMARK: remark: a kernel with tiles in workgroup memory: 16 by 16 elements of the result a block
// CHECK-LABEL: func.func @small
// CHECK-NOT:   vector
// CHECK:       gpu.launch {{.*}} memref<16x68xf32, {{.*}}memref<64x20xf32,
// CHECK-NOT:   vector
// CHECK:         scf.for {{.*}} -> (f32, f32, f32, f32, f32, f32, f32, f32, f32)
// CHECK:           scf.for {{.*}} -> (f32)
// CHECK-NOT:   vector
// CHECK:       return
func.func @small(%a: memref<64x192xf32>, %b: memref<192x192xf32>, %c: memref<64x192xf32>) {
  linalg.matmul ins(%a, %b : memref<64x192xf32>, memref<192x192xf32>) outs(%c : memref<64x192xf32>)
  return
}

// A convolution is one too: channels of the result are rows, places columns.
// REMARK: remark: a kernel with tiles in workgroup memory: 16 by 32 elements of the result a block
// CHECK-LABEL: func.func @window
// CHECK:       gpu.launch {{.*}} workgroup(
func.func @window(%x: memref<2x8x34x34xf32>, %w: memref<32x8x3x3xf32>, %y: memref<2x32x32x32xf32>) {
  linalg.conv_2d_nchw_fchw ins(%x, %w : memref<2x8x34x34xf32>, memref<32x8x3x3xf32>)
    outs(%y : memref<2x32x32x32xf32>)
  return
}

// REMARK: remark: a kernel with a block for each result
// CHECK-LABEL: func.func @sums
// CHECK:       threads({{.*}}) in (%{{.*}} = %c1024
// CHECK:         gpu.all_reduce add %{{.*}} uniform
func.func @sums(%x: memref<8x4096xf32>, %y: memref<8xf32>) {
  linalg.reduce ins(%x : memref<8x4096xf32>) outs(%y : memref<8xf32>) dimensions = [1]
    (%v: f32, %acc: f32) {
      %s = arith.addf %v, %acc : f32
      linalg.yield %s : f32
    }
  return
}

// Of rows, also many, or short ones: those a warp each.
// REMARK-COUNT-2: remark: a kernel with a block for each result
// CHECK-LABEL: func.func @rows
// CHECK:       threads({{.*}}) in (%{{.*}} = %c32
// CHECK:         gpu.all_reduce add %{{.*}} uniform
// CHECK:       threads({{.*}}) in (%{{.*}} = %c128
// CHECK:         gpu.all_reduce add %{{.*}} uniform
func.func @rows(%x: memref<9x40xf32>, %y: memref<9xf32>, %z: memref<8192x4096xf32>, %w: memref<8192xf32>) {
  linalg.reduce { arith.addf } ins(%x : memref<9x40xf32>) outs(%y : memref<9xf32>) dimensions = [1]
  linalg.reduce { arith.addf } ins(%z : memref<8192x4096xf32>) outs(%w : memref<8192xf32>) dimensions = [1]
  return
}

// Few terms, or many columns: a thread each, with the sum in a register. All
// threads run the loop; those without a result begin with zero and store nothing.
// Where each thread has a result, none looks.
// REMARK-COUNT-2: remark: a kernel with a thread for each element
// CHECK-LABEL: func.func @short
// CHECK:       gpu.launch
// CHECK:         %[[IN:.*]] = arith.cmpi ult
// CHECK:         %[[BEFORE:.*]] = scf.if %[[IN]] -> (f32)
// CHECK:           memref.load
// CHECK:         %[[SUM:.*]] = scf.for {{.*}} iter_args(%{{.*}} = %[[BEFORE]])
// CHECK-NOT:       memref.store
// CHECK:         scf.if %[[IN]]
// CHECK-NEXT:      memref.store %[[SUM]]
// CHECK-NOT:   gpu.all_reduce
// CHECK:       gpu.launch
// CHECK-NOT:   scf.if
// CHECK:         memref.store
// CHECK-NOT:   gpu.all_reduce
// CHECK:       return
func.func @short(%x: memref<9x24xf32>, %y: memref<9xf32>, %z: memref<4096x8192xf32>, %w: memref<8192xf32>) {
  linalg.reduce { arith.addf } ins(%x : memref<9x24xf32>) outs(%y : memref<9xf32>) dimensions = [1]
  linalg.reduce { arith.addf } ins(%z : memref<4096x8192xf32>) outs(%w : memref<8192xf32>) dimensions = [0]
  return
}

// Neighbours of the operand are neighbours of the block, too.
// REMARK: remark: a kernel with a thread for each element
// CHECK-LABEL: func.func @turned
// CHECK:       threads({{.*}}) in (%{{.*}} = %c32, %{{.*}} = %c8,
func.func @turned(%x: memref<512x256xf32>, %y: memref<256x512xf32>) {
  linalg.transpose ins(%x : memref<512x256xf32>) outs(%y : memref<256x512xf32>) permutation = [1, 0]
  return
}

// Nothing to do, in a kernel, in memory that is not the host's, and outputs that
// are not where the loops are.
// REMARK-NOT: remark
// CHECK-LABEL: func.func @left
// CHECK:       gpu.launch
// CHECK-NOT:   gpu.launch
// CHECK:       linalg.generic
// CHECK:       linalg.generic
// CHECK:       linalg.generic
// CHECK-NOT:   gpu.launch
func.func @left(%e: memref<0xf32>, %m: memref<8xf32>, %s: memref<8xf32, 1>, %d: memref<16xf32>, %x: f32) {
  %c1 = arith.constant 1 : index
  linalg.fill ins(%x : f32) outs(%e : memref<0xf32>)
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%nx = %c1, %ny = %c1, %nz = %c1) {
    linalg.fill ins(%x : f32) outs(%m : memref<8xf32>)
    gpu.terminator
  }
  linalg.fill ins(%x : f32) outs(%s : memref<8xf32, 1>)
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i * 2)>],
                  iterator_types = ["parallel"]}
      ins(%m : memref<8xf32>) outs(%d : memref<16xf32>) {
  ^bb0(%v: f32, %o: f32):
    linalg.yield %v : f32
  }
  return
}

// What a sum begins with and what is computed of it are part of its kernel; what two ops
// read is not, and neither is what an op in between changes.
// REMARK: remark: a kernel with tiles in workgroup memory
// CHECK-LABEL: func.func @layer
// CHECK:         gpu.launch
// CHECK-NOT:     gpu.launch
// CHECK:           arith.maximumf
// CHECK-NOT:     gpu.launch
// CHECK:       return
func.func @layer(%a: memref<64x32xf32>, %b: memref<32x64xf32>, %bias: memref<64xf32>) -> memref<64x64xf32> {
  %zero = arith.constant 0.0 : f32
  %sums = memref.alloc() : memref<64x64xf32>
  linalg.fill ins(%zero : f32) outs(%sums : memref<64x64xf32>)
  linalg.matmul ins(%a, %b : memref<64x32xf32>, memref<32x64xf32>) outs(%sums : memref<64x64xf32>)
  %out = memref.alloc() : memref<64x64xf32>
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>,
                                   affine_map<(i, j) -> (i, j)>],
                  iterator_types = ["parallel", "parallel"]}
      ins(%sums, %bias : memref<64x64xf32>, memref<64xf32>) outs(%out : memref<64x64xf32>) {
  ^bb0(%s: f32, %c: f32, %o: f32):
    %moved = arith.addf %s, %c : f32
    %cut = arith.maximumf %moved, %zero : f32
    linalg.yield %cut : f32
  }
  memref.dealloc %sums : memref<64x64xf32>
  return %out : memref<64x64xf32>
}

// REMARK: remark: a kernel with a thread for each element
// REMARK: remark: a kernel with tiles in workgroup memory
// REMARK: remark: a kernel with a thread for each element
// CHECK-LABEL: func.func @read_twice
// CHECK:         memref.copy
// CHECK:         gpu.launch
// CHECK:         gpu.launch
// CHECK:         gpu.launch
// CHECK:       return
func.func @read_twice(%a: memref<64x32xf32>, %b: memref<32x64xf32>, %first: memref<64x64xf32>)
    -> (memref<64x64xf32>, memref<64x64xf32>) {
  %zero = arith.constant 0.0 : f32
  %sums = memref.alloc() : memref<64x64xf32>
  memref.copy %first, %sums : memref<64x64xf32> to memref<64x64xf32>
  linalg.fill ins(%zero : f32) outs(%first : memref<64x64xf32>)
  linalg.matmul ins(%a, %b : memref<64x32xf32>, memref<32x64xf32>) outs(%sums : memref<64x64xf32>)
  %out = memref.alloc() : memref<64x64xf32>
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
                  iterator_types = ["parallel", "parallel"]}
      ins(%sums : memref<64x64xf32>) outs(%out : memref<64x64xf32>) {
  ^bb0(%s: f32, %o: f32):
    %cut = arith.maximumf %s, %zero : f32
    linalg.yield %cut : f32
  }
  return %sums, %out : memref<64x64xf32>, memref<64x64xf32>
}
