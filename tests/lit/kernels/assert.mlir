// The driver's function for failed assertions takes message, file, line,
// function.
// RUN: async-gpu-opt %s --async-gpu-kernels=targets=ptx --emit=ptx | FileCheck %s

gpu.module @m {
  // CHECK: .extern .func __assertfail
  // CHECK-DAG: {{105, 32, 105, 115, 32, 112, 111, 115, 105, 116, 105, 118, 101}}
  // CHECK-LABEL: .entry assert(
  // CHECK: __assertfail,
  gpu.func @assert(%i: i32) kernel {
    %c0 = arith.constant 0 : i32
    %c = arith.cmpi sgt, %i, %c0 : i32
    cf.assert %c, "i is positive"
    gpu.return
  }
}
