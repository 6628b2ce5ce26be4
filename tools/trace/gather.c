//===- gather.c - Traces of ranks, as these end ---------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A copy has its whole contents when it gets its name. Each rank looks for
// those of all after it has made its own, so that the last one finds them; of
// several who do, the one that renames the first rank's joins them.
//
//===----------------------------------------------------------------------===//

#include "trace/gather.h"

#include "trace/ranks.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { NAME_BYTES = sizeof(((agpu__trace_path *)NULL)->path) + 128 };

/// Too much for the stack of a signal handler.
typedef struct gathering {
  agpu__dump dump;
  int32_t rank, size;
  uint64_t job;
  bool has_failed;       ///< the rank ended with an error of the program's
  char base[NAME_BYTES]; ///< what the names of copies begin with
  char name[NAME_BYTES];
  agpu__trace_output copy;
} gathering;

static bool has_number(const agpu__trace_target *target) {
  return target->to.pattern[0] && target->to.has_number;
}

static bool is_file(const agpu__trace_target *target) {
  return !target->open_file && target->to.path[0] &&
         !agpu__trace_output_is_special(target->to.path);
}

/// Names of copies are the same on all ranks of a run, and of no other one.
static void name_base(gathering *self, const agpu__trace_targets *targets) {
  const char *folder = secure_getenv("TMPDIR");
  const agpu__trace_target *beside = is_file(&targets->trace) ? &targets->trace
                                     : is_file(&targets->profile)
                                         ? &targets->profile
                                         : NULL;
  if (beside)
    (void)snprintf(self->base, sizeof self->base, "%s.%016" PRIx64,
                   beside->to.path, self->job);
  else
    (void)snprintf(self->base, sizeof self->base, "%s/async-gpu-%016" PRIx64,
                   folder && *folder ? folder : "/tmp", self->job);
}

/// Of a rank's copy, into `name`, which is returned.
static char *get_name(const gathering *self, int32_t rank, char *name) {
  (void)snprintf(name, NAME_BYTES, "%.*s.rank-%" PRId32 ".trace",
                 NAME_BYTES - 64, self->base, rank);
  return name;
}

/// Copies the dump. False after a message.
static bool publish(gathering *self, const char *path, char *message,
                    size_t size) {
  char part[4096];
  char *name = get_name(self, self->rank, self->name);
  int from = open(path, O_RDONLY | O_CLOEXEC);
  int failed = from < 0 ? errno : 0;
  agpu__trace_output_open(&self->copy, name, -1);
  for (ssize_t got = 1; !failed && got;) {
    got = read(from, part, sizeof part);
    if (got > 0)
      agpu__trace_put_bytes(&self->copy, part, (size_t)got);
    else if (got < 0 && errno != EINTR)
      failed = errno;
  }
  if (from >= 0)
    (void)close(from);
  if (failed)
    self->copy.error = failed;
  int error = agpu__trace_output_close(&self->copy);
  if (error)
    (void)snprintf(message, size, "the trace was not written to '%s': %s", name,
                   strerrordesc_np(error));
  return !error;
}

static bool are_all_there(gathering *self) {
  for (int32_t i = 0; i < self->size; ++i)
    if (access(get_name(self, i, self->name), R_OK) != 0)
      return false;
  return true;
}

/// Who ends others may leave them no time to write theirs.
static void describe_place(gathering *self, char *note, size_t size) {
  if (self->has_failed)
    (void)snprintf(note, size,
                   "the trace of rank %" PRId32 " is in '%.700s' until those "
                   "of all ranks are there; async-gpu-report joins what is",
                   self->rank, get_name(self, self->rank, self->name));
}

/// Whether nobody else joins them: the first one's is called otherwise then.
static bool claim(gathering *self) {
  char *claimed = agpu__trace_map(NAME_BYTES);
  if (!claimed)
    return false;
  (void)snprintf(claimed, NAME_BYTES, "%.*s.joined", NAME_BYTES - 64,
                 self->base);
  bool is_ours = rename(get_name(self, 0, self->name), claimed) == 0;
  agpu__trace_unmap(claimed, NAME_BYTES);
  return is_ours;
}

/// Writes what is asked for, of all ranks.
static bool join(gathering *self, agpu__trace_targets *targets, char *message,
                 size_t size) {
  size_t count = (size_t)self->size, bytes = count * NAME_BYTES;
  char *names = agpu__trace_map(bytes);
  const char **paths = agpu__trace_map(count * sizeof *paths);
  bool ok = names && paths;
  for (size_t i = 0; ok && i < count; ++i) {
    char *name = names + i * NAME_BYTES;
    paths[i] = get_name(self, (int32_t)i, name);
    if (i == 0)
      (void)snprintf(name, NAME_BYTES, "%.*s.joined", NAME_BYTES - 64,
                     self->base);
  }
  if (!ok)
    (void)snprintf(message, size, "%s", strerrordesc_np(ENOMEM));
  ok = ok && agpu__trace_targets_write(targets, paths, count, message, size);
  for (size_t i = 0; names && paths && i < count; ++i)
    (void)unlink(paths[i]);
  agpu__trace_unmap(names, bytes);
  agpu__trace_unmap(paths, count * sizeof *paths);
  return ok;
}

/// Which rank the dump is of. False: of one alone.
static bool read_rank(gathering *self, const char *path) {
  size_t at;
  agpu__ranks ranks = {.count = 0};
  bool is_one = false;
  if (!agpu__dump_read(&self->dump, path) &&
      !agpu__ranks_join(&ranks, &self->dump, 1, &at)) {
    self->rank = ranks.all[0].rank;
    self->size = ranks.all[0].size;
    self->job = ranks.all[0].job;
    self->has_failed = strcmp(agpu__dump_ended(&self->dump), "error") == 0;
    is_one = self->size > 1;
  }
  agpu__ranks_free(&ranks);
  agpu__dump_free(&self->dump);
  return is_one;
}

bool agpu__trace_targets_gather(agpu__trace_targets *targets, const char *path,
                                char *message, size_t size) {
  gathering *self = agpu__trace_map(sizeof *self);
  bool is_rank = self && !has_number(&targets->trace) &&
                 !has_number(&targets->profile) && read_rank(self, path);
  bool ok = true;
  if (!is_rank) {
    ok = agpu__trace_targets_write(targets, &path, 1, message, size);
  } else {
    targets->note[0] = '\0';
    name_base(self, targets);
    ok = publish(self, path, message, size);
    if (ok && !are_all_there(self))
      describe_place(self, targets->note, sizeof targets->note);
    else if (ok && claim(self))
      ok = join(self, targets, message, size);
  }
  agpu__trace_unmap(self, sizeof *self);
  return ok;
}
