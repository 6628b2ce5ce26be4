//===- assembly_needs.h - What inline PTX needs -------------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_GPU_ASSEMBLY_NEEDS_H
#define ASYNC_GPU_GPU_ASSEMBLY_NEEDS_H

#include <stdbool.h>
#include <stdint.h>

enum { AGPU__MNEMONIC_SIZE = 128 };

/// An instruction of a text, and what first has it.
typedef struct agpu__assembly_need {
  char mnemonic[AGPU__MNEMONIC_SIZE]; ///< "redux.sync.add.s32", cut to the size
  uint32_t chip;
  char variant; ///< 'a': that chip's own code; 'f': any chip's own, from it on
  int ptx_version;
} agpu__assembly_need;

/// Reads the next instruction of the PTX at `*text` and moves `*text` after
/// it. False at the end. What all chips and versions have that LLVM knows needs
/// chip 0 and version 0.
bool agpu__assembly_next(const char **text, agpu__assembly_need *out);

#endif // ASYNC_GPU_GPU_ASSEMBLY_NEEDS_H
