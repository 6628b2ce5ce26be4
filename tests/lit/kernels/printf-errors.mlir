// RUN: async-gpu-opt %s --split-input-file --verify-diagnostics --async-gpu-kernels-to-nvvm

gpu.module @m {
  gpu.func @k(%i: i32, %l: i64, %w: i128, %f: f32, %e: f8E5M2) kernel {
    // expected-error @+1 {{'%d' prints an integer, and its argument is f32}}
    gpu.printf "%d\n", %f : f32
    // expected-error @+1 {{'%5.2f' prints f16, bf16, f32 or f64, and its argument is i32}}
    gpu.printf "%i %5.2f\n", %i, %i : i32, i32
    // expected-error @+1 {{'%g' prints f16, bf16, f32 or f64, and its argument is f8E5M2}}
    gpu.printf "%g\n", %e : f8E5M2
    // expected-error @+1 {{'%llx' prints integers of up to 64 bits, and its argument is i128}}
    gpu.printf "%llx\n", %w : i128
    // expected-error @+1 {{'%u' has no argument}}
    gpu.printf "%d of %u\n", %i : i32
    // expected-error @+1 {{'%*d' prints an integer, and its argument is f32}}
    gpu.printf "%*d\n", %f, %i : f32, i32
    // expected-error @+1 {{'%.*f' takes its precision from an argument, which CUDA's printf cannot}}
    gpu.printf "%.*f\n", %i, %f : i32, f32
    // expected-error @+1 {{'%s' prints a string, and gpu.printf is given numbers}}
    gpu.printf "%s\n", %l : i64
    // expected-error @+1 {{'%n' is not a conversion of CUDA's printf}}
    gpu.printf "%n\n", %l : i64
    // expected-error @+1 {{'%' is not a conversion of CUDA's printf}}
    gpu.printf "100%"
    // expected-error @+1 {{a kernel prints at most 32 numbers at once}}
    gpu.printf "%d\n", %i, %i, %i, %i, %i, %i, %i, %i, %i, %i, %i, %i, %i, %i, %i, %i, %i, %i, %i, %i, %i, %i, %i, %i, %i, %i, %i, %i, %i, %i, %i, %i, %i : i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32
    gpu.return
  }
}

// -----

gpu.module @by_hand {
  llvm.func @vprintf(!llvm.ptr, !llvm.ptr) -> i32
  llvm.mlir.global internal constant @text("%d\0A\00")
  llvm.func @k(%b: i8) attributes {nvvm.kernel} {
    %one = llvm.mlir.constant(1 : i32) : i32
    %text = llvm.mlir.addressof @text : !llvm.ptr
    %buffer = llvm.alloca %one x !llvm.struct<(i8)> : (i32) -> !llvm.ptr
    llvm.store %b, %buffer : i8, !llvm.ptr
    // expected-error @+1 {{vprintf takes i32, i64, f64 and pointers, not i8}}
    %n = llvm.call @vprintf(%text, %buffer) : (!llvm.ptr, !llvm.ptr) -> i32
    llvm.return
  }
}

// -----

gpu.module @wide_integer {
  llvm.func @vprintf(!llvm.ptr, !llvm.ptr) -> i32
  llvm.mlir.global internal constant @text("%*d %% %d\0A\00")
  llvm.func @k(%a: i32, %b: i64) attributes {nvvm.kernel} {
    %one = llvm.mlir.constant(1 : i32) : i32
    %text = llvm.mlir.addressof @text : !llvm.ptr
    %first = llvm.getelementptr %text[0, 0] : (!llvm.ptr) -> !llvm.ptr, !llvm.array<11 x i8>
    %buffer = llvm.alloca %one x !llvm.struct<(i32, i32, i64)> : (i32) -> !llvm.ptr
    // expected-error @+1 {{'%d' prints i32, and its argument is i64}}
    %n = llvm.call @vprintf(%first, %buffer) : (!llvm.ptr, !llvm.ptr) -> i32
    llvm.return
  }
}

// -----

gpu.module @float_for_integer {
  llvm.func @vprintf(!llvm.ptr, !llvm.ptr) -> i32
  llvm.mlir.global internal constant @text("%ld %p %s %lld\0A\00")
  llvm.func @k() attributes {nvvm.kernel} {
    %one = llvm.mlir.constant(1 : i32) : i32
    %text = llvm.mlir.addressof @text : !llvm.ptr
    %buffer = llvm.alloca %one x !llvm.struct<(i64, i64, ptr, f64)> : (i32) -> !llvm.ptr
    // expected-error @+1 {{'%lld' prints i64, and its argument is f64}}
    %n = llvm.call @vprintf(%text, %buffer) : (!llvm.ptr, !llvm.ptr) -> i32
    llvm.return
  }
}

// -----

gpu.module @too_few {
  llvm.func @vprintf(!llvm.ptr, !llvm.ptr) -> i32
  llvm.mlir.global internal constant @text("%e %x\0A\00")
  llvm.func @k() attributes {nvvm.kernel} {
    %one = llvm.mlir.constant(1 : i32) : i32
    %text = llvm.mlir.addressof @text : !llvm.ptr
    %buffer = llvm.alloca %one x !llvm.struct<(f64)> : (i32) -> !llvm.ptr
    // expected-error @+1 {{'%x' has no argument}}
    %n = llvm.call @vprintf(%text, %buffer) : (!llvm.ptr, !llvm.ptr) -> i32
    llvm.return
  }
}
