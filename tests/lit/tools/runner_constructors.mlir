// Global constructors run before the entry point, by priority, and destructors
// after it.

// RUN: async-gpu-runner %s | FileCheck %s --match-full-lines
// CHECK:      1
// CHECK-NEXT: 2
// CHECK-NEXT: 3
// CHECK-NEXT: 5
// CHECK-NEXT: 4
// CHECK-NOT:  {{.+}}
llvm.func @printI64(i64)
llvm.func @printNewline()
llvm.mlir.global_ctors ctors = [@second, @first], priorities = [200 : i32, 100 : i32], data = [#llvm.zero, #llvm.zero]
llvm.mlir.global_dtors dtors = [@last, @before_last], priorities = [100 : i32, 200 : i32], data = [#llvm.zero, #llvm.zero]
llvm.func @print(%x: i64) {
  llvm.call @printI64(%x) : (i64) -> ()
  llvm.call @printNewline() : () -> ()
  llvm.return
}
llvm.func internal @first() {
  %0 = llvm.mlir.constant(1 : i64) : i64
  llvm.call @print(%0) : (i64) -> ()
  llvm.return
}
llvm.func internal @second() {
  %0 = llvm.mlir.constant(2 : i64) : i64
  llvm.call @print(%0) : (i64) -> ()
  llvm.return
}
llvm.func @main() {
  %0 = llvm.mlir.constant(3 : i64) : i64
  llvm.call @print(%0) : (i64) -> ()
  llvm.return
}
llvm.func internal @last() {
  %0 = llvm.mlir.constant(4 : i64) : i64
  llvm.call @print(%0) : (i64) -> ()
  llvm.return
}
llvm.func internal @before_last() {
  %0 = llvm.mlir.constant(5 : i64) : i64
  llvm.call @print(%0) : (i64) -> ()
  llvm.return
}
