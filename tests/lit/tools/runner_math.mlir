// Host math that LLVM has no intrinsic for goes to libm.

// RUN: async-gpu-runner %s | FileCheck %s --match-full-lines
// CHECK: 0.5

func.func private @printF64(f64)
func.func private @cube(%x: f64) -> f64 attributes {passthrough = ["noinline"]} {
  %y = arith.mulf %x, %x : f64
  %z = arith.mulf %y, %x : f64
  return %z : f64
}
func.func @main() {
  %half = arith.constant 0.5 : f64
  %cube = call @cube(%half) : (f64) -> f64
  %root = math.cbrt %cube : f64
  call @printF64(%root) : (f64) -> ()
  return
}
