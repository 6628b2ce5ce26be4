// RUN: async-gpu-opt %s --emit=llvm | FileCheck %s

// Memory of the stack that a loop hands on, and that is used behind a suspension
// through what the loop gives, is in the coroutine's frame.

// CHECK-LABEL: define {{.*}}@handed_on_region_{{[0-9]+}}.resume(
// CHECK-NOT: alloca
// CHECK: ret void
func.func @handed_on(%t: !async.token, %n: i64) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c999 = arith.constant 999 : index
  %s = async.execute {
    %p = memref.alloca() : memref<2xi64>
    %q = memref.alloca() : memref<2xi64>
    memref.store %n, %p[%c1] : memref<2xi64>
    memref.store %n, %q[%c1] : memref<2xi64>
    %r:2 = scf.for %i = %c0 to %c999 step %c1 iter_args(%a = %p, %b = %q)
        -> (memref<2xi64>, memref<2xi64>) {
      %x = memref.load %a[%c1] : memref<2xi64>
      %y = memref.load %b[%c1] : memref<2xi64>
      %z = arith.addi %x, %y : i64
      memref.store %z, %b[%c1] : memref<2xi64>
      scf.yield %b, %a : memref<2xi64>, memref<2xi64>
    }
    async.await %t : !async.token
    %v = memref.load %r#0[%c1] : memref<2xi64>
    vector.print %v : i64
    async.yield
  }
  async.await %s : !async.token
  return
}
