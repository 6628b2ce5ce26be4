// Tokens of both dialects wherever values go that token_flow.mlir leaves out:
// arguments and results of async functions, payloads, groups of regions that
// enqueue, switches, selects between tokens of regions, branches that give a
// token of the async dialect, nested regions, many uses and none.

func.func private @read(%d: memref<4xi32>) {
  %c0 = arith.constant 0 : index
  %h = memref.alloc() : memref<4xi32>
  gpu.memcpy %h, %d : memref<4xi32>, memref<4xi32>
  %v = vector.load %h[%c0] : memref<4xi32>, vector<4xi32>
  vector.print %v : vector<4xi32>
  memref.dealloc %h : memref<4xi32>
  return
}

// d[i] += x
func.func private @add(%d: memref<4xi32>, %x: i32, %t: !gpu.async.token) -> !gpu.async.token {
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %u = gpu.launch async [%t] blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
                             threads(%tx, %ty, %tz) in (%sx = %c4, %sy = %c1, %sz = %c1) {
    %y = memref.load %d[%tx] : memref<4xi32>
    %z = arith.addi %y, %x : i32
    memref.store %z, %d[%tx] : memref<4xi32>
    gpu.terminator
  }
  return %u : !gpu.async.token
}

// A token as an argument, and as one of several results.
async.func @add_behind(%t: !gpu.async.token, %d: memref<4xi32>, %x: i32)
    -> (!async.token, !async.value<!gpu.async.token>, !async.value<i32>) {
  %u = func.call @add(%d, %x, %t) : (memref<4xi32>, i32, !gpu.async.token) -> !gpu.async.token
  %y = arith.addi %x, %x : i32
  return %u, %y : !gpu.async.token, i32
}

// Back and forth between functions that call each other.
func.func private @even(%d: memref<4xi32>, %n: i32, %t: !gpu.async.token) -> !gpu.async.token {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %done = arith.cmpi eq, %n, %zero : i32
  cf.cond_br %done, ^end(%t : !gpu.async.token), ^more
^more:
  %u = call @add(%d, %one, %t) : (memref<4xi32>, i32, !gpu.async.token) -> !gpu.async.token
  %m = arith.subi %n, %one : i32
  %v = call @odd(%d, %m, %u) : (memref<4xi32>, i32, !gpu.async.token) -> !gpu.async.token
  cf.br ^end(%v : !gpu.async.token)
^end(%w: !gpu.async.token):
  return %w : !gpu.async.token
}
func.func private @odd(%d: memref<4xi32>, %n: i32, %t: !gpu.async.token) -> !gpu.async.token {
  %u = call @even(%d, %n, %t) : (memref<4xi32>, i32, !gpu.async.token) -> !gpu.async.token
  return %u : !gpu.async.token
}

// RUN: device schedules=200
// CHECK: ( 3, 3, 3, 3 )
// CHECK: ( 7, 7, 7, 7 )
// CHECK: ( 12, 12, 12, 12 )
// CHECK: ( 13, 13, 14, 14 )
// CHECK: ( 10, 10, 10, 10 )
// CHECK: ( 2, 2, 2, 2 )
func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c5 = arith.constant 5 : index
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %four = arith.constant 4 : i32
  %yes = arith.constant true
  %no = arith.constant false
  %t0 = gpu.wait async
  %d, %t1 = gpu.alloc async [%t0] () : memref<4xi32>
  %t2 = gpu.memset async [%t1] %d, %zero : memref<4xi32>, i32

  // 1, 2 + 1: an async function, whose value is a token.
  %r:3 = async.call @add_behind(%t2, %d, %one)
    : (!gpu.async.token, memref<4xi32>, i32) -> (!async.token, !async.value<!gpu.async.token>, !async.value<i32>)
  %t3 = async.await %r#1 : !async.value<!gpu.async.token>
  %x = async.await %r#2 : !async.value<i32>
  %t4 = call @add(%d, %x, %t3) : (memref<4xi32>, i32, !gpu.async.token) -> !gpu.async.token
  gpu.wait [%t4]
  call @read(%d) : (memref<4xi32>) -> ()

  // 3 + 4: recursion.
  %t5 = call @even(%d, %four, %t4) : (memref<4xi32>, i32, !gpu.async.token) -> !gpu.async.token
  gpu.wait [%t5, %t4, %t5]
  call @read(%d) : (memref<4xi32>) -> ()

  // 7 + 5: regions in a chain, collected in a group.
  %group = async.create_group %c5 : !async.group
  %start = async.execute { async.yield }
  %last = scf.for %i = %c0 to %c5 step %c1 iter_args(%before = %start) -> !async.token {
    %t = async.execute [%before] {
      %none = gpu.wait async
      %u = func.call @add(%d, %one, %none) : (memref<4xi32>, i32, !gpu.async.token) -> !gpu.async.token
      gpu.wait [%u]
      async.yield
    }
    async.add_to_group %t, %group : !async.token
    scf.yield %t : !async.token
  }
  async.await_all %group
  call @read(%d) : (memref<4xi32>) -> ()

  // 12 + 1 + 2: one of two tokens; both regions run.
  %ta = async.execute [%last] {
    gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
               threads(%tx, %ty, %tz) in (%sx = %c5, %sy = %c1, %sz = %c1) {
      %in = arith.cmpi ult, %tx, %c2 : index
      scf.if %in {
        %y = memref.load %d[%tx] : memref<4xi32>
        %z = arith.addi %y, %one : i32
        memref.store %z, %d[%tx] : memref<4xi32>
      }
      gpu.terminator
    }
    async.yield
  }
  %tb = async.execute [%ta] {
    gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
               threads(%tx, %ty, %tz) in (%sx = %c2, %sy = %c1, %sz = %c1) {
      %i = arith.addi %tx, %c2 : index
      %y = memref.load %d[%i] : memref<4xi32>
      %z = arith.addi %y, %two : i32
      memref.store %z, %d[%i] : memref<4xi32>
      gpu.terminator
    }
    async.yield
  }
  %chosen = arith.select %no, %ta, %tb : !async.token
  async.await %chosen : !async.token
  call @read(%d) : (memref<4xi32>) -> ()

  // A branch and a switch that give tokens of the async dialect; the region that
  // depends on them is on another stream.
  %tc = scf.if %yes -> !async.token {
    %t = async.execute [%tb] {
      gpu.memset %d, %one : memref<4xi32>, i32
      async.yield
    }
    scf.yield %t : !async.token
  } else {
    scf.yield %tb : !async.token
  }
  %td = scf.index_switch %c2 -> !async.token
  case 1 {
    scf.yield %tc : !async.token
  }
  case 2 {
    %t = async.execute [%tc] {
      // Inner regions, one behind the other; the outer one awaits them.
      %inner, %payload = async.execute -> !async.value<!gpu.async.token> {
        %n = gpu.wait async
        %u = func.call @add(%d, %four, %n) : (memref<4xi32>, i32, !gpu.async.token) -> !gpu.async.token
        async.yield %u : !gpu.async.token
      }
      %u = async.await %payload : !async.value<!gpu.async.token>
      %v = func.call @add(%d, %four, %u) : (memref<4xi32>, i32, !gpu.async.token) -> !gpu.async.token
      async.yield
    }
    scf.yield %t : !async.token
  }
  default {
    scf.yield %ta : !async.token
  }
  %te = async.execute [%td, %tc, %td] (%r#1 as %u: !async.value<!gpu.async.token>) {
    %v = func.call @add(%d, %one, %u) : (memref<4xi32>, i32, !gpu.async.token) -> !gpu.async.token
    async.yield
  }
  async.await %te : !async.token
  call @read(%d) : (memref<4xi32>) -> ()

  // Nobody uses these.
  %unused0 = gpu.wait async [%t5]
  %unused1 = gpu.memset async [%unused0] %d, %two : memref<4xi32>, i32
  %unused2, %unused3 = async.execute -> !async.value<!gpu.async.token> {
    %n = gpu.wait async
    async.yield %n : !gpu.async.token
  }
  gpu.wait
  call @read(%d) : (memref<4xi32>) -> ()
  %end = gpu.dealloc async %d : memref<4xi32>
  gpu.wait [%end]
  gpu.wait []
  return
}
