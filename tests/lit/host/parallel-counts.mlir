// Iterations are counted right at the ends of what an index can be.
// RUN: async-gpu-runner %s | FileCheck %s
// RUN: not async-gpu-runner -e too_many %s 2>&1 | FileCheck %s --check-prefix=MANY

func.func private @printI64(i64)
func.func private @printNewline()

func.func @count(%from: index, %to: index, %step: index, %m: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %none = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %n = scf.parallel (%i, %j, %k) = (%from, %c0, %c0) to (%to, %m, %m) step (%step, %c1, %c1) init (%none) -> i64 {
    scf.reduce(%one : i64) {
    ^bb0(%a: i64, %b: i64):
      %c = arith.addi %a, %b : i64
      scf.reduce.return %c : i64
    }
  }
  func.call @printI64(%n) : (i64) -> ()
  func.call @printNewline() : () -> ()
  return
}

func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %least = arith.constant -9223372036854775808 : index
  %most = arith.constant 9223372036854775807 : index
  // CHECK: {{^}}1{{$}}
  func.call @count(%c0, %most, %most, %c1) : (index, index, index, index) -> ()
  // CHECK: {{^}}3{{$}}
  func.call @count(%least, %most, %most, %c1) : (index, index, index, index) -> ()
  // CHECK: {{^}}0{{$}}
  func.call @count(%most, %least, %c1, %c1) : (index, index, index, index) -> ()
  // CHECK: {{^}}0{{$}}
  func.call @count(%least, %most, %c1, %c0) : (index, index, index, index) -> ()
  return
}

// A product of 2^64 is not none.
// MANY: the first of them
func.func @too_many() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 4294967296 : index
  scf.parallel (%i, %j) = (%c0, %c0) to (%n, %n) step (%c1, %c1) {
    %false = arith.constant false
    cf.assert %false, "the first of them"
    scf.reduce
  }
  return
}
