// RUN: async-gpu-opt %s --async-gpu-shard --split-input-file --verify-diagnostics
// RUN: not async-gpu-opt %S/Inputs/whole.mlir --async-gpu-shard 2>&1 | FileCheck %s
// RUN: not async-gpu-opt %S/Inputs/scalars.mlir --async-gpu-shard=split=rows 2>&1 | FileCheck %s --check-prefix=ROWS
// RUN: not async-gpu-opt %S/Inputs/whole.mlir --async-gpu-shard='split=batch pieces=65' 2>&1 | FileCheck %s --check-prefix=PIECES

// CHECK: whole.mlir:1:1: error: nothing says how to split this program: it needs a shard.grid and shard.shard, or --shard=batch or --shard=rows
// PIECES: whole.mlir:1:1: error: async-gpu-shard: option 'pieces' is 0 to 64, not 65
// ROWS: scalars.mlir:1:1: error: --shard=rows: no function that is called from outside returns a tensor that has a dimension

shard.grid @a(shape = 2)
// expected-error @+1 {{a second grid: all shards of a program are on one}}
shard.grid @b(shape = 2)

// -----

// expected-error @+1 {{a grid has up to 3 axes, of which one may be '?': as many as there are ranks for}}
shard.grid @a(shape = ?x?)

// -----

shard.grid @a(shape = 2)
func.func @halo(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{halo_sizes are not supported: halos are exchanged where an op needs them}}
  %s = shard.sharding @a split_axes = [[0]] halo_sizes = [1, 1] : !shard.sharding
  %y = shard.shard %x to %s : tensor<8xf32>
  return %y : tensor<8xf32>
}

// -----

shard.grid @a(shape = 2)
func.func @by_hand(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{shard.all_reduce is not supported: programs say how tensors are split by shard.shard, and ranks exchange what follows from that}}
  %y = shard.all_reduce %x on @a grid_axes = [0] : tensor<8xf32> -> tensor<8xf32>
  return %y : tensor<8xf32>
}

// -----

shard.grid @a(shape = ?)
// expected-error @+1 {{a function of several blocks cannot be split: write loops and branches as scf.for and scf.if}}
func.func @blocks(%x: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %s = shard.sharding @a split_axes = [[0]] : !shard.sharding
  %p = shard.shard %x to %s : tensor<?xf32>
  %n = tensor.dim %p, %c0 : tensor<?xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %y = linalg.exp ins(%p : tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  cf.br ^bb1
^bb1:
  return %y : tensor<?xf32>
}

// -----

// A caller has the blocks of what it calls.
shard.grid @a(shape = ?)
func.func private @callee(%x: tensor<?xf32>, %c: i1) -> tensor<?xf32> {
  cf.cond_br %c, ^bb1(%x : tensor<?xf32>), ^bb2
^bb1(%y: tensor<?xf32>):
  return %y : tensor<?xf32>
^bb2:
  %z = linalg.exp ins(%x : tensor<?xf32>) outs(%x : tensor<?xf32>) -> tensor<?xf32>
  cf.br ^bb1(%z : tensor<?xf32>)
}
// expected-error @+1 {{a function of several blocks cannot be split}}
func.func @caller(%x: tensor<?xf32>, %c: i1) -> tensor<?xf32> {
  %s = shard.sharding @a split_axes = [[0]] : !shard.sharding
  %p = shard.shard %x to %s : tensor<?xf32>
  %y = call @callee(%p, %c) : (tensor<?xf32>, i1) -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// -----

// expected-error @+1 {{an axis of a grid has 1 to 1048576 ranks, or '?', not 4294967296}}
shard.grid @a(shape = 4294967296x?)
