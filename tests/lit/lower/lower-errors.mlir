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

// expected-note@+1 {{tensors have to be in memory, and upstream's one-shot-bufferize does not put them there}}
func.func @tensor_beside_async(%x: tensor<?xf32>) -> tensor<?xf32> {
  %t = async.execute {
    async.yield
  }
  // expected-error@+1 {{ops with unknown memory side effects are not supported}}
  async.await %t : !async.token
  return %x : tensor<?xf32>
}

// -----

func.func @topk(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{tm_tensor.topk takes and returns tensors, as torch-mlir makes it}}
  %x = tm_tensor.topk dimension(0) ins(%a : tensor<4xf32>) outs(%b : tensor<4xf32>) {
  ^bb0(%p: f32, %q: f32):
    %c = arith.cmpf oge, %p, %q : f32
    tm_tensor.yield %c : i1
  } -> tensor<4xf32>
  return %x : tensor<4xf32>
}

// -----

func.func @attention(%q: tensor<1x2x4xi32>, %o: tensor<1x2x4xi32>) -> tensor<1x2x4xi32> {
  // expected-error@+1 {{tm_tensor.attention takes queries, keys, values and a mask, tensors of floats}}
  %y = tm_tensor.attention ins(%q, %q, %q : tensor<1x2x4xi32>, tensor<1x2x4xi32>, tensor<1x2x4xi32>) outs(%o : tensor<1x2x4xi32>) -> tensor<1x2x4xi32>
  return %y : tensor<1x2x4xi32>
}

// -----

// Types that what an op becomes does not take: one line, of the op.
func.func @mixed(%u: tensor<1xf32>, %i: tensor<1x1xi64>, %o: tensor<4xi64>) -> tensor<4xi64> {
  // expected-error@+1 {{'tm_tensor.scatter' with these types and attributes cannot be expressed by other ops: }}
  %x = tm_tensor.scatter {dimension_map = array<i64: 0>} unique_indices(false) ins(%u, %i : tensor<1xf32>, tensor<1x1xi64>) outs(%o : tensor<4xi64>) {
  ^bb0(%p: f32, %q: i64):
    tm_tensor.yield %q : i64
  } -> tensor<4xi64>
  return %x : tensor<4xi64>
}
