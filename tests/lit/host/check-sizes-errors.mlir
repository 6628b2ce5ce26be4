// Shapes that are too large for any memory.
// RUN: async-gpu-opt %s --async-gpu-check-sizes --verify-diagnostics

func.func @f() {
  // expected-error@+1 {{a memref of more bytes than there are addresses}}
  %m = memref.alloc() : memref<4611686018427387905xf32>
  // expected-error@+1 {{a memref of more bytes than there are addresses}}
  %s = memref.alloca() : memref<4294967296x4294967296xi8>
  return
}
