// RUN: async-gpu-opt %s --async-gpu-regions --verify-diagnostics

func.func private @enqueue() -> i32
func.func @main() {
  // expected-error@+1 {{a call with async_gpu.enqueue has no results: the work that it enqueues is not done when it returns}}
  %0 = func.call @enqueue() {async_gpu.enqueue} : () -> i32
  return
}
