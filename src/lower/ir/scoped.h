//===- scoped.h - Locals that are freed at the end of their scope -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a function collects for itself goes where its scope is left, on every
// way out:
//
//     AGPU__SCOPED(ops) calls = agpu__ops_in(module, "func.call");
//     AGPU__OWNED char *name = agpu__format("%s_body", of);
//
// What a return statement gives is computed before. Such a variable is
// initialised where it is declared, and no goto leads into its scope. What a
// function hands on is none of these, or is taken out (agpu__text_take).
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_LOWER_SCOPED_H
#define ASYNC_GPU_LOWER_SCOPED_H

#include <stdlib.h>
#include <string.h>

/// The type of a local agpu__KIND that agpu__KIND_free frees.
#define AGPU__SCOPED(kind)                                                     \
  agpu__##kind __attribute__((cleanup(agpu__##kind##_free)))

/// A local pointer to memory of malloc's, or NULL.
#define AGPU__OWNED __attribute__((cleanup(agpu__free_owned)))

/// Frees the memory that the pointer at `local` points to.
static inline void agpu__free_owned(void *local) {
  void *memory;
  memcpy(&memory, local, sizeof(memory));
  free(memory);
}

#endif // ASYNC_GPU_LOWER_SCOPED_H
