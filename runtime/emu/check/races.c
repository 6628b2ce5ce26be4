//===- races.c - Unordered accesses to device memory ----------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "emu/check/races.h"

#include "emu/check/host_races.h"
#include "emu/check/thread_races.h"

#include "base/memory/memory.h"
#include "base/report/log.h"
#include "base/report/status_track.h"

#include <stdio.h>
#include <string.h>

/// Accesses that an allocation remembers. Older ones are forgotten: an access
/// of a stream makes its earlier ones to the same bytes redundant, so only
/// programs that touch a buffer in many pieces come here.
#define MOST_ACCESSES 512u

/// What a kernel has changed is found by words of this many bytes.
#define WORD ((size_t)8)

typedef struct access {
  unsigned stream;
  uint64_t position;
  CUdeviceptr from, to;
  bool writes;
  // Of a read that is taken for one because a kernel has changed nothing.
  const agpu_native_kernel *kernel; // else NULL
  uint32_t param;
  agpu__op_name origin; // `what` is never NULL here
} access;

struct agpu__emu_history {
  unsigned count, capacity;
  access *accesses; // the oldest first
};

/// A kernel that was seen to write through some of its parameters.
typedef struct writer {
  struct writer *next;
  const agpu_native_kernel *kernel;
  uint64_t params; // bit i: the i-th; later ones are not noted
} writer;

// Held while an op runs, so that what memory changes meanwhile is the op's
// doing. Guards the histories.
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static writer *writers; // under the lock

void agpu__emu_history_free(agpu__emu_history *history) {
  if (history)
    agpu__memory_free(history->accesses);
  agpu__memory_free(history);
}

//===----------------------------------------------------------------------===//
// Reports
//===----------------------------------------------------------------------===//

void agpu__emu_race_describe(const agpu__op_name *origin, char *out,
                             size_t size) {
  const char *location = origin->location;
  (void)snprintf(
      out, size, "%s%s%s%s%s%s", origin->what, origin->kernel ? " '" : "",
      origin->kernel ? origin->kernel : "", origin->kernel ? "'" : "",
      location ? " at " : "", location ? location : "");
}

static void report(const access *before, const access *after) {
  char one[512], other[512];
  agpu__emu_race_describe(&before->origin, one, sizeof one);
  agpu__emu_race_describe(&after->origin, other, sizeof other);
  CUdeviceptr from = before->from > after->from ? before->from : after->from;
  CUdeviceptr to = before->to < after->to ? before->to : after->to;
  agpu_status status = agpu_status_create(
      AGPU_STATUS_PROGRAM, after->origin.location,
      "race: nothing orders %s, which %s the %llu bytes at 0x%llx, and %s, "
      "which %s them",
      other, after->writes ? "writes" : "reads", to - from, from, one,
      before->writes ? "writes" : "reads");
  agpu__log(AGPU__LOG_DEVICE, "emu: %s", agpu_status_get_message(status));
  agpu__status_report(status);
}

//===----------------------------------------------------------------------===//
// Histories
//===----------------------------------------------------------------------===//

static bool contains(const access *outer, const access *inner) {
  return outer->from <= inner->from && outer->to >= inner->to;
}

static void remember(agpu__emu_history *history, const access *added) {
  unsigned kept = 0;
  for (unsigned i = 0; i < history->count; ++i) {
    const access *old = &history->accesses[i];
    // Whoever is behind the new access is behind an older one of its stream.
    bool redundant = old->stream == added->stream && contains(added, old) &&
                     (added->writes || !old->writes);
    if (!redundant)
      history->accesses[kept++] = *old;
  }
  if (kept == MOST_ACCESSES) {
    --kept;
    memmove(history->accesses, history->accesses + 1,
            kept * sizeof *history->accesses);
  }
  history->count = kept;
  if (kept == history->capacity) {
    unsigned capacity = kept ? kept * 2 : 8;
    access *grown = agpu__memory_alloc((int64_t)(capacity * sizeof *grown),
                                       _Alignof(access), "the check for races");
    if (kept)
      memcpy(grown, history->accesses, kept * sizeof *grown);
    agpu__memory_free(history->accesses);
    history->accesses = grown;
    history->capacity = capacity;
  }
  history->accesses[history->count++] = *added;
}

static bool is_writer(const agpu_native_kernel *kernel, uint32_t param) {
  const writer *of = writers;
  while (of && of->kernel != kernel)
    of = of->next;
  return of && param < 64 && (of->params >> param & 1);
}

static void note_writer(const agpu_native_kernel *kernel, uint32_t param) {
  writer *of = writers;
  while (of && of->kernel != kernel)
    of = of->next;
  if (!of) {
    of =
        agpu__memory_alloc(sizeof *of, _Alignof(writer), "the check for races");
    *of = (writer){.next = writers, .kernel = kernel};
    writers = of;
  }
  if (param < 64)
    of->params |= (uint64_t)1 << param;
}

/// What agpu__emu_memory_visit passes on.
typedef struct visitor {
  const agpu__emu_op *op;
  CUdeviceptr from, to; // the range; 0, 0: the whole allocation
  bool writes;
  const agpu_native_kernel *kernel; // as in access
  uint32_t param;
} visitor;

static void check_access(agpu__emu_history **history, CUdeviceptr base,
                         size_t bytes, void *argument) {
  const visitor *by = argument;
  const agpu__emu_stamp *stamp = &by->op->stamp;
  access added = {.stream = stamp->stream,
                  .position = agpu__emu_stamp_position(stamp),
                  .from = by->to ? by->from : base,
                  .to = by->to ? by->to : base + bytes,
                  .writes = by->writes,
                  .kernel = by->kernel,
                  .param = by->param,
                  .origin = agpu__emu_op_origin(by->op)};
  if (!*history) {
    *history = agpu__memory_alloc(sizeof **history, _Alignof(agpu__emu_history),
                                  "the check for races");
    **history = (agpu__emu_history){.accesses = NULL};
  }
  for (unsigned i = 0; i < (*history)->count; ++i) {
    const access *old = &(*history)->accesses[i];
    if ((old->writes || added.writes) && old->from < added.to &&
        added.from < old->to &&
        !(old->kernel && is_writer(old->kernel, old->param)) &&
        !agpu__emu_stamp_is_behind(stamp, old->stream, old->position))
      report(old, &added);
  }
  remember(*history, &added);
}

static void access_range(const agpu__emu_op *op, CUdeviceptr pointer,
                         size_t bytes, bool writes) {
  visitor by = {op, pointer, pointer + bytes, writes, NULL, 0};
  agpu__emu_memory_visit(pointer, check_access, &by);
}

static void access_all(const agpu__emu_op *op, CUdeviceptr pointer,
                       bool writes) {
  visitor by = {op, 0, 0, writes, NULL, 0};
  agpu__emu_memory_visit(pointer, check_access, &by);
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

/// An allocation that a kernel got a pointer to.
typedef struct reachable {
  CUdeviceptr base;
  size_t bytes;
  uint32_t param;
  const unsigned char *memory;
  unsigned char *before; // its contents before the kernel ran
} reachable;

static void note_reachable(agpu__emu_history **history, CUdeviceptr base,
                           size_t bytes, void *argument) {
  (void)history;
  reachable *out = argument;
  out->base = base;
  out->bytes = bytes;
}

/// Lists the allocations that the parameters point into, each once.
static unsigned list_reachable(const agpu__emu_op *op, reachable *out) {
  const agpu_native_kernel *kernel = op->launch.kernel;
  unsigned count = 0;
  for (uint32_t i = 0; i < kernel->param_count; ++i) {
    CUdeviceptr pointer;
    if (kernel->param_sizes[i] != sizeof pointer)
      continue;
    memcpy(&pointer, op->launch.params[i], sizeof pointer);
    reachable found = {.param = i};
    agpu__emu_memory_visit(pointer, note_reachable, &found);
    bool is_new = found.bytes != 0;
    for (unsigned j = 0; j < count; ++j)
      is_new &= out[j].base != found.base;
    if (is_new)
      out[count++] = found;
  }
  return count;
}

static bool is_changed(const reachable *of, size_t word) {
  size_t offset = word * WORD;
  size_t count = of->bytes - offset < WORD ? of->bytes - offset : WORD;
  return memcmp(of->before + offset, of->memory + offset, count) != 0;
}

/// The kernel's access to one allocation.
static void access_changed(const agpu__emu_op *op, const reachable *of) {
  const agpu_native_kernel *kernel = op->launch.kernel;
  size_t first = 0, last = (of->bytes + WORD - 1) / WORD;
  while (first < last && !is_changed(of, first))
    ++first;
  while (last > first && !is_changed(of, last - 1))
    --last;
  if (first < last) {
    size_t end = last * WORD < of->bytes ? last * WORD : of->bytes;
    note_writer(kernel, of->param);
    access_range(op, of->base + first * WORD, end - first * WORD, true);
  } else if (!is_writer(kernel, of->param)) {
    visitor by = {op, 0, 0, false, kernel, of->param};
    agpu__emu_memory_visit(of->base, check_access, &by);
  }
}

/// Pieces of one allocation that a kernel has written, or only read. With more
/// of them, all from the first to the last count.
#define MOST_PIECES 128u

typedef struct pieces {
  const agpu__emu_op *op;
  CUdeviceptr base, end; // of the allocation; equal: none yet
  bool writes;
  bool is_hull; // there were too many: one stands for all
  unsigned count;
  struct {
    CUdeviceptr from, to;
  } of[MOST_PIECES];
} pieces;

static void access_pieces(pieces *found) {
  for (unsigned i = 0; i < found->count; ++i)
    access_range(found->op, found->of[i].from,
                 (size_t)(found->of[i].to - found->of[i].from), found->writes);
  found->count = 0;
  found->is_hull = false;
}

static void add_piece(pieces *found, CUdeviceptr from, CUdeviceptr to) {
  if (found->count == MOST_PIECES) {
    found->count = 1;
    found->is_hull = true;
  }
  if (found->is_hull) {
    found->of[0].to = to; // they come in order
    return;
  }
  found->of[found->count].from = from;
  found->of[found->count++].to = to;
}

/// Splits what a kernel has accessed by allocations.
static void add_run(uintptr_t from, uintptr_t to, bool writes, void *argument) {
  pieces *found = argument;
  for (CUdeviceptr at = from; at < to;) {
    if (at < found->base || at >= found->end || writes != found->writes) {
      access_pieces(found);
      reachable in = {.bytes = 0};
      agpu__emu_memory_visit(at, note_reachable, &in);
      found->base = in.base;
      found->end = in.base + in.bytes;
      found->writes = writes;
    }
    if (at < found->base || at >= found->end) {
      at = (at | (WORD - 1)) + 1; // in no allocation
      continue;
    }
    CUdeviceptr end = found->end < to ? found->end : to;
    add_piece(found, at, end);
    at = end;
  }
}

void agpu__emu_races_reset(void) {
  pthread_mutex_lock(&lock);
  while (writers) {
    writer *next = writers->next;
    agpu__memory_free(writers);
    writers = next;
  }
  agpu__emu_thread_races_reset();
  pthread_mutex_unlock(&lock);
  agpu__emu_host_races_reset();
}

static void run_kernel(const agpu__emu_op *op, agpu__emu_random *random,
                       void (*run)(const agpu__emu_op *op,
                                   agpu__emu_random *random)) {
  uint32_t most = op->launch.kernel->param_count;
  reachable *found =
      agpu__memory_alloc((int64_t)((most + 1) * sizeof *found),
                         _Alignof(reachable), "the check for races");
  unsigned count = list_reachable(op, found);
  for (unsigned i = 0; i < count; ++i) {
    found[i].memory = agpu__emu_memory_host(found[i].base);
    found[i].before = agpu__memory_alloc((int64_t)found[i].bytes, (int64_t)WORD,
                                         "the check for races");
    memcpy(found[i].before, found[i].memory, found[i].bytes);
  }
  agpu__emu_thread_races_begin(op);
  run(op, random);
  pieces accessed = {.op = op};
  bool told = agpu__emu_thread_races_end(add_run, &accessed);
  access_pieces(&accessed);
  for (unsigned i = 0; i < count; ++i) {
    if (!told)
      access_changed(op, &found[i]);
    agpu__memory_free(found[i].before);
  }
  agpu__memory_free(found);
}

void agpu__emu_races_enqueue(const agpu__emu_op *op) {
  if (!agpu__emu_get_settings()->check_races)
    return;
  agpu__emu_host_races_enqueue(op);
  if (op->kind != AGPU__EMU_OP_ALLOC)
    return;
  pthread_mutex_lock(&lock);
  access_all(op, op->pointer, true);
  pthread_mutex_unlock(&lock);
}

void agpu__emu_races_run(const agpu__emu_op *op, agpu__emu_random *random,
                         void (*run)(const agpu__emu_op *op,
                                     agpu__emu_random *random)) {
  pthread_mutex_lock(&lock);
  // Ranges are checked before the op runs: it may find memory that is freed.
  switch (op->kind) {
  case AGPU__EMU_OP_KERNEL: run_kernel(op, random, run); break;
  case AGPU__EMU_OP_COPY:
    access_range(op, op->copy.source, op->copy.bytes, false);
    access_range(op, op->copy.target, op->copy.bytes, true);
    run(op, random);
    break;
  case AGPU__EMU_OP_FILL:
    access_range(op, op->fill.target, agpu__emu_fill_span(op), true);
    run(op, random);
    break;
  case AGPU__EMU_OP_WRITE:
    access_range(op, op->write.target, sizeof op->write.value, true);
    run(op, random);
    break;
  case AGPU__EMU_OP_FREE:
    access_all(op, op->pointer, true);
    run(op, random);
    break;
  case AGPU__EMU_OP_ALLOC: run(op, random); break; // known already
  case AGPU__EMU_OP_RECORD:
  case AGPU__EMU_OP_WAIT:
  case AGPU__EMU_OP_HOST: break; // touch no memory
  }
  pthread_mutex_unlock(&lock);
}
