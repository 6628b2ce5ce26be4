// A memref.alloca in a region becomes memory at the start of its function,
// before the coroutine begins, where LLVM makes it part of the frame.
// RUN: async-gpu-opt %s --async-gpu-outline | FileCheck %s
// RUN: async-gpu-opt %s --async-gpu-outline --convert-scf-to-cf --async-gpu-coroutines | FileCheck %s --check-prefix=COROUTINE
// RUN: async-gpu-runner -O0 %s | FileCheck %s --check-prefix=PRINTS
// RUN: async-gpu-runner -O2 %s | FileCheck %s --check-prefix=PRINTS

func.func @set(%m: memref<4xi64>, %v: i64) {
  %c0 = arith.constant 0 : index
  memref.store %v, %m[%c0] : memref<4xi64>
  return
}

// CHECK-LABEL: async.func private @main_region_0(
// CHECK: %[[M:.*]] = llvm.alloca %{{.*}} x !llvm.array<4 x i64> {alignment = 64 : i64}
// CHECK: scf.for
// CHECK-NOT: memref.alloca
// CHECK: llvm.insertvalue %[[M]]
// CHECK: builtin.unrealized_conversion_cast %{{.*}} to memref<4xi64>

// COROUTINE-LABEL: func.func private @main_region_0(
// COROUTINE: llvm.alloca
// COROUTINE: async.coro.id

// PRINTS: 0
// PRINTS-NEXT: 1
// PRINTS-NEXT: 2
func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %t = async.execute {
    scf.for %i = %c0 to %c3 step %c1 {
      %m = memref.alloca() {alignment = 64 : i64} : memref<4xi64>
      %v = arith.index_cast %i : index to i64
      %set = async.execute {
        func.call @set(%m, %v) : (memref<4xi64>, i64) -> ()
        async.yield
      }
      async.await %set : !async.token
      %x = memref.load %m[%c0] : memref<4xi64>
      vector.print %x : i64
    }
    async.yield
  }
  async.await %t : !async.token
  return
}
