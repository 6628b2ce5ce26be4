// scf.parallel on the host: its iterations run on all threads.

func.func private @double(%x: i64) -> i64 {
  %two = arith.constant 2 : i64
  %y = arith.muli %x, %two : i64
  return %y : i64
}

func.func private @sum(%m: memref<?xi64>) -> i64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %none = arith.constant 0 : i64
  %n = memref.dim %m, %c0 : memref<?xi64>
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %none) -> i64 {
    %x = memref.load %m[%i] : memref<?xi64>
    %next = arith.addi %acc, %x : i64
    scf.yield %next : i64
  }
  return %s : i64
}

func.func private @print(%m: memref<?xi64>) {
  %s = call @sum(%m) : (memref<?xi64>) -> i64
  vector.print %s : i64
  return
}

// Each element of 0 .. n-1 is set once; all are set to 1 if each is reached.
// RUN: device
// CHECK: one dimension: 9999900000
// CHECK: steps: 33334
// CHECK: three dimensions: 4999950000
// CHECK: two dimensions with steps: 2778672150
// CHECK: no iterations: 2778672150
// CHECK: in regions: 200000
// CHECK: reduced: 200000
func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c10 = arith.constant 10 : index
  %c20 = arith.constant 20 : index
  %c50 = arith.constant 50 : index
  %c100 = arith.constant 100 : index
  %c10000 = arith.constant 10000 : index
  %c100000 = arith.constant 100000 : index
  %minus100 = arith.constant -100 : index
  %one = arith.constant 1 : i64
  %m = memref.alloc(%c100000) : memref<?xi64>

  // One dimension, a captured value, a call: 2 * (0 + ... + 99999).
  scf.parallel (%i) = (%c0) to (%c100000) step (%c1) {
    %x = arith.index_cast %i : index to i64
    %y = func.call @double(%x) : (i64) -> i64
    memref.store %y, %m[%i] : memref<?xi64>
    scf.reduce
  }
  vector.print str "one dimension: "
  call @print(%m) : (memref<?xi64>) -> ()

  // Steps that do not divide, and a negative start: every third element up to
  // 99999 gets 1 in place of its value. i goes from -100 in steps of 3, and
  // stands for element i + 100.
  %upper = arith.addi %c100000, %minus100 : index
  scf.parallel (%i) = (%c0) to (%c100000) step (%c1) {
    %zero = arith.constant 0 : i64
    memref.store %zero, %m[%i] : memref<?xi64>
    scf.reduce
  }
  scf.parallel (%i) = (%minus100) to (%upper) step (%c3) {
    %at = arith.addi %i, %c100 : index
    %x = memref.load %m[%at] : memref<?xi64>
    %y = arith.addi %x, %one : i64
    memref.store %y, %m[%at] : memref<?xi64>
    scf.reduce
  }
  vector.print str "steps: "
  call @print(%m) : (memref<?xi64>) -> ()

  // Three dimensions, 50 x 20 x 100 from 0 in steps of 1, 1 and 1: each element
  // gets its own number.
  scf.parallel (%i, %j, %k) = (%c0, %c0, %c0) to (%c50, %c20, %c100)
      step (%c1, %c1, %c1) {
    %row = arith.muli %i, %c20 : index
    %row2 = arith.addi %row, %j : index
    %start = arith.muli %row2, %c100 : index
    %at = arith.addi %start, %k : index
    %x = arith.index_cast %at : index to i64
    memref.store %x, %m[%at] : memref<?xi64>
    scf.reduce
  }
  vector.print str "three dimensions: "
  call @print(%m) : (memref<?xi64>) -> ()

  // Two dimensions with steps and starts of their own: i = 10, 12, ... 48 (20
  // of them), j = 1, 4, ... 97, 100 up to below 10000 (3333 of them): element
  // (i - 10) / 2 * 3333 + (j - 1) / 3 gets 7; the rest keeps its number.
  scf.parallel (%i, %j) = (%c10, %c1) to (%c50, %c10000) step (%c2, %c3) {
    %seven = arith.constant 7 : i64
    %3333 = arith.constant 3333 : index
    %i0 = arith.subi %i, %c10 : index
    %i1 = arith.divui %i0, %c2 : index
    %j0 = arith.subi %j, %c1 : index
    %j1 = arith.divui %j0, %c3 : index
    %row = arith.muli %i1, %3333 : index
    %at = arith.addi %row, %j1 : index
    memref.store %seven, %m[%at] : memref<?xi64>
    scf.reduce
  }
  vector.print str "two dimensions with steps: "
  call @print(%m) : (memref<?xi64>) -> ()

  // No iterations, and none in one of two dimensions.
  scf.parallel (%i) = (%c100) to (%c10) step (%c1) {
    memref.store %one, %m[%i] : memref<?xi64>
    scf.reduce
  }
  scf.parallel (%i, %j) = (%c0, %c10) to (%c100000, %c10) step (%c1, %c1) {
    memref.store %one, %m[%i] : memref<?xi64>
    scf.reduce
  }
  vector.print str "no iterations: "
  call @print(%m) : (memref<?xi64>) -> ()

  // A loop in a loop, in two regions at a time: each sets half of the array.
  %half = arith.constant 50000 : index
  %t0 = async.execute {
    scf.parallel (%i) = (%c0) to (%c50) step (%c1) {
      %1000 = arith.constant 1000 : index
      %row = arith.muli %i, %1000 : index
      scf.parallel (%j) = (%c0) to (%1000) step (%c1) {
        %at = arith.addi %row, %j : index
        memref.store %one, %m[%at] : memref<?xi64>
        scf.reduce
      }
      scf.reduce
    }
    async.yield
  }
  %t1 = async.execute {
    scf.parallel (%i) = (%half) to (%c100000) step (%c1) {
      memref.store %one, %m[%i] : memref<?xi64>
      scf.reduce
    }
    async.yield
  }
  // Behind both, with an await between two loops of one region.
  %t2 = async.execute [%t0] {
    scf.parallel (%i) = (%c0) to (%half) step (%c1) {
      %x = memref.load %m[%i] : memref<?xi64>
      %y = func.call @double(%x) : (i64) -> i64
      memref.store %y, %m[%i] : memref<?xi64>
      scf.reduce
    }
    async.await %t1 : !async.token
    scf.parallel (%i) = (%half) to (%c100000) step (%c1) {
      %x = memref.load %m[%i] : memref<?xi64>
      %y = func.call @double(%x) : (i64) -> i64
      memref.store %y, %m[%i] : memref<?xi64>
      scf.reduce
    }
    async.yield
  }
  async.await %t2 : !async.token
  vector.print str "in regions: "
  call @print(%m) : (memref<?xi64>) -> ()

  // A reduction: 100000 elements of 2.
  %zero = arith.constant 0 : i64
  %total = scf.parallel (%i) = (%c0) to (%c100000) step (%c1) init (%zero)
      -> i64 {
    %x = memref.load %m[%i] : memref<?xi64>
    scf.reduce(%x : i64) {
    ^bb0(%a: i64, %b: i64):
      %s = arith.addi %a, %b : i64
      scf.reduce.return %s : i64
    }
  }
  vector.print str "reduced: "
  vector.print %total : i64
  memref.dealloc %m : memref<?xi64>
  return
}
