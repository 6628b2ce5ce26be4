// RUN: async-gpu-opt %s --async-gpu-non-blocking --verify-diagnostics

func.func private @f.async()

// expected-error @+1 {{cannot make this function non-blocking: the module has a function 'f.async' already}}
func.func @f(%t: !async.token) attributes {async_gpu.non_blocking} {
  async.await %t : !async.token
  return
}
