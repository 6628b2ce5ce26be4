// Upstream's runner utilities are there without being named; other libraries
// are named; what is in none is an error where the program declares it.

// RUN: rm -rf %t && split-file %s %t
// RUN: async-gpu-runner %t/utilities.mlir | FileCheck %s
// CHECK: [1,  2,  3]
// CHECK: 42

// RUN: cc -shared -fPIC %t/library.c -o %t/libanswer.so
// RUN: async-gpu-runner %t/answer.mlir --shared-libs=%t/libanswer.so | FileCheck %s --check-prefix=ANSWER
// RUN: async-gpu-runner %t/answer.mlir --shared-libs=libm.so.6,%t/libanswer.so | FileCheck %s --check-prefix=ANSWER
// ANSWER: {{^}}42

// The option adds up.
// RUN: cc -shared -fPIC -DNAME=library_other %t/library.c -o %t/libother.so
// RUN: async-gpu-runner %t/answer.mlir --shared-libs=%t/libanswer.so --shared-libs=%t/libother.so | FileCheck %s --check-prefix=ANSWER

// RUN: not async-gpu-runner %t/answer.mlir 2>&1 | FileCheck %s --check-prefix=MISSING
// MISSING: answer.mlir:{{[0-9]+}}:1: error: 'library_answer' is called, but neither the program nor a library that is loaded defines it
// MISSING-NEXT: func.func private @library_answer

// What cannot be loaded is left out, as by mlir-runner, but not in silence.
// RUN: not async-gpu-runner %t/answer.mlir --shared-libs=%t/nonesuch.so 2>&1 | FileCheck %s --check-prefix=NOLIB
// RUN: async-gpu-runner %t/answer.mlir --shared-libs=%t/nonesuch.so,%t/libanswer.so 2>&1 | FileCheck %s --check-prefix=LEFTOUT
// NOLIB: async-gpu-runner: warning: cannot load the library '{{.*}}/nonesuch.so'
// NOLIB: error: 'library_answer' is called, but neither
// LEFTOUT: async-gpu-runner: warning: cannot load the library '{{.*}}/nonesuch.so'
// LEFTOUT-NEXT: {{^}}42

//--- utilities.mlir
func.func private @printMemrefI32(memref<*xi32>)
func.func private @printI64(i64)
memref.global constant @data : memref<3xi32> = dense<[1, 2, 3]>
func.func @main() {
  %0 = memref.get_global @data : memref<3xi32>
  %1 = memref.cast %0 : memref<3xi32> to memref<*xi32>
  func.call @printMemrefI32(%1) : (memref<*xi32>) -> ()
  %2 = arith.constant 42 : i64
  func.call @printI64(%2) : (i64) -> ()
  return
}

//--- answer.mlir
func.func private @library_answer() -> i32
func.func @main() -> i32 {
  %0 = func.call @library_answer() : () -> i32
  return %0 : i32
}

//--- library.c
#ifndef NAME
#define NAME library_answer
#endif
int NAME(void) { return 42; }
