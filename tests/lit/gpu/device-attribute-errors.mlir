// The device of a region is checked before anything is lowered.
// RUN: async-gpu-opt %s --async-gpu-regions --split-input-file --verify-diagnostics

func.func @negative() {
  // expected-error @+1 {{async_gpu.device is a number that is not negative}}
  %t = async.execute attributes {async_gpu.device = -1 : i32} {
    async.yield
  }
  return
}

// -----

func.func @truth() {
  // expected-error @+1 {{async_gpu.device is a number that is not negative}}
  %t = async.execute attributes {async_gpu.device = true} {
    async.yield
  }
  return
}

// -----

// expected-error @+1 {{async_gpu.device is a number that is not negative}}
func.func @text() attributes {async_gpu.device = "1"} {
  return
}

// -----

func.func @elsewhere(%d: memref<4xi32>, %v: i32) {
  // expected-error @+1 {{async_gpu.device belongs on async.execute, async.func or func.func}}
  gpu.memset %d, %v : memref<4xi32>, i32 {async_gpu.device = 1 : i32}
  return
}
