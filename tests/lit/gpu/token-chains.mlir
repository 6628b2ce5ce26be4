// Launches that tokens leave without an order become regions.
// RUN: async-gpu-opt %s --async-gpu-token-chains | FileCheck %s

module attributes {gpu.container_module} {
gpu.module @kernels {
  gpu.func @f(%m: memref<4xf32>) kernel {
    gpu.return
  }
}

// A fork and a join: what each region depends on. The join is no op of the
// body's stream; the memory is the body's.
// CHECK-LABEL: func.func @fork(
// CHECK: %[[M:.*]], %{{.*}} = gpu.alloc async () : memref<4xf32>
// CHECK-NEXT: %[[T0:.*]] = async.execute {
// CHECK-NEXT: gpu.memset %[[M]]
// CHECK-NEXT: async.yield
// CHECK: %[[T1:.*]] = async.execute [%[[T0]]] {
// CHECK-NEXT: gpu.launch_func @kernels::@f
// CHECK: %[[T2:.*]] = async.execute [%[[T0]]] {
// CHECK-NEXT: gpu.launch_func @kernels::@f
// CHECK-NOT: gpu.wait async
// CHECK: %[[T3:.*]] = async.execute [%[[T1]], %[[T2]]] {
// CHECK-NEXT: gpu.dealloc %[[M]]
// CHECK: %[[C3:.*]] = builtin.unrealized_conversion_cast %[[T3]]
// CHECK-NEXT: gpu.wait [%[[C3]]]
func.func @fork(%c: index, %x: f32) {
  %m, %t = gpu.alloc async () : memref<4xf32>
  %t0 = gpu.memset async [%t] %m, %x : memref<4xf32>, f32
  %t1 = gpu.launch_func async [%t0] @kernels::@f
      blocks in (%c, %c, %c) threads in (%c, %c, %c) args(%m : memref<4xf32>)
  %t2 = gpu.launch_func async [%t0] @kernels::@f
      blocks in (%c, %c, %c) threads in (%c, %c, %c) args(%m : memref<4xf32>)
  %t3 = gpu.wait async [%t1, %t2]
  %t4 = gpu.dealloc async [%t3] %m : memref<4xf32>
  gpu.wait [%t4]
  return
}

// A token from elsewhere is a dependency, and one that leaves is the region's.
// CHECK-LABEL: func.func @outside(
// CHECK-SAME: %[[T:.*]]: !gpu.async.token
// CHECK: %[[C:.*]] = builtin.unrealized_conversion_cast %[[T]] : !gpu.async.token to !async.token
// CHECK-NEXT: async.execute [%[[C]]] {
// CHECK: async.execute {
// CHECK: %[[C2:.*]] = builtin.unrealized_conversion_cast
// CHECK: return {{.*}}, %[[C2]] : !gpu.async.token, !gpu.async.token
func.func @outside(%t: !gpu.async.token, %m: memref<4xf32>, %c: index)
    -> (!gpu.async.token, !gpu.async.token) {
  %a = gpu.launch_func async [%t] @kernels::@f
      blocks in (%c, %c, %c) threads in (%c, %c, %c) args(%m : memref<4xf32>)
  %b = gpu.launch_func async @kernels::@f
      blocks in (%c, %c, %c) threads in (%c, %c, %c) args(%m : memref<4xf32>)
  return %a, %b : !gpu.async.token, !gpu.async.token
}

// One chain, also where the host waits between two, stays on the body's stream.
// CHECK-LABEL: func.func @chain(
// CHECK-NOT: async.execute
// CHECK: return
func.func @chain(%m: memref<4xf32>, %c: index) {
  %a = gpu.launch_func async @kernels::@f
      blocks in (%c, %c, %c) threads in (%c, %c, %c) args(%m : memref<4xf32>)
  %b = gpu.launch_func async [%a] @kernels::@f
      blocks in (%c, %c, %c) threads in (%c, %c, %c) args(%m : memref<4xf32>)
  gpu.wait [%b]
  %d = gpu.launch_func async @kernels::@f
      blocks in (%c, %c, %c) threads in (%c, %c, %c) args(%m : memref<4xf32>)
  gpu.wait [%d]
  return
}

// Nothing but the order of the stream says when the second launch is done.
// CHECK-LABEL: func.func @unused_token(
// CHECK-NOT: async.execute
// CHECK: return
func.func @unused_token(%m: memref<4xf32>, %c: index) {
  %a = gpu.launch_func async @kernels::@f
      blocks in (%c, %c, %c) threads in (%c, %c, %c) args(%m : memref<4xf32>)
  %b = gpu.launch_func async @kernels::@f
      blocks in (%c, %c, %c) threads in (%c, %c, %c) args(%m : memref<4xf32>)
  gpu.wait [%a]
  return
}

// A launch without a token is behind those before it.
// CHECK-LABEL: func.func @in_order(
// CHECK: %[[T1:.*]] = async.execute {
// CHECK: %[[C1:.*]] = builtin.unrealized_conversion_cast %[[T1]]
// CHECK: %[[T2:.*]] = async.execute {
// CHECK: %[[C2:.*]] = builtin.unrealized_conversion_cast %[[T2]]
// CHECK-NEXT: gpu.wait [%[[C1]]]
// CHECK-NEXT: gpu.wait [%[[C2]]]
// CHECK-NEXT: gpu.launch_func @kernels::@f
// CHECK-NEXT: gpu.launch_func @kernels::@f
// CHECK: async.execute {
// CHECK: gpu.wait
// CHECK-NOT: gpu.wait
func.func @in_order(%m: memref<4xf32>, %c: index) {
  %a = gpu.launch_func async @kernels::@f
      blocks in (%c, %c, %c) threads in (%c, %c, %c) args(%m : memref<4xf32>)
  %b = gpu.launch_func async @kernels::@f
      blocks in (%c, %c, %c) threads in (%c, %c, %c) args(%m : memref<4xf32>)
  gpu.wait [%a]
  gpu.launch_func @kernels::@f
      blocks in (%c, %c, %c) threads in (%c, %c, %c) args(%m : memref<4xf32>)
  gpu.launch_func @kernels::@f
      blocks in (%c, %c, %c) threads in (%c, %c, %c) args(%m : memref<4xf32>)
  %d = gpu.launch_func async @kernels::@f
      blocks in (%c, %c, %c) threads in (%c, %c, %c) args(%m : memref<4xf32>)
  gpu.wait [%b, %d]
  return
}
}
