// Tensors go into memory; with fusion, what is elementwise becomes one op, but
// stays apart from sums of products, which read it many times.

// RUN: async-gpu-opt %s --async-gpu-bufferize | FileCheck %s --check-prefixes=CHECK,PLAIN
// RUN: async-gpu-opt %s --async-gpu-bufferize=fuse=true | FileCheck %s --check-prefixes=CHECK,FUSED
// RUN: async-gpu-opt %s --async-gpu-bufferize=fuse=true | not grep agpu.apart

// CHECK-LABEL: func.func @layer(%arg0: memref<8x16xf32>, %arg1: memref<16x4xf32>) -> memref<8x4xf32>
// PLAIN:         linalg.abs
// PLAIN:         linalg.exp
// PLAIN:         linalg.matmul
// FUSED:         math.absf
// FUSED-NEXT:    math.exp
// FUSED-NEXT:    linalg.yield
// FUSED:         linalg.generic {{.*}}"reduction"
// FUSED-NEXT:    ^bb0
// FUSED-NEXT:    arith.mulf
// CHECK-NOT:     bufferization
// CHECK:         return
func.func @layer(%x: tensor<8x16xf32>, %w: tensor<16x4xf32>) -> tensor<8x4xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x16xf32>
  %a = linalg.abs ins(%x : tensor<8x16xf32>) outs(%e : tensor<8x16xf32>) -> tensor<8x16xf32>
  %b = linalg.exp ins(%a : tensor<8x16xf32>) outs(%e : tensor<8x16xf32>) -> tensor<8x16xf32>
  %o = tensor.empty() : tensor<8x4xf32>
  %f = linalg.fill ins(%zero : f32) outs(%o : tensor<8x4xf32>) -> tensor<8x4xf32>
  %c = linalg.matmul ins(%b, %w : tensor<8x16xf32>, tensor<16x4xf32>) outs(%f : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %c : tensor<8x4xf32>
}

// What a public function is given stays as it is.
// CHECK-LABEL: func.func @twice
// CHECK:         %[[OWN:.*]] = memref.alloc
// CHECK:         outs(%[[OWN]]
// CHECK:         return %[[OWN]]
func.func @twice(%x: tensor<8xf32>) -> tensor<8xf32> {
  %y = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      outs(%x : tensor<8xf32>) {
  ^bb0(%v: f32):
    %s = arith.addf %v, %v : f32
    linalg.yield %s : f32
  } -> tensor<8xf32>
  return %y : tensor<8xf32>
}

// Ops that write into one tensor.empty have memory of their own each, made in
// front of loops that they are in, and freed behind its last use.
// PLAIN-LABEL: func.func @apart
// PLAIN:         %[[FIRST:.*]] = memref.alloc()
// PLAIN-NEXT:    linalg.exp {{.*}} outs(%[[FIRST]] :
// PLAIN-NEXT:    %[[SECOND:.*]] = memref.alloc()
// PLAIN-NEXT:    linalg.exp {{.*}} outs(%[[SECOND]] :
// PLAIN-NEXT:    memref.dealloc %[[FIRST]]
// PLAIN-NEXT:    %[[THIRD:.*]] = memref.alloc()
// PLAIN-NEXT:    scf.for
// PLAIN-NOT:     memref.alloc
// PLAIN:         linalg.abs {{.*}} outs(%[[THIRD]] :
// PLAIN-NOT:     memref.alloc
// PLAIN:         return
func.func @apart(%x: tensor<8xf32>, %n: index, %to: memref<8xf32>) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %e = tensor.empty() : tensor<8xf32>
  %t0 = linalg.exp ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %t1 = linalg.exp ins(%t0 : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  scf.for %i = %c0 to %n step %c1 {
    %a = linalg.abs ins(%t1 : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
    %v = tensor.extract %a[%i] : tensor<8xf32>
    memref.store %v, %to[%i] : memref<8xf32>
  }
  return %t1 : tensor<8xf32>
}

// What a program puts into an argument is there behind the call, and that is the
// memory of no other one.
// PLAIN-LABEL: func.func @into
// PLAIN-SAME:    (%[[X:.*]]: memref<8xf32>, %[[TO:.*]]: memref<8xf32> {llvm.noalias})
// PLAIN:         linalg.exp ins(%[[X]] : memref<8xf32>) outs(%[[TO]] :
// PLAIN:         %[[RESULT:.*]] = memref.alloc()
// PLAIN:         memref.copy %[[TO]], %[[RESULT]]
// PLAIN:         return %[[RESULT]]
func.func @into(%x: tensor<8xf32>, %to: tensor<8xf32>) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8xf32>
  %t = linalg.exp ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %r = bufferization.materialize_in_destination %t in %to : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  return %r : tensor<8xf32>
}

// A loop of branches becomes one of ops, in which memory can be freed.
// CHECK-LABEL: func.func @branches
// CHECK-NOT:     cf.br
// CHECK:         scf.while
// CHECK:           memref.dealloc
// CHECK:         return
func.func @branches(%x: tensor<8xf32>, %n: index) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  cf.br ^head(%c0, %x : index, tensor<8xf32>)
^head(%i: index, %t: tensor<8xf32>):
  %more = arith.cmpi slt, %i, %n : index
  cf.cond_br %more, ^body, ^done
^body:
  %e = tensor.empty() : tensor<8xf32>
  %s = linalg.add ins(%t, %x : tensor<8xf32>, tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %j = arith.addi %i, %c1 : index
  cf.br ^head(%j, %s : index, tensor<8xf32>)
^done:
  %r = tensor.extract %t[%c0] : tensor<8xf32>
  return %r : f32
}

// What the program frees itself is freed once, and messages are as they were.
// CHECK-LABEL: func.func @own
// CHECK:         %[[OWN:.*]] = memref.alloc() : memref<8xf32>
// CHECK:         mpi.allreduce(%{{.*}}, %[[OWN]], MPI_SUM, %{{.*}}) : memref<8xf32>, memref<8xf32>
// CHECK:         memref.dealloc %[[OWN]] : memref<8xf32>
// CHECK-NOT:     memref.dealloc
// CHECK:         return
// CHECK-NOT: agpu.hidden
func.func @own(%x: tensor<8xf32>) -> f32 {
  %c0 = arith.constant 0 : index
  %m = memref.alloc() : memref<8xf32>
  %b = bufferization.to_buffer %x : tensor<8xf32> to memref<8xf32>
  %comm = mpi.comm_world : !mpi.comm
  mpi.allreduce(%b, %m, MPI_SUM, %comm) : memref<8xf32>, memref<8xf32>
  %v = memref.load %m[%c0] : memref<8xf32>
  memref.dealloc %m : memref<8xf32>
  return %v : f32
}
