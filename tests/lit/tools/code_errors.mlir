// What only LLVM finds wrong is an error of the tool: no stack trace, no signal.

// RUN: rm -rf %t && split-file %s %t
// RUN: not async-gpu-opt %t/assembly.mlir --emit=obj -o %t/out 2>&1 | FileCheck %s
// RUN: not async-gpu-opt %t/assembly.mlir --emit=asm -o %t/out 2>&1 | FileCheck %s
// RUN: not async-gpu-runner %t/assembly.mlir 2>&1 | FileCheck %s
// CHECK: assembly.mlir:1:1: error: cannot {{make code|compile}}: <inline asm>:1:2: invalid instruction mnemonic 'nonesuch'

// RUN: not async-gpu-opt %t/target.mlir --emit=obj -o %t/out 2>&1 | FileCheck %s --check-prefix=TARGET
// RUN: not async-gpu-runner %t/target.mlir 2>&1 | FileCheck %s --check-prefix=TARGET
// TARGET: async-gpu-{{opt|runner}}: error: LLVM: Cannot select: intrinsic %llvm.nvvm.read.ptx.sreg.tid.x

// RUN: not test -e %t/out

//--- assembly.mlir
llvm.func @main() {
  llvm.inline_asm has_side_effects "nonesuch", "" : () -> ()
  llvm.return
}

//--- target.mlir
llvm.func @main() -> i32 {
  %0 = llvm.call_intrinsic "llvm.nvvm.read.ptx.sreg.tid.x"() : () -> i32
  llvm.return %0 : i32
}
