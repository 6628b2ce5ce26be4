// A failed assertion in a parallel loop of a region is the region's error: what
// awaits it does not run, and the program can ask.
// RUN: device
// ERROR: loop_in_region.mlir:[[@LINE+10]]:7: error: {{.*}}77777 is not allowed
func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c100000 = arith.constant 100000 : index
  %c77777 = arith.constant 77777 : index
  %zero = arith.constant 0 : i64
  %t, %v = async.execute -> !async.value<i64> {
    %s = scf.parallel (%i) = (%c0) to (%c100000) step (%c1) init (%zero) -> i64 {
      %fine = arith.cmpi ne, %i, %c77777 : index
      cf.assert %fine, "77777 is not allowed"
      %x = arith.index_cast %i : index to i64
      scf.reduce(%x : i64) {
      ^bb0(%a: i64, %b: i64):
        %n = arith.addi %a, %b : i64
        scf.reduce.return %n : i64
      }
    }
    vector.print str "not reached\n"
    async.yield %s : i64
  }
  %after = async.execute [%t] {
    vector.print str "not reached either\n"
    async.yield
  }
  async.await %after : !async.token
  return
}
