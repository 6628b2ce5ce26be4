// Rows whose windows stay within a rank's part are computed while the halo is under way.
// RUN: async-gpu-opt %s --async-gpu-shard=interior=always | FileCheck %s
// RUN: async-gpu-opt %s --async-gpu-shard | FileCheck %s --check-prefix=NEVER
// RUN: sed "s/512/2048/g;s/514/2050/g" %s | async-gpu-opt --async-gpu-shard | FileCheck %s --check-prefix=AUTO
// RUN: sed "s/512/2048/g;s/514/2050/g" %s | async-gpu-opt --async-gpu-shard=interior=never | FileCheck %s --check-prefix=NEVER
// RUN: async-gpu-opt %s --pass-pipeline='builtin.module(async-gpu-shard{interior=always},async-gpu-from-linalg)' | FileCheck %s --check-prefix=PLAN

// The interior stands in front of what puts the halo around the part, the borders behind.
// CHECK-LABEL: func.func @heat(
// CHECK: scf.for {{.*}} iter_args(%[[NOW:.*]] = %{{.*}}) -> (tensor<256x512xf32>)
// CHECK: call @shard.call.{{[0-9]+}}(%[[NOW]], %[[MEMORY:.*]], %{{.*}})
// CHECK: %[[PADDED:.*]] = tensor.pad %[[NOW]] low[1, 1] high[1, 1]
// CHECK: %[[OWN:.*]] = tensor.extract_slice %[[PADDED]][1, 0] [256, 514] [1, 1]
// CHECK: %[[INTERIOR:.*]] = linalg.generic {{.*}} ins(%[[OWN]], {{.*}} outs(%{{.*}} : tensor<254x512xf32>)
// CHECK: tensor.insert_slice %[[INTERIOR]] into %{{.*}}[1, 0] [254, 512] [1, 1]
// CHECK: tensor.insert_slice %{{.*}} into %[[PADDED]]
// CHECK: %[[ALL:.*]] = tensor.insert_slice %{{.*}} into %{{.*}}[257, 1]
// CHECK: tensor.extract_slice %[[ALL]][0, 0] [3, 514] [1, 1]
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<1x512xf32>)
// CHECK: tensor.extract_slice %[[ALL]][255, 0] [3, 514] [1, 1]
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<1x512xf32>)
// CHECK: scf.yield

// Where there is little to compute, or nothing is to be split.
// NEVER-LABEL: func.func @heat(
// NEVER-NOT: {{254|1022}}x
// NEVER: linalg.generic {{.*}} outs(%{{.*}} : tensor<{{256x512|1024x2048}}xf32>)
// AUTO-LABEL: func.func @heat(
// AUTO: linalg.generic {{.*}} outs(%{{.*}} : tensor<1022x2048xf32>)

// In the loop: the exchange is a region, on memory of the device, that what is copied and
// the interior do not wait for; its halo is what kernels read as it has come. The interior
// begins with a constant, and borders are computed where they belong.
// PLAN-LABEL: func.func @heat(
// PLAN: gpu.alloc host_shared ({{.*}}) : memref<?x512xf32>
// PLAN-NOT: memref<1x512xf32>
// PLAN: scf.for
// PLAN-NOT: gpu.memcpy
// PLAN: %[[HALO:token[_0-9]*]] = async.execute
// PLAN-NEXT: "agpu.exchange"
// PLAN-NOT: %[[HALO]]
// PLAN: %[[RESULT:.*]] = gpu.alloc () : memref<256x512xf32>
// PLAN-NOT: %[[HALO]]
// PLAN: %[[INTERIOR:token[_0-9]*]] = async.execute
// PLAN-NOT: %[[HALO]]
// PLAN: scf.for {{.*}} iter_args(%{{.*}} = %cst
// PLAN-NOT: gpu.alloc
// PLAN: async.execute [{{.*}}%[[HALO]], %[[INTERIOR]]
// PLAN-NEXT: gpu.launch
// PLAN-NOT: gpu.alloc
// PLAN: scf.yield %[[RESULT]]
#at = affine_map<(i, j, di, dj) -> (i + di, j + dj)>
#window = affine_map<(i, j, di, dj) -> (di, dj)>
#out = affine_map<(i, j, di, dj) -> (i, j)>
shard.grid @ranks(shape = 2)
func.func @heat(%u: tensor<512x512xf32>, %w: tensor<3x3xf32>) -> tensor<512x512xf32> {
  %rows = shard.sharding @ranks split_axes = [[0]] : !shard.sharding
  %part = shard.shard %u to %rows : tensor<512x512xf32>
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %rounds = arith.constant 50 : index
  %r = scf.for %round = %c0 to %rounds step %c1 iter_args(%now = %part) -> tensor<512x512xf32> {
    %padded = tensor.pad %now low[1, 1] high[1, 1] {
    ^bb0(%i: index, %j: index):
      tensor.yield %zero : f32
    } : tensor<512x512xf32> to tensor<514x514xf32>
    %e = tensor.empty() : tensor<512x512xf32>
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<512x512xf32>) -> tensor<512x512xf32>
    %next = linalg.generic {indexing_maps = [#at, #window, #out], iterator_types = ["parallel", "parallel", "reduction", "reduction"]} ins(%padded, %w : tensor<514x514xf32>, tensor<3x3xf32>) outs(%f : tensor<512x512xf32>) {
    ^bb0(%a: f32, %b: f32, %out: f32):
      %ab = arith.mulf %a, %b : f32
      %sum = arith.addf %out, %ab : f32
      linalg.yield %sum : f32
    } -> tensor<512x512xf32>
    scf.yield %next : tensor<512x512xf32>
  }
  return %r : tensor<512x512xf32>
}
