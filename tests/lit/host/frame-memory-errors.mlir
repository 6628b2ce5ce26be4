// RUN: async-gpu-opt %s --async-gpu-outline --split-input-file --verify-diagnostics

func.func @dynamic(%n: index) {
  %t = async.execute {
    // expected-error @+1 {{memref.alloca of dynamic size in an async region or function}}
    %m = memref.alloca(%n) : memref<?xi64>
    async.yield
  }
  return
}

// -----

func.func @layout() {
  %t = async.execute {
    // expected-error @+1 {{memref.alloca in an async region or function needs an element type that LLVM has}}
    %m = memref.alloca() : memref<4xi64, strided<[2]>>
    async.yield
  }
  return
}

// -----

func.func @large() {
  %t = async.execute {
    // expected-error @+1 {{memref.alloca of more elements than a coroutine's frame can have}}
    %m = memref.alloca() : memref<70000x70000xi8>
    async.yield
  }
  return
}

// -----

// Each round has a buffer of its own, and sees that of the round before.
func.func @carried(%ok: i1, %first: memref<1xi64>) {
  %t = async.execute {
    %last = scf.while (%m = %first) : (memref<1xi64>) -> memref<1xi64> {
      scf.condition(%ok) %m : memref<1xi64>
    } do {
    ^bb0(%m: memref<1xi64>):
      // expected-error @+1 {{memref.alloca in a loop that is no allocation scope (scf.while, or blocks) gives each round another buffer, of which a coroutine's frame has one, and it is handed on}}
      %a = memref.alloca() : memref<1xi64>
      scf.yield %a : memref<1xi64>
    }
    async.yield
  }
  return
}

// -----

// A region may run when the next round has begun.
func.func @spawned(%ok: i1, %n: index, %v: i64) {
  %c0 = arith.constant 0 : index
  %t = async.execute {
    %g = async.create_group %n : !async.group
    scf.while : () -> () {
      scf.condition(%ok)
    } do {
      // expected-error @+1 {{memref.alloca in a loop that is no allocation scope}}
      %a = memref.alloca() : memref<1xi64>
      %u = async.execute {
        memref.store %v, %a[%c0] : memref<1xi64>
        async.yield
      }
      async.add_to_group %u, %g : !async.token
      scf.yield
    }
    async.await_all %g
    async.yield
  }
  return
}

// -----

// Blocks in a circle, in an op that runs once; a function that may keep it.
func.func private @keeps(memref<1xi64>)
func.func @blocks(%ok: i1) {
  %t = async.execute {
    scf.execute_region {
      cf.br ^loop
    ^loop:
      // expected-error @+1 {{memref.alloca in a loop that is no allocation scope}}
      %a = memref.alloca() : memref<1xi64>
      func.call @keeps(%a) : (memref<1xi64>) -> ()
      cf.cond_br %ok, ^loop, ^end
    ^end:
      scf.yield
    }
    async.yield
  }
  return
}
