//===- session.h - Beginning and ending a trace -------------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For those who begin it and end the process.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_BASE_TRACE_SESSION_H
#define ASYNC_GPU_RUNTIME_BASE_TRACE_SESSION_H

#include "async_gpu/status.h"
#include "base/os/fork.h"

#include <stdatomic.h>
#include <stdbool.h>

/// Begins to record what goes to `pattern`, as ASYNC_GPU_TRACE has it, in place
/// of where it went before. An error if it cannot be written there, or a
/// setting is malformed: then there is no trace.
agpu_status agpu__trace_begin(const char *pattern);

/// The same, and sees to the end of the process (start.c).
agpu_status agpu__trace_start(const char *pattern);

/// Who records work that goes on by itself, as devices' does, and can only say
/// later when it ran.
typedef struct agpu__trace_source {
  void (*begin)(void);  ///< it is recorded from now on; called once or more
  void (*end)(void);    ///< soon it is not: tells of what is known
  void (*forget)(void); ///< it is not: what was not told never is
} agpu__trace_source;

/// There is one, or none. From now on, for good. Any thread.
void agpu__trace_set_source(const agpu__trace_source *source);

/// Stops the recording and writes the trace, if there is one and nobody has;
/// waits for who does. `ended` says how the program did. False, and a message
/// on standard error, where it could not be written. Signal-safe with
/// `in_signal`. Any thread.
bool agpu__trace_finish(const char *ended, bool in_signal);

/// The same while the process goes on: records no more, and forgets what was
/// recorded. An error where it could not be written. One thread at a time, and
/// none that settles.
agpu_status agpu__trace_end(void);

/// Whether that has begun.
bool agpu__trace_is_finished(void);

/// The program runs on after all: so does the trace. Only for who has finished
/// it. Signal-safe.
void agpu__trace_resume(void);

/// At a fork, after that of the rings. The child has no trace, or one of its
/// own, where the file's name has the process's number.
void agpu__trace_session_fork(agpu__fork_step step);

//===----------------------------------------------------------------------===//
// Traces of programs that a signal ends
//
// SIGINT, SIGTERM, SIGHUP and SIGABRT end a process without its handlers at
// exit; a trace is written all the same.
//===----------------------------------------------------------------------===//

/// Takes part in these signals, in front of who does already. Once.
void agpu__trace_signals_begin(void);

//===----------------------------------------------------------------------===//
// Texts of programs that are released
//
// What else agpu__trace_settle (base/trace/trace.h) needs.
//===----------------------------------------------------------------------===//

/// agpu__trace_end while nobody settles.
agpu_status agpu__trace_end_alone(void);

/// At a fork.
void agpu__trace_settle_fork(agpu__fork_step step);

//===----------------------------------------------------------------------===//
// Where a trace or a profile goes to
//
// A file's name as its user gives it, and the file that is meant.
//===----------------------------------------------------------------------===//

typedef struct agpu__trace_path {
  char pattern[4096]; ///< as it was given
  char folder[4096];  ///< what stands before it, "" or with a slash
  char path[8192];    ///< what is meant; "": nothing
  bool has_number;    ///< the path has the process's
} agpu__trace_path;

/// Keeps the pattern, and the folder that the process is in now if it needs
/// one. False where it is too long; then nothing has changed.
bool agpu__trace_path_set(agpu__trace_path *self, const char *pattern);

/// Works the path out for a `process`: "%p" is replaced by its number, and "%%"
/// by "%", and a link is followed. False, with errno, where it is too long, or
/// nothing could be written there; then the path is "".
bool agpu__trace_path_expand(agpu__trace_path *self, int process);

/// Whether the file that is meant is called so: ".json".
bool agpu__trace_path_ends_in(const agpu__trace_path *self, const char *ending);

//===----------------------------------------------------------------------===//
// Writing what was recorded
//===----------------------------------------------------------------------===//

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

#endif // ASYNC_GPU_RUNTIME_BASE_TRACE_SESSION_H
