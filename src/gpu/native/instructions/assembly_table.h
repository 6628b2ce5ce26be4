//===- assembly_table.h - Instructions of inline assembly ------- -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_GPU_ASSEMBLY_TABLE_H
#define ASYNC_GPU_GPU_ASSEMBLY_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// What an instruction is on a host. Types are named as MLIR does, one after
/// the other with commas.
typedef struct agpu__asm_meaning {
  char results[160], sources[320]; ///< registers, in the order of the text
  /// Ops on %0, %1, ..., which are the sources, that define %r0, %r1, ...;
  /// empty for a product of matrices, or for nothing.
  char body[1024];
  bool is_product;
  uint32_t mode;    ///< of a product
  bool has_effects; ///< beyond its results
} agpu__asm_meaning;

/// False: there is no such instruction here.
bool agpu__asm_find(const char *mnemonic, agpu__asm_meaning *out);

/// The op that reads a special register ("%tid.x"), or NULL.
const char *agpu__asm_special(const char *name);

#endif // ASYNC_GPU_GPU_ASSEMBLY_TABLE_H
