// RUN: async-gpu-opt %s --async-gpu-shard --split-input-file --verify-diagnostics
// RUN: not async-gpu-opt %S/Inputs/whole.mlir --async-gpu-shard 2>&1 | FileCheck %s
// RUN: not async-gpu-opt %S/Inputs/scalars.mlir --async-gpu-shard=split=rows 2>&1 | FileCheck %s --check-prefix=ROWS

// CHECK: whole.mlir:1:1: error: nothing says how to split this program: it needs a shard.grid and shard.shard, or --shard=batch or --shard=rows
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
