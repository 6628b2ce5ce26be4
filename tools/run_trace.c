//===- run_trace.c - Traces of a run --------------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The runtime writes a dump, which is read as soon as it is there, by the
// thread that ends the process: in a signal handler, too.
//
//===----------------------------------------------------------------------===//

#include "run_trace.h"

#include "base/trace/output.h"
#include "base/trace/session.h"
#include "command_line.h"
#include "runner_options.h"
#include "trace/gather.h"

#include "async_gpu/runtime.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

static struct {
  agpu__trace_targets targets;
  pid_t process;
  bool is_temporary; ///< the dump is
} run;

/// What a child of a fork writes: files with its number.
static void keep_numbered(agpu__trace_target *target) {
  if (!target->to.has_number)
    *target = (agpu__trace_target){.open_file = 0};
}

static void tell(const char *before, const char *message) {
  (void)!write(STDERR_FILENO, before, strlen(before));
  (void)!write(STDERR_FILENO, message, strlen(message));
  (void)!write(STDERR_FILENO, "\n", 1);
}

static bool convert(const char *dump) {
  char message[sizeof(agpu__trace_path) + 256];
  if (getpid() != run.process) {
    keep_numbered(&run.targets.trace);
    keep_numbered(&run.targets.profile);
  }
  bool ok =
      agpu__trace_targets_gather(&run.targets, dump, message, sizeof message);
  if (!ok)
    tell("error: ", message);
  else if (run.targets.note[0])
    tell("note: ", run.targets.note);
  if (run.is_temporary)
    (void)unlink(dump);
  return ok;
}

/// A name that nobody guesses, in the folder for temporary files; with the
/// number of a process if a child is to have a dump of its own.
static bool name_dump(char *name, size_t size, bool is_numbered) {
  const char *folder = secure_getenv("TMPDIR");
  size_t used = 0;
  for (const char *c = folder && *folder ? folder : "/tmp"; *c; ++c) {
    if (used + 64 >= size)
      return false;
    name[used++] = *c;
    if (*c == '%')
      name[used++] = '%';
  }
  uint64_t drawn = 0;
  (void)!getrandom(&drawn, sizeof drawn, GRND_NONBLOCK);
  (void)snprintf(name + used, size - used, "/async-gpu-%016llx%s.trace",
                 (unsigned long long)drawn, is_numbered ? "-%p" : "");
  return true;
}

/// Whether what `pattern` names can be read when it has been written: no pipe
/// and no device can. Where nothing can be written, the runtime says so.
static bool is_readable(const char *pattern) {
  static agpu__trace_path kept;
  return !agpu__trace_path_set(&kept, pattern) ||
         !agpu__trace_path_expand(&kept, run.process) ||
         !agpu__trace_output_is_special(kept.path);
}

bool agpu__run_trace_begin(const char *trace, const char *profile) {
  char message[sizeof(agpu__trace_path) + 256], name[4096];
  if (!trace && !profile)
    return true;
  run.process = getpid();
  if (!agpu__trace_targets_set(&run.targets, trace, profile, message,
                               sizeof message) ||
      !agpu__trace_targets_check(&run.targets, run.process, message,
                                 sizeof message)) {
    agpu__tool_error(AGPU_RUNNER_NAME, "%s", message);
    return false;
  }
  agpu_runtime_set_trace_handler(convert);
  const char *variable = secure_getenv("ASYNC_GPU_TRACE");
  if (!trace && variable && *variable && strcmp(variable, "0") != 0) {
    // It is recorded already, and the dump is to stay.
    if (is_readable(variable))
      return true;
    agpu__tool_error(AGPU_RUNNER_NAME,
                     "--profile cannot read the trace back from '%s': set "
                     "ASYNC_GPU_TRACE to the name of a file, or to 0",
                     variable);
    return false;
  }
  run.is_temporary = true;
  if (!name_dump(name, sizeof name,
                 run.targets.trace.to.has_number ||
                     run.targets.profile.to.has_number)) {
    agpu__tool_error(AGPU_RUNNER_NAME, "the name in TMPDIR is too long");
    return false;
  }
  agpu_status status = agpu_runtime_set_trace(name);
  if (status)
    agpu__tool_error(AGPU_RUNNER_NAME, "%s", agpu_status_get_message(status));
  bool ok = !status;
  agpu_status_release(status);
  return ok;
}
