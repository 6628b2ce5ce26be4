// What cannot be put on a stream.
// RUN: async-gpu-opt %s --async-gpu-regions --split-input-file --verify-diagnostics

func.func @again(%m: memref<f32>, %x: f32) {
  // expected-error@+1 {{this body has its stream: async-gpu-regions has run}}
  %s = "agpu.stream_acquire"() : () -> !agpu.stream
  "agpu.memset"(%s, %m, %x) : (!agpu.stream, memref<f32>, f32) -> ()
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
