// A parallel loop of a region that fails in many iterations, on many threads, has
// the error of the first of them: from there on all fail, and this one alone for
// another reason than the rest.

// RUN: @plain
// RUN: @plain env:ASYNC_GPU_NUM_THREADS=1|8
// RUN: @plain host-schedules=40
// ERROR: loop_first.mlir:[[@LINE+12]]:7: error: {{.*}}the first
func.func @plain() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %end = arith.constant 400000 : index
  %first = arith.constant 123457 : index
  %t = async.execute {
    scf.parallel (%i) = (%c0) to (%end) step (%c1) {
      %before = arith.cmpi ule, %i, %first : index
      %other = arith.cmpi ne, %i, %first : index
      cf.assert %before, "one behind"
      func.call @touch() : () -> ()
      cf.assert %other, "the first"
      scf.reduce
    }
    async.yield
  }
  async.await %t : !async.token
  vector.print str "not reached\n"
  return
}

func.func private @touch() {
  return
}

// With a result, and inside of a loop of few iterations, both of which are shared
// out. The sum of those before is not given.

// RUN: @nested
// RUN: @nested env:ASYNC_GPU_NUM_THREADS=1|8
// RUN: @nested host-schedules=40
// ERROR: loop_first.mlir:[[@LINE+23]]:9: error: {{.*}}the first
func.func @nested() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %end = arith.constant 50000 : index
  %row = arith.constant 2 : index
  %first = arith.constant 34567 : index
  %zero = arith.constant 0 : i64
  %t, %v = async.execute -> !async.value<i64> {
    %sum = scf.parallel (%k) = (%c0) to (%c8) step (%c1) init (%zero) -> i64 {
      %at_row = arith.cmpi eq, %k, %row : index
      %above = arith.cmpi ult, %k, %row : index
      %inner = scf.parallel (%i) = (%c0) to (%end) step (%c1)
          init (%zero) -> i64 {
        %left = arith.cmpi ule, %i, %first : index
        %before = arith.andi %at_row, %left : i1
        %fine = arith.ori %above, %before : i1
        cf.assert %fine, "one behind"
        %at = arith.cmpi eq, %i, %first : index
        %here = arith.andi %at_row, %at : i1
        %true = arith.constant true
        %other = arith.xori %here, %true : i1
        cf.assert %other, "the first"
        %x = arith.index_cast %i : index to i64
        scf.reduce(%x : i64) {
        ^bb0(%a: i64, %b: i64):
          %n = arith.addi %a, %b : i64
          scf.reduce.return %n : i64
        }
      }
      scf.reduce(%inner : i64) {
      ^bb0(%a: i64, %b: i64):
        %n = arith.addi %a, %b : i64
        scf.reduce.return %n : i64
      }
    }
    async.yield %sum : i64
  }
  %sum = async.await %v : !async.value<i64>
  vector.print %sum : i64
  return
}
