// Awaits of a body with a stream on branches that are alike but for what they
// await, or how often: the states of suspended coroutines stay apart.

// One await on one way, two on the other.
func.func @twice(%b: i1, %d: memref<8xi32>, %v: i32) {
  %t = async.execute {
    gpu.memset %d, %v : memref<8xi32>, i32
    scf.if %b {
      %t1 = async.execute { async.yield }
      async.await %t1 : !async.token
    } else {
      %t2 = async.execute { async.yield }
      async.await %t2 : !async.token
      async.await %t2 : !async.token
    }
    async.yield
  }
  async.await %t : !async.token
  return
}

// The token of another branch.
func.func @chosen(%b: i1, %c: i1, %d: memref<8xi32>, %v: i32) {
  %t = async.execute {
    gpu.memset %d, %v : memref<8xi32>, i32
    scf.if %b {
      %t1 = async.execute { async.yield }
      async.await %t1 : !async.token
    } else {
      %t2 = scf.if %c -> !async.token {
        %t3 = async.execute { async.yield }
        scf.yield %t3 : !async.token
      } else {
        %t4 = async.execute { async.yield }
        scf.yield %t4 : !async.token
      }
      async.await %t2 : !async.token
    }
    async.yield
  }
  async.await %t : !async.token
  return
}

// A switch in a loop, nested, whose cases await from none to three.
func.func @cases(%n: index, %d: memref<8xi32>, %v: i32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %t = async.execute {
    scf.for %i = %c0 to %n step %c1 {
      %a = async.execute { async.yield }
      %b = async.execute { async.yield }
      gpu.memset %d, %v : memref<8xi32>, i32
      scf.index_switch %i
      case 0 {
        async.await %a : !async.token
        scf.yield
      }
      case 1 {
        async.await %b : !async.token
        async.await %a : !async.token
        scf.yield
      }
      case 2 {
        %odd = arith.cmpi ne, %i, %n : index
        scf.if %odd {
          async.await %a : !async.token
        } else {
          async.await %b : !async.token
          async.await %b : !async.token
          async.await %a : !async.token
        }
        scf.yield
      }
      default {
      }
    }
    async.yield
  }
  async.await %t : !async.token
  return
}

// Values, in a loop without a number of rounds.
func.func @values(%n: i32, %d: memref<8xi32>) -> i32 {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %t, %r = async.execute -> !async.value<i32> {
    gpu.memset %d, %n : memref<8xi32>, i32
    %all:2 = scf.while (%i = %zero, %sum = %zero) : (i32, i32) -> (i32, i32) {
      %more = arith.cmpi slt, %i, %n : i32
      scf.condition(%more) %i, %sum : i32, i32
    } do {
    ^bb0(%i: i32, %sum: i32):
      %rest = arith.remui %i, %two : i32
      %even = arith.cmpi eq, %rest, %zero : i32
      %x = scf.if %even -> i32 {
        %t1, %v1 = async.execute -> !async.value<i32> {
          async.yield %i : i32
        }
        %y = async.await %v1 : !async.value<i32>
        scf.yield %y : i32
      } else {
        %t2, %v2 = async.execute -> !async.value<i32> {
          %ten = arith.constant 10 : i32
          async.yield %ten : i32
        }
        %y = async.await %v2 : !async.value<i32>
        %z = async.await %v2 : !async.value<i32>
        %both = arith.addi %y, %z : i32
        scf.yield %both : i32
      }
      %next = arith.addi %i, %one : i32
      %plus = arith.addi %sum, %x : i32
      scf.yield %next, %plus : i32, i32
    }
    async.yield %all#1 : i32
  }
  %result = async.await %r : !async.value<i32>
  return %result : i32
}

// An async function with branches of its own, and a group.
async.func @blocks(%which: i32, %d: memref<8xi32>, %v: i32) -> !async.token {
  %one = arith.constant 1 : index
  gpu.memset %d, %v : memref<8xi32>, i32
  %t = async.execute { async.yield }
  cf.switch %which : i32, [
    default: ^none,
    0: ^once,
    1: ^other(%t : !async.token),
    2: ^group
  ]
^once:
  async.await %t : !async.token
  cf.br ^none
^other(%u: !async.token):
  async.await %u : !async.token
  %w = async.execute { async.yield }
  async.await %w : !async.token
  cf.br ^none
^group:
  %g = async.create_group %one : !async.group
  %n = async.add_to_group %t, %g : !async.token
  async.await_all %g
  cf.br ^none
^none:
  return
}

// RUN: device schedules=40
// RUN: device -O0
// CHECK: 1
// CHECK: 2
// CHECK: 3
// CHECK: 46
// CHECK: 4
func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %three = arith.constant 3 : i32
  %four = arith.constant 4 : i32
  %five = arith.constant 5 : i32
  %d = gpu.alloc () : memref<8xi32>
  %h = memref.alloc() : memref<8xi32>
  scf.for %i = %c0 to %c2 step %c1 {
    %b = arith.cmpi eq, %i, %c0 : index
    func.call @twice(%b, %d, %one) : (i1, memref<8xi32>, i32) -> ()
  }
  gpu.memcpy %h, %d : memref<8xi32>, memref<8xi32>
  %h1 = memref.load %h[%c0] : memref<8xi32>
  vector.print %h1 : i32
  scf.for %i = %c0 to %c4 step %c1 {
    %q = arith.divui %i, %c2 : index
    %r = arith.remui %i, %c2 : index
    %b = arith.cmpi eq, %q, %c0 : index
    %c = arith.cmpi eq, %r, %c0 : index
    func.call @chosen(%b, %c, %d, %two) : (i1, i1, memref<8xi32>, i32) -> ()
  }
  gpu.memcpy %h, %d : memref<8xi32>, memref<8xi32>
  %h2 = memref.load %h[%c1] : memref<8xi32>
  vector.print %h2 : i32
  call @cases(%c4, %d, %three) : (index, memref<8xi32>, i32) -> ()
  gpu.memcpy %h, %d : memref<8xi32>, memref<8xi32>
  %h3 = memref.load %h[%c2] : memref<8xi32>
  vector.print %h3 : i32
  // 0 + 20 + 2 + 20 + 4.
  %sum = call @values(%five, %d) : (i32, memref<8xi32>) -> i32
  vector.print %sum : i32
  scf.for %i = %c0 to %c4 step %c1 {
    %which = arith.index_cast %i : index to i32
    %t = async.call @blocks(%which, %d, %four)
        : (i32, memref<8xi32>, i32) -> !async.token
    async.await %t : !async.token
  }
  gpu.memcpy %h, %d : memref<8xi32>, memref<8xi32>
  %h4 = memref.load %h[%c0] : memref<8xi32>
  vector.print %h4 : i32
  gpu.dealloc %d : memref<8xi32>
  memref.dealloc %h : memref<8xi32>
  return
}
