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

bool agpu__trace_convert(const agpu__dump *dump, agpu__trace_output *trace,
                         agpu__trace_output *profile, agpu__profile_form form) {
  agpu__timeline run;
  agpu__summary summary;
  agpu__profile_notes notes = {.ended = agpu__dump_ended(dump),
                               .modelled = dump->modelled,
                               .dropped = dump->dropped,
                               .is_cut_off = !dump->ended};
  agpu__timeline_begin(&run);
  if (!agpu__trace_tell(&run.listener, dump))
    run.is_incomplete = true;
  agpu__summary_make(&summary, &run);
  if (profile && form == AGPU__PROFILE_JSON)
    agpu__profile_put_json(profile, &summary, &run, &notes);
  else if (profile)
    agpu__profile_put_text(profile, &summary, &run, &notes);
  bool is_whole = !summary.is_incomplete;
  if (trace)
    is_whole = agpu__trace_write(trace, dump, &summary.critical) && is_whole;
  agpu__summary_free(&summary);
  agpu__timeline_free(&run);
  return is_whole;
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
  agpu__dump dump;
  agpu__trace_output trace, profile;
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

static bool write_both(agpu__trace_targets *self, outputs *all, char *message,
                       size_t size) {
  agpu__trace_output *trace = open_output(&all->trace, &self->trace);
  agpu__trace_output *profile = open_output(&all->profile, &self->profile);
  bool ok =
      agpu__trace_convert(&all->dump, trace, profile,
                          agpu__trace_path_ends_in(&self->profile.to, ".json")
                              ? AGPU__PROFILE_JSON
                              : AGPU__PROFILE_TEXT);
  if (!ok)
    (void)snprintf(message, size,
                   "memory was out: parts are missing of what was written");
  ok = close_output(profile, &self->profile, "profile", message, size) && ok;
  return close_output(trace, &self->trace, "trace", message, size) && ok;
}

bool agpu__trace_targets_write(agpu__trace_targets *self, const char *path,
                               char *message, size_t size) {
  outputs *all = agpu__trace_map(sizeof *all);
  const char *error =
      all ? agpu__dump_read(&all->dump, path) : strerrordesc_np(ENOMEM);
  if (error)
    (void)snprintf(message, size, "cannot read '%s': %s", path ? path : "-",
                   error);
  bool ok =
      !error &&
      agpu__trace_targets_check(self, (int)all->dump.process, message, size) &&
      write_both(self, all, message, size);
  if (all)
    agpu__dump_free(&all->dump);
  agpu__trace_unmap(all, sizeof *all);
  return ok;
}
