// The device of a region is checked before anything is lowered.
// RUN: async-gpu-opt %s --async-gpu-regions --split-input-file --verify-diagnostics

func.func @negative() {
  // expected-error @+1 {{async_gpu.device is -1: devices are numbered from 0}}
  %t = async.execute attributes {async_gpu.device = -1 : i32} {
    async.yield
  }
  return
}

// -----

func.func @wide() {
  // expected-error @+1 {{async_gpu.device must be the number of a device, as in 1 : i32}}
  %t = async.execute attributes {async_gpu.device = 1 : i64} {
    async.yield
  }
  return
}

// -----

// expected-error @+1 {{async_gpu.device must be the number of a device, as in 1 : i32}}
func.func @text() attributes {async_gpu.device = "1"} {
  return
}

// -----

func.func @elsewhere(%d: memref<4xi32>, %v: i32) {
  // expected-error @+1 {{async_gpu.device belongs on an async.execute, an async.func or a func.func}}
  gpu.memset %d, %v : memref<4xi32>, i32 {async_gpu.device = 1 : i32}
  return
}
