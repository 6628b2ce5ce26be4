// What a block prints comes out in one piece and in the order of its threads;
// arguments of every type.
// CARD: any-order, nothing orders what threads print
// FAULTS: brief, all kernels make the same calls

// RUN: kernel
// CHECK: 100% of thread 0:  0.50|0.250 |1e+100|-3|123456789012345|0
// CHECK: 100% of thread 1:  0.50|0.250 |1e+100|-3|123456789012345|1
// CHECK: 100% of thread 2:  0.50|0.250 |1e+100|-3|123456789012345|2
// CHECK: thread 0 again
// CHECK: thread 1 again
// CHECK: thread 2 again
// CHECK: the end
func.func @main() {
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %half = arith.constant 0.5 : f16
  %third = arith.constant 0.25 : f32
  %large = arith.constant 1.0e+100 : f64
  %byte = arith.constant -3 : i8
  %long = arith.constant 123456789012345 : i64
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%sx = %c3, %sy = %c1, %sz = %c1) {
    gpu.printf "100%% of thread %d: %5.2f|%-6.3f|%g|%d|%lld|%x\n", %tx, %half, %third, %large, %byte, %long, %tx : index, f16, f32, f64, i8, i64, index
    gpu.barrier
    gpu.printf "thread %lld again\n", %tx : index
    gpu.terminator
  }
  gpu.wait
  vector.print str "the end\n"
  return
}
