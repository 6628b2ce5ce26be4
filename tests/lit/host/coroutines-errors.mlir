// What cannot become a coroutine.
// RUN: async-gpu-opt %s --async-gpu-coroutines --split-input-file --verify-diagnostics

async.func @in_loop(%t: !async.token, %n: index) -> !async.token {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    // expected-error@+1 {{async.await inside scf.for cannot suspend: turn structured control flow into branches first (--lower-affine --convert-scf-to-cf)}}
    async.await %t : !async.token
  }
  return
}

// -----

async.func @assertion_in_branch(%c: i1) -> !async.token {
  scf.if %c {
    // expected-error@+1 {{cf.assert inside scf.if cannot suspend}}
    cf.assert %c, "why"
  }
  return
}

// -----

async.func @stream_in_scope(%t: !async.token) -> !async.token {
  %s = "agpu.stream_acquire"() : () -> !agpu.stream
  memref.alloca_scope {
    // expected-error@+1 {{agpu.stream_wait inside memref.alloca_scope cannot suspend}}
    "agpu.stream_wait"(%s, %t) : (!agpu.stream, !async.token) -> ()
  }
  return
}

// -----

func.func @region() {
  // expected-error@+1 {{async.execute must be outlined before coroutines are made: run --async-gpu-outline first}}
  %t = async.execute {
    async.yield
  }
  return
}

// -----

// expected-error@+1 {{async_gpu.kind is "host", "device" or "mixed"}}
async.func @kind() -> !async.token attributes {async_gpu.kind = 1 : i32} {
  return
}

// -----

// expected-error@+1 {{async_gpu.start is "executor", "spawner", "either" or "ready"}}
async.func @start() -> !async.token attributes {async_gpu.kind = "host", async_gpu.start = "caller"} {
  return
}
