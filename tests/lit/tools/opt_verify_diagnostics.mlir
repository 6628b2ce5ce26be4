// Expected diagnostics of every kind of place, and each way to miss one.

// RUN: rm -rf %t && split-file --no-leading-lines %s %t
// RUN: async-gpu-opt %t/met.mlir --verify-diagnostics --split-input-file
// RUN: not async-gpu-opt %t/missing.mlir --verify-diagnostics 2>&1 | FileCheck %s --check-prefix=MISSING
// RUN: not async-gpu-opt %t/unexpected.mlir --verify-diagnostics 2>&1 | FileCheck %s --check-prefix=UNEXPECTED
// RUN: not async-gpu-opt %t/wrong.mlir --verify-diagnostics 2>&1 | FileCheck %s --check-prefix=WRONG
// RUN: not async-gpu-opt %t/malformed.mlir --verify-diagnostics 2>&1 | FileCheck %s --check-prefix=MALFORMED
// RUN: async-gpu-opt %t/extra.mlir --verify-diagnostics=only-expected
// RUN: not async-gpu-opt %t/extra.mlir --verify-diagnostics=all 2>&1 | FileCheck %s --check-prefix=EXTRA

//--- met.mlir
// expected-error @below {{unknown}}
func.func @a() { nonesuch }

// -----
// expected-error @+3 {{has 1 operands, but enclosing function}}

func.func @b(%x: i32) {
  return %x : i32
}

// -----
func.func @c() { nonesuch } // expected-error {{custom op 'nonesuch' is unknown}}

// -----
func.func @d() { nonesuch }
// expected-error-re @above {{op '{{[a-z]+}}' is unknown {{.*}}}}

// -----
// expected-note @+4 {{prior use here}}
// expected-error @+5 {{use of value '%x' expects different type}}
func.func private @g(i32)
func.func private @h(i64)
func.func @e(%x: i32) {
  func.call @g(%x) : (i32) -> ()
  func.call @h(%x) : (i64) -> ()
  return
}

// -----
func.func @none() { return }

//--- missing.mlir
// MISSING: missing.mlir:{{[0-9]+}}:1: error: expected error "something" was not produced
// MISSING-NEXT: {{^}}// expected-error @below
// expected-error @below {{something}}
func.func @a() { return }

//--- unexpected.mlir
// UNEXPECTED: unexpected.mlir:{{[0-9]+}}:18: error: unexpected error: custom op 'nonesuch'
// UNEXPECTED-NEXT: func.func @a
func.func @a() { nonesuch }

//--- wrong.mlir
// A text that does not match is both missing and unexpected.
// WRONG: error: unexpected error: custom op 'nonesuch'
// WRONG: error: expected error "different" was not produced
// expected-error @below {{different}}
func.func @a() { nonesuch }

//--- malformed.mlir
// MALFORMED: malformed.mlir:{{[0-9]+}}:1: error: malformed expectation
// expected-error {different}
func.func @a() { return }

//--- extra.mlir
// EXTRA: error: unexpected error: custom op 'nonesuch'
func.func @a() { nonesuch }
