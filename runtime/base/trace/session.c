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
#include "base/memory/memory.h"
#include "base/os/write.h"
#include "base/report/settings.h"
#include "base/sync/mutex.h"
#include "base/sync/schedule.h"
#include "base/trace/output.h"
#include "base/trace/ring.h"
#include "base/trace/trace.h"

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
  agpu__trace_path to;
  /// Thread that writes it, or has; 0: nobody yet.
  atomic_int author;
  atomic_bool written;
  atomic_bool has_failed;
  agpu__mutex lock; ///< held while notes are changed
  _Atomic(agpu__trace_note_node *) notes;
  _Atomic(agpu_trace_handler *) handler;
  _Atomic(const agpu__trace_source *) source;
} session = {.lock = AGPU__MUTEX_INIT(AGPU__RANK_TRACE_NOTES)};

//===----------------------------------------------------------------------===//
// Its end
//===----------------------------------------------------------------------===//

/// Texts up to NULL, as one line.
static void tell(const char *const *parts) {
  char line[sizeof(session.to.path) + 256];
  size_t used = 0;
  for (; *parts; ++parts) {
    size_t size = strlen(*parts);
    memcpy(line + used, *parts, size);
    used += size;
  }
  agpu__write_stderr(line, used);
}

/// Says how to read the file, unless somebody else does.
static bool hand_over(void) {
  agpu_trace_handler *handler = atomic_load(&session.handler);
  if (handler)
    return handler(session.to.path);
  if (!agpu__trace_output_is_special(session.to.path))
    tell((const char *[]){"async-gpu: the trace is in '", session.to.path,
                          "'; async-gpu-report reads it (--json, --profile)\n",
                          NULL});
  return true;
}

/// False after a message.
static bool write_file(const char *ended, bool in_signal) {
  int error = agpu__trace_dump(session.to.path, ended,
                               atomic_load(&session.notes), in_signal);
  if (!error)
    return hand_over();
  const char *why = strerrordesc_np(error);
  tell((const char *[]){"error: the trace was not written to '",
                        session.to.path, "': ", why ? why : "unknown error",
                        "\n", NULL});
  return false;
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
    return !atomic_load(&session.has_failed);
  }
  sigset_t all, before;
  sigfillset(&all);
  (void)pthread_sigmask(SIG_BLOCK, &all, &before);
  agpu__trace_stop();
  bool ok = write_file(ended, in_signal);
  atomic_store(&session.has_failed, !ok);
  atomic_store(&session.written, true);
  (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
  return ok;
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
  int error =
      agpu__trace_dump(session.to.path, "stopped", atomic_load(&session.notes),
                       /*in_signal=*/false);
  agpu_status status = AGPU_OK;
  if (error)
    status = agpu_status_create(AGPU_STATUS_INVALID_ARGUMENT, NULL,
                                "the trace was not written to '%s': %s",
                                session.to.path, strerror(error));
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

void agpu_runtime_set_trace_handler(agpu_trace_handler *handler) {
  atomic_store(&session.handler, handler);
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
  if (agpu__trace_path_expand(&session.to, getpid())) {
    // What is called otherwise may be a file that its user needs.
    if (agpu__trace_path_ends_in(&session.to, ".trace") ||
        agpu__trace_output_is_special(session.to.path))
      return AGPU_OK;
    session.to.path[0] = '\0';
    return agpu_status_create(AGPU_STATUS_INVALID_ARGUMENT, NULL,
                              "the trace cannot be written to '%s': name a "
                              "file that ends in .trace, of which "
                              "async-gpu-report --json makes JSON",
                              session.to.pattern);
  }
  return agpu_status_create(AGPU_STATUS_INVALID_ARGUMENT, NULL,
                            "the trace cannot be written to '%s': %s",
                            session.to.pattern, strerror(errno));
}

/// From now on it is recorded, and goes to the pattern.
static agpu_status begin(void) {
  int64_t limit;
  agpu_status status =
      agpu__setting_integer(AGPU__SETTING_TRACE_EVENTS, &limit);
  if (!status)
    status = open_file();
  if (status)
    return status;
  if (!agpu__schedule_on())
    agpu__schedule_read();
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
  if (agpu__trace_path_set(&session.to, pattern))
    return begin();
  return agpu_status_create(AGPU_STATUS_INVALID_ARGUMENT, NULL,
                            "the name of the trace's file is too long");
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
    atomic_store(&session.has_failed, false);
    atomic_store(&session.notes, NULL);
    // The parent's file is the parent's.
    bool again = session.to.has_number && session.to.path[0];
    session.to.path[0] = '\0';
    if (again)
      agpu_status_release(begin());
  }
  agpu__mutex_unlock(&session.lock);
}
