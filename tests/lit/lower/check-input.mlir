// What no pass could lower is reported where it stands, before upstream's
// passes crash on it or fail elsewhere.
// RUN: async-gpu-opt %s --async-gpu-lower --allow-unregistered-dialect --split-input-file --verify-diagnostics

func.func @nested() {
  %c1 = arith.constant 1 : index
  gpu.launch blocks(%a, %b, %c) in (%d = %c1, %e = %c1, %f = %c1) threads(%g, %h, %i) in (%j = %c1, %k = %c1, %l = %c1) {
    // expected-error@+1 {{a gpu.launch cannot stand in a kernel: the host launches kernels, so that this one has to follow the other}}
    gpu.launch blocks(%a0, %b0, %c0) in (%d0 = %c1, %e0 = %c1, %f0 = %c1) threads(%g0, %h0, %i0) in (%j0 = %c1, %k0 = %c1, %l0 = %c1) {
      gpu.terminator
    }
    gpu.terminator
  }
  return
}

// -----

func.func @unknown() {
  %c1 = arith.constant 1 : index
  gpu.launch blocks(%a, %b, %c) in (%d = %c1, %e = %c1, %f = %c1) threads(%g, %h, %i) in (%j = %c1, %k = %c1, %l = %c1) {
    // expected-error@+1 {{the body of a gpu.launch refers to 'nowhere', which the module does not have}}
    "test.call"() {callees = [{name = @nowhere}]} : () -> ()
    gpu.terminator
  }
  return
}

// -----

// A launch may say what its kernel is to be called.
func.func private @known()
func.func @named() {
  %c1 = arith.constant 1 : index
  gpu.launch blocks(%a, %b, %c) in (%d = %c1, %e = %c1, %f = %c1) threads(%g, %h, %i) in (%j = %c1, %k = %c1, %l = %c1) module(@kernels) function(@first) {
    gpu.terminator
  }
  return
}

// -----

// expected-error@+1 {{this function takes or gives a tensor: put tensors into memory first (--one-shot-bufferize='bufferize-function-boundaries')}}
func.func @tensors(%t: tensor<4xf32>) -> tensor<4xf32> {
  %v = async.runtime.create : !async.value<tensor<4xf32>>
  return %t : tensor<4xf32>
}

// -----

// expected-error@+1 {{a coroutine's id, state and handle cannot go through a function: its ops have to stand in one}}
func.func @id() -> !async.coro.id {
  %i = async.coro.id
  return %i : !async.coro.id
}

// -----

module attributes {transform.with_named_sequence} {
  // expected-error@+1 {{a schedule of the transform dialect is not a program: apply it with --transform-interpreter and remove it with --async-gpu-drop-schedules}}
  transform.named_sequence @__transform_main(%m: !transform.any_op {transform.readonly}) {
    transform.yield
  }
}

// -----

func.func @expanded(%m: memref<?xf32>, %a: index, %b: index) -> memref<?x?xf32> {
  // expected-error@+1 {{memref.expand_shape into more than one dynamic size has no conversion}}
  %e = memref.expand_shape %m [[0, 1]] output_shape [%a, %b] : memref<?xf32> into memref<?x?xf32>
  return %e : memref<?x?xf32>
}

// -----

// Attributes that nothing reads. Others' are not ours to judge.
func.func @misspelt(%n: index) attributes {async_gpu.graphs = "on", other.graph = "on"} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-warning@+1 {{nothing reads the attribute 'async_gpu.graph': those of programs are async_gpu.capture, async_gpu.device, async_gpu.enqueue, async_gpu.graphs, async_gpu.non_blocking, async_gpu.observes and async_gpu.priority}}
  scf.for %i = %c0 to %n step %c1 {
  } {async_gpu.graph = "on"}
  return
}

// -----

func.func @box(%m: memref<8x8xf32>, %n: index) {
  %u = memref.cast %m : memref<8x8xf32> to memref<*xf32>
  // expected-error@+1 {{the box of a tensor map has a size for each dimension of the memref, no more and no fewer}}
  %map = nvgpu.tma.create.descriptor %u box[%n] : memref<*xf32> -> !nvgpu.tensormap.descriptor<tensor = memref<8x8xf32, 3>, swizzle = none, l2promo = none, oob = zero, interleave = none>
  return
}

// -----

// What upstream's gpu-to-llvm has been at.
module attributes {gpu.container_module} {
  llvm.func @lowered() {
    %c1 = llvm.mlir.constant(1 : i64) : i64
    // expected-error@+1 {{this gpu.launch_func stands in an llvm.func, as upstream's gpu-to-llvm leaves it}}
    gpu.launch_func @k::@f blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) : i64
    llvm.return
  }
  gpu.binary @k [#gpu.object<#nvvm.target, "">]
}

// -----

// expected-error@+1 {{arith.constant stands in no function: put it into a func.func}}
%c0 = arith.constant 0 : index
%c8 = arith.constant 8 : index
scf.parallel (%i) = (%c0) to (%c8) step (%c8) {
  vector.print %i : index
  scf.reduce
}

// -----

// Nothing waits for what these do to memory of others.
func.func private @compute(%m: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %x = arith.constant 1.0 : f32
  memref.store %x, %m[%c0] : memref<4xf32>
  return
}
func.func private @printMemrefF32(memref<*xf32>)
func.func @lost(%h: memref<4xf32>, %d: memref<4xf32>, %x: f32) {
  // expected-warning@+1 {{nothing waits for this region, which writes memory from outside of it: await its token, or have other regions depend on it}}
  %t = async.execute {
    gpu.memset %d, %x : memref<4xf32>, f32
    async.yield
  }
  %u = async.execute {
    gpu.memcpy %h, %d : memref<4xf32>, memref<4xf32>
    async.yield
  }
  // expected-warning@+1 {{nothing waits for this region}}
  %v, %w = async.execute [%u] -> !async.value<f32> {
    func.call @compute(%h) : (memref<4xf32>) -> ()
    %m = memref.cast %h : memref<4xf32> to memref<*xf32>
    func.call @printMemrefF32(%m) : (memref<*xf32>) -> ()
    async.yield %x : f32
  }
  return
}

// -----

// These are waited for, tell that they are done in another way, or have nothing
// that others use.
func.func private @post()
func.func @found(%h: memref<4xf32>, %flag: memref<1xi32>, %x: f32,
                 %g: !async.group) -> !async.token {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1 : i32
  %awaited, %value = async.execute -> !async.value<f32> {
    memref.store %x, %h[%c0] : memref<4xf32>
    async.yield %x : f32
  }
  %y = async.await %value : !async.value<f32>
  %grouped = async.execute {
    memref.store %x, %h[%c0] : memref<4xf32>
    async.yield
  }
  async.add_to_group %grouped, %g : !async.token
  %posts = async.execute {
    memref.store %x, %h[%c0] : memref<4xf32>
    func.call @post() : () -> ()
    async.yield
  }
  %flags = async.execute {
    memref.store %x, %h[%c0] : memref<4xf32>
    memref.atomic_rmw assign %one, %flag[%c0] : (i32, memref<1xi32>) -> i32
    async.yield
  }
  %prints = async.execute {
    %own = memref.alloc() : memref<4xf32>
    memref.store %x, %own[%c0] : memref<4xf32>
    %z = memref.dim %h, %c0 : memref<4xf32>
    vector.print %z : index
    memref.dealloc %own : memref<4xf32>
    async.yield
  }
  %returned = async.execute {
    memref.store %x, %h[%c0] : memref<4xf32>
    async.yield
  }
  return %returned : !async.token
}

// -----

// What functions do that a region calls, and those that they call: @show only
// prints, @through tells, @fill does neither.
func.func private @printI64(i64)
func.func private @post()
func.func private @show(%m: memref<4xi64>) {
  %c0 = arith.constant 0 : index
  %own = memref.alloca() : memref<4xi64>
  memref.copy %m, %own : memref<4xi64> to memref<4xi64>
  %v = memref.load %own[%c0] : memref<4xi64>
  func.call @printI64(%v) : (i64) -> ()
  return
}
func.func private @fill(%m: memref<4xi64>, %x: i64) {
  linalg.fill ins(%x : i64) outs(%m : memref<4xi64>)
  return
}
func.func private @around(%m: memref<4xi64>, %x: i64) {
  func.call @fill(%m, %x) : (memref<4xi64>, i64) -> ()
  return
}
func.func private @through(%m: memref<4xi64>, %x: i64) {
  func.call @fill(%m, %x) : (memref<4xi64>, i64) -> ()
  func.call @post() : () -> ()
  return
}
func.func @called(%m: memref<4xi64>, %x: i64) {
  %shows = async.execute {
    func.call @show(%m) : (memref<4xi64>) -> ()
    async.yield
  }
  %own_alone = async.execute {
    %own = memref.alloc() : memref<4xi64>
    linalg.copy ins(%m : memref<4xi64>) outs(%own : memref<4xi64>)
    func.call @fill(%own, %x) : (memref<4xi64>, i64) -> ()
    func.call @show(%own) : (memref<4xi64>) -> ()
    memref.dealloc %own : memref<4xi64>
    async.yield
  }
  %tells = async.execute {
    func.call @through(%m, %x) : (memref<4xi64>, i64) -> ()
    async.yield
  }
  // expected-warning@+1 {{nothing waits for this region}}
  %lost = async.execute {
    func.call @around(%m, %x) : (memref<4xi64>, i64) -> ()
    async.yield
  }
  return
}
