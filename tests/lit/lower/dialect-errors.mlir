// What the agpu dialect does not allow.
// RUN: async-gpu-opt %s --split-input-file --verify-diagnostics

func.func @not_a_stream(%t: !async.token) {
  // expected-error@+1 {{expected base type 'agpu.stream' but got 'async.token'}}
  "agpu.stream_release"(%t) : (!async.token) -> ()
  return
}

// -----

func.func @operands(%s: !agpu.stream) {
  // expected-error@+1 {{op expects exactly 2 operands, but got 1}}
  "agpu.stream_depend"(%s) : (!agpu.stream) -> ()
  return
}

// -----

func.func @answer(%t: !async.token) {
  // expected-error@+1 {{expected 'i1' but got 'i32'}}
  %x = "agpu.is_ready"(%t) : (!async.token) -> i32
  return
}

// -----

// expected-error@+1 {{expected dynamic type}}
func.func private @type() -> !agpu.unknown
