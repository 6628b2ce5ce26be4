// --emit: each form, at each level, and what it needs.

// RUN: async-gpu-opt %s --async-gpu-lower --emit=mlir | FileCheck %s --check-prefix=MLIR
// MLIR: llvm.func @answer() -> i64

// RUN: async-gpu-opt %s --async-gpu-lower --emit=llvm | FileCheck %s --check-prefix=LLVM
// RUN: async-gpu-opt %s --async-gpu-lower --emit llvm -O3 | FileCheck %s --check-prefix=LLVM
// RUN: async-gpu-opt %s --async-gpu-lower --emit=llvm -O1 | FileCheck %s --check-prefix=LLVM
// LLVM: target triple
// LLVM: define{{.*}} i64 @answer()
// LLVM:   ret i64 42

// RUN: async-gpu-opt %s --async-gpu-lower --emit=llvm -O0 | FileCheck %s --check-prefix=O0
// O0: define{{.*}} i64 @answer()
// O0:   call i64 @half()

// RUN: async-gpu-opt %s --async-gpu-lower --emit=asm | FileCheck %s --check-prefix=ASM
// ASM: .globl{{[[:space:]]+}}answer

// RUN: async-gpu-opt %s --async-gpu-lower --emit=obj -o %t.o
// RUN: llvm-nm %t.o | FileCheck %s --check-prefix=OBJ
// OBJ: T answer

// An object file is linked by plain cc.
// RUN: echo 'long answer(void); int main(void) { return answer() == 42 ? 0 : 1; }' > %t.c
// RUN: cc %t.c %t.o -o %t.exe && %t.exe

// For the CPU at hand, or any of its architecture.
// RUN: async-gpu-opt %s --async-gpu-lower --emit=asm --mcpu=native | FileCheck %s --check-prefix=ASM
// RUN: async-gpu-opt %s --async-gpu-lower --emit=asm --mcpu=generic | FileCheck %s --check-prefix=ASM
// RUN: not async-gpu-opt %s --emit=asm --mcpu=z80 2>&1 | FileCheck %s --check-prefix=CPU
// CPU: async-gpu-opt: error: LLVM knows no CPU 'z80' of {{[^ ]+}}, but {{.*}},{{.*}}

// Passes that are named have to lower the module; nothing is written otherwise.
// Without any, async-gpu-lower is what runs.
// RUN: async-gpu-opt %s --emit=llvm | FileCheck %s --check-prefix=LLVM
// RUN: not async-gpu-opt %s --symbol-dce --emit=obj -o %t.no 2>&1 | FileCheck %s --check-prefix=UNLOWERED
// RUN: not async-gpu-opt %s --symbol-dce --emit=asm -o %t.no 2>&1 | FileCheck %s --check-prefix=UNLOWERED
// RUN: not async-gpu-opt %s --symbol-dce --emit=llvm -o %t.no 2>&1 | FileCheck %s --check-prefix=UNLOWERED
// RUN: not test -e %t.no
// UNLOWERED:      opt_emit.mlir:[[#@LINE+7]]:1: error: 'func.func' is not in the LLVM dialect; native code needs a lowered module: add --async-gpu-lower
// UNLOWERED-NEXT: {{^}}func.func private @half
// UNLOWERED-NEXT: {{^\^$}}

// RUN: not async-gpu-opt %s --async-gpu-lower --emit=ptx 2>&1 | FileCheck %s --check-prefix=NOPTX
// NOPTX: opt_emit.mlir:[[#@LINE+2]]:1: error: the program has no kernels, and so no PTX

func.func private @half() -> i64 {
  %0 = arith.constant 21 : i64
  return %0 : i64
}

func.func @answer() -> i64 {
  %0 = func.call @half() : () -> i64
  %1 = arith.addi %0, %0 : i64
  return %1 : i64
}
