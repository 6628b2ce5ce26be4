// RUN: async-gpu-opt %s --async-gpu-regions --verify-diagnostics --split-input-file

func.func private @enqueue() -> i32
func.func @main() {
  // expected-error@+1 {{a call with async_gpu.enqueue has no results: the work that it enqueues is not done when it returns}}
  %0 = func.call @enqueue() {async_gpu.enqueue} : () -> i32
  return
}

// -----

func.func private @look()
func.func @main() {
  // expected-error@+1 {{async_gpu.capture belongs on a call with async_gpu.enqueue}}
  func.call @look() {async_gpu.capture = "relaxed"} : () -> ()
  return
}

// -----

func.func private @own() {
  return
}
func.func @main() {
  // expected-error@+1 {{a call of a function of the program's own cannot be captured: async_gpu.capture is for functions without a body}}
  func.call @own() {async_gpu.enqueue, async_gpu.capture = "relaxed"} : () -> ()
  return
}

// -----

func.func private @enqueue()
func.func @main() {
  // expected-error@+1 {{async_gpu.capture is "thread_local", "relaxed" or "never"}}
  func.call @enqueue() {async_gpu.enqueue, async_gpu.capture = "global"} : () -> ()
  return
}
