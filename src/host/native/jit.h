//===- jit.h - Native code in this process ----------------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// ORC's LLJIT over one module. Errors are MLIR diagnostics, as in codegen.h.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_HOST_JIT_H
#define ASYNC_GPU_HOST_JIT_H

#include "async_gpu/compiler.h"

#include "lower/ir/text.h"

#include "host/native/code_map.h"

#include "mlir-c/IR.h"

#include <stdbool.h>

typedef struct agpu__jit_settings {
  int level; ///< of optimisation, 0 to 3
  /// All that will be looked up, and NULL after it; NULL: any function.
  const char *const *entries;
} agpu__jit_settings;

/// Compiles `module`, which is in the LLVM dialect, and runs its global
/// constructors. What it calls must be in the process or among upstream's
/// runner utilities, which are loaded where something is missing; a function
/// that is missing then is reported where the module declares it. NULL after a
/// diagnostic.
agpu_jit *agpu__jit_create(MlirOperation module,
                           const agpu__jit_settings *settings);

/// The address of a function, or NULL with a message appended to `error`.
void *agpu__jit_lookup(agpu_jit *jit, const char *name, agpu__text *error);

/// Where its functions are, or NULL where that is not known. Lives as long as
/// `jit`.
const agpu__code_map *agpu__jit_code_map(const agpu_jit *jit);

#endif // ASYNC_GPU_HOST_JIT_H
