// Expects a wrong number, with any tools.
// RUN: mlir-opt %s --convert-func-to-llvm --convert-arith-to-llvm | \
// RUN:   mlir-runner -e main --entry-point-result=void \
// RUN:     --shared-libs=%mlir_c_runner_utils | FileCheck %s

func.func private @printI64(i64)

// CHECK: 43
func.func @main() {
  %a = arith.constant 42 : i64
  call @printI64(%a) : (i64) -> ()
  return
}
