// A region of one lane's has no conversion to instructions.
// RUN: async-gpu-opt %s --async-gpu-kernels=targets=ptx --verify-diagnostics

gpu.module @m {
  gpu.func @k(%x: memref<?xf32>) kernel {
    %l = gpu.lane_id
    %t = gpu.thread_id x
    // expected-error @+2 {{failed to legalize operation 'gpu.warp_execute_on_lane_0'}}
    // expected-note @+1 {{see current operation}}
    gpu.warp_execute_on_lane_0(%l)[32] {
      %c = arith.constant 1.0 : f32
      memref.store %c, %x[%t] : memref<?xf32>
    }
    gpu.return
  }
}
