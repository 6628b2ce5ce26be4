//===- target.h - What machine code is made for -----------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Linux on x86-64 and on 64-bit ARM, as far as LLVM was built with back ends
// for them. Thread safe.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_HOST_TARGET_H
#define ASYNC_GPU_HOST_TARGET_H

#include "lower/ir/text.h"

#include "mlir-c/IR.h"
#include "llvm-c/TargetMachine.h"

#include <stdbool.h>

/// This machine's architecture, and any CPU of it, where nothing is named.
typedef struct agpu__target {
  const char *triple; ///< ARCHITECTURE[-VENDOR]-linux-gnu, or NULL
  const char *cpu; ///< LLVM's name of it, "generic", "native" (this very one,
                   ///< with all it can do), or NULL
  bool in_memory;  ///< the code stays in this process
} agpu__target;

/// False after a message in `error`, which says what is known, where the triple
/// or the CPU is not.
bool agpu__target_check(const agpu__target *target, agpu__text *error);

/// The architecture of a triple that is known as Debian's names of folders and
/// compilers have it: "aarch64-linux-gnu". NULL for the one of this machine.
const char *agpu__target_multiarch(const agpu__target *target);

/// A machine for code of optimisation level `level` (0 to 3) that the caller
/// disposes of. NULL after a diagnostic at `module`.
LLVMTargetMachineRef agpu__target_machine(const agpu__target *target, int level,
                                          MlirOperation module);

#endif // ASYNC_GPU_HOST_TARGET_H
