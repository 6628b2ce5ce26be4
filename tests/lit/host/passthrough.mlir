// A coroutine keeps the LLVM attributes that the program gave the function.
// RUN: async-gpu-opt %s --async-gpu-coroutines --async-gpu-runtime-calls | FileCheck %s

// CHECK: func.func @f(
// CHECK-SAME: passthrough = ["noinline", "presplitcoroutine"]
async.func @f(%t: !async.token) -> !async.token attributes {passthrough = ["noinline"]} {
  await %t : !async.token
  return
}
