//===- vectors.h - Threads side by side as vectors ----------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_GPU_SIMT_VECTORS_H
#define ASYNC_GPU_GPU_SIMT_VECTORS_H

#include "gpu/native/loops/loops.h"

/// Prepares the part that begins with block `first` for its loop over the
/// threads of a row to become vectors: marks the loops inside that are to be
/// unrolled first. `size` is that of a block of threads, null where it is not
/// known. True if the loop over the row must not be unrolled itself.
bool agpu__simt_prepare_row(const agpu__simt_loops *self, size_t first,
                            MlirAttribute size);

#endif // ASYNC_GPU_GPU_SIMT_VECTORS_H
