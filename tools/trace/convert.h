//===- convert.h - A dump as files ------------------------------ -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a dump becomes: a trace, a profile. Signal-safe.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_TOOLS_TRACE_CONVERT_H
#define ASYNC_GPU_TOOLS_TRACE_CONVERT_H

#include "base/trace/output.h"
#include "base/trace/session.h"
#include "trace/dump.h"

/// The form of a profile.
typedef enum agpu__profile_form {
  AGPU__PROFILE_TEXT, ///< tables
  AGPU__PROFILE_JSON,
} agpu__profile_form;

typedef struct agpu__trace_converted {
  const char *error; ///< NULL: none
  size_t at;         ///< of that dump; as many as there are: of none
  char note[1024];   ///< what a user should know, in one line; "": nothing
} agpu__trace_converted;

/// Writes what `dumps` have, one or more of the ranks of a run, to `trace` and
/// to `profile`, which are open; NULL: not that. Nothing is written where they
/// cannot be joined. What fails of the files, agpu__trace_output_close says.
/// Changes times in the dumps.
agpu__trace_converted agpu__trace_convert(agpu__dump *dumps, size_t count,
                                          agpu__trace_output *trace,
                                          agpu__trace_output *profile,
                                          agpu__profile_form form);

/// A file, as its user names it.
typedef struct agpu__trace_target {
  agpu__trace_path to; ///< pattern "": none is asked for
  int open_file;       ///< that it goes to in place of a file; 0: none
} agpu__trace_target;

typedef struct agpu__trace_targets {
  agpu__trace_target trace, profile;
  char note[1024]; ///< what a user should know of what was written; "": nothing
} agpu__trace_targets;

/// Takes the names of a trace and of a profile; NULL: none, "-": standard
/// output, and of a profile "1": standard error. False after a `message` if one
/// is too long.
bool agpu__trace_targets_set(agpu__trace_targets *self, const char *trace,
                             const char *profile, char *message, size_t size);

/// Works out what files are meant, where "%p" is the number of the `process`.
/// False after a `message` says why nothing can be written there. The name of a
/// trace has to end in ".json" and that of a profile in that or ".txt", unless
/// it is no regular file.
bool agpu__trace_targets_check(agpu__trace_targets *self, int process,
                               char *message, size_t size);

/// Reads the dumps `paths`, one at least, NULL: standard input, joins them and
/// writes what is asked for. False after a `message` says what failed.
bool agpu__trace_targets_write(agpu__trace_targets *self,
                               const char *const *paths, size_t count,
                               char *message, size_t size);

#endif // ASYNC_GPU_TOOLS_TRACE_CONVERT_H
