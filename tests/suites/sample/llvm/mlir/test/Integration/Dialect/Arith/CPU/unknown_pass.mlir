// Neither has such a pass.
// RUN: mlir-opt %s --convert-arith-to-nothing | FileCheck %s

// CHECK: func.func
func.func @main() {
  return
}
