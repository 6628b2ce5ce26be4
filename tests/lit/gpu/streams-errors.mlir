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

async.func @unknown(%t: !async.token, %m: memref<f32>, %x: f32) -> !async.token {
  // expected-error@+1 {{how is "event", "stream", "last" or "none"}}
  async.await %t : !async.token {how = "later"}
  gpu.memset %m, %x : memref<f32>, f32
  return
}
