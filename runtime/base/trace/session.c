//===- session.c - Beginning and ending a trace ---------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// There is one trace in a process at a time. Of several threads that finish it
// the first writes it, and the others wait: the process has to last until it is
// written.
//
//===----------------------------------------------------------------------===//

#include "base/trace/session.h"

#include "async_gpu/runtime.h"
#include "base/memory/text.h"
#include "base/os/write.h"
#include "base/report/settings.h"
#include "base/sync/mutex.h"
#include "base/trace/output.h"
#include "base/trace/path.h"
#include "base/trace/ring.h"
#include "base/trace/trace.h"
#include "base/trace/write.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/// How long one thread waits for another that writes the trace.
#define PATIENCE_SECONDS 30

static struct {
  atomic_bool is_on;
  atomic_bool is_allowed; ///< agpu_runtime_allow_traces
  agpu__trace_path to;    ///< "": there is no file, but a profile
  /// Thread that writes it, or has; 0: nobody yet.
  atomic_int author;
  atomic_bool written;
  atomic_int write_error;
  agpu__mutex lock; ///< held while notes are changed
  _Atomic(agpu__trace_note_node *) notes;
  _Atomic(agpu__trace_reader *) reader;
  _Atomic(const agpu__trace_source *) source;
} session = {.lock = AGPU__MUTEX_INIT};

//===----------------------------------------------------------------------===//
// Its end
//===----------------------------------------------------------------------===//

static void tell(const char *what, const char *where, int error) {
  const char *why = strerrordesc_np(error);
  const char *parts[] = {"error: the ", what,  " was not written to '",
                         where,         "': ", why ? why : "unknown error",
                         "\n"};
  char line[sizeof(session.to.path) + 256];
  size_t used = 0;
  for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); ++i) {
    size_t size = strlen(parts[i]);
    memcpy(line + used, parts[i], size);
    used += size;
  }
  agpu__write_stderr(line, used);
}

/// What was not written.
typedef struct unwritten {
  const char *profile; ///< where it would have gone to
  int profile_error, trace_error;
} unwritten;

/// The profile, and the trace with what that has found out.
static unwritten write_all(const char *ended, bool in_signal) {
  unwritten failed = {.profile = ""};
  agpu__trace_array critical = {.data = NULL};
  agpu__trace_reader *reader = atomic_load(&session.reader);
  if (reader)
    failed.profile_error = reader(ended, in_signal, &critical, &failed.profile);
  if (session.to.path[0])
    failed.trace_error =
        agpu__trace_write(session.to.path, ended, atomic_load(&session.notes),
                          &critical, in_signal);
  agpu__trace_array_free(&critical, sizeof(bool));
  return failed;
}

bool agpu__trace_finish(const char *ended, bool in_signal) {
  if (!session.is_on)
    return true;
  int nobody = 0, self = (int)gettid();
  if (!atomic_compare_exchange_strong(&session.author, &nobody, self)) {
    // It is being written: the process has to last until that is over.
    for (int i = 0; i < PATIENCE_SECONDS * 100 && nobody != self; ++i) {
      if (atomic_load(&session.written))
        break;
      struct timespec pause = {.tv_nsec = 10000000};
      (void)nanosleep(&pause, NULL);
    }
    return atomic_load(&session.write_error) == 0;
  }
  sigset_t all, before;
  sigfillset(&all);
  (void)pthread_sigmask(SIG_BLOCK, &all, &before);
  agpu__trace_stop();
  unwritten failed = write_all(ended, in_signal);
  if (failed.profile_error)
    tell("profile", failed.profile, failed.profile_error);
  if (failed.trace_error)
    tell("trace", session.to.path, failed.trace_error);
  int error = failed.profile_error | failed.trace_error;
  atomic_store(&session.write_error, error);
  atomic_store(&session.written, true);
  (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
  return !error;
}

static agpu_status unwritten_status(const char *what, const char *where,
                                    int error) {
  return agpu_status_create(AGPU_STATUS_INVALID_ARGUMENT, NULL,
                            "the %s was not written to '%s': %s", what, where,
                            strerror(error));
}

agpu_status agpu__trace_end(void) {
  const agpu__trace_source *source = atomic_load(&session.source);
  if (source)
    source->end();
  int nobody = 0;
  if (!atomic_compare_exchange_strong(&session.author, &nobody, (int)gettid()))
    return AGPU_OK; // the process ends, and who ends it writes it
  agpu__trace_stop();
  if (source)
    source->forget();
  unwritten failed = write_all("stopped", /*in_signal=*/false);
  agpu_status status = AGPU_OK;
  if (failed.trace_error)
    status = unwritten_status("trace", session.to.path, failed.trace_error);
  else if (failed.profile_error)
    status = unwritten_status("profile", failed.profile, failed.profile_error);
  agpu__trace_rings_clear();
  for (agpu__trace_note_node *note = atomic_load(&session.notes); note;
       note = note->next)
    atomic_store(&note->text, NULL);
  session.to.path[0] = session.to.pattern[0] = '\0';
  atomic_store(&session.is_on, false);
  atomic_store(&session.author, 0);
  return status;
}

void agpu__trace_set_source(const agpu__trace_source *source) {
  atomic_store(&session.source, source);
  // Who begins looks for a source once it records.
  if (agpu__hooks_has(AGPU__HOOK_TRACE))
    source->begin();
}

void agpu__trace_set_reader(agpu__trace_reader *reader) {
  atomic_store(&session.reader, reader);
}

bool agpu__trace_is_finished(void) { return atomic_load(&session.author) != 0; }

void agpu__trace_resume(void) {
  if (!session.is_on || atomic_load(&session.author) != (int)gettid())
    return;
  atomic_store(&session.written, false);
  atomic_store(&session.author, 0);
  agpu__hooks_set(AGPU__HOOK_TRACE, true);
}

//===----------------------------------------------------------------------===//
// Its begin
//===----------------------------------------------------------------------===//

static agpu_status open_file(void) {
  if (agpu__trace_path_expand(&session.to)) {
    // What is called otherwise may be a file that its user needs.
    if (agpu__trace_path_ends_in(&session.to, ".json") ||
        agpu__trace_output_is_special(session.to.path))
      return AGPU_OK;
    session.to.path[0] = '\0';
    return agpu_status_create(AGPU_STATUS_INVALID_ARGUMENT, NULL,
                              "the trace cannot be written to '%s': name a "
                              "file that ends in .json",
                              session.to.pattern);
  }
  return agpu_status_create(AGPU_STATUS_INVALID_ARGUMENT, NULL,
                            "the trace cannot be written to '%s': %s",
                            session.to.pattern, strerror(errno));
}

/// From now on it is recorded, and goes to the pattern if there is one.
static agpu_status begin(void) {
  int64_t limit;
  agpu_status status =
      agpu__setting_integer(AGPU__SETTING_TRACE_EVENTS, &limit);
  if (!status && session.to.pattern[0])
    status = open_file();
  if (status)
    return status;
  agpu__trace_rings_open((uint64_t)limit);
  session.is_on = true;
  const agpu__trace_source *before = atomic_load(&session.source);
  if (before)
    before->begin();
  agpu__hooks_set(AGPU__HOOK_TRACE, true);
  const agpu__trace_source *after = atomic_load(&session.source);
  if (after && after != before)
    after->begin();
  return AGPU_OK;
}

agpu_status agpu__trace_begin(const char *pattern) {
  if (!pattern) // to where it goes already
    return begin();
  if (!agpu__trace_path_set(&session.to, pattern))
    return agpu_status_create(AGPU_STATUS_INVALID_ARGUMENT, NULL,
                              "the name of the trace's file is too long");
  return begin();
}

void agpu_runtime_allow_traces(void) {
  atomic_store(&session.is_allowed, true);
}

bool agpu__trace_is_allowed(void) { return atomic_load(&session.is_allowed); }

//===----------------------------------------------------------------------===//
// Lines of otherData
//===----------------------------------------------------------------------===//

void agpu__trace_note(const char *key, const char *format, ...) {
  if (!session.is_on)
    return;
  char text[512];
  va_list arguments;
  va_start(arguments, format);
  (void)vsnprintf(text, sizeof(text), format, arguments);
  va_end(arguments);
  agpu__mutex_lock(&session.lock);
  agpu__trace_note_node *note = atomic_load(&session.notes);
  while (note && strcmp(note->key, key) != 0)
    note = note->next;
  if (note) {
    atomic_store(&note->text, agpu__text_keep(text));
  } else if ((note = malloc(sizeof(*note)))) {
    note->next = atomic_load(&session.notes);
    note->key = key;
    atomic_init(&note->text, agpu__text_keep(text));
    atomic_store(&session.notes, note);
  }
  agpu__mutex_unlock(&session.lock);
}

/// Takes the lock in one call and gives it back in another.
AGPU__UNCHECKED_LOCKS void agpu__trace_session_fork(agpu__fork_step step) {
  if (step == AGPU__FORK_BEFORE) {
    agpu__mutex_lock(&session.lock);
    return;
  }
  if (step == AGPU__FORK_IN_CHILD && session.is_on) {
    session.is_on = false;
    atomic_store(&session.author, 0);
    atomic_store(&session.written, false);
    atomic_store(&session.write_error, 0);
    atomic_store(&session.notes, NULL);
    // The parent's file is the parent's.
    bool again = session.to.has_number && session.to.path[0];
    session.to.path[0] = '\0';
    if (again)
      agpu_status_release(begin());
  }
  agpu__mutex_unlock(&session.lock);
}
