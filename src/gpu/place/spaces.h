//===- spaces.h - Where arguments of functions lie -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_GPU_PLACE_SPACES_H
#define ASYNC_GPU_GPU_PLACE_SPACES_H

#include "gpu/memory/summary.h"

/// What memory is, as bits.
enum {
  AGPU__SPACE_HOST = 1,
  /// The device reaches it: from gpu.alloc, with or without host_shared, or
  /// registered by the program.
  AGPU__SPACE_DEVICE = 2,
};

/// The spaces that arguments of a module's functions come from.
typedef struct agpu__spaces {
  agpu__summaries *summaries;
  agpu__map numbers;    ///< of functions, by their address
  unsigned **of;        ///< for each function the spaces of each argument
  unsigned **results;   ///< and of each result
  agpu__map registered; ///< memrefs and symbols that the program registers
  bool **together; ///< and whether it may be the same memory as another one
  size_t count;
} agpu__spaces;

/// Looks at all calls, and marks the arguments of private functions that no
/// call gives the same memory as another one as AGPU__NOALIAS_ATTR. Free with
/// agpu__spaces_free.
void agpu__spaces_create(agpu__summaries *summaries, const agpu__ops *functions,
                         agpu__spaces *out_spaces);
void agpu__spaces_free(agpu__spaces *spaces);

/// Of an object of the function, without others of the same name; 0: not known.
unsigned agpu__space_of_member(const agpu__spaces *spaces,
                               const agpu__summary *function, size_t object);

/// Of all objects that go by the name of this one.
unsigned agpu__space_of(const agpu__spaces *spaces,
                        const agpu__summary *function, size_t object);

#endif // ASYNC_GPU_GPU_PLACE_SPACES_H
