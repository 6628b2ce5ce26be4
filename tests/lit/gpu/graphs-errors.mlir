// RUN: async-gpu-opt %s --async-gpu-graphs -verify-diagnostics

func.func @word(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error@below {{async_gpu.graphs is "off", "on" or "auto"}}
  scf.for %i = %c0 to %n step %c1 {
  } {async_gpu.graphs = "often"}
  return
}
