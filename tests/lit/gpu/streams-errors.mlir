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
  func.func @clusters(%n: index) {
    // expected-error@+1 {{launches in clusters are not supported: remove the clusters clause}}
    gpu.launch_func @m::@k clusters in (%n, %n, %n) blocks in (%n, %n, %n) threads in (%n, %n, %n)
    return
  }
}

// -----

module attributes {gpu.container_module} {
  gpu.module @m {
    gpu.func @k() kernel {
      gpu.return
    }
  }
  func.func @object(%stream: !llvm.ptr, %n: index) {
    // expected-error@+1 {{launches on a stream of the program's own are not supported: use a token instead of an async object}}
    gpu.launch_func <%stream : !llvm.ptr> @m::@k blocks in (%n, %n, %n) threads in (%n, %n, %n)
    return
  }
}
