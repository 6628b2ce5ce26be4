// Orders that others imply in loops, and what has been awaited.
// RUN: async-gpu-opt %s "--async-gpu-form-regions=host-region-ops=0 device-region-ops=0" | FileCheck %s
// RUN: async-gpu-opt %s "--async-gpu-form-regions=host-region-ops=0 device-region-ops=0" \
// RUN:   --async-gpu-regions | FileCheck %s --check-prefix=STREAMS

module attributes {gpu.container_module} {
gpu.module @k {
  gpu.func @fill(%m: memref<64xf32>, %x: f32) kernel {
    %i = gpu.thread_id x
    memref.store %x, %m[%i] : memref<64xf32>
    gpu.return
  }
  gpu.func @sum(%s: memref<64xf32>, %m: memref<64xf32>) kernel {
    %i = gpu.thread_id x
    %x = memref.load %m[%i] : memref<64xf32>
    %y = memref.load %s[%i] : memref<64xf32>
    %z = arith.addf %x, %y : f32
    memref.store %z, %s[%i] : memref<64xf32>
    gpu.return
  }
}
func.func private @unknown(memref<64xf32>)

// The fill is behind both sums of the round before, which are behind its own, so
// none of them waits for itself. The end of the fill needs no await.
// CHECK-LABEL: func.func @rounds
// CHECK: %[[L:.*]]:4 = scf.for {{.*}} iter_args(%[[F:.*]] = %{{.*}}, %[[A:.*]] = %{{.*}}, %[[B:.*]] = %{{.*}}, %[[C:.*]] = %{{.*}})
// CHECK: %[[T:.*]] = async.execute [%[[A]], %[[B]]] attributes {
// CHECK-NEXT: @k::@fill
// CHECK: %[[U:.*]] = async.execute [%[[T]]] attributes {
// CHECK-NEXT: @k::@sum
// CHECK: %[[V:.*]] = async.execute [%[[T]]] attributes {
// CHECK-NEXT: @k::@sum
// CHECK: %[[W:.*]] = async.execute [%[[C]]] attributes {
// CHECK: scf.yield %[[T]], %[[U]], %[[V]], %[[W]]
// CHECK-NOT: async.await %[[L]]#0
// CHECK: async.await %[[L]]#1
// CHECK-NEXT: async.await %[[L]]#2
// CHECK-NEXT: async.await %[[L]]#3
// What tokens are in front of the first round is one region without work. The last
// sum takes over its own stream nevertheless.
// STREAMS-LABEL: func.func @rounds
// STREAMS: scf.for {{.*}} iter_args(%{{.*}} = %[[R:.*]], %{{.*}} = %[[R]], %{{.*}} = %[[R]], %[[C:.*]] = %[[R]])
// STREAMS: "agpu.stream_wait"(%{{.*}}, %[[C]]) {how = "last"}
func.func @rounds(%x: f32, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %a = gpu.alloc () : memref<64xf32>
  %b = gpu.alloc () : memref<64xf32>
  %c = gpu.alloc () : memref<64xf32>
  %d = gpu.alloc () : memref<64xf32>
  scf.for %i = %c0 to %n step %c1 {
    gpu.launch_func @k::@fill blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%a : memref<64xf32>, %x : f32)
    gpu.launch_func @k::@sum blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%b : memref<64xf32>, %a : memref<64xf32>)
    gpu.launch_func @k::@sum blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%c : memref<64xf32>, %a : memref<64xf32>)
    gpu.launch_func @k::@sum blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%d : memref<64xf32>, %d : memref<64xf32>)
  }
  return
}

// What the call has awaited has ended.
// CHECK-LABEL: func.func @awaited
// CHECK: %[[A:.*]] = async.execute attributes {
// CHECK-NEXT: @k::@fill
// CHECK: scf.if
// CHECK: async.await %[[A]]
// CHECK-NEXT: func.call @unknown
// CHECK-NEXT: async.execute attributes {
// CHECK-NEXT: @k::@sum
func.func @awaited(%x: f32, %do: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %a = gpu.alloc () : memref<64xf32>
  %b = gpu.alloc () : memref<64xf32>
  %c = gpu.alloc () : memref<64xf32>
  %d = gpu.alloc () : memref<64xf32>
  gpu.launch_func @k::@fill blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%a : memref<64xf32>, %x : f32)
  gpu.launch_func @k::@fill blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%d : memref<64xf32>, %x : f32)
  scf.if %do {
    func.call @unknown(%a) : (memref<64xf32>) -> ()
    gpu.launch_func @k::@sum blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%c : memref<64xf32>, %a : memref<64xf32>)
    gpu.launch_func @k::@sum blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%d : memref<64xf32>, %d : memref<64xf32>)
  }
  return
}

// The first sum is behind the last fill of the inner loop. The sum in that loop is
// behind the first, but each round has another last fill.
// CHECK-LABEL: func.func @spawned_again
// CHECK: scf.for {{.*}} iter_args(%[[S:.*]] = %{{.*}}, %{{.*}} = %{{.*}}, %[[C:.*]] = %{{.*}}, %[[A:.*]] = %{{.*}}) ->
// CHECK: %[[T:.*]] = async.execute [%[[A]], %[[S]]] attributes {
// CHECK-NEXT: @k::@sum
// CHECK: scf.for {{.*}} iter_args(%[[P:.*]] = %[[C]], %[[Q:.*]] = %[[A]])
// CHECK: %[[U:.*]] = async.execute [%[[Q]], %[[T]]] attributes {
// CHECK-NEXT: @k::@sum
// CHECK: async.execute [%[[U]]] attributes {
// CHECK-NEXT: @k::@fill
func.func @spawned_again(%x: f32, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %a = gpu.alloc () : memref<64xf32>
  %b = gpu.alloc () : memref<64xf32>
  %c = gpu.alloc () : memref<64xf32>
  %e = gpu.alloc () : memref<64xf32>
  scf.for %i = %c0 to %n step %c1 {
    gpu.launch_func @k::@sum blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%c : memref<64xf32>, %a : memref<64xf32>)
    scf.for %j = %c0 to %n step %c1 {
      gpu.launch_func @k::@sum blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%c : memref<64xf32>, %a : memref<64xf32>)
      gpu.launch_func @k::@fill blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%a : memref<64xf32>, %x : f32)
    }
    gpu.launch_func @k::@sum blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%e : memref<64xf32>, %e : memref<64xf32>)
  }
  return
}

// The same where the call has awaited the last fill.
// CHECK-LABEL: func.func @awaited_before
// CHECK: async.await
// CHECK-NEXT: func.call @unknown
// CHECK: scf.for {{.*}} iter_args(%[[P:.*]] = %{{.*}}, %[[Q:.*]] = %{{.*}})
// CHECK: async.execute [%[[Q]]] attributes {
// CHECK-NEXT: @k::@sum
func.func @awaited_before(%x: f32, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %a = gpu.alloc () : memref<64xf32>
  %d = gpu.alloc () : memref<64xf32>
  %e = gpu.alloc () : memref<64xf32>
  scf.for %i = %c0 to %n step %c1 {
    gpu.launch_func @k::@sum blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%e : memref<64xf32>, %e : memref<64xf32>)
    func.call @unknown(%a) : (memref<64xf32>) -> ()
    scf.for %j = %c0 to %n step %c1 {
      gpu.launch_func @k::@sum blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%d : memref<64xf32>, %a : memref<64xf32>)
      gpu.launch_func @k::@fill blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%a : memref<64xf32>, %x : f32)
    }
  }
  return
}

// The first sum needs no await, as the others are behind it. Where there is no
// round nothing is behind the fill.
// CHECK-LABEL: func.func @no_round
// CHECK: async.execute attributes {
// CHECK-NEXT: @k::@fill
// CHECK: %[[F:.*]] = async.execute attributes {
// CHECK-NEXT: @k::@fill
// CHECK: %[[L:.*]]:4 = scf.for
// CHECK: async.await %[[F]]
// CHECK-NEXT: async.await %[[L]]#1
// CHECK-NEXT: async.await %[[L]]#2
// CHECK-NEXT: async.await %[[L]]#3
// CHECK-NEXT: return
func.func @no_round(%x: f32, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %a = gpu.alloc () : memref<64xf32>
  %b = gpu.alloc () : memref<64xf32>
  %c = gpu.alloc () : memref<64xf32>
  %d = gpu.alloc () : memref<64xf32>
  %e = gpu.alloc () : memref<64xf32>
  gpu.launch_func @k::@fill blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%d : memref<64xf32>, %x : f32)
  gpu.launch_func @k::@fill blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%a : memref<64xf32>, %x : f32)
  scf.for %i = %c0 to %n step %c1 {
    gpu.launch_func @k::@sum blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%b : memref<64xf32>, %a : memref<64xf32>)
    gpu.launch_func @k::@sum blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%c : memref<64xf32>, %b : memref<64xf32>)
    gpu.launch_func @k::@sum blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%e : memref<64xf32>, %b : memref<64xf32>)
    gpu.launch_func @k::@sum blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%d : memref<64xf32>, %d : memref<64xf32>)
  }
  return
}

// The branch need not be taken: the fill, which only the loop in it depends on, is
// awaited.
// CHECK-LABEL: func.func @loop_of_a_branch
// CHECK: %[[S:.*]] = async.execute attributes {
// CHECK-NEXT: @k::@sum
// CHECK: %[[F:.*]] = async.execute attributes {
// CHECK-NEXT: @k::@fill
// CHECK: scf.if
// CHECK: async.await %[[S]]
// CHECK-NEXT: async.await %[[F]]
func.func @loop_of_a_branch(%x: f32, %n: index, %do: i1, %a: memref<64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %b = gpu.alloc () : memref<64xf32>
  %c = gpu.alloc () : memref<64xf32>
  gpu.launch_func @k::@sum blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%c : memref<64xf32>, %c : memref<64xf32>)
  gpu.launch_func @k::@fill blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%a : memref<64xf32>, %x : f32)
  scf.if %do {
    scf.for %i = %c0 to %n step %c1 {
      gpu.launch_func @k::@sum blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%a : memref<64xf32>, %a : memref<64xf32>)
      gpu.launch_func @k::@sum blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%b : memref<64xf32>, %b : memref<64xf32>)
    }
  }
  return
}
}
