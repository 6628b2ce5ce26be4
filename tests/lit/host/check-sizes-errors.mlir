// Shapes that are too large for any memory.
// RUN: async-gpu-opt %s --async-gpu-check-sizes --verify-diagnostics

func.func @f() {
  // expected-error@+1 {{a memref larger than the address space}}
  %m = memref.alloc() : memref<4611686018427387905xf32>
  // expected-error@+1 {{a memref larger than the address space}}
  %s = memref.alloca() : memref<4294967296x4294967296xi8>
  return
}
