// A program on tensors is split among ranks.
// RUN: async-gpu-opt %s --split-input-file --async-gpu-shard | FileCheck %s
// RUN: async-gpu-opt %s --split-input-file --pass-pipeline='builtin.module(async-gpu-shard,async-gpu-from-linalg)' | FileCheck %s --check-prefix=OPS

// Sizes that can be divided are known.
// CHECK: func.func private @[[GATHER:.*]](tensor<4xf32> {bufferization.access = "read", bufferization.buffer_layout = strided<[?], offset: ?>}, memref<8xf32>, memref<1xi64>) attributes {async_gpu.numbers = array<i64: 0, 0, 8, 8, 0, 0, 0, -1>, async_gpu.shard = "exchange"}
// CHECK-LABEL: func.func @twice(
// CHECK-SAME: %[[X:.*]]: tensor<8xf32> {llvm.noalias}) -> tensor<8xf32>
// CHECK: %[[BEGIN:.*]] = arith.muli %{{.*}}, %c4
// CHECK: %[[PART:.*]] = tensor.extract_slice %[[X]][%[[BEGIN]]] [4] [1]
// CHECK: linalg.add ins(%[[PART]], %[[PART]] : tensor<4xf32>, tensor<4xf32>)
// CHECK: call @[[GATHER]](
// CHECK: return %{{.*}} : tensor<8xf32>

// OPS-LABEL: func.func @twice(
// OPS: "agpu.shard_open"(%{{.*}}) {numbers = array<i64: 2, 1, 1, 1>}
// OPS: "agpu.exchange"(%{{.*}}, %{{.*}}, %{{.*}}) {numbers = array<i64: 0, 0, 8, 8, 0, 0, 0, -1>}
// OPS-NOT: shard.call
shard.grid @ranks(shape = 2)
func.func @twice(%x: tensor<8xf32>) -> tensor<8xf32> {
  %s = shard.sharding @ranks split_axes = [[0]] : !shard.sharding
  %part = shard.shard %x to %s : tensor<8xf32>
  %e = tensor.empty() : tensor<8xf32>
  %y = linalg.add ins(%part, %part : tensor<8xf32>, tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  return %y : tensor<8xf32>
}

// -----

// What the result is annotated with is what its makers do; of a sum over what is split
// each rank makes a part, and the value that it begins with is added once.
// CHECK-LABEL: func.func @sum(
// CHECK-SAME: %[[A:.*]]: tensor<6x5xf32> {llvm.noalias}, %[[B:.*]]: tensor<5x4xf32> {llvm.noalias}, %[[C:.*]]: tensor<6x4xf32> {llvm.noalias})
// CHECK-DAG: tensor.extract_slice %[[A]][0, %{{.*}}] [6, %{{.*}}] [1, 1] : tensor<6x5xf32> to tensor<6x?xf32>
// CHECK-DAG: tensor.extract_slice %[[B]][%{{.*}}, 0] [%{{.*}}, 4] [1, 1] : tensor<5x4xf32> to tensor<?x4xf32>
// CHECK: %[[ZERO:.*]] = linalg.fill
// CHECK: %[[PART:.*]] = linalg.matmul {{.*}} outs(%[[ZERO]] : tensor<6x4xf32>)
// CHECK: call @shard.call.{{[0-9]+}}(%[[PART]],
// CHECK: %[[SUM:.*]] = bufferization.to_tensor
// CHECK: %[[ALL:.*]] = linalg.add ins(%[[SUM]], %[[C]] : {{.*}}) outs(%[[SUM]]
// CHECK: return %[[ALL]]

// OPS-LABEL: func.func @sum(
// OPS: "agpu.reduce"(%{{.*}}) {numbers = array<i64: 3, -1>}
shard.grid @ranks(shape = ?)
func.func @sum(%a: tensor<6x5xf32>, %b: tensor<5x4xf32>, %c: tensor<6x4xf32>) -> tensor<6x4xf32> {
  %s = shard.sharding @ranks split_axes = [[], [0]] : !shard.sharding
  %part = shard.shard %a to %s : tensor<6x5xf32>
  %y = linalg.matmul ins(%part, %b : tensor<6x5xf32>, tensor<5x4xf32>) outs(%c : tensor<6x4xf32>) -> tensor<6x4xf32>
  return %y : tensor<6x4xf32>
}

// -----

// Backward: nothing but the result is annotated, and no rank computes all of it.
// CHECK-LABEL: func.func @backward(
// CHECK-NOT: linalg.{{.*}}tensor<8xf32>
// CHECK: return
shard.grid @ranks(shape = 4)
func.func @backward(%x: tensor<8xf32>) -> tensor<8xf32> {
  %s = shard.sharding @ranks split_axes = [[0]] : !shard.sharding
  %one = arith.constant 1.0 : f32
  %e = tensor.empty() : tensor<8xf32>
  %f = linalg.fill ins(%one : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %y = linalg.add ins(%x, %f : tensor<8xf32>, tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %z = linalg.exp ins(%y : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %part = shard.shard %z to %s : tensor<8xf32>
  return %part : tensor<8xf32>
}

// -----

// An index of a loop that is split is the program's.
// CHECK-LABEL: func.func @indices(
// CHECK: linalg.generic
// CHECK: %[[OWN:.*]] = linalg.index 0
// CHECK: %[[WHOLE:.*]] = arith.addi %[[OWN]], %{{.*}}
// CHECK: arith.index_cast %[[WHOLE]]
shard.grid @ranks(shape = 2)
func.func @indices(%x: tensor<8xi32>) -> tensor<8xi32> {
  %s = shard.sharding @ranks split_axes = [[0]] : !shard.sharding
  %part = shard.shard %x to %s : tensor<8xi32>
  %y = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%part : tensor<8xi32>) {
  ^bb0(%out: i32):
    %i = linalg.index 0 : index
    %n = arith.index_cast %i : index to i32
    %sum = arith.addi %out, %n : i32
    linalg.yield %sum : i32
  } -> tensor<8xi32>
  return %y : tensor<8xi32>
}

// -----

// An op that is not known works on whole tensors.
// CHECK-LABEL: func.func @unknown(
// CHECK: %[[WHOLE:.*]] = bufferization.to_tensor
// CHECK: tensor.extract %[[WHOLE]]
shard.grid @ranks(shape = 2)
func.func @unknown(%x: tensor<8xf32>, %i: index) -> f32 {
  %s = shard.sharding @ranks split_axes = [[0]] : !shard.sharding
  %part = shard.shard %x to %s : tensor<8xf32>
  %y = tensor.extract %part[%i] : tensor<8xf32>
  return %y : f32
}

// -----

// Two annotations of one value, one of which is in a loop: upstream's canonicalization
// would make one of them, in the loop.
// CHECK-LABEL: func.func @twice_in_a_loop(
// CHECK-SAME: %[[X:.*]]: tensor<8xf32>
// CHECK: tensor.extract_slice %[[X]]
// CHECK: scf.for
// CHECK: scf.yield
shard.grid @ranks(shape = 2)
func.func @twice_in_a_loop(%x: tensor<8xf32>, %n: index) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %s = shard.sharding @ranks split_axes = [[0]] : !shard.sharding
  %part = shard.shard %x to %s : tensor<8xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %part) -> tensor<8xf32> {
    %t = shard.sharding @ranks split_axes = [[0]] : !shard.sharding
    %again = shard.shard %x to %t annotate_for_users : tensor<8xf32>
    %e = tensor.empty() : tensor<8xf32>
    %y = linalg.add ins(%a, %again : tensor<8xf32>, tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
    scf.yield %y : tensor<8xf32>
  }
  return %r : tensor<8xf32>
}

// -----

// Each rank gets its rows of the sum, where fewer elements move than if it were given what
// its rows are computed from. Its part of the value that the sum begins with is added.
// CHECK: func.func private @[[SCATTER:.*]](tensor<4x2xf32> {{.*}}, memref<2x2xf32>, memref<1xi64>) attributes {async_gpu.numbers = array<i64: {{[0-9]+}}, 0>, async_gpu.shard = "reduce"}
// CHECK-LABEL: func.func @scattered(
// CHECK-SAME: tensor<16x2xf32> {llvm.noalias}, %[[C:.*]]: tensor<4x2xf32> {llvm.noalias})
// CHECK: %[[PART:.*]] = linalg.matmul ins(%{{.*}} : tensor<4x8xf32>, tensor<8x2xf32>)
// CHECK: call @[[SCATTER]](%[[PART]],
// CHECK: %[[SUM:.*]] = bufferization.to_tensor {{.*}} to tensor<2x2xf32>
// CHECK: %[[BEGIN:.*]] = tensor.extract_slice %[[C]][%{{.*}}, 0] [2, 2] [1, 1]
// CHECK: linalg.add ins(%[[SUM]], %[[BEGIN]] :

// OPS-LABEL: func.func @scattered(
// OPS: "agpu.reduce"(%{{.*}}) {numbers = array<i64: {{[0-9]+}}, 0>}
shard.grid @ranks(shape = 2)
func.func @scattered(%a: tensor<4x16xf32>, %b: tensor<16x2xf32>, %c: tensor<4x2xf32>) -> tensor<4x2xf32> {
  %columns = shard.sharding @ranks split_axes = [[], [0]] : !shard.sharding
  %rows = shard.sharding @ranks split_axes = [[0]] : !shard.sharding
  %as = shard.shard %a to %columns : tensor<4x16xf32>
  %y = linalg.matmul ins(%as, %b : tensor<4x16xf32>, tensor<16x2xf32>) outs(%c : tensor<4x2xf32>) -> tensor<4x2xf32>
  %ys = shard.shard %y to %rows : tensor<4x2xf32>
  return %ys : tensor<4x2xf32>
}

// -----

// Here the operand is smaller than what it is reduced to.
// CHECK-NOT: async_gpu.shard = "reduce"
// CHECK-LABEL: func.func @not_scattered(
// CHECK: linalg.matmul ins(%{{.*}} : tensor<2x4xf32>, tensor<4x16xf32>)
shard.grid @ranks(shape = 2)
func.func @not_scattered(%a: tensor<4x4xf32>, %b: tensor<4x16xf32>, %c: tensor<4x16xf32>) -> tensor<4x16xf32> {
  %columns = shard.sharding @ranks split_axes = [[], [0]] : !shard.sharding
  %rows = shard.sharding @ranks split_axes = [[0]] : !shard.sharding
  %as = shard.shard %a to %columns : tensor<4x4xf32>
  %y = linalg.matmul ins(%as, %b : tensor<4x4xf32>, tensor<4x16xf32>) outs(%c : tensor<4x16xf32>) -> tensor<4x16xf32>
  %ys = shard.shard %y to %rows : tensor<4x16xf32>
  return %ys : tensor<4x16xf32>
}

// -----

// What a window reaches into comes from other ranks; the rank's own part goes straight into
// the padded tensor, and the halo on either side of it.
// CHECK: func.func private @[[HALO:.*]](tensor<4x6xf32> {{.*}}, memref<?x6xf32>, memref<1xi64>) attributes {async_gpu.numbers = array<i64: 2, 0, 8, 8, 1, 1, 1, -1>, async_gpu.shard = "exchange"}
// CHECK-LABEL: func.func @window(
// CHECK: %[[PART:.*]] = tensor.extract_slice %{{.*}}[%{{.*}}, 0] [4, 6] [1, 1]
// CHECK: %[[MEMORY:.*]] = memref.alloc(%[[SIZE:.*]]) : memref<?x6xf32>
// CHECK: call @[[HALO]](%[[PART]], %[[MEMORY]],
// CHECK: %[[AROUND:.*]] = bufferization.to_tensor %[[MEMORY]]
// CHECK: %[[PADDED:.*]] = tensor.pad %[[PART]] low[1, 1] high[1, 1]
// CHECK: %[[BEFORE:.*]] = tensor.extract_slice %[[AROUND]][0, 0] [%[[ROWS:.*]], 6] [1, 1]
// CHECK: %[[FIRST:.*]] = tensor.insert_slice %[[BEFORE]] into %[[PADDED]][%{{.*}}, 1] [%[[ROWS]], 6] [1, 1]
// CHECK: %[[AFTER:.*]] = tensor.extract_slice %[[AROUND]][%[[ROWS]], 0]
// CHECK: %[[ALL:.*]] = tensor.insert_slice %[[AFTER]] into %[[FIRST]]
// CHECK: linalg.generic {{.*}} ins(%[[ALL]], %{{.*}} : tensor<6x8xf32>, tensor<3x3xf32>)
#at = affine_map<(i, j, di, dj) -> (i + di, j + dj)>
#window = affine_map<(i, j, di, dj) -> (di, dj)>
#out = affine_map<(i, j, di, dj) -> (i, j)>
shard.grid @ranks(shape = 2)
func.func @window(%x: tensor<8x6xf32>, %w: tensor<3x3xf32>, %y: tensor<8x6xf32>) -> tensor<8x6xf32> {
  %rows = shard.sharding @ranks split_axes = [[0]] : !shard.sharding
  %part = shard.shard %x to %rows : tensor<8x6xf32>
  %zero = arith.constant 0.0 : f32
  %padded = tensor.pad %part low[1, 1] high[1, 1] {
  ^bb0(%i: index, %j: index):
    tensor.yield %zero : f32
  } : tensor<8x6xf32> to tensor<10x8xf32>
  %s = linalg.generic {indexing_maps = [#at, #window, #out], iterator_types = ["parallel", "parallel", "reduction", "reduction"]} ins(%padded, %w : tensor<10x8xf32>, tensor<3x3xf32>) outs(%y : tensor<8x6xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %ab = arith.mulf %a, %b : f32
    %sum = arith.addf %out, %ab : f32
    linalg.yield %sum : f32
  } -> tensor<8x6xf32>
  return %s : tensor<8x6xf32>
}
