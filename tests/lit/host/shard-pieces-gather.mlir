// What is gathered or scattered is cut along a dimension that each rank has all of.
// RUN: async-gpu-opt %S/../../../integration/shard/pieces_gather.mlir --async-gpu-shard='pieces=2 remarks' 2>&1 | FileCheck %s
// RUN: async-gpu-opt %S/../../../integration/shard/pieces_gather.mlir --async-gpu-shard=remarks -o /dev/null 2>&1 | FileCheck %s --check-prefix=WHOLE
// RUN: sed "s/10x/1024x/g;s/12x/512x/g;s/x10xf/x1024xf/g;s/8x/512x/g" %S/../../../integration/shard/pieces_gather.mlir | async-gpu-opt --async-gpu-shard=remarks -o /dev/null 2>&1 | FileCheck %s --check-prefix=AUTO

// CHECK: remark: shard.all_gather of tensor<10x12xf64> is cut into 2 pieces along dimension 0
// CHECK: remark: shard.all_gather of tensor<10x8xf64> is cut into 2 pieces along dimension 0
// CHECK: remark: shard.reduce_scatter of tensor<5x8xf64> is cut into 2 pieces along dimension 1
// WHOLE-NOT: is cut into

// The second layer begins with a piece of the first, behind the first layer's last piece.
// CHECK-LABEL: func.func @main(
// CHECK: linalg.matmul ins(%{{.*}} : tensor<5x6xf64>, tensor<6x6xf64>)
// CHECK: call @shard.call.{{[0-9]+}}({{.*}}) : (tensor<5x6xf64>, memref<5x12xf64>, memref<1xi64>) -> ()
// CHECK: %[[FIRST:.*]] = bufferization.to_tensor
// CHECK: linalg.matmul ins(%{{.*}} : tensor<5x6xf64>, tensor<6x6xf64>)
// CHECK: call @shard.call.{{[0-9]+}}({{.*}}) : (tensor<5x6xf64>, memref<5x12xf64>, memref<1xi64>) -> ()
// CHECK: linalg.matmul ins(%[[FIRST]], %{{.*}} : tensor<5x12xf64>, tensor<12x4xf64>)
// CHECK: call @shard.call.{{[0-9]+}}({{.*}}) : (tensor<5x4xf64>, memref<5x8xf64>, memref<1xi64>) -> ()

// AUTO: remark: shard.all_gather of tensor<1024x512xf64> is cut into 4 pieces along dimension 0
