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

// That of @scopes, below.
// CHECK-LABEL: async.func private @scopes_region_2(
// CHECK-COUNT-4: llvm.alloca
// CHECK-NOT: memref.alloca
// CHECK: return

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

// Where no round of a loop sees the memory of another, one buffer does: what
// rounds call, views, and choices do not hand it on. Scopes end nothing then.
func.func @deep(%m: memref<4xi64>, %v: i64) {
  call @set(%m, %v) : (memref<4xi64>, i64) -> ()
  call @deep(%m, %v) : (memref<4xi64>, i64) -> ()
  return
}
func.func private @printMemrefI64(memref<*xi64>)
func.func @scopes(%ok: i1, %v: i64, %x: memref<4xi64>) -> !async.token {
  %t = async.execute {
    scf.while : () -> () {
      %a = memref.alloca() : memref<4xi64>
      %s = arith.select %ok, %a, %x : memref<4xi64>
      %u = memref.cast %s : memref<4xi64> to memref<*xi64>
      func.call @printMemrefI64(%u) : (memref<*xi64>) -> ()
      scf.condition(%ok)
    } do {
      %b = memref.alloca() : memref<4xi64>
      func.call @deep(%b, %v) : (memref<4xi64>, i64) -> ()
      %r = memref.alloca_scope -> i64 {
        %c = memref.alloca() : memref<4xi64>
        func.call @set(%c, %v) : (memref<4xi64>, i64) -> ()
        // That of this round alone.
        %d = scf.if %ok -> memref<4xi64> {
          %e = memref.alloca() : memref<4xi64>
          scf.yield %e : memref<4xi64>
        } else {
          scf.yield %c : memref<4xi64>
        }
        func.call @set(%d, %v) : (memref<4xi64>, i64) -> ()
        memref.alloca_scope.return %v : i64
      }
      scf.yield
    }
    async.yield
  }
  return %t : !async.token
}
