//===- convert.c - A dump as files ----------------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The events are gone through twice: for the profile, which finds the critical
// path, and for the trace, whose slices say whether they are on it.
//
//===----------------------------------------------------------------------===//

#include "trace/convert.h"

#include "trace/show.h"
#include "trace/write.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/// What is said of the dumps as a whole.
static agpu__profile_notes make_notes(const agpu__ranks *ranks) {
  agpu__profile_notes notes = {.ended = "exit", .ranks = ranks};
  for (size_t i = 0; i < ranks->count; ++i) {
    const agpu__dump *dump = ranks->all[i].dump;
    // The first that is no exit.
    if (strcmp(notes.ended, "exit") == 0)
      notes.ended = agpu__dump_ended(dump);
    if (!notes.modelled)
      notes.modelled = dump->modelled;
    notes.dropped += dump->dropped;
    notes.is_cut_off |= !dump->ended;
  }
  return notes;
}

static bool write_ranks(const agpu__ranks *ranks, agpu__trace_output *trace,
                        agpu__trace_output *profile, agpu__profile_form form) {
  agpu__timeline run;
  agpu__summary summary;
  agpu__profile_notes notes = make_notes(ranks);
  agpu__timeline_begin(&run, ranks->count > 1);
  if (!agpu__trace_tell(&run.listener, ranks))
    run.is_incomplete = true;
  agpu__summary_make(&summary, &run);
  if (profile && form == AGPU__PROFILE_JSON)
    agpu__profile_put_json(profile, &summary, &run, &notes);
  else if (profile)
    agpu__profile_put_text(profile, &summary, &run, &notes);
  bool is_whole = !summary.is_incomplete;
  if (trace)
    is_whole = agpu__trace_write(trace, ranks, &summary.critical) && is_whole;
  agpu__summary_free(&summary);
  agpu__timeline_free(&run);
  return is_whole;
}

agpu__trace_converted agpu__trace_convert(agpu__dump *dumps, size_t count,
                                          agpu__trace_output *trace,
                                          agpu__trace_output *profile,
                                          agpu__profile_form form) {
  agpu__trace_converted result = {.error = NULL};
  agpu__ranks ranks;
  result.error = agpu__ranks_join(&ranks, dumps, count, &result.at);
  if (!result.error) {
    (void)agpu__ranks_describe_lone(&ranks, result.note, sizeof result.note);
    if (!write_ranks(&ranks, trace, profile, form)) {
      result.error = "memory was out: parts are missing of what was written";
      result.at = count;
    }
  }
  agpu__ranks_free(&ranks);
  return result;
}

//===----------------------------------------------------------------------===//
// Where they go
//===----------------------------------------------------------------------===//

static bool set(agpu__trace_target *self, const char *name, char *message,
                size_t size) {
  *self = (agpu__trace_target){.open_file = 0};
  if (name && strcmp(name, "-") == 0)
    self->open_file = STDOUT_FILENO;
  else if (name && !agpu__trace_path_set(&self->to, name)) {
    (void)snprintf(message, size, "the name of a file is too long");
    return false;
  }
  return true;
}

bool agpu__trace_targets_set(agpu__trace_targets *self, const char *trace,
                             const char *profile, char *message, size_t size) {
  bool is_error = profile && strcmp(profile, "1") == 0;
  if (!set(&self->trace, trace, message, size) ||
      !set(&self->profile, is_error ? NULL : profile, message, size))
    return false;
  if (is_error)
    self->profile.open_file = STDERR_FILENO;
  return true;
}

static bool check(agpu__trace_path *path, int process, const char *what,
                  const char *other, char *message, size_t size) {
  if (!path->pattern[0])
    return true;
  if (!agpu__trace_path_expand(path, process)) {
    (void)snprintf(message, size, "the %s cannot be written to '%s': %s", what,
                   path->pattern, strerrordesc_np(errno));
    return false;
  }
  // What is called otherwise may be a file that its user needs.
  if (agpu__trace_path_ends_in(path, ".json") ||
      (*other && agpu__trace_path_ends_in(path, other)) ||
      agpu__trace_output_is_special(path->path))
    return true;
  (void)snprintf(message, size,
                 "the %s cannot be written to '%s': name a file that ends in "
                 ".json%s%s",
                 what, path->pattern, *other ? " or " : "", other);
  return false;
}

bool agpu__trace_targets_check(agpu__trace_targets *self, int process,
                               char *message, size_t size) {
  return check(&self->trace.to, process, "trace", "", message, size) &&
         check(&self->profile.to, process, "profile", ".txt", message, size);
}

/// What is too much for the stack of a signal handler.
typedef struct outputs {
  agpu__trace_output trace, profile;
  size_t dump_count;
  agpu__dump dumps[];
} outputs;

/// Opens what is asked for. NULL: nothing is.
static agpu__trace_output *open_output(agpu__trace_output *to,
                                       const agpu__trace_target *target) {
  if (!target->open_file && !target->to.path[0])
    return NULL;
  agpu__trace_output_open(to, target->open_file ? NULL : target->to.path,
                          target->open_file);
  return to;
}

/// False after a `message`. NULL is allowed.
static bool close_output(agpu__trace_output *to,
                         const agpu__trace_target *target, const char *what,
                         char *message, size_t size) {
  int error = to ? agpu__trace_output_close(to) : 0;
  if (error)
    (void)snprintf(message, size, "the %s was not written to '%s': %s", what,
                   target->open_file == STDOUT_FILENO   ? "standard output"
                   : target->open_file == STDERR_FILENO ? "standard error"
                                                        : target->to.path,
                   strerrordesc_np(error));
  return !error;
}

static bool write_both(agpu__trace_targets *self, outputs *all,
                       const char *const *paths, char *message, size_t size) {
  agpu__trace_output *trace = open_output(&all->trace, &self->trace);
  agpu__trace_output *profile = open_output(&all->profile, &self->profile);
  agpu__trace_converted made =
      agpu__trace_convert(all->dumps, all->dump_count, trace, profile,
                          agpu__trace_path_ends_in(&self->profile.to, ".json")
                              ? AGPU__PROFILE_JSON
                              : AGPU__PROFILE_TEXT);
  memcpy(self->note, made.note, sizeof self->note);
  bool is_refused = made.error && made.at < all->dump_count;
  if (is_refused)
    (void)snprintf(message, size, "cannot join '%s': %s",
                   paths[made.at] ? paths[made.at] : "-", made.error);
  else if (made.error)
    (void)snprintf(message, size, "%s", made.error);
  // Files are as they were, then.
  for (int i = 0; is_refused && i < 2; ++i) {
    agpu__trace_output *to = i ? profile : trace;
    if (to)
      to->error = ECANCELED;
  }
  char unsaid[1];
  char *say = is_refused ? unsaid : message;
  size_t room = is_refused ? sizeof unsaid : size;
  bool ok = close_output(profile, &self->profile, "profile", say, room);
  ok = close_output(trace, &self->trace, "trace", say, room) && ok;
  return ok && !made.error;
}

bool agpu__trace_targets_write(agpu__trace_targets *self,
                               const char *const *paths, size_t count,
                               char *message, size_t size) {
  size_t bytes = sizeof(outputs) + count * sizeof(agpu__dump);
  outputs *all = agpu__trace_map(bytes);
  const char *error = all ? NULL : strerrordesc_np(ENOMEM);
  self->note[0] = '\0';
  for (size_t i = 0; all && !error && i < count; ++i) {
    error = agpu__dump_read(&all->dumps[i], paths[i]);
    all->dump_count = i + 1;
    if (error)
      (void)snprintf(message, size, "cannot read '%s': %s",
                     paths[i] ? paths[i] : "-", error);
  }
  if (!all)
    (void)snprintf(message, size, "%s", error);
  bool ok = !error &&
            agpu__trace_targets_check(self, (int)all->dumps[0].process, message,
                                      size) &&
            write_both(self, all, paths, message, size);
  for (size_t i = 0; all && i < all->dump_count; ++i)
    agpu__dump_free(&all->dumps[i]);
  agpu__trace_unmap(all, bytes);
  return ok;
}
