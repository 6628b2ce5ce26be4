// Launches: sizes as indices, shared memory, arguments in one.
// RUN: async-gpu-opt %s --async-gpu-regions | FileCheck %s

module attributes {gpu.container_module} {
  gpu.module @m {
    gpu.func @k(%x: memref<?xf32>, %v: f32) kernel {
      gpu.return
    }
  }

  // CHECK-LABEL: func.func @launch(
  // CHECK: %[[C1:.*]] = arith.constant 1 : index
  // CHECK: %[[NONE:.*]] = arith.constant 0 : i32
  // CHECK: %[[A:.*]] = builtin.unrealized_conversion_cast %[[X:.*]], %[[V:.*]] : memref<?xf32>, f32 to !agpu.arguments
  // CHECK: "agpu.launch"(%{{.*}}, %[[C1]], %[[C1]], %[[C1]], %[[C1]], %[[C1]], %[[C1]], %[[NONE]], %[[A]]) {kernel = @m::@k}
  func.func @launch(%x: memref<?xf32>, %v: f32) {
    %c1 = arith.constant 1 : index
    gpu.launch_func @m::@k blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%x : memref<?xf32>, %v : f32)
    return
  }

  // Sizes of another type are the driver's unsigned numbers.
  // CHECK-LABEL: func.func @sizes(
  // CHECK-SAME: %[[N:[a-z0-9]+]]: i32, %[[SHARED:[a-z0-9]+]]: i32
  // CHECK: %[[I:.*]] = arith.index_castui %[[N]] : i32 to index
  // CHECK: "agpu.launch"({{.*}}, %[[SHARED]], %{{.*}})
  func.func @sizes(%n: i32, %shared: i32, %x: memref<?xf32>, %v: f32) {
    gpu.launch_func @m::@k blocks in (%n, %n, %n) threads in (%n, %n, %n) : i32 dynamic_shared_memory_size %shared args(%x : memref<?xf32>, %v : f32)
    return
  }

  // Clusters are sizes behind those of grid and block; no stream of the
  // program's own.
  // CHECK-LABEL: func.func @clusters(
  // CHECK-SAME: %[[G:[a-z0-9]+]]: index, %[[B:[a-z0-9]+]]: index, %[[C:[a-z0-9]+]]: index
  // CHECK: %[[NULL:.*]] = llvm.mlir.zero : !llvm.ptr
  // CHECK: %[[NONE:.*]] = arith.constant 0 : i32
  // CHECK: "agpu.launch_with"(%{{.*}}, %[[G]], %[[G]], %[[G]], %[[B]], %[[B]], %[[B]], %[[C]], %[[C]], %[[C]], %[[NONE]], %[[NULL]], %{{.*}}) {kernel = @m::@k}
  func.func @clusters(%g: index, %b: index, %c: index, %x: memref<?xf32>, %v: f32) {
    gpu.launch_func @m::@k clusters in (%c, %c, %c) blocks in (%g, %g, %g) threads in (%b, %b, %b) args(%x : memref<?xf32>, %v : f32)
    return
  }

  // A stream of the program's own; no clusters.
  // CHECK-LABEL: func.func @object(
  // CHECK-SAME: %[[STREAM:[a-z0-9]+]]: !llvm.ptr, %[[N:[a-z0-9]+]]: index
  // CHECK: %[[C1:.*]] = arith.constant 1 : index
  // CHECK: "agpu.launch_with"(%{{.*}}, %[[N]], %[[N]], %[[N]], %[[N]], %[[N]], %[[N]], %[[C1]], %{{.*}}, %{{.*}}, %{{.*}}, %[[STREAM]], %{{.*}}) {kernel = @m::@k}
  func.func @object(%stream: !llvm.ptr, %n: index, %x: memref<?xf32>, %v: f32) {
    gpu.launch_func <%stream : !llvm.ptr> @m::@k blocks in (%n, %n, %n) threads in (%n, %n, %n) args(%x : memref<?xf32>, %v : f32)
    return
  }
}
