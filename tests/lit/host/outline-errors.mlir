// Regions that have no place for their function.
// RUN: async-gpu-opt %s --async-gpu-outline --split-input-file --verify-diagnostics

// expected-error@+1 {{async.execute must stand in a function of the program's own module, not in a kernel or a nested module}}
%t = async.execute {
  async.yield
}

// -----

module {
  module @nested {
    func.func @f() {
      // expected-error@+1 {{async.execute must stand in a function of the program's own module}}
      %t = async.execute {
        async.yield
      }
      return
    }
  }
}

// -----

module {
  gpu.module @m {
    gpu.func @k() kernel {
      // expected-error@+1 {{async.execute must stand in a function of the program's own module}}
      %t = async.execute {
        async.yield
      }
      gpu.return
    }
  }
}

// -----

// expected-error@+1 {{'agpu_coro_resume' cannot be the name of a function here: names that begin with agpu_ are the runtime's}}
func.func @agpu_coro_resume() {
  return
}

// -----

// A declaration is how a program calls the runtime itself.
func.func private @mlirAsyncRuntimePrintCurrentThreadId()

// -----

func.func @kind() {
  // expected-error@+1 {{async_gpu.kind is "host", "device" or "mixed"}}
  %t = async.execute attributes {async_gpu.kind = "gpu"} {
    async.yield
  }
  return
}
