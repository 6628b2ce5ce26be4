// Programs that upstream's async-to-async-runtime has lowered half-way: their
// coroutines are taken as they are. Without counts of their own they get ours;
// with them (upstream's async-runtime-ref-counting) they keep theirs.
// RUN: async-gpu-runner %s | FileCheck %s
// RUN: mlir-opt %s --async-to-async-runtime | async-gpu-runner - | FileCheck %s
// RUN: mlir-opt %s --async-to-async-runtime --async-runtime-ref-counting | async-gpu-runner - | FileCheck %s
// RUN: mlir-opt %s --async-to-async-runtime --async-runtime-ref-counting --async-runtime-ref-counting-opt | async-gpu-runner - | FileCheck %s
// RUN: mlir-opt %s --async-to-async-runtime --async-runtime-ref-counting -o %t.counted.mlir
// RUN: async-gpu-opt %t.counted.mlir -o %t.before.mlir
// RUN: async-gpu-opt %t.counted.mlir --async-gpu-reference-counts -o %t.after.mlir
// RUN: diff %t.before.mlir %t.after.mlir

// CHECK: 42
// CHECK-NEXT: 43
func.func @main() {
  %c42 = arith.constant 42 : i64
  %c1 = arith.constant 1 : i64
  %size = arith.constant 2 : index
  %t, %v = async.execute -> !async.value<i64> {
    vector.print %c42 : i64
    async.yield %c42 : i64
  }
  %u = async.execute [%t] (%v as %x: !async.value<i64>) {
    %y = arith.addi %x, %c1 : i64
    vector.print %y : i64
    async.yield
  }
  %group = async.create_group %size : !async.group
  %0 = async.add_to_group %t, %group : !async.token
  %1 = async.add_to_group %u, %group : !async.token
  async.await_all %group
  return
}
