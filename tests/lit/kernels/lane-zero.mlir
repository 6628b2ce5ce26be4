// Values that are distributed over the lanes of a warp are an error.
// RUN: async-gpu-opt %s --async-gpu-kernels=targets=ptx --split-input-file --verify-diagnostics

gpu.module @m {
  gpu.func @k(%v: vector<1xf32>, %x: memref<?xf32>) kernel {
    %l = gpu.lane_id
    // expected-error @+1 {{gpu.warp_execute_on_lane_0 is for warps of 32 lanes and values that are not distributed over them; pass those through workgroup memory}}
    gpu.warp_execute_on_lane_0(%l)[32] args(%v : vector<1xf32>) {
    ^bb0(%all: vector<32xf32>):
      %c0 = arith.constant 0 : index
      %s = vector.reduction <add>, %all : vector<32xf32> into f32
      memref.store %s, %x[%c0] : memref<?xf32>
    }
    gpu.return
  }
}

// -----

gpu.module @m {
  gpu.func @k(%x: memref<?xf32>) kernel {
    %l = gpu.lane_id
    // expected-error @+1 {{gpu.warp_execute_on_lane_0 is for warps of 32 lanes}}
    gpu.warp_execute_on_lane_0(%l)[64] {
      %c0 = arith.constant 0 : index
      %s = arith.constant 1.0 : f32
      memref.store %s, %x[%c0] : memref<?xf32>
    }
    gpu.return
  }
}
