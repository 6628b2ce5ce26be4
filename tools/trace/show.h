//===- show.h - A profile, to be read -----------------------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// By people and by programs; docs/formats.md describes the second.
// Signal-safe.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_TOOLS_TRACE_SHOW_H
#define ASYNC_GPU_TOOLS_TRACE_SHOW_H

#include "trace/json_text.h"
#include "trace/ranks.h"
#include "trace/summary.h"

/// What else is to be said.
typedef struct agpu__profile_notes {
  const char *ended;        ///< how the program did
  const char *modelled;     ///< whose time it is, and its error; NULL: measured
  uint64_t dropped;         ///< events that the trace did not keep
  bool is_cut_off;          ///< a dump is
  const agpu__ranks *ranks; ///< or NULL: one process
} agpu__profile_notes;

/// Tables.
void agpu__profile_put_text(agpu__trace_output *to,
                            const agpu__summary *summary,
                            const agpu__timeline *run,
                            const agpu__profile_notes *notes);

/// One object of JSON.
void agpu__profile_put_json(agpu__trace_output *to,
                            const agpu__summary *summary,
                            const agpu__timeline *run,
                            const agpu__profile_notes *notes);

#endif // ASYNC_GPU_TOOLS_TRACE_SHOW_H
