//===- dump.h - Writing what was recorded ----------------------- -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_BASE_TRACE_DUMP_H
#define ASYNC_GPU_RUNTIME_BASE_TRACE_DUMP_H

#include <stdatomic.h>
#include <stdbool.h>

/// What agpu__trace_note was told.
typedef struct agpu__trace_note_node {
  struct agpu__trace_note_node *next;
  const char *key;
  /// May be replaced while it is written.
  _Atomic(const char *) text;
} agpu__trace_note_node;

/// Writes all rings to `path`, after agpu__trace_stop, as dump_format.h says.
/// `ended` says how the program did; `notes` are lines that others have added.
/// Returns 0, or an errno: then the file is as it was. Signal-safe with
/// `in_signal`: then the loader is not asked for names of code.
int agpu__trace_dump(const char *path, const char *ended,
                     const agpu__trace_note_node *notes, bool in_signal);

#endif // ASYNC_GPU_RUNTIME_BASE_TRACE_DUMP_H
