// scf.parallel whose body calls a function with another scf.parallel; both
// become async.execute by upstream's async-parallel-for. The inner one waits in
// a plain function that a region calls, where upstream deadlocks.
// MATRIX: ours-on-ours upstream-on-ours, upstream's workers all wait in functions that regions call

func.func private @row(%m: memref<64x64xi64>, %i: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  scf.parallel (%j) = (%c0) to (%c64) step (%c1) {
    %k = arith.muli %i, %j : index
    %x = arith.index_cast %k : index to i64
    memref.store %x, %m[%i, %j] : memref<64x64xi64>
    scf.reduce
  }
  return
}

// RUN: workers
// CHECK: sum: 4064256
func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0 : i64
  %m = memref.alloc() : memref<64x64xi64>
  scf.parallel (%i) = (%c0) to (%c64) step (%c1) {
    func.call @row(%m, %i) : (memref<64x64xi64>, index) -> ()
    scf.reduce
  }
  %sum = scf.for %i = %c0 to %c64 step %c1 iter_args(%a = %zero) -> i64 {
    %s = scf.for %j = %c0 to %c64 step %c1 iter_args(%b = %a) -> i64 {
      %x = memref.load %m[%i, %j] : memref<64x64xi64>
      %y = arith.addi %b, %x : i64
      scf.yield %y : i64
    }
    scf.yield %s : i64
  }
  memref.dealloc %m : memref<64x64xi64>
  vector.print str "sum: "
  vector.print %sum : i64
  return
}
