// What cannot be put on a stream.
// RUN: async-gpu-opt %s --async-gpu-streams --split-input-file --verify-diagnostics

func.func @region() {
  // expected-error@+1 {{regions must be functions before they get streams: run --async-gpu-outline first}}
  %t = async.execute {
    async.yield
  }
  return
}

// -----

module attributes {gpu.container_module} {
  gpu.module @m {
    gpu.func @k() kernel {
      gpu.return
    }
  }
  func.func @object(%stream: i64, %n: index) {
    // expected-error@+1 {{the async object of a launch must be a CUstream, an !llvm.ptr}}
    gpu.launch_func <%stream : i64> @m::@k blocks in (%n, %n, %n) threads in (%n, %n, %n)
    return
  }
}

// -----

// expected-error@+1 {{async_gpu.waits is an array with "event", "stream", "last" or "none" for each operand of the region}}
async.func @unknown(%t: !async.token) -> !async.token attributes {async_gpu.waits = ["later"]} {
  async.await %t : !async.token
  return
}

// -----

// expected-error@+1 {{async_gpu.waits is an array}}
async.func @more(%t: !async.token) -> !async.token attributes {async_gpu.waits = ["event", "none"]} {
  async.await %t : !async.token
  return
}
