// The dialect's verifier lets a region yield an async value where its payload
// is meant; what would come out is a pointer.
// RUN: async-gpu-opt %s --async-gpu-outline --verify-diagnostics

func.func @f(%c: i64) {
  %t, %v = async.execute -> !async.value<i64> {
    %u, %w = async.execute -> !async.value<i64> {
      async.yield %c : i64
    }
    // expected-error @+1 {{operand 0 is an async value, not its payload: await it first}}
    async.yield %w : !async.value<i64>
  }
  return
}
