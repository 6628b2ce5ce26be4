// What async-gpu-box-unranked refuses.
// RUN: async-gpu-opt %s --split-input-file --async-gpu-box-unranked --verify-diagnostics

async.func @stores(%m: memref<4xf32>, %to: memref<memref<*xf32>>) -> !async.token {
  %u = memref.cast %m : memref<4xf32> to memref<*xf32>
  // expected-error@+1 {{an unranked memref cannot be stored in memory here: its descriptor is this function's own}}
  memref.store %u, %to[] : memref<memref<*xf32>>
  return
}

// -----

async.func @structured(%m: memref<*xf32>, %n: memref<*xf32>, %c: i1) -> !async.token {
  // expected-error@+1 {{unranked memrefs can only be boxed in branches: turn structured control flow into them first (--lower-affine --convert-scf-to-cf)}}
  %u = scf.if %c -> memref<*xf32> {
    scf.yield %m : memref<*xf32>
  } else {
    scf.yield %n : memref<*xf32>
  }
  return
}
