// A failed assertion in a parallel loop of a plain function ends the program,
// whatever thread it fails on.
// RUN: device
// ERROR: loop_assert.mlir:[[@LINE+8]]:5: error: {{.*}}777777 is not allowed
func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c1000000 = arith.constant 1000000 : index
  %c777777 = arith.constant 777777 : index
  scf.parallel (%i) = (%c0) to (%c1000000) step (%c1) {
    %fine = arith.cmpi ne, %i, %c777777 : index
    cf.assert %fine, "777777 is not allowed"
    scf.reduce
  }
  vector.print str "not reached\n"
  return
}
