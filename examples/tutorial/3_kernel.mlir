// The tutorial's third step (docs/tutorial.md): the first loop is a kernel, with memory
// of the device. Nothing says what may run beside what: all is in the program's order,
// on one stream, and the host waits where it reads what the device has written.
//
// Run it: scripts/run.sh examples/tutorial/3_kernel.mlir

// RUN: device
// CHECK: sum: 333328333650000
func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c400 = arith.constant 400 : index
  %c250 = arith.constant 250 : index
  %c100000 = arith.constant 100000 : index
  %zero = arith.constant 0 : i64

  // out[i] = i * i + 3, by 400 blocks of 250 threads
  %out = memref.alloc() : memref<100000xi64>
  %d = gpu.alloc() : memref<100000xi64>
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c400, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%sx = %c250, %sy = %c1, %sz = %c1) {
    %three = arith.constant 3 : i64
    %base = arith.muli %bx, %sx : index
    %i = arith.addi %base, %tx : index
    %x = arith.index_cast %i : index to i64
    %square = arith.muli %x, %x : i64
    %y = arith.addi %square, %three : i64
    memref.store %y, %d[%i] : memref<100000xi64>
    gpu.terminator
  }
  gpu.memcpy %out, %d : memref<100000xi64>, memref<100000xi64>
  gpu.dealloc %d : memref<100000xi64>

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
