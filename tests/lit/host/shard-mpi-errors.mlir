// What ranks do together, with what it needs.
// RUN: async-gpu-opt %s --async-gpu-mpi --split-input-file --verify-diagnostics

func.func @no_size(%from: memref<?xf32>, %to: memref<?xf32>, %site: memref<1xi64>) {
  // expected-error @+1 {{agpu.exchange of a size that 'numbers' lack needs it as a fourth operand}}
  "agpu.exchange"(%from, %to, %site) {numbers = array<i64: 0, 0, -1, -1, 0, 0, 0, -1>} : (memref<?xf32>, memref<?xf32>, memref<1xi64>) -> ()
  return
}

// -----

func.func @short(%from: memref<?xf32>, %to: memref<?xf32>, %site: memref<1xi64>) {
  // expected-error @+1 {{agpu.exchange needs 'numbers', an array<i64> of 8}}
  "agpu.exchange"(%from, %to, %site) {numbers = array<i64: 0, 0>} : (memref<?xf32>, memref<?xf32>, memref<1xi64>) -> ()
  return
}

// -----

func.func @none(%from: memref<?xf32>, %to: memref<?xf32>, %site: memref<1xi64>) {
  // expected-error @+1 {{agpu.reduce needs 'numbers', an array<i64> of 2}}
  "agpu.reduce"(%from, %to, %site) : (memref<?xf32>, memref<?xf32>, memref<1xi64>) -> ()
  return
}

// -----

func.func @open(%old: i64) -> i64 {
  // expected-error @+1 {{agpu.shard_open needs 'numbers', an array<i64> of 4}}
  %comm = "agpu.shard_open"(%old) : (i64) -> i64
  return %comm : i64
}
