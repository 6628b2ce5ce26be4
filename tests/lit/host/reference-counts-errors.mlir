// References are counted on branches only.
// RUN: async-gpu-opt %s --async-gpu-reference-counts --split-input-file --verify-diagnostics

func.func @used_inside(%c: i1, %t: !async.token) {
  scf.if %c {
    // expected-error@+1 {{references to async objects can only be counted in branches: turn structured control flow into them first (--lower-affine --convert-scf-to-cf)}}
    async.runtime.await %t : !async.token
  }
  return
}

// -----

func.func private @give() -> !async.value<f32>

func.func @made_inside(%c: i1) {
  memref.alloca_scope {
    // expected-error@+1 {{references to async objects can only be counted in branches}}
    %v = func.call @give() : () -> !async.value<f32>
  }
  return
}
