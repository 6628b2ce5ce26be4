// The gradient of the second layer is added up over all ranks in a region of its own, and
// what comes after it does not wait for that.
// RUN: async-gpu-opt %s --pass-pipeline='builtin.module(async-gpu-shard,async-gpu-from-linalg{memory=unified device=emu remarks=true})' -o /dev/null 2>&1 | FileCheck %s

// CHECK: tasks form {{[0-9]+}} regions
// CHECK: :[[# @LINE + 18]]:{{.*}} region [[SUM:[0-9]+]]: host, {{.*}} which takes an unknown number
// CHECK-NOT: depends on region [[SUM]]:
// CHECK: :[[# @LINE + 20]]:{{.*}} region {{[0-9]+}}: device

shard.grid @ranks(shape = ?)
func.func @main(%x: tensor<512x256xf32>, %y: tensor<512x256xf32>, %w1: tensor<256x256xf32>, %w2: tensor<256x256xf32>) -> (tensor<256x256xf32>, tensor<256x256xf32>) {
  %rows = shard.sharding @ranks split_axes = [[0]] : !shard.sharding
  %part = shard.shard %x to %rows : tensor<512x256xf32>
  %zero = arith.constant 0.0 : f32
  %eh = tensor.empty() : tensor<512x256xf32>
  %fh = linalg.fill ins(%zero : f32) outs(%eh : tensor<512x256xf32>) -> tensor<512x256xf32>
  %h = linalg.matmul ins(%part, %w1 : tensor<512x256xf32>, tensor<256x256xf32>) outs(%fh : tensor<512x256xf32>) -> tensor<512x256xf32>
  %eo = tensor.empty() : tensor<512x256xf32>
  %fo = linalg.fill ins(%zero : f32) outs(%eo : tensor<512x256xf32>) -> tensor<512x256xf32>
  %o = linalg.matmul ins(%h, %w2 : tensor<512x256xf32>, tensor<256x256xf32>) outs(%fo : tensor<512x256xf32>) -> tensor<512x256xf32>
  %d = linalg.sub ins(%o, %y : tensor<512x256xf32>, tensor<512x256xf32>) outs(%eo : tensor<512x256xf32>) -> tensor<512x256xf32>
  %e2 = tensor.empty() : tensor<256x256xf32>
  %f2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<256x256xf32>) -> tensor<256x256xf32>
  %g2 = linalg.matmul indexing_maps = [affine_map<(i, j, k) -> (k, i)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>] ins(%h, %d : tensor<512x256xf32>, tensor<512x256xf32>) outs(%f2 : tensor<256x256xf32>) -> tensor<256x256xf32>
  %dh = linalg.matmul indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (j, k)>, affine_map<(i, j, k) -> (i, j)>] ins(%d, %w2 : tensor<512x256xf32>, tensor<256x256xf32>) outs(%fh : tensor<512x256xf32>) -> tensor<512x256xf32>
  %e1 = tensor.empty() : tensor<256x256xf32>
  %f1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<256x256xf32>) -> tensor<256x256xf32>
  %g1 = linalg.matmul indexing_maps = [affine_map<(i, j, k) -> (k, i)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>] ins(%part, %dh : tensor<512x256xf32>, tensor<512x256xf32>) outs(%f1 : tensor<256x256xf32>) -> tensor<256x256xf32>
  return %g1, %g2 : tensor<256x256xf32>, tensor<256x256xf32>
}
