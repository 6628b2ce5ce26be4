// Branches of a region that end alike: what they do behind their last
// suspension is the same but for the values, of types that LLVM does not have.
func.func private @sum(%m: memref<4xi64>) -> i64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant 0 : i64
  %s = scf.for %i = %c0 to %c4 step %c1 iter_args(%a = %zero) -> i64 {
    %x = memref.load %m[%i] : memref<4xi64>
    %b = arith.addi %a, %x : i64
    scf.yield %b : i64
  }
  return %s : i64
}

func.func private @fill(%x: i64, %m: memref<4xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %i = %c0 to %c4 step %c1 {
    memref.store %x, %m[%i] : memref<4xi64>
  }
  return
}

// Buffers of their own are given back behind a copy.
func.func private @copy(%c: i1, %d: memref<4xi64>, %x: i64) {
  %t = async.execute {
    scf.if %c {
      %h = memref.alloc() : memref<4xi64>
      func.call @fill(%x, %h) : (i64, memref<4xi64>) -> ()
      gpu.memcpy %d, %h : memref<4xi64>, memref<4xi64>
      memref.dealloc %h : memref<4xi64>
    } else {
      %g = memref.alloc() : memref<4xi64>
      gpu.memcpy %g, %d : memref<4xi64>, memref<4xi64>
      memref.dealloc %g : memref<4xi64>
    }
    async.yield
  }
  async.await %t : !async.token
  return
}

// An index, a memref and a vector behind an await.
async.func private @await(%which: index, %m: memref<4xi64>, %n: memref<4xi64>,
    %t: !async.token, %u: !async.token) -> !async.token {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %v = arith.constant dense<[1, 2]> : vector<2xi64>
  %w = arith.constant dense<[3, 4]> : vector<2xi64>
  scf.index_switch %which
  case 0 {
    async.await %t : !async.token
    vector.store %v, %m[%c0] : memref<4xi64>, vector<2xi64>
    scf.yield
  }
  case 1 {
    async.await %u : !async.token
    vector.store %w, %n[%c1] : memref<4xi64>, vector<2xi64>
    scf.yield
  }
  default {
    async.await %u : !async.token
    vector.store %w, %m[%c1] : memref<4xi64>, vector<2xi64>
    scf.yield
  }
  return
}

// RUN: device schedules=200
// CHECK: 20
// CHECK: 3
// CHECK: 7
// CHECK: 8
func.func @main() {
  %false = arith.constant false
  %true = arith.constant true
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0 : i64
  %five = arith.constant 5 : i64
  %d = gpu.alloc() : memref<4xi64>
  %m = memref.alloc() : memref<4xi64>
  %n = memref.alloc() : memref<4xi64>
  call @copy(%true, %d, %five) : (i1, memref<4xi64>, i64) -> ()
  call @copy(%false, %d, %zero) : (i1, memref<4xi64>, i64) -> ()
  gpu.memcpy %m, %d : memref<4xi64>, memref<4xi64>
  %s = call @sum(%m) : (memref<4xi64>) -> i64
  vector.print %s : i64
  func.call @fill(%zero, %m) : (i64, memref<4xi64>) -> ()
  func.call @fill(%zero, %n) : (i64, memref<4xi64>) -> ()
  %t = async.execute {
    async.yield
  }
  %u = async.execute [%t] {
    async.yield
  }
  %a0 = async.call @await(%c0, %m, %n, %t, %u) : (index, memref<4xi64>, memref<4xi64>, !async.token, !async.token) -> !async.token
  async.await %a0 : !async.token
  %a1 = async.call @await(%c1, %m, %n, %t, %u) : (index, memref<4xi64>, memref<4xi64>, !async.token, !async.token) -> !async.token
  async.await %a1 : !async.token
  %s0 = call @sum(%m) : (memref<4xi64>) -> i64
  %s1 = call @sum(%n) : (memref<4xi64>) -> i64
  vector.print %s0 : i64
  vector.print %s1 : i64
  %a2 = async.call @await(%c2, %m, %n, %t, %u) : (index, memref<4xi64>, memref<4xi64>, !async.token, !async.token) -> !async.token
  async.await %a2 : !async.token
  %s2 = call @sum(%m) : (memref<4xi64>) -> i64
  vector.print %s2 : i64
  memref.dealloc %m : memref<4xi64>
  memref.dealloc %n : memref<4xi64>
  gpu.dealloc %d : memref<4xi64>
  return
}
