//===- uniform.h - Values that all threads of a block share ---*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_GPU_SIMT_UNIFORM_H
#define ASYNC_GPU_GPU_SIMT_UNIFORM_H

#include "gpu/native/loops/graph.h"

/// How an op computes its results.
typedef enum agpu__simt_purity {
  AGPU__SIMT_IMPURE,   ///< it reads or writes memory, or is not known
  AGPU__SIMT_PURE,     ///< from its operands alone
  AGPU__SIMT_ANYWHERE, ///< so, and it can run where it would not have
} agpu__simt_purity;
agpu__simt_purity agpu__simt_purity_of(MlirOperation op);

typedef struct agpu__simt_uniform {
  agpu__map varying; ///< values that may differ between threads
  /// [block] Whether it stands after a branch that threads take differently,
  /// and before the place where they meet again.
  bool *divergent;
} agpu__simt_uniform;

/// `varying`: values that differ from thread to thread to begin with. Errs to
/// the side of varying.
void agpu__simt_uniform_create(const agpu__simt_graph *graph,
                               const MlirValue *varying, size_t varying_count,
                               agpu__simt_uniform *out_uniform);
void agpu__simt_uniform_free(agpu__simt_uniform *uniform);

static inline bool agpu__simt_is_uniform(const agpu__simt_uniform *uniform,
                                         MlirValue value) {
  return agpu__map_get(&uniform->varying, value.ptr) == AGPU__MAP_NONE;
}

#endif // ASYNC_GPU_GPU_SIMT_UNIFORM_H
