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

// Each name of the memory is followed once, however many ways lead to it.
func.func @choices(%ok: i1, %v: i64) -> !async.token {
  %t = async.execute {
    scf.while : () -> () {
      %s0 = memref.alloca() : memref<4xi64>
      %s1 = arith.select %ok, %s0, %s0 : memref<4xi64>
      %s2 = arith.select %ok, %s1, %s1 : memref<4xi64>
      %s3 = arith.select %ok, %s2, %s2 : memref<4xi64>
      %s4 = arith.select %ok, %s3, %s3 : memref<4xi64>
      %s5 = arith.select %ok, %s4, %s4 : memref<4xi64>
      %s6 = arith.select %ok, %s5, %s5 : memref<4xi64>
      %s7 = arith.select %ok, %s6, %s6 : memref<4xi64>
      %s8 = arith.select %ok, %s7, %s7 : memref<4xi64>
      %s9 = arith.select %ok, %s8, %s8 : memref<4xi64>
      %s10 = arith.select %ok, %s9, %s9 : memref<4xi64>
      %s11 = arith.select %ok, %s10, %s10 : memref<4xi64>
      %s12 = arith.select %ok, %s11, %s11 : memref<4xi64>
      %s13 = arith.select %ok, %s12, %s12 : memref<4xi64>
      %s14 = arith.select %ok, %s13, %s13 : memref<4xi64>
      %s15 = arith.select %ok, %s14, %s14 : memref<4xi64>
      %s16 = arith.select %ok, %s15, %s15 : memref<4xi64>
      %s17 = arith.select %ok, %s16, %s16 : memref<4xi64>
      %s18 = arith.select %ok, %s17, %s17 : memref<4xi64>
      %s19 = arith.select %ok, %s18, %s18 : memref<4xi64>
      %s20 = arith.select %ok, %s19, %s19 : memref<4xi64>
      %s21 = arith.select %ok, %s20, %s20 : memref<4xi64>
      %s22 = arith.select %ok, %s21, %s21 : memref<4xi64>
      %s23 = arith.select %ok, %s22, %s22 : memref<4xi64>
      %s24 = arith.select %ok, %s23, %s23 : memref<4xi64>
      %s25 = arith.select %ok, %s24, %s24 : memref<4xi64>
      %s26 = arith.select %ok, %s25, %s25 : memref<4xi64>
      %s27 = arith.select %ok, %s26, %s26 : memref<4xi64>
      %s28 = arith.select %ok, %s27, %s27 : memref<4xi64>
      %s29 = arith.select %ok, %s28, %s28 : memref<4xi64>
      %s30 = arith.select %ok, %s29, %s29 : memref<4xi64>
      %s31 = arith.select %ok, %s30, %s30 : memref<4xi64>
      %s32 = arith.select %ok, %s31, %s31 : memref<4xi64>
      %s33 = arith.select %ok, %s32, %s32 : memref<4xi64>
      %s34 = arith.select %ok, %s33, %s33 : memref<4xi64>
      %s35 = arith.select %ok, %s34, %s34 : memref<4xi64>
      %s36 = arith.select %ok, %s35, %s35 : memref<4xi64>
      %s37 = arith.select %ok, %s36, %s36 : memref<4xi64>
      %s38 = arith.select %ok, %s37, %s37 : memref<4xi64>
      %s39 = arith.select %ok, %s38, %s38 : memref<4xi64>
      %s40 = arith.select %ok, %s39, %s39 : memref<4xi64>
      func.call @set(%s40, %v) : (memref<4xi64>, i64) -> ()
      scf.condition(%ok)
    } do {
      scf.yield
    }
    async.yield
  }
  return %t : !async.token
}
