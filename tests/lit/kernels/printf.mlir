// The driver's printf takes a format and a buffer with the arguments; floats
// travel as doubles.
// RUN: async-gpu-opt %s --async-gpu-kernels=targets=ptx --emit=ptx | FileCheck %s

gpu.module @m {
  // CHECK: .extern .func (.param .b32 func_retval0) vprintf
  // CHECK-LABEL: .entry printf(
  // CHECK: vprintf
  // CHECK: cvt.f64.f32
  // CHECK: cvt.f64.f16
  // CHECK: st.local.b32
  // CHECK: vprintf
  gpu.func @printf(%i: i32, %l: i64, %f: f32, %d: f64, %h: f16, %x: index, %b: i8) kernel {
    gpu.printf "hello\n"
    gpu.printf ""
    gpu.printf "%d %lld %f %f %f %lld %d\n", %i, %l, %f, %d, %h, %x, %b : i32, i64, f32, f64, f16, index, i8
    gpu.return
  }
}
