// The tutorial's first step (docs/tutorial.md): a sequential loop on the host.
//
// Run it: scripts/run.sh examples/tutorial/1_loop.mlir

// RUN:
// CHECK: sum: 333328333650000
func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c100000 = arith.constant 100000 : index
  %three = arith.constant 3 : i64
  %zero = arith.constant 0 : i64

  // out[i] = i * i + 3
  %out = memref.alloc() : memref<100000xi64>
  scf.for %i = %c0 to %c100000 step %c1 {
    %x = arith.index_cast %i : index to i64
    %square = arith.muli %x, %x : i64
    %y = arith.addi %square, %three : i64
    memref.store %y, %out[%i] : memref<100000xi64>
  }

  %sum = scf.for %i = %c0 to %c100000 step %c1 iter_args(%acc = %zero) -> i64 {
    %y = memref.load %out[%i] : memref<100000xi64>
    %next = arith.addi %acc, %y : i64
    scf.yield %next : i64
  }
  vector.print str "sum: "
  vector.print %sum : i64
  memref.dealloc %out : memref<100000xi64>
  return
}
