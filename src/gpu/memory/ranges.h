//===- ranges.h - Which part of an argument a launch touches -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_GPU_MEMORY_RANGES_H
#define ASYNC_GPU_GPU_MEMORY_RANGES_H

#include "gpu/memory/objects.h"

/// A box for each argument of a kernel; zero-initialised: nothing is known.
typedef struct agpu__launch_ranges {
  agpu__box *boxes;
  bool *touched;
  size_t count;
} agpu__launch_ranges;

/// Finds the boxes that hold all that the kernel, a gpu.func with these
/// objects, accesses of each of its memrefs in this launch: from the sizes of
/// grid and block, and arguments that are constants. Free with
/// agpu__launch_ranges_free.
void agpu__launch_ranges_create(MlirOperation launch, MlirOperation kernel,
                                const agpu__objects *objects,
                                agpu__launch_ranges *out_ranges);
void agpu__launch_ranges_free(agpu__launch_ranges *ranges);

/// In the memref's own dimensions; NULL: it may be any part.
const agpu__box *agpu__launch_range(const agpu__launch_ranges *ranges,
                                    size_t argument);

#endif // ASYNC_GPU_GPU_MEMORY_RANGES_H
