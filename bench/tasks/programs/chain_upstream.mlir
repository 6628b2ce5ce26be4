// W3 for upstream's lowering, which takes no tokens as loop-carried or block
// arguments: halves of the chain are spawned by recursion instead of a loop.

memref.global "private" @count : memref<i64> = dense<0>

func.func private @links(%n: i64, %before: !async.token) -> !async.token {
  %one = arith.constant 1 : i64
  %single = arith.cmpi eq, %n, %one : i64
  cf.cond_br %single, ^link, ^halves
^link:
  %token = async.execute [%before] {
    %at = memref.get_global @count : memref<i64>
    %old = memref.load %at[] : memref<i64>
    %new = arith.addi %old, %one : i64
    memref.store %new, %at[] : memref<i64>
    async.yield
  }
  return %token : !async.token
^halves:
  %half = arith.shrui %n, %one : i64
  %rest = arith.subi %n, %half : i64
  %middle = func.call @links(%half, %before)
      : (i64, !async.token) -> !async.token
  %last = func.call @links(%rest, %middle)
      : (i64, !async.token) -> !async.token
  return %last : !async.token
}

func.func @chain(%n: i64) -> i64 {
  %none = arith.constant 0 : i64
  %at = memref.get_global @count : memref<i64>
  memref.store %none, %at[] : memref<i64>
  %first = async.execute {
    async.yield
  }
  %last = call @links(%n, %first) : (i64, !async.token) -> !async.token
  async.await %last : !async.token
  %result = memref.load %at[] : memref<i64>
  return %result : i64
}

func.func @chain_gated(%n: i64) -> i64 {
  %none = arith.constant 0 : i64
  %at = memref.get_global @count : memref<i64>
  memref.store %none, %at[] : memref<i64>
  %gate = async.runtime.create : !async.token
  %last = call @links(%n, %gate) : (i64, !async.token) -> !async.token
  async.runtime.set_available %gate : !async.token
  async.await %last : !async.token
  %result = memref.load %at[] : memref<i64>
  return %result : i64
}

func.func private @bench_opaque()

func.func private @links_opaque(%n: i64, %before: !async.token) -> !async.token {
  %one = arith.constant 1 : i64
  %single = arith.cmpi eq, %n, %one : i64
  cf.cond_br %single, ^link, ^halves
^link:
  %token = async.execute [%before] {
    func.call @bench_opaque() : () -> ()
    %at = memref.get_global @count : memref<i64>
    %old = memref.load %at[] : memref<i64>
    %new = arith.addi %old, %one : i64
    memref.store %new, %at[] : memref<i64>
    async.yield
  }
  return %token : !async.token
^halves:
  %half = arith.shrui %n, %one : i64
  %rest = arith.subi %n, %half : i64
  %middle = func.call @links_opaque(%half, %before)
      : (i64, !async.token) -> !async.token
  %last = func.call @links_opaque(%rest, %middle)
      : (i64, !async.token) -> !async.token
  return %last : !async.token
}

func.func @chain_opaque(%n: i64) -> i64 {
  %none = arith.constant 0 : i64
  %at = memref.get_global @count : memref<i64>
  memref.store %none, %at[] : memref<i64>
  %first = async.execute {
    async.yield
  }
  %last = call @links_opaque(%n, %first) : (i64, !async.token) -> !async.token
  async.await %last : !async.token
  %result = memref.load %at[] : memref<i64>
  return %result : i64
}
