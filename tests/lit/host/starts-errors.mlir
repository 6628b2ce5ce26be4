// Attributes of regions that are not what the passes before would write.
// RUN: async-gpu-opt %s --async-gpu-starts --split-input-file --verify-diagnostics

// expected-error@+1 {{async_gpu.kind is "host", "device" or "mixed"}}
async.func @kind() -> !async.token attributes {async_gpu.kind = "Host"} {
  return
}

// -----

// expected-error@+1 {{async_gpu.start is "executor", "spawner", "either" or "ready"}}
async.func @start() -> !async.token attributes {async_gpu.kind = "host", async_gpu.start = "here"} {
  return
}
