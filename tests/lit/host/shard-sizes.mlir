// RUN: async-gpu-opt %s --async-gpu-shard | FileCheck %s
// RUN: async-gpu-opt %s --async-gpu-shard --async-gpu-bufferize --async-gpu-shard-messages | FileCheck %s --check-prefix=MESSAGES
// RUN: async-gpu-opt %s --async-gpu-shard=remarks=true -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

shard.grid @ranks(shape = ?)

// Sizes that types do not have are numbers of the program, and not of the part. What is
// exchanged is told how large it is.
// CHECK-LABEL: func.func @rows(
// CHECK: %[[SIZE:.*]] = tensor.dim %arg0, %{{.*}}
// CHECK: %[[EACH:.*]] = arith.divui %[[SIZE]]
// CHECK: %[[MINE:.*]] = arith.addi %[[EACH]]
// CHECK: tensor.extract_slice %arg0[%{{.*}}, 0] [%[[MINE]], 6]
// CHECK: tensor.empty(%[[MINE]])
// CHECK: memref.alloc(%[[SIZE]])
// CHECK: call @shard.call.{{.*}}, %[[SIZE]]) : (tensor<?x6xf32>, memref<?x6xf32>, memref<1xi64>, index)
// CHECK: return %{{.*}}, %[[SIZE]]
// MESSAGES-LABEL: func.func @rows(
// MESSAGES: %[[SIZE:.*]] = memref.dim %arg0
// MESSAGES: "agpu.exchange"(%{{.*}}, %{{.*}}, %{{.*}}, %[[SIZE]]) {numbers = array<i64: 0, 0, -1, -1, 0, 0, 0, -1>}
func.func @rows(%x: tensor<?x6xf32>) -> (tensor<?x6xf32>, index) {
  %c0 = arith.constant 0 : index
  %s = shard.sharding @ranks split_axes = [[0]] : !shard.sharding
  %p = shard.shard %x to %s : tensor<?x6xf32>
  %n = tensor.dim %p, %c0 : tensor<?x6xf32>
  %e = tensor.empty(%n) : tensor<?x6xf32>
  %y = linalg.add ins(%p, %p : tensor<?x6xf32>, tensor<?x6xf32>) outs(%e : tensor<?x6xf32>) -> tensor<?x6xf32>
  %m = tensor.dim %y, %c0 : tensor<?x6xf32>
  return %y, %m : tensor<?x6xf32>, index
}

// A loop hands on parts where the size is the same in each round.
// CHECK-LABEL: func.func @same(
// CHECK: scf.for {{.*}} iter_args(%[[PART:.*]] = %extracted_slice
// CHECK-NOT: tensor.dim
// CHECK: linalg.add ins(%[[PART]], %extracted_slice
func.func @same(%x: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %s = shard.sharding @ranks split_axes = [[0]] : !shard.sharding
  %p = shard.shard %x to %s : tensor<?xf32>
  %r = scf.for %i = %c0 to %c2 step %c1 iter_args(%a = %p) -> tensor<?xf32> {
    %n = tensor.dim %a, %c0 : tensor<?xf32>
    %e = tensor.empty(%n) : tensor<?xf32>
    %y = linalg.add ins(%a, %p : tensor<?xf32>, tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
    scf.yield %y : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}

// Equal constants are the same size.
// CHECK-LABEL: func.func @constants(
// CHECK: %[[EMPTY:.*]] = tensor.empty(%[[MINE:.*]]) : tensor<?xf32>
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %[[EMPTY]]) -> (tensor<?xf32>)
// CHECK-NOT: extract_slice
// CHECK: return
func.func @constants() -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  %again = arith.constant 8 : index
  %s = shard.sharding @ranks split_axes = [[0]] : !shard.sharding
  %e = tensor.empty(%c8) : tensor<?xf32>
  %p = shard.shard %e to %s : tensor<?xf32>
  %r = scf.for %i = %c0 to %c2 step %c1 iter_args(%a = %p) -> tensor<?xf32> {
    %f = tensor.empty(%again) : tensor<?xf32>
    %y = linalg.exp ins(%a : tensor<?xf32>) outs(%f : tensor<?xf32>) -> tensor<?xf32>
    scf.yield %y : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}

// Elsewhere it is whole.
// CHECK-LABEL: func.func @other(
// CHECK: scf.for {{.*}} iter_args(%[[WHOLE:.*]] = %{{[0-9]+}})
// CHECK: %[[NOW:.*]] = tensor.dim %[[WHOLE]]
// CHECK: arith.subi %[[NOW]]
func.func @other(%x: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %s = shard.sharding @ranks split_axes = [[0]] : !shard.sharding
  %p = shard.shard %x to %s : tensor<?xf32>
  %r = scf.for %i = %c0 to %c2 step %c1 iter_args(%a = %p) -> tensor<?xf32> {
    %n = tensor.dim %a, %c0 : tensor<?xf32>
    %m = arith.subi %n, %c1 : index
    %y = tensor.extract_slice %a[0] [%m] [1] : tensor<?xf32> to tensor<?xf32>
    scf.yield %y : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}

// So is what windows go along.
// REMARK: shard-sizes.mlir:[[# @LINE + 9]]:8: remark: shard.all_gather of dimension 0 of tensor<?xf32> along axes [0] of the grid
func.func @window(%x: tensor<?xf32>, %w: tensor<3xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %s = shard.sharding @ranks split_axes = [[0]] : !shard.sharding
  %p = shard.shard %x to %s : tensor<?xf32>
  %n = tensor.dim %p, %c0 : tensor<?xf32>
  %m = arith.subi %n, %c2 : index
  %e = tensor.empty(%m) : tensor<?xf32>
  %y = linalg.conv_1d ins(%p, %w : tensor<?xf32>, tensor<3xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// Which dimension is asked for is not known here: the tensor is gathered for that.
// REMARK: shard-sizes.mlir:[[# @LINE + 4]]:8: remark: shard.all_gather
func.func @any(%x: tensor<8x6xf32>, %i: index) -> index {
  %s = shard.sharding @ranks split_axes = [[0]] : !shard.sharding
  %p = shard.shard %x to %s : tensor<8x6xf32>
  %n = tensor.dim %p, %i : tensor<8x6xf32>
  return %n : index
}

// What the body of an op reads by itself is whole.
// REMARK: shard-sizes.mlir:[[# @LINE + 8]]:8: remark: shard.all_gather of dimension 0 of tensor<?xf32>
func.func @table(%x: tensor<?xf32>, %which: tensor<4xindex>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %s = shard.sharding @ranks split_axes = [[0]] : !shard.sharding
  %p = shard.shard %x to %s : tensor<?xf32>
  %q = shard.shard %which to %s : tensor<4xindex>
  %e = tensor.empty() : tensor<4xf32>
  // Each rank looks up its own.
  %y = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%q : tensor<4xindex>) outs(%e : tensor<4xf32>) {
  ^bb0(%at: index, %out: f32):
    %found = tensor.extract %p[%at] : tensor<?xf32>
    linalg.yield %found : f32
  } -> tensor<4xf32>
  return %y : tensor<4xf32>
}
