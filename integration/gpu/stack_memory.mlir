// Memory of the stack in every kind of region, in bodies that suspend while
// they use it: each round of a loop has its own, or one that no other round
// sees.

func.func @set(%m: memref<2xi32>, %v: i32) {
  %c0 = arith.constant 0 : index
  memref.store %v, %m[%c0] : memref<2xi32>
  return
}

// Waits for the device between a store and a load.
func.func @regions(%d: memref<4xi32>, %h: memref<4xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %one = arith.constant 1 : i32
  %three = arith.constant 3 : i32
  %four = arith.constant 4 : i32
  %five = arith.constant 5 : i32
  %six = arith.constant 6 : i32
  %yes = arith.cmpi ult, %c0, %c1 : index
  %t = async.execute {
    gpu.memset %d, %one : memref<4xi32>, i32

    // 0, 1: rounds of scf.for.
    scf.for %i = %c0 to %c2 step %c1 {
      %m = memref.alloca() : memref<2xi32>
      %v = arith.index_cast %i : index to i32
      func.call @set(%m, %v) : (memref<2xi32>, i32) -> ()
      gpu.memcpy %h, %d : memref<4xi32>, memref<4xi32>
      %w = memref.load %h[%c0] : memref<4xi32>
      %x = memref.load %m[%c0] : memref<2xi32>
      vector.print %x : i32
    }

    // 2: what the first block of scf.while has stays there; 12, 11: the second
    // has another each round.
    %n = scf.while (%i = %c2) : (index) -> index {
      %m = memref.alloca() : memref<2xi32>
      %v = arith.index_cast %i : index to i32
      func.call @set(%m, %v) : (memref<2xi32>, i32) -> ()
      gpu.memcpy %h, %d : memref<4xi32>, memref<4xi32>
      %w = memref.load %h[%c0] : memref<4xi32>
      %x = memref.load %m[%c0] : memref<2xi32>
      %zero = arith.constant 0 : i32
      %more = arith.cmpi sgt, %x, %zero : i32
      scf.condition(%more) %i : index
    } do {
    ^bb0(%i: index):
      %m = memref.alloca() : memref<2xi32>
      %v = arith.index_cast %i : index to i32
      %ten = arith.constant 10 : i32
      %u = arith.addi %v, %ten : i32
      func.call @set(%m, %u) : (memref<2xi32>, i32) -> ()
      gpu.memcpy %h, %d : memref<4xi32>, memref<4xi32>
      %w = memref.load %h[%c0] : memref<4xi32>
      %x = memref.load %m[%c0] : memref<2xi32>
      vector.print %x : i32
      %next = arith.subi %i, %c1 : index
      scf.yield %next : index
    }

    // 3 or 4, of two branches.
    %either = scf.if %yes -> memref<2xi32> {
      %m = memref.alloca() : memref<2xi32>
      func.call @set(%m, %three) : (memref<2xi32>, i32) -> ()
      scf.yield %m : memref<2xi32>
    } else {
      %m = memref.alloca() : memref<2xi32>
      func.call @set(%m, %four) : (memref<2xi32>, i32) -> ()
      scf.yield %m : memref<2xi32>
    }
    gpu.memcpy %h, %d : memref<4xi32>, memref<4xi32>
    %a = memref.load %h[%c0] : memref<4xi32>
    %b = memref.load %either[%c0] : memref<2xi32>
    vector.print %b : i32

    // 5, behind a copy of which a scope in a switch reads.
    %k = scf.index_switch %c2 -> index
    case 2 {
      gpu.memcpy %h, %d : memref<4xi32>, memref<4xi32>
      scf.yield %c1 : index
    }
    default {
      scf.yield %c0 : index
    }
    %sum = memref.alloca_scope -> i32 {
      %m = memref.alloca() : memref<2xi32>
      func.call @set(%m, %four) : (memref<2xi32>, i32) -> ()
      %x = memref.load %h[%k] : memref<4xi32>
      %y = memref.load %m[%c0] : memref<2xi32>
      %s = arith.addi %x, %y : i32
      memref.alloca_scope.return %s : i32
    }
    vector.print %sum : i32

    // 6, of blocks; scopes in each other.
    scf.execute_region {
      %m = memref.alloca() : memref<2xi32>
      cf.br ^next
    ^next:
      memref.alloca_scope {
        func.call @set(%m, %six) : (memref<2xi32>, i32) -> ()
        memref.alloca_scope {
          gpu.memcpy %h, %d : memref<4xi32>, memref<4xi32>
          %x = memref.load %h[%c0] : memref<4xi32>
          %y = memref.load %m[%c0] : memref<2xi32>
          vector.print %y : i32
        }
      }
      scf.yield
    }
    async.yield
  }
  async.await %t : !async.token
  return
}

// In a kernel: 7 + 8, of rounds of scf.while, whose memory is written behind a
// barrier.
func.func @kernel(%d: memref<4xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%sx = %c2, %sy = %c1, %sz = %c1) {
    %zero = arith.constant 0 : i32
    %seven = arith.constant 7 : i32
    %all:2 = scf.while (%i = %c0, %sum = %zero) : (index, i32) -> (index, i32) {
      %more = arith.cmpi ult, %i, %c2 : index
      scf.condition(%more) %i, %sum : index, i32
    } do {
    ^bb0(%i: index, %sum: i32):
      %m = memref.alloca() : memref<2xi32>
      %v = arith.index_cast %i : index to i32
      %u = arith.addi %v, %seven : i32
      memref.store %u, %m[%tx] : memref<2xi32>
      gpu.barrier
      %x = memref.load %m[%tx] : memref<2xi32>
      %s = arith.addi %sum, %x : i32
      %next = arith.addi %i, %c1 : index
      scf.yield %next, %s : index, i32
    }
    memref.store %all#1, %d[%tx] : memref<4xi32>
    gpu.terminator
  }
  return
}

// RUN: device schedules=40
// RUN: device -O0
// CHECK: 0
// CHECK: 1
// CHECK: 12
// CHECK: 11
// CHECK: 3
// CHECK: 5
// CHECK: 6
// CHECK: 15
func.func @main() {
  %c1 = arith.constant 1 : index
  %d = gpu.alloc () : memref<4xi32>
  %h = memref.alloc() : memref<4xi32>
  call @regions(%d, %h) : (memref<4xi32>, memref<4xi32>) -> ()
  call @kernel(%d) : (memref<4xi32>) -> ()
  gpu.memcpy %h, %d : memref<4xi32>, memref<4xi32>
  %x = memref.load %h[%c1] : memref<4xi32>
  vector.print %x : i32
  gpu.dealloc %d : memref<4xi32>
  memref.dealloc %h : memref<4xi32>
  return
}
