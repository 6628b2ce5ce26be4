// --target and --mcpu: code for another machine, and what is not known.

// RUN: async-gpu-opt %s --emit=llvm --target=aarch64-linux-gnu | FileCheck %s --check-prefix=LLVM
// LLVM: target datalayout = "e-m:e-{{.*}}Fn32"
// LLVM: target triple = "aarch64-unknown-linux-gnu"
// LLVM-NOT: target-cpu

// The vendor may be named; a name of the machine at hand is what it has anyway.
// RUN: async-gpu-opt %s --emit=obj --target=aarch64-none-linux-gnu -o %t.o
// RUN: llvm-readobj --file-headers %t.o | FileCheck %s --check-prefix=ARM
// ARM: Machine: EM_AARCH64
// RUN: async-gpu-opt %s --emit=obj --target=x86_64-pc-linux-gnu -o %t.o
// RUN: llvm-readobj --file-headers %t.o | FileCheck %s --check-prefix=X86
// X86: Machine: EM_X86_64

// NEON everywhere, SVE where the CPU has it.
// RUN: async-gpu-opt %s --emit=asm -O3 --target=aarch64-linux-gnu | FileCheck %s --check-prefix=NEON
// NEON-LABEL: scale:
// NEON: fmul v{{[0-9]+}}.4s
// NEON-NOT: z0
// RUN: async-gpu-opt %s --emit=asm -O3 --target=aarch64-linux-gnu --mcpu=a64fx | FileCheck %s --check-prefix=SVE
// SVE-LABEL: scale:
// SVE: fmul z{{[0-9]+}}.s

// Half and bf16 are passed in registers of numbers, as the AAPCS has them.
// RUN: async-gpu-opt %s --emit=asm --target=aarch64-linux-gnu | FileCheck %s --check-prefix=HALF
// HALF-LABEL: twice:
// HALF: fcvt s{{[0-9]+}}, h0
// HALF: fcvt h0, s{{[0-9]+}}
// HALF-LABEL: swapped:
// HALF: fmov s0, s1
// HALF-NEXT: ret

// RUN: not async-gpu-opt %s --emit=obj --target=riscv64-linux-gnu -o %t.no 2>&1 | FileCheck %s --check-prefix=TRIPLE
// TRIPLE: async-gpu-opt: error: code is not made for 'riscv64-linux-gnu', but for aarch64-linux-gnu and x86_64-linux-gnu
// RUN: not async-gpu-opt %s --emit=obj --target=aarch64-apple-darwin -o %t.no 2>&1 | FileCheck %s --check-prefix=SYSTEM
// SYSTEM: code is not made for 'aarch64-apple-darwin'
// RUN: not async-gpu-opt %s --emit=obj --target=aarch64-linux-gnu --mcpu=neoverse-v3x -o %t.no 2>&1 | FileCheck %s --check-prefix=CPU
// CPU: async-gpu-opt: error: LLVM knows no CPU 'neoverse-v3x' of aarch64-unknown-linux-gnu (did you mean 'neoverse-v3'?), but {{.*}} neoverse-n1,
// RUN: not async-gpu-opt %s --target=aarch64-linux-gnu 2>&1 | FileCheck %s --check-prefix=FORM
// FORM: async-gpu-opt: error: '--target' is about code: '--emit' says llvm, asm, obj or exe
// RUN: not async-gpu-opt %s --emit=obj --sysroot=%t 2>&1 | FileCheck %s --check-prefix=LINK
// LINK: async-gpu-opt: error: '--sysroot' is what '--emit=exe' links with
// RUN: not async-gpu-opt %s --emit=exe --sysroot=%t.none 2>&1 | FileCheck %s --check-prefix=ROOT
// ROOT: async-gpu-opt: error: '--sysroot': '{{.*}}.none' is no folder
// RUN: not test -e %t.no

func.func @scale(%by: f32, %a: memref<1024xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c1024 = arith.constant 1024 : index
  scf.for %i = %c0 to %c1024 step %c1 {
    %x = memref.load %a[%i] : memref<1024xf32>
    %y = arith.mulf %x, %by : f32
    memref.store %y, %a[%i] : memref<1024xf32>
  }
  return
}

func.func @twice(%x: f16) -> f16 {
  %y = arith.addf %x, %x : f16
  return %y : f16
}

func.func @swapped(%x: bf16, %y: bf16) -> bf16 {
  return %y : bf16
}
