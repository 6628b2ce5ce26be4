// The last step: nothing but the LLVM dialect may be left.
// RUN: async-gpu-opt %s --async-gpu-check-lowered --split-input-file --verify-diagnostics --allow-unregistered-dialect

llvm.func @fine() {
  llvm.return
}

// -----

llvm.func @op(%x: i32) {
  // expected-error@+1 {{arith.addi is not lowered by async-gpu, nor by those of upstream's conversions that it runs: lower it before this pipeline}}
  %y = arith.addi %x, %x : i32
  // expected-error@+1 {{test.unknown is not lowered}}
  "test.unknown"() : () -> ()
  llvm.return
}

// -----

// A cast that is left on its own says between which types.
llvm.func @cast(%x: i64) {
  // expected-error@+1 {{a cast from i64 to index cannot be lowered to the LLVM dialect}}
  %y = builtin.unrealized_conversion_cast %x : i64 to index
  llvm.return
}

// -----

// Casts that lead to an op that is left do not speak for themselves.
llvm.func @cast_to_op(%x: i64) {
  %y = builtin.unrealized_conversion_cast %x : i64 to index
  // expected-error@+1 {{arith.addi is not lowered}}
  %z = arith.addi %y, %y : index
  llvm.return
}

// -----

// The outermost op is named, not what it holds.
// expected-error@+1 {{gpu.module is not lowered}}
gpu.module @m {
  gpu.func @kernel() kernel {
    gpu.return
  }
}
