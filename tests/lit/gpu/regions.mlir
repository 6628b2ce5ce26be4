// Regions get their kind and their streams, and the host waits where it may
// observe what the device does.
// RUN: async-gpu-opt %s --async-gpu-regions | FileCheck %s

// A region without GPU ops is the host's; nothing changes in it.
// CHECK-LABEL: func.func @host(
// CHECK: async.execute attributes {async_gpu.kind = "host"
// CHECK-NEXT: memref.store
func.func @host(%m: memref<f32>, %x: f32) {
  %t = async.execute {
    memref.store %x, %m[] : memref<f32>
    async.yield
  }
  return
}

// All GPU ops are on the region's stream, in the order of the program. A region
// that only enqueues and computes needs no wait.
// CHECK-LABEL: func.func @device(
// CHECK: async.execute attributes {async_gpu.kind = "device"
// CHECK: %[[S:.*]] = "agpu.stream_acquire"
// CHECK-NEXT: %[[D:.*]] = "agpu.alloc"(%[[S]])
// CHECK-NEXT: arith.addf
// CHECK-NEXT: "agpu.memset"(%[[S]], %[[D]],
// CHECK-NEXT: "agpu.memcpy"(%[[S]],
// CHECK-NEXT: "agpu.dealloc"(%[[S]], %[[D]])
// CHECK-NEXT: async.yield
func.func @device(%h: memref<4xf32>, %x: f32) {
  %t = async.execute {
    %d = gpu.alloc () : memref<4xf32>
    %y = arith.addf %x, %x : f32
    gpu.memset %d, %y : memref<4xf32>, f32
    gpu.memcpy %h, %d : memref<4xf32>, memref<4xf32>
    gpu.dealloc %d : memref<4xf32>
    async.yield
  }
  return
}

// A load behind a copy waits; a second one does not need to.
// CHECK-LABEL: func.func @mixed(
// CHECK: async.execute {{.*}}{async_gpu.kind = "mixed"
// CHECK: "agpu.memcpy"(
// CHECK-NEXT: %[[W:.*]] = "agpu.stream_record"(
// CHECK-NEXT: async.await %[[W]]
// CHECK-NEXT: memref.load
// CHECK-NEXT: memref.load
func.func @mixed(%h: memref<f32>, %d: memref<f32>) {
  %t, %v = async.execute -> !async.value<f32> {
    gpu.memcpy %h, %d : memref<f32>, memref<f32>
    %x = memref.load %h[] : memref<f32>
    %y = memref.load %h[] : memref<f32>
    %s = arith.addf %x, %y : f32
    async.yield %s : f32
  }
  return
}

// What a region depends on may still run on the device: a store waits for it,
// though the region has enqueued nothing yet.
// CHECK-LABEL: func.func @dependency(
// CHECK: async.execute attributes {async_gpu.kind = "mixed"
// CHECK: "agpu.stream_wait"(
// CHECK-NEXT: %[[W:.*]] = "agpu.stream_record"(
// CHECK-NEXT: async.await %[[W]]
// CHECK-NEXT: memref.store
// CHECK-NEXT: "agpu.memset"(
func.func @dependency(%t: !async.token, %h: memref<f32>, %x: f32) {
  %u = async.execute [%t] {
    memref.store %x, %h[] : memref<f32>
    gpu.memset %h, %x : memref<f32>, f32
    async.yield
  }
  return
}

// A loop comes round: the load at its start sees the copy at its end.
// CHECK-LABEL: func.func @loop(
// CHECK: scf.for
// CHECK-NEXT: %[[W:.*]] = "agpu.stream_record"(
// CHECK-NEXT: async.await %[[W]]
// CHECK-NEXT: memref.load
// CHECK: "agpu.memcpy"(
func.func @loop(%n: index, %h: memref<f32>, %d: memref<f32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %x = memref.load %h[] : memref<f32>
    gpu.memset %d, %x : memref<f32>, f32
    gpu.memcpy %h, %d : memref<f32>, memref<f32>
  }
  return
}

// A loop that only observes is waited for once, in front of it, and what comes
// behind it is clean. In a loop around it that enqueues, that is every round.
// CHECK-LABEL: func.func @observing_loop(
// CHECK: scf.for
// CHECK-NEXT: "agpu.memcpy"(
// CHECK-NEXT: %[[W:.*]] = "agpu.stream_record"(
// CHECK-NEXT: async.await %[[W]]
// CHECK-NEXT: scf.for
// CHECK-NEXT: scf.for
// CHECK-NEXT: memref.load
// CHECK-NEXT: memref.store
// CHECK-NOT: async.await
// CHECK: memref.load
// CHECK-NEXT: scf.yield
// CHECK-NOT: async.await
// CHECK: return
func.func @observing_loop(%n: index, %h: memref<f32>, %k: memref<?xf32>, %d: memref<f32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%s = %zero) -> f32 {
    gpu.memcpy %h, %d : memref<f32>, memref<f32>
    scf.for %a = %c0 to %n step %c1 {
      scf.for %b = %c0 to %n step %c1 {
        %x = memref.load %h[] : memref<f32>
        memref.store %x, %k[%b] : memref<?xf32>
      }
    }
    %y = memref.load %h[] : memref<f32>
    scf.yield %y : f32
  }
  return
}

// A branch is not: it may not be taken.
// CHECK-LABEL: func.func @observing_branch(
// CHECK: "agpu.memcpy"(
// CHECK-NEXT: scf.if
// CHECK-NEXT: %[[W:.*]] = "agpu.stream_record"(
// CHECK-NEXT: async.await %[[W]]
// CHECK-NEXT: memref.load
func.func @observing_branch(%c: i1, %h: memref<f32>, %d: memref<f32>) {
  gpu.memcpy %h, %d : memref<f32>, memref<f32>
  scf.if %c {
    %x = memref.load %h[] : memref<f32>
  }
  return
}

// So does one made of branches. The first block is entered clean.
// CHECK-LABEL: func.func @blocks(
// CHECK-NEXT: %{{.*}} = "agpu.stream_acquire"
// CHECK-NEXT: memref.load
// CHECK-NEXT: cf.br
// CHECK-NEXT: ^bb1:
// CHECK-NEXT: %[[W:.*]] = "agpu.stream_record"(
// CHECK-NEXT: async.await %[[W]]
// CHECK-NEXT: memref.load
// CHECK-NEXT: "agpu.memset"(
// CHECK-NEXT: cf.cond_br
// CHECK-NEXT: ^bb2:
// CHECK-NEXT: %[[W:.*]] = "agpu.stream_record"(
// CHECK-NEXT: async.await %[[W]]
// CHECK-NEXT: "agpu.stream_release"
// CHECK-NEXT: return
func.func @blocks(%c: i1, %h: memref<f32>) {
  %z = memref.load %h[] : memref<f32>
  cf.br ^loop
^loop:
  %x = memref.load %h[] : memref<f32>
  gpu.memset %h, %x : memref<f32>, f32
  cf.cond_br %c, ^loop, ^end
^end:
  return
}

// A plain function returns with its work done; its tokens are its own business.
// CHECK-LABEL: func.func @plain(
// CHECK-NEXT: %[[S:.*]] = "agpu.stream_acquire"
// CHECK-NEXT: "agpu.memset"(%[[S]]
// CHECK-NEXT: "agpu.memset"(%[[S]]
// CHECK-NEXT: %[[W:.*]] = "agpu.stream_record"(%[[S]])
// CHECK-NEXT: async.await %[[W]]
// CHECK-NEXT: "agpu.stream_release"(%[[S]])
// CHECK-NEXT: return
func.func @plain(%h: memref<f32>, %x: f32) {
  %t = gpu.wait async
  gpu.memset %h, %x : memref<f32>, f32
  %u = gpu.memset async [%t] %h, %x : memref<f32>, f32
  return
}

// A wait without `async` joins tokens into the order; the host waits later,
// where it observes.
// CHECK-LABEL: func.func @wait(
// CHECK: "agpu.memset"(
// CHECK-NEXT: arith.addf
// CHECK-NEXT: %[[W:.*]] = "agpu.stream_record"(
// CHECK-NEXT: async.await %[[W]]
// CHECK-NEXT: memref.load
func.func @wait(%h: memref<f32>, %x: f32) -> f32 {
  %t = gpu.memset async %h, %x : memref<f32>, f32
  gpu.wait [%t]
  %y = arith.addf %x, %x : f32
  %z = memref.load %h[] : memref<f32>
  %s = arith.addf %y, %z : f32
  return %s : f32
}

// An async function's token speaks for its work: it does not wait at its end.
// CHECK-LABEL: async.func @async_function(
// CHECK-NEXT: %[[S:.*]] = "agpu.stream_acquire"
// CHECK-NEXT: "agpu.memset"(%[[S]]
// CHECK-NEXT: return
async.func @async_function(%h: memref<f32>, %x: f32) -> !async.token {
  gpu.memset %h, %x : memref<f32>, f32
  return
}

// Work inside an op with a region counts behind it.
// CHECK-LABEL: func.func @scope(
// CHECK: memref.alloca_scope
// CHECK-NEXT: "agpu.memset"(
// CHECK-NEXT: }
// CHECK-NEXT: %[[W:.*]] = "agpu.stream_record"(
// CHECK-NEXT: async.await %[[W]]
// CHECK-NEXT: memref.load
func.func @scope(%h: memref<f32>, %x: f32) -> f32 {
  memref.alloca_scope {
    gpu.memset %h, %x : memref<f32>, f32
  }
  %y = memref.load %h[] : memref<f32>
  return %y : f32
}

// Ops of vector that compute observe nothing, nor do those of other dialects
// that the table of memory knows.
// CHECK-LABEL: func.func @vectors(
// CHECK: async.execute attributes {async_gpu.kind = "device"
func.func @vectors(%d: memref<4xf32>, %x: f32, %n: index) {
  %t = async.execute {
    gpu.memset %d, %x : memref<4xf32>, f32
    %v = vector.broadcast %x : f32 to vector<4xf32>
    %s = vector.reduction <add>, %v : vector<4xf32> into f32
    %i = affine.apply affine_map<(d0) -> (d0 + 1)>(%n)
    %r = memref.reinterpret_cast %d to offset: [%i], sizes: [1], strides: [1]
        : memref<4xf32> to memref<1xf32, strided<[1], offset: ?>>
    gpu.memset %r, %s : memref<1xf32, strided<[1], offset: ?>>, f32
    async.yield
  }
  async.await %t : !async.token
  return
}

// A region that is spawned behind device work depends on it: it may read what
// the copy writes. The host goes on, and waits where it returns. One token does
// for all regions of a block that are behind the same work.
// CHECK-LABEL: func.func @spawn(
// CHECK: "agpu.memcpy"(
// CHECK-NEXT: %[[T:.*]] = "agpu.stream_record"(%{{.*}}) : (!agpu.stream) -> !async.token
// CHECK-NEXT: async.execute [%[[T]]]
// CHECK-NOT: agpu.stream_record
// CHECK: async.execute [%[[T]]]
// CHECK: "agpu.memset"(
// CHECK-NEXT: %[[U:.*]] = "agpu.stream_record"
// CHECK-NEXT: async.execute [%[[U]]]
// CHECK: %[[W:.*]] = "agpu.stream_record"(
// CHECK-NEXT: async.await %[[W]]
// CHECK-NEXT: "agpu.stream_release"
// CHECK-NEXT: return
func.func @spawn(%h: memref<f32>, %d: memref<f32>) {
  gpu.memcpy %h, %d : memref<f32>, memref<f32>
  %t = async.execute {
    %x = memref.load %h[] : memref<f32>
    async.yield
  }
  %u = async.execute {
    async.yield
  }
  %zero = arith.constant 0.0 : f32
  gpu.memset %d, %zero : memref<f32>, f32
  %v = async.execute {
    async.yield
  }
  return
}

// It is behind what was awaited, what was enqueued in an op with regions, and
// what takes no token, too: an older token will not do.
// CHECK-LABEL: func.func @spawn_behind_all(
// CHECK: "agpu.memset"(
// CHECK-NEXT: "agpu.stream_wait"(
// CHECK-NEXT: %[[A:.*]] = "agpu.stream_record"
// CHECK-NEXT: async.execute [%[[A]]]
// CHECK: "agpu.memset"(
// CHECK-NEXT: scf.if
// CHECK-NEXT: "agpu.memset"(
// CHECK-NEXT: }
// CHECK-NEXT: %[[B:.*]] = "agpu.stream_record"
// CHECK-NEXT: async.execute [%[[B]]]
// CHECK: "agpu.memset"(
// CHECK-NEXT: agpu.stream_enter
// CHECK-NEXT: call @enqueues
// CHECK-NEXT: agpu.stream_leave
// CHECK-NEXT: %[[C:.*]] = "agpu.stream_record"
// CHECK-NEXT: async.execute [%[[C]]]
func.func private @enqueues()
func.func @spawn_behind_all(%c: i1, %t: !async.token, %d: memref<f32>, %x: f32) {
  gpu.memset %d, %x : memref<f32>, f32
  async.await %t : !async.token
  %t0 = async.execute {
    async.yield
  }
  gpu.memset %d, %x : memref<f32>, f32
  scf.if %c {
    gpu.memset %d, %x : memref<f32>, f32
  }
  %t1 = async.execute {
    async.yield
  }
  gpu.memset %d, %x : memref<f32>, f32
  func.call @enqueues() {async_gpu.enqueue} : () -> ()
  %t2 = async.execute {
    async.yield
  }
  return
}

// Registration takes no token; the stream's order holds.
// CHECK-LABEL: func.func @registration(
// CHECK-NEXT: %[[S:.*]] = "agpu.stream_acquire"
// CHECK-NEXT: "agpu.host_register"(%[[S]]
// CHECK-NEXT: "agpu.host_unregister"(%[[S]]
func.func @registration(%h: memref<*xf32>) {
  gpu.host_register %h : memref<*xf32>
  gpu.host_unregister %h : memref<*xf32>
  return
}
