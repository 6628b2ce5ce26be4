//===- write.h - Writing a trace ----------------------------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What has been recorded, as the file that docs/tracing.md describes.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_BASE_TRACE_WRITE_H
#define ASYNC_GPU_RUNTIME_BASE_TRACE_WRITE_H

#include "base/trace/arena.h"
#include "base/trace/emit.h"

#include <stdatomic.h>
#include <stdbool.h>

/// A line of the file's `otherData`.
typedef struct agpu__trace_note_node {
  struct agpu__trace_note_node *next;
  const char *key;
  /// May be replaced while it is written.
  _Atomic(const char *) text;
} agpu__trace_note_node;

/// Writes all rings to `path`, behind agpu__trace_stop. `ended` says how the
/// program did; `notes` are lines that others have added; `critical` is a bool
/// for each slice, in the order in which agpu__trace_tell tells them, or empty.
/// Returns 0, or an errno: then the file is as it was. Signal-safe with
/// `in_signal`.
int agpu__trace_write(const char *path, const char *ended,
                      const agpu__trace_note_node *notes,
                      const agpu__trace_array *critical, bool in_signal);

/// Tells `listener` what would be written, and how many events there were that
/// were not kept. False where memory was out, and parts are missing. Likewise.
bool agpu__trace_tell(agpu__emit_listener *listener, bool in_signal,
                      uint64_t *out_dropped);

#endif // ASYNC_GPU_RUNTIME_BASE_TRACE_WRITE_H
