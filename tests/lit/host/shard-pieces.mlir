// Sums over all ranks are cut along a dimension that the ops in front and behind work through.
// RUN: async-gpu-opt %s --async-gpu-shard=pieces=2 | FileCheck %s
// RUN: async-gpu-opt %s --async-gpu-shard='pieces=2 remarks' -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: async-gpu-opt %s --async-gpu-shard | FileCheck %s --check-prefix=WHOLE
// RUN: sed "s/64x/512x/g;s/32x/511x/g" %s | async-gpu-opt --async-gpu-shard | FileCheck %s --check-prefix=WHOLE
// RUN: sed "s/64x/512x/g;s/32x/512x/g" %s | async-gpu-opt --async-gpu-shard=remarks -o /dev/null 2>&1 | FileCheck %s --check-prefix=AUTO
// RUN: sed "s/64x/512x/g;s/32x/512x/g" %s | async-gpu-opt --async-gpu-shard=pieces=1 | FileCheck %s --check-prefix=WHOLE
// RUN: sed "s/64x/512x/g;s/32x/512x/g" %s | async-gpu-opt --pass-pipeline='builtin.module(async-gpu-shard{pieces=2},async-gpu-from-linalg)' | FileCheck %s --check-prefix=PLAN
// RUN: sed "s/64x/3x/g" %s | async-gpu-opt --async-gpu-shard='pieces=64 remarks' -o /dev/null 2>&1 | FileCheck %s --check-prefix=FEW

// There are no more pieces than indices.
// FEW: shard.all_reduce of tensor<3x32xf32> is cut into 3 pieces along dimension 0
// REMARK: shard.all_reduce of tensor<64x32xf32> is cut into 2 pieces along dimension 0
// REMARK-NOT: is cut
// AUTO: shard.all_reduce of tensor<512x512xf32> is cut into 2 pieces along dimension 0
// AUTO-NOT: is cut

// Each piece is added up as soon as it is there, with a communicator of its own. What comes
// behind stands behind the last piece of the sum, and goes where it belongs.
// CHECK-LABEL: func.func @chain(
// CHECK: linalg.matmul {{.*}} -> tensor<32x32xf32>
// CHECK: call @shard.call.{{[0-9]+}}(%{{.*}}, %{{.*}}, %[[SITE:.*]]) : (tensor<32x32xf32>
// CHECK-NOT: %[[SITE]])
// CHECK: linalg.matmul {{.*}} -> tensor<32x32xf32>
// CHECK: call @shard.call.{{[0-9]+}}({{.*}}) : (tensor<32x32xf32>
// CHECK: linalg.exp {{.*}} -> tensor<32x32xf32>
// CHECK: tensor.insert_slice {{.*}} : tensor<32x32xf32> into tensor<64x32xf32>
// CHECK: linalg.exp {{.*}} -> tensor<32x32xf32>
// CHECK: tensor.insert_slice {{.*}} : tensor<32x32xf32> into tensor<64x32xf32>
// CHECK-NOT: call
// CHECK: return

// WHOLE-LABEL: func.func @chain(
// WHOLE-NOT: insert_slice
// WHOLE: return

// A sum that two ops use, and one that nothing follows, stay whole.
// CHECK-LABEL: func.func @kept(
// CHECK-NOT: insert_slice
// CHECK: call @shard.call.{{[0-9]+}}({{.*}}) : (tensor<64x32xf32>
// CHECK-NOT: insert_slice
// CHECK-LABEL: func.func @last(
// CHECK-NOT: insert_slice
// CHECK: call @shard.call.{{[0-9]+}}({{.*}}) : (tensor<64x32xf32>
// CHECK: return

// The second sum does not wait for the first, and what follows the first does not wait for
// the second.
// PLAN-LABEL: func.func @chain(
// PLAN: gpu.memcpy {{.*}} : memref<256x512xf32>
// PLAN: %[[SUM:token[_0-9]*]] = async.execute [%{{token[_0-9]*}}]
// PLAN-NEXT: "agpu.reduce"
// PLAN-NOT: %[[SUM]]
// PLAN: gpu.memcpy {{.*}} : memref<256x512xf32>
// PLAN-NOT: %[[SUM]]
// PLAN: %[[NEXT:token[_0-9]*]] = async.execute [%{{token[_0-9]*}}]
// PLAN-NEXT: "agpu.reduce"
// PLAN-NOT: %[[NEXT]]
// PLAN: %[[CAME:token[_0-9]*]] = async.execute [%[[SUM]]]
// PLAN-NOT: %[[NEXT]]
// PLAN: async.execute [%[[CAME]]]
// PLAN-NEXT: gpu.launch
// PLAN: async.execute [%[[NEXT]]]
shard.grid @ranks(shape = 2)
func.func @chain(%x: tensor<64x32xf32>, %w: tensor<32x32xf32>, %v: tensor<32x32xf32>, %u: tensor<32x32xf32>) -> tensor<64x32xf32> {
  %columns = shard.sharding @ranks split_axes = [[], [0]] : !shard.sharding
  %part = shard.shard %w to %columns : tensor<32x32xf32>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x32xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<64x32xf32>) -> tensor<64x32xf32>
  %eh = tensor.empty() : tensor<64x32xf32>
  %fh = linalg.fill ins(%zero : f32) outs(%eh : tensor<64x32xf32>) -> tensor<64x32xf32>
  %h = linalg.matmul ins(%x, %part : tensor<64x32xf32>, tensor<32x32xf32>) outs(%fh : tensor<64x32xf32>) -> tensor<64x32xf32>
  %p = linalg.matmul ins(%h, %v : tensor<64x32xf32>, tensor<32x32xf32>) outs(%f : tensor<64x32xf32>) -> tensor<64x32xf32>
  %a = linalg.exp ins(%p : tensor<64x32xf32>) outs(%e : tensor<64x32xf32>) -> tensor<64x32xf32>
  %q = linalg.matmul ins(%a, %u : tensor<64x32xf32>, tensor<32x32xf32>) outs(%f : tensor<64x32xf32>) -> tensor<64x32xf32>
  return %q : tensor<64x32xf32>
}

func.func @kept(%x: tensor<64x32xf32>, %w: tensor<32x32xf32>, %v: tensor<32x32xf32>) -> (tensor<64x32xf32>, tensor<64x32xf32>) {
  %columns = shard.sharding @ranks split_axes = [[], [0]] : !shard.sharding
  %part = shard.shard %w to %columns : tensor<32x32xf32>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x32xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<64x32xf32>) -> tensor<64x32xf32>
  %eh = tensor.empty() : tensor<64x32xf32>
  %fh = linalg.fill ins(%zero : f32) outs(%eh : tensor<64x32xf32>) -> tensor<64x32xf32>
  %h = linalg.matmul ins(%x, %part : tensor<64x32xf32>, tensor<32x32xf32>) outs(%fh : tensor<64x32xf32>) -> tensor<64x32xf32>
  %p = linalg.matmul ins(%h, %v : tensor<64x32xf32>, tensor<32x32xf32>) outs(%f : tensor<64x32xf32>) -> tensor<64x32xf32>
  %a = linalg.exp ins(%p : tensor<64x32xf32>) outs(%e : tensor<64x32xf32>) -> tensor<64x32xf32>
  %b = linalg.log ins(%p : tensor<64x32xf32>) outs(%e : tensor<64x32xf32>) -> tensor<64x32xf32>
  %s = linalg.add ins(%a, %b : tensor<64x32xf32>, tensor<64x32xf32>) outs(%e : tensor<64x32xf32>) -> tensor<64x32xf32>
  return %p, %s : tensor<64x32xf32>, tensor<64x32xf32>
}

func.func @last(%x: tensor<64x32xf32>, %w: tensor<32x32xf32>, %v: tensor<32x32xf32>) -> tensor<64x32xf32> {
  %columns = shard.sharding @ranks split_axes = [[], [0]] : !shard.sharding
  %part = shard.shard %w to %columns : tensor<32x32xf32>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x32xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<64x32xf32>) -> tensor<64x32xf32>
  %eh = tensor.empty() : tensor<64x32xf32>
  %fh = linalg.fill ins(%zero : f32) outs(%eh : tensor<64x32xf32>) -> tensor<64x32xf32>
  %h = linalg.matmul ins(%x, %part : tensor<64x32xf32>, tensor<32x32xf32>) outs(%fh : tensor<64x32xf32>) -> tensor<64x32xf32>
  %p = linalg.matmul ins(%h, %v : tensor<64x32xf32>, tensor<32x32xf32>) outs(%f : tensor<64x32xf32>) -> tensor<64x32xf32>
  return %p : tensor<64x32xf32>
}
