// RUN: async-gpu-opt %s --async-gpu-shard-messages --split-input-file --verify-diagnostics

// expected-error @+1 {{there is no async_gpu.numbers, which async-gpu-shard leaves beside async_gpu.shard}}
func.func private @call(i64) -> index attributes {async_gpu.shard = "shard_rank"}
func.func @no_numbers(%comm: i64) -> index {
  %rank = call @call(%comm) : (i64) -> index
  return %rank : index
}

// -----

// expected-error @+1 {{async_gpu.shard is "exchange", "reduce", "shard_agree", "shard_open", "shard_rank" or "shard_size"}}
func.func private @other(i64) -> index attributes {async_gpu.numbers = array<i64>, async_gpu.shard = "nosuchop"}
func.func @unknown(%comm: i64) -> index {
  %rank = call @other(%comm) : (i64) -> index
  return %rank : index
}
