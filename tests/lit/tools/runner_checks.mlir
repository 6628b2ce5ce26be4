// --check has the emulated device look for what ASYNC_GPU_EMU_CHECK names, in its
// place; without a list, for everything.

// RUN: not async-gpu-runner %s --device=emu --check=arithmetic 2>&1 | FileCheck %s --check-prefix=DIVISION
// RUN: env ASYNC_GPU_EMU_CHECK=lanes not async-gpu-runner %s --device=emu --check 2>&1 | FileCheck %s --check-prefix=DIVISION
// DIVISION: runner_checks.mlir:[[@LINE+11]]:8: error: the host divides an integer by zero
// RUN: not async-gpu-runner %s --device=emu --check=memory,races -e early 2>&1 | FileCheck %s --check-prefix=EARLY
// EARLY: runner_checks.mlir:[[@LINE+20]]:8: error: race: nothing orders the host, which reads

func.func @one() -> i32 attributes {no_inline} {
  %zero = arith.constant 0 : i32
  return %zero : i32
}
func.func @main() -> i32 {
  %zero = call @one() : () -> i32
  %c1 = arith.constant 1 : i32
  %x = arith.divsi %c1, %zero : i32
  return %x : i32
}
func.func @early() {
  %c0 = arith.constant 0 : index
  %d = gpu.alloc() : memref<4xi32>
  %h = memref.alloc() : memref<4xi32>
  %t = async.execute {
    gpu.memcpy %h, %d : memref<4xi32>, memref<4xi32>
    async.yield
  }
  %x = memref.load %h[%c0] : memref<4xi32>
  vector.print %x : i32
  async.await %t : !async.token
  return
}
