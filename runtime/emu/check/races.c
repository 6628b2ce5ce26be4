//===- races.c - Unordered accesses to device memory ----------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs one op at a time, under a lock, so that what memory changes meanwhile is
// the op's doing, and gives what it accesses to the histories of the
// allocations.
//
//===----------------------------------------------------------------------===//

#include "emu/check/races.h"

#include "base/memory/memory.h"
#include "emu/base/settings.h"
#include "emu/check/host_races.h"
#include "emu/check/thread_races.h"
#include "emu/memory/memory.h"

#include <string.h>

/// What a kernel has changed is found by words of this many bytes.
#define WORD ((size_t)8)

/// An allocation that a kernel got a pointer to.
typedef struct reachable {
  CUdeviceptr base;
  size_t bytes;
  uint32_t param;
  const unsigned char *memory;
  unsigned char *before; // its contents before the kernel ran
} reachable;

/// Lists the allocations that the parameters point into, each once.
static unsigned list_reachable(const agpu__emu_op *op, reachable *out) {
  const agpu_native_kernel *kernel = op->launch.kernel;
  unsigned count = 0;
  for (uint32_t i = 0; i < kernel->param_count; ++i) {
    CUdeviceptr pointer;
    if (kernel->param_sizes[i] != sizeof pointer)
      continue;
    memcpy(&pointer, op->launch.params[i], sizeof pointer);
    agpu__emu_allocation at = agpu__emu_memory_bounds(pointer);
    reachable found = {.base = at.base, .bytes = at.bytes, .param = i};
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
static void access_changed(const agpu__emu_op *op, const reachable *of)
    AGPU__REQUIRES(agpu__emu_history_lock) {
  const agpu_native_kernel *kernel = op->launch.kernel;
  size_t first = 0, last = (of->bytes + WORD - 1) / WORD;
  while (first < last && !is_changed(of, first))
    ++first;
  while (last > first && !is_changed(of, last - 1))
    --last;
  if (first < last) {
    size_t end = last * WORD < of->bytes ? last * WORD : of->bytes;
    agpu__emu_history_note_writer(kernel, of->param);
    agpu__emu_history_access(op, of->base + first * WORD, end - first * WORD,
                             true);
  } else if (!agpu__emu_history_is_writer(kernel, of->param)) {
    agpu__emu_guess guess = {kernel, of->param};
    agpu__emu_history_access_all(op, of->base, false, &guess);
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

static void access_pieces(pieces *found)
    AGPU__REQUIRES(agpu__emu_history_lock) {
  for (unsigned i = 0; i < found->count; ++i)
    agpu__emu_history_access(found->op, found->of[i].from,
                             (size_t)(found->of[i].to - found->of[i].from),
                             found->writes);
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
static void add_run(uintptr_t from, uintptr_t to, bool writes, void *argument)
    AGPU__REQUIRES(agpu__emu_history_lock) {
  pieces *found = argument;
  for (CUdeviceptr at = from; at < to;) {
    if (at < found->base || at >= found->end || writes != found->writes) {
      access_pieces(found);
      agpu__emu_allocation in = agpu__emu_memory_bounds(at);
      found->base = in.base;
      found->end = in.base + in.bytes;
      found->writes = writes;
    }
    if (at < found->base || at >= found->end) { // in no allocation
      if (!agpu__emu_is_unified()) {
        at = (at | (WORD - 1)) + 1;
        continue;
      }
      found->base = at;
      found->end = to;
    }
    CUdeviceptr end = found->end < to ? found->end : to;
    add_piece(found, at, end);
    at = end;
  }
}

static void run_kernel(const agpu__emu_op *op, agpu__emu_random *random,
                       void (*run)(const agpu__emu_op *op,
                                   agpu__emu_random *random))
    AGPU__REQUIRES(agpu__emu_history_lock) {
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
  agpu__emu_thread_races_begin(&op->launch);
  run(op, random);
  pieces accessed = {.op = op};
  bool told = agpu__emu_thread_races_visit(add_run, &accessed);
  access_pieces(&accessed);
  agpu__emu_host_races_ran(op);
  agpu__emu_thread_races_end();
  for (unsigned i = 0; i < count; ++i) {
    if (!told)
      access_changed(op, &found[i]);
    agpu__memory_free(found[i].before);
  }
  agpu__memory_free(found);
}

void agpu__emu_races_enqueue(const agpu__emu_op *op) {
  if (op->kind != AGPU__EMU_OP_ALLOC)
    return;
  agpu__mutex_lock(&agpu__emu_history_lock);
  agpu__emu_history_access_all(op, op->pointer, true, NULL);
  agpu__mutex_unlock(&agpu__emu_history_lock);
}

void agpu__emu_races_run(const agpu__emu_op *op, agpu__emu_random *random,
                         void (*run)(const agpu__emu_op *op,
                                     agpu__emu_random *random)) {
  agpu__mutex_lock(&agpu__emu_history_lock);
  // Ranges are checked before the op runs: it may find memory that is freed.
  switch (op->kind) {
  case AGPU__EMU_OP_KERNEL: run_kernel(op, random, run); break;
  case AGPU__EMU_OP_COPY:
    agpu__emu_history_access_rows(op, &op->copy.source, false);
    agpu__emu_history_access_rows(op, &op->copy.target, true);
    run(op, random);
    break;
  case AGPU__EMU_OP_FILL:
    agpu__emu_history_access_rows(op, &op->fill.target, true);
    run(op, random);
    break;
  case AGPU__EMU_OP_WRITE:
    agpu__emu_history_access(op, op->write.target, sizeof op->write.value,
                             true);
    run(op, random);
    break;
  case AGPU__EMU_OP_FREE:
    agpu__emu_history_access_all(op, op->pointer, true, NULL);
    run(op, random);
    break;
  case AGPU__EMU_OP_ALLOC: run(op, random); break; // known already
  case AGPU__EMU_OP_RECORD:
  case AGPU__EMU_OP_WAIT:
  case AGPU__EMU_OP_CONDITIONAL:
  case AGPU__EMU_OP_BEGIN:
  case AGPU__EMU_OP_HOST: break; // touch no memory
  }
  agpu__mutex_unlock(&agpu__emu_history_lock);
}

void agpu__emu_races_reset(void) {
  agpu__mutex_lock(&agpu__emu_history_lock);
  agpu__emu_history_reset();
  agpu__mutex_unlock(&agpu__emu_history_lock);
}
