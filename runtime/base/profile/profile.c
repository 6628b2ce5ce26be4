//===- profile.c - A profile at the end of a program ----------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Has the writer of traces tell what it would write, makes the figures of that,
// and shows them. The critical path is worked out for a trace, too, whose
// slices say whether they are on it.
//
//===----------------------------------------------------------------------===//

#include "base/profile/profile.h"

#include "async_gpu/runtime.h"
#include "base/profile/show.h"
#include "base/report/settings.h"
#include "base/trace/output.h"
#include "base/trace/path.h"
#include "base/trace/session.h"
#include "base/trace/settle.h"
#include "base/trace/trace.h"
#include "base/trace/write.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct {
  pid_t process;       ///< of which there is to be one, 0: of none
  agpu__trace_path to; ///< "": to standard error
} profile;

static agpu_status begin(const char *to) {
  agpu__trace_path path = {.path = ""};
  bool is_file = strcmp(to, "1") != 0;
  errno = ENAMETOOLONG;
  if (is_file &&
      !(agpu__trace_path_set(&path, to) && agpu__trace_path_expand(&path)))
    return agpu_status_create(AGPU_STATUS_INVALID_ARGUMENT, NULL,
                              "the profile cannot be written to '%s': %s", to,
                              strerror(errno));
  // What is called otherwise may be a file that its user needs.
  if (is_file && !agpu__trace_path_ends_in(&path, ".json") &&
      !agpu__trace_path_ends_in(&path, ".txt") &&
      !agpu__trace_output_is_special(path.path))
    return agpu_status_create(AGPU_STATUS_INVALID_ARGUMENT, NULL,
                              "the profile cannot be written to '%s': name a "
                              "file that ends in .json or .txt, or 1 for "
                              "standard error",
                              to);
  profile.to = path;
  profile.process = getpid();
  return AGPU_OK;
}

static int show(const agpu__summary *summary, const agpu__run *run,
                const agpu__profile_notes *notes) {
  // Too much for the stack of a signal handler.
  agpu__trace_output *to = agpu__trace_map(sizeof *to);
  if (!to)
    return ENOMEM;
  agpu__trace_output_open(to, profile.to.path[0] ? profile.to.path : NULL);
  if (agpu__trace_path_ends_in(&profile.to, ".json"))
    agpu__profile_put_json(to, summary, run, notes);
  else
    agpu__profile_put_text(to, summary, run, notes);
  int error = agpu__trace_output_close(to);
  agpu__trace_unmap(to, sizeof *to);
  return error;
}

static int read_trace(const char *ended, bool in_signal,
                      agpu__trace_array *critical, const char **out_path) {
  agpu__run run;
  agpu__summary summary;
  agpu__profile_notes notes = {.ended = ended};
  *out_path = profile.to.path[0] ? profile.to.path : "standard error";
  agpu__run_begin(&run);
  if (!agpu__trace_tell(&run.listener, in_signal, &notes.dropped))
    run.is_incomplete = true;
  agpu__summary_make(&summary, &run);
  int error = profile.process == getpid() ? show(&summary, &run, &notes) : 0;
  *critical = summary.critical; // the caller's now
  summary.critical = (agpu__trace_array){.data = NULL};
  agpu__summary_free(&summary);
  agpu__run_free(&run);
  return error;
}

void agpu__profile_install(void) {
  const char *to = agpu__setting_output(AGPU__SETTING_PROFILE);
  if (to && !&agpu__settings_shown_by_program)
    agpu__setting_refuse(begin(to));
  agpu__trace_set_reader(read_trace);
}

agpu_status agpu_runtime_set_profile(const char *to) {
  if (!to || !*to)
    return agpu_status_create(AGPU_STATUS_INVALID_ARGUMENT, NULL,
                              "a profile needs a place to go to");
  agpu_status status = begin(to);
  if (!status && !agpu__trace_on())
    status = agpu__trace_start(NULL);
  return status;
}

agpu_status agpu_runtime_begin_trace(const char *file, const char *profile_to) {
  if (agpu__trace_on())
    return agpu_status_create(AGPU_STATUS_INVALID_ARGUMENT, NULL,
                              "a trace or a profile is being recorded already");
  if (!file && !profile_to)
    return agpu_status_create(AGPU_STATUS_INVALID_ARGUMENT, NULL,
                              "neither a trace nor a profile is asked for");
  agpu_status status = profile_to ? begin(profile_to) : AGPU_OK;
  if (!status)
    status = agpu__trace_start(file);
  if (status)
    profile.process = 0;
  return status;
}

agpu_status agpu_runtime_end_trace(void) {
  if (!agpu__trace_on())
    return agpu_status_create(AGPU_STATUS_INVALID_ARGUMENT, NULL,
                              "no trace is being recorded");
  agpu_status status = agpu__trace_end_alone();
  profile.process = 0;
  return status;
}
