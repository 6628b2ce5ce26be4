// GPU ops that host code cannot have.
// RUN: async-gpu-opt %s --async-gpu-regions --split-input-file --verify-diagnostics

func.func @launch(%c1: index) {
  // expected-error@+1 {{gpu.launch must be outlined to a kernel first: run --gpu-kernel-outlining before this pass}}
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {
    gpu.terminator
  }
  return
}

// -----

func.func @kernel_op() {
  // expected-error@+1 {{gpu.thread_id is not supported in host code}}
  %i = gpu.thread_id x
  return
}

// -----

// Every op is reported.
func.func @two(%x: f32) {
  // expected-error@+1 {{gpu.lane_id is not supported in host code}}
  %i = gpu.lane_id
  // expected-error@+1 {{gpu.all_reduce is not supported in host code}}
  %y = gpu.all_reduce add %x {} : (f32) -> f32
  return
}

// -----

// A body is a function or a region of it.
llvm.func @elsewhere() {
  // expected-error@+1 {{gpu.wait must stand in a func.func, an async.func or an async.execute region of the program's own module}}
  gpu.wait
  llvm.return
}

// -----

module {
module @nested {
  func.func @f() {
    // expected-error@+1 {{gpu.wait must stand in}}
    gpu.wait
    return
  }
}
}
