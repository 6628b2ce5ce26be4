// A device that is not there is an error of the run, with the op that asks for it.
// RUN: async-gpu-opt %s --async-gpu-lower | FileCheck %s
// RUN: not async-gpu-runner --device=emu %s 2>&1 | FileCheck %s --check-prefix=MESSAGE

// CHECK: llvm.call @agpu_set_default_device(%{{.*}}, %{{.*}}, %{{.*}}) : (!llvm.ptr, i32, !llvm.ptr) -> ()
// MESSAGE: default-device.mlir:[[@LINE+6]]:3: error: there is no device 1: the emu driver has 1 device
func.func @main() {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  gpu.set_default_device %zero
  %d = gpu.alloc() : memref<4xi32>
  gpu.set_default_device %one
  gpu.memset %d, %one : memref<4xi32>, i32
  return
}
