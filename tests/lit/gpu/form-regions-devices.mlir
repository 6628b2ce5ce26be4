// Work goes to the device that is the default where it stands, so that nothing
// moves in a program that chooses while it runs.
// RUN: async-gpu-opt %s "--async-gpu-form-regions=host-region-ops=0 device-region-ops=0 remarks=true" --verify-diagnostics | FileCheck %s

// CHECK-NOT: async.execute
// expected-remark @+1 {{the program sets the default device as it runs: left as it is written}}
func.func @choose(%x: f32) {
  %a = gpu.alloc () : memref<64xf32>
  gpu.memset %a, %x : memref<64xf32>, f32
  %one = arith.constant 1 : i32
  gpu.set_default_device %one
  %b = gpu.alloc () : memref<64xf32>
  gpu.memset %b, %x : memref<64xf32>, f32
  return
}
