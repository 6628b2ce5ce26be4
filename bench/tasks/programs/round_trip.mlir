// W6: a thread spawns one task and waits for it, n times. The task counts
// without an atomic: the result is n only if each trip saw the one before.

memref.global "private" @count : memref<i64> = dense<0>

func.func private @bench_opaque()
func.func private @bench_post()
func.func private @bench_wait()

func.func private @increment() {
  %one = arith.constant 1 : i64
  %at = memref.get_global @count : memref<i64>
  %old = memref.load %at[] : memref<i64>
  %new = arith.addi %old, %one : i64
  memref.store %new, %at[] : memref<i64>
  return
}

// The waiting thread may run the task itself.
func.func @round_trip(%n: i64) -> i64 {
  %none = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %at = memref.get_global @count : memref<i64>
  memref.store %none, %at[] : memref<i64>
  scf.for %i = %none to %n step %one : i64 {
    %token = async.execute {
      func.call @increment() : () -> ()
      async.yield
    }
    async.await %token : !async.token
  }
  %result = memref.load %at[] : memref<i64>
  return %result : i64
}

// The same with a function of which the compiler knows nothing: it might block,
// so that it must be a task.
func.func @round_trip_opaque(%n: i64) -> i64 {
  %none = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %at = memref.get_global @count : memref<i64>
  memref.store %none, %at[] : memref<i64>
  scf.for %i = %none to %n step %one : i64 {
    %token = async.execute {
      func.call @increment() : () -> ()
      func.call @bench_opaque() : () -> ()
      async.yield
    }
    async.await %token : !async.token
  }
  %result = memref.load %at[] : memref<i64>
  return %result : i64
}

// It may not run it: it waits in a semaphore, of which the runtime knows nothing.
func.func @round_trip_other(%n: i64) -> i64 {
  %none = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %at = memref.get_global @count : memref<i64>
  memref.store %none, %at[] : memref<i64>
  scf.for %i = %none to %n step %one : i64 {
    %token = async.execute {
      func.call @increment() : () -> ()
      func.call @bench_post() : () -> ()
      async.yield
    }
    func.call @bench_wait() : () -> ()
  }
  %result = memref.load %at[] : memref<i64>
  return %result : i64
}
