// A file, stdin in both spellings, -o, and one dash as good as two.

// RUN: async-gpu-opt %s | FileCheck %s
// RUN: async-gpu-opt < %s | FileCheck %s
// RUN: async-gpu-opt - < %s | FileCheck %s
// RUN: rm -rf %t && mkdir %t
// RUN: async-gpu-opt %s -o %t/out.mlir | count 0
// RUN: FileCheck %s < %t/out.mlir
// RUN: async-gpu-opt %s -o=%t/out2.mlir && cmp %t/out.mlir %t/out2.mlir
// RUN: async-gpu-opt -canonicalize -verify-each=false %s | FileCheck %s
// RUN: async-gpu-opt %s -o /dev/stdout | FileCheck %s

// What comes out is what mlir-opt writes, and can be read again.
// RUN: mlir-opt %s -o %t/upstream.mlir && cmp %t/out.mlir %t/upstream.mlir
// RUN: async-gpu-opt %t/out.mlir | FileCheck %s

// A link stays a link, an existing file keeps its mode, nothing else is left.
// RUN: touch %t/target && chmod 640 %t/target && ln -s target %t/link
// RUN: async-gpu-opt %s -o %t/link
// RUN: test -L %t/link && cmp %t/target %t/out.mlir
// RUN: stat -c %%a %t/target | FileCheck %s --check-prefix=MODE
// MODE: 640
// RUN: ls %t | FileCheck %s --check-prefix=LEFT --match-full-lines
//      LEFT: link
// LEFT-NEXT: out.mlir
// LEFT-NEXT: out2.mlir
// LEFT-NEXT: target
// LEFT-NEXT: upstream.mlir
//  LEFT-NOT: {{.}}

// CHECK-LABEL: func.func @main
// CHECK:         return
func.func @main() {
  return
}
