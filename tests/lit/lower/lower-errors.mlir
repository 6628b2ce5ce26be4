// What the pipeline cannot lower is an error where it stands in the source.
// RUN: async-gpu-opt %s --async-gpu-lower --split-input-file --verify-diagnostics --allow-unregistered-dialect

func.func @unknown() {
  // expected-error@+1 {{test.op is not lowered by async-gpu, nor by those of upstream's conversions that it runs: lower it before this pipeline}}
  "test.op"() : () -> ()
  return
}

// -----

func.func @unknown_in_region() {
  %t = async.execute {
    // expected-error@+1 {{test.op is not lowered}}
    "test.op"() : () -> ()
    async.yield
  }
  return
}

// -----


func.func @payload() {
  // expected-error@+1 {{a value of type tensor<4xf32> cannot be the payload of an async value: it has no LLVM type}}
  %t, %v = async.execute -> !async.value<tensor<4xf32>> {
    %x = "test.make"() : () -> tensor<4xf32>
    // expected-error@+1 {{a value of type tensor<4xf32> cannot be the payload}}
    async.yield %x : tensor<4xf32>
  }
  // expected-error@+1 {{a value of type tensor<4xf32> cannot be the payload}}
  %y = async.await %v : !async.value<tensor<4xf32>>
  return
}

// -----

// expected-error@+1 {{tensors have to be in memory, and upstream's one-shot-bufferize does not put them there}}
func.func @tensor_beside_async(%x: tensor<?xf32>) -> tensor<?xf32> {
  %t = async.execute {
    async.yield
  }
  // expected-error@+1 {{ops with unknown memory side effects are not supported}}
  async.await %t : !async.token
  return %x : tensor<?xf32>
}
