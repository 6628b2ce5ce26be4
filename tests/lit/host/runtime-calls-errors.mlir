// What has no runtime call.
// RUN: async-gpu-opt %s --async-gpu-runtime-calls --split-input-file --verify-diagnostics

// Payloads must have a size.
func.func @payload(%x: tensor<4xf32>) {
  // expected-error@+1 {{a value of type tensor<4xf32> cannot be the payload of an async value: it has no LLVM type}}
  %v = async.runtime.create : !async.value<tensor<4xf32>>
  // expected-error@+1 {{a value of type tensor<4xf32> cannot be the payload}}
  async.runtime.store %x, %v : !async.value<tensor<4xf32>>
  // expected-error@+1 {{a value of type tensor<4xf32> cannot be the payload}}
  %y = async.runtime.load %v : !async.value<tensor<4xf32>>
  return
}

// -----

func.func @space(%v: !async.value<memref<f32, #gpu.address_space<global>>>) {
  // expected-error@+1 {{a value of type memref<f32, #gpu.address_space<global>> cannot be the payload of an async value: it has no LLVM type}}
  %y = async.runtime.load %v : !async.value<memref<f32, #gpu.address_space<global>>>
  return
}

// -----

func.func @small(%v: !async.value<tf32>) {
  // expected-error@+1 {{a value of type tf32 cannot be the payload of an async value: it has no LLVM type}}
  %y = async.runtime.load %v : !async.value<tf32>
  return
}

// -----

// Earlier passes see to these.
func.func @early(%t: !async.token) {
  // expected-error@+1 {{async.await cannot be lowered to runtime calls here: run the earlier passes of --async-gpu-lower first}}
  async.await %t : !async.token
  // expected-error@+1 {{agpu.stream_acquire cannot be lowered to runtime calls here}}
  %s = "agpu.stream_acquire"() : () -> !agpu.stream
  return
}

// -----

func.func @unranked(%x: memref<*xf32>) {
  // expected-error@+1 {{an unranked memref cannot be the payload of an async value here: run --async-gpu-box-unranked first}}
  %v = async.runtime.create : !async.value<memref<*xf32>>
  return
}
