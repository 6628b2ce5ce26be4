// The last step: nothing but the LLVM dialect may be left.
// RUN: async-gpu-opt %s --async-gpu-check-lowered --split-input-file --verify-diagnostics --allow-unregistered-dialect

llvm.func @fine() {
  llvm.return
}

// -----

llvm.func @op(%x: i32) {
  // expected-error@+1 {{arith.addi is not lowered by async-gpu yet, nor by upstream's conversions: lower it before this pipeline}}
  %y = arith.addi %x, %x : i32
  // expected-error@+1 {{test.unknown is not lowered}}
  "test.unknown"() : () -> ()
  llvm.return
}

// -----

llvm.func @cast(%x: i64) {
  // expected-error@+1 {{a value of type i64 cannot be lowered to the LLVM dialect}}
  %y = builtin.unrealized_conversion_cast %x : i64 to index
  llvm.return
}

// -----

// Every op is named, inside others too.
// expected-error@+1 {{gpu.module is not lowered}}
gpu.module @m {
}
