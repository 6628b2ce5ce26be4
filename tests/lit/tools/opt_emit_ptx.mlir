// --emit=ptx writes the texts of all images, without the final NUL.

// RUN: async-gpu-opt %s --emit=ptx -o %t.ptx
// RUN: FileCheck %s --match-full-lines < %t.ptx
// RUN: wc -c < %t.ptx | FileCheck %s --check-prefix=SIZE
// SIZE: {{^ *}}67{{$}}

//      CHECK:// gpu.module @first
// CHECK-NEXT:// .entry 1
// CHECK-NEXT:// gpu.module @second
// CHECK-NEXT:// .entry 2
//  CHECK-NOT:{{.+}}
llvm.mlir.global private constant @a("// .entry 1\0A\00") {agpu.ptx = "first"}
llvm.mlir.global private constant @other("// no ptx\00")
llvm.mlir.global private constant @b("// .entry 2\00") {agpu.ptx = "second"}
