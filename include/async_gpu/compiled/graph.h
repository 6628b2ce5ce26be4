//===- graph.h - Parts of programs that become graphs -------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the pass async-gpu-graphs has a program call around work of a device
// that it does again and again, and in which the host observes nothing. Between
// the two calls work is collected, and handed to the driver as one graph when
// the part ends; docs/graphs.md says when that is done, and when not.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_COMPILED_GRAPH_H
#define ASYNC_GPU_COMPILED_GRAPH_H

#include "async_gpu/stream.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum agpu_graph_mode {
  /// A graph once the part has run often enough, if it has enough work.
  AGPU_GRAPH_AUTO = 0,
  /// A graph from the second round on.
  AGPU_GRAPH_ON = 1,
} agpu_graph_mode;

/// One part of a program.
typedef struct agpu_graph_site {
  const agpu_module_desc *module; ///< whose kernels it launches, or NULL
  const char *location;           ///< "file:line:col" of the part, or NULL
  int64_t mode;                   ///< agpu_graph_mode
  void *cache;                    ///< the runtime's; NULL in the program
} agpu_graph_site;

/// A round of the part begins, and ends, on the calling thread, which awaits
/// nothing in between and calls no code but such as acquires its streams by
/// agpu_graph_stream_acquire. Rounds nest: what is in one that has begun is
/// part of it. `stream` is the function's own, or NULL where it has none; both
/// calls get the same.
AGPU_EXPORT void agpu_graph_begin(agpu_graph_site *site, agpu_stream *stream);
AGPU_EXPORT void agpu_graph_end(agpu_graph_site *site, agpu_stream *stream);

/// agpu_stream_acquire in code that may run inside of a round.
AGPU_EXPORT agpu_stream *agpu_graph_stream_acquire(const char *location);

#ifdef __cplusplus
}
#endif

#endif // ASYNC_GPU_COMPILED_GRAPH_H
