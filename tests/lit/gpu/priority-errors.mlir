// The priority of a region is checked before anything is lowered.
// RUN: async-gpu-opt %s --async-gpu-regions --split-input-file --verify-diagnostics

func.func @positive() {
  // expected-error @+1 {{async_gpu.priority is an i32 that is not positive: 0 is the default, less is more urgent}}
  %t = async.execute attributes {async_gpu.priority = 1 : i32} {
    async.yield
  }
  return
}

// -----

func.func @wide() {
  // expected-error @+1 {{async_gpu.priority is an i32 that is not positive}}
  %t = async.execute attributes {async_gpu.priority = -1 : i64} {
    async.yield
  }
  return
}

// -----

func.func @text() {
  // expected-error @+1 {{async_gpu.priority is an i32 that is not positive}}
  %t = async.execute attributes {async_gpu.priority = "high"} {
    async.yield
  }
  return
}

// -----

// expected-error @+1 {{async_gpu.priority belongs on async.execute or agpu.stream_acquire}}
func.func @elsewhere() attributes {async_gpu.priority = -1 : i32} {
  return
}
