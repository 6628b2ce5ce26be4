// W3: n tasks, each behind the token of the one before, which counts them
// without an atomic: the result is n only if they ran one after the other. The
// first may run while the rest is being spawned.

memref.global "private" @count : memref<i64> = dense<0>

func.func private @link(%before: !async.token) -> !async.token {
  %token = async.execute [%before] {
    %one = arith.constant 1 : i64
    %at = memref.get_global @count : memref<i64>
    %old = memref.load %at[] : memref<i64>
    %new = arith.addi %old, %one : i64
    memref.store %new, %at[] : memref<i64>
    async.yield
  }
  return %token : !async.token
}

func.func @chain(%n: i64) -> i64 {
  %none = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %at = memref.get_global @count : memref<i64>
  memref.store %none, %at[] : memref<i64>
  %first = async.execute {
    async.yield
  }
  %last = scf.for %i = %none to %n step %one
      iter_args(%before = %first) -> !async.token : i64 {
    %token = func.call @link(%before) : (!async.token) -> !async.token
    scf.yield %token : !async.token
  }
  async.await %last : !async.token
  %result = memref.load %at[] : memref<i64>
  return %result : i64
}

// The same, where none may run before all are spawned.
func.func @chain_gated(%n: i64) -> i64 {
  %none = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %at = memref.get_global @count : memref<i64>
  memref.store %none, %at[] : memref<i64>
  %gate = async.runtime.create : !async.token
  %last = scf.for %i = %none to %n step %one
      iter_args(%before = %gate) -> !async.token : i64 {
    %token = func.call @link(%before) : (!async.token) -> !async.token
    scf.yield %token : !async.token
  }
  async.runtime.set_available %gate : !async.token
  async.await %last : !async.token
  %result = memref.load %at[] : memref<i64>
  return %result : i64
}

// The same with bodies that call a function of which the compiler knows nothing:
// it might block, so that each must be a task.
func.func private @bench_opaque()

func.func private @link_opaque(%before: !async.token) -> !async.token {
  %token = async.execute [%before] {
    func.call @bench_opaque() : () -> ()
    %one = arith.constant 1 : i64
    %at = memref.get_global @count : memref<i64>
    %old = memref.load %at[] : memref<i64>
    %new = arith.addi %old, %one : i64
    memref.store %new, %at[] : memref<i64>
    async.yield
  }
  return %token : !async.token
}

func.func @chain_opaque(%n: i64) -> i64 {
  %none = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %at = memref.get_global @count : memref<i64>
  memref.store %none, %at[] : memref<i64>
  %first = async.execute {
    async.yield
  }
  %last = scf.for %i = %none to %n step %one
      iter_args(%before = %first) -> !async.token : i64 {
    %token = func.call @link_opaque(%before) : (!async.token) -> !async.token
    scf.yield %token : !async.token
  }
  async.await %last : !async.token
  %result = memref.load %at[] : memref<i64>
  return %result : i64
}
