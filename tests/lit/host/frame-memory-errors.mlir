// RUN: async-gpu-opt %s --async-gpu-outline --split-input-file --verify-diagnostics

func.func @dynamic(%n: index) {
  %t = async.execute {
    // expected-error @+1 {{memref.alloca of dynamic size in an async region or function}}
    %m = memref.alloca(%n) : memref<?xi64>
    async.yield
  }
  return
}

// -----

func.func @layout() {
  %t = async.execute {
    // expected-error @+1 {{memref.alloca in an async region or function needs an element type that LLVM has}}
    %m = memref.alloca() : memref<4xi64, strided<[2]>>
    async.yield
  }
  return
}

// -----

func.func @large() {
  %t = async.execute {
    // expected-error @+1 {{memref.alloca of more elements than a coroutine's frame can have}}
    %m = memref.alloca() : memref<70000x70000xi8>
    async.yield
  }
  return
}
