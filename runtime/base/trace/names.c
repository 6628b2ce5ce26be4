//===- names.c - What the code of a program is called ---------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The tables are on a list; the functions that resume coroutines are also in an
// array, which is searched for each event of a task: there is one for each
// program that is loaded, so mostly two.
//
//===----------------------------------------------------------------------===//

#include "base/trace/names.h"

#include "base/memory/memory.h"
#include "base/sync/mutex.h"

#include <search.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/// Programs beyond that have tasks without names.
#define RESUMES 64

typedef void (*resume_function)(void *handle);

/// The highest bit of a task's function is a mark (exec/task.h).
#define CODE_MASK (UINTPTR_MAX >> 1)

static struct {
  agpu__mutex lock;
  // Written under the lock.
  _Atomic(agpu_trace_names *) tables;
  _Atomic(resume_function) resumes[RESUMES];
  _Atomic(size_t) resume_count; ///< slots that ever were used
  /// A tree of copies: one of each, whatever number of events has it.
  void *kept AGPU__GUARDED_BY(lock);
} names = {.lock = AGPU__MUTEX_INIT(AGPU__RANK_TRACE_NAMES)};

static void know(resume_function resume) AGPU__REQUIRES(names.lock) {
  size_t count = atomic_load(&names.resume_count), free_slot = count;
  for (size_t i = 0; i < count; ++i) {
    resume_function known = atomic_load(&names.resumes[i]);
    if (known == resume)
      return;
    if (!known && free_slot == count)
      free_slot = i;
  }
  if (free_slot == RESUMES)
    return;
  atomic_store(&names.resumes[free_slot], resume);
  if (free_slot == count)
    atomic_store(&names.resume_count, count + 1);
}

void agpu__trace_know_resume(resume_function resume) {
  agpu__mutex_lock(&names.lock);
  know(resume);
  agpu__mutex_unlock(&names.lock);
}

void agpu_trace_names_add(agpu_trace_names *table) {
  agpu__mutex_lock(&names.lock);
  if (table->resume)
    know(table->resume);
  table->next = atomic_load(&names.tables);
  atomic_store(&names.tables, table);
  agpu__mutex_unlock(&names.lock);
}

void agpu__trace_forget_names(const agpu_trace_names *table) {
  agpu__mutex_lock(&names.lock);
  agpu_trace_names *before = NULL, *at = atomic_load(&names.tables);
  while (at && at != table) {
    before = at;
    at = at->next;
  }
  if (before && at)
    before->next = at->next;
  else if (at)
    atomic_store(&names.tables, at->next);
  size_t count = atomic_load(&names.resume_count);
  for (size_t i = 0; i < count; ++i)
    if (atomic_load(&names.resumes[i]) == table->resume)
      atomic_store(&names.resumes[i], NULL);
  agpu__mutex_unlock(&names.lock);
}

const void *agpu__trace_code(void *handle, resume_function resume) {
  resume = (resume_function)((uintptr_t)resume & CODE_MASK);
  size_t count =
      atomic_load_explicit(&names.resume_count, memory_order_acquire);
  for (size_t i = 0; i < count; ++i)
    if (resume &&
        atomic_load_explicit(&names.resumes[i], memory_order_relaxed) == resume)
      return *(const void *const *)handle;
  return (const void *)(uintptr_t)resume;
}

const agpu_trace_name *agpu__trace_name_of(const void *code) {
  for (const agpu_trace_names *table = atomic_load(&names.tables); table;
       table = table->next)
    for (uint64_t i = 0; i < table->count; ++i)
      if (table->names[i].code == code)
        return &table->names[i];
  return NULL;
}

const agpu_trace_name *agpu__trace_keep_name(const void *code) {
  return agpu__trace_copy_name(agpu__trace_name_of(code));
}

/// Texts are kept, one of each, and nothing is between the members.
static int compare_kept(const void *first, const void *second) {
  return memcmp(first, second, sizeof(agpu_trace_name));
}

const agpu_trace_name *agpu__trace_copy_name(const agpu_trace_name *name) {
  if (!name)
    return NULL;
  agpu_trace_name wanted = *name;
  wanted.name = agpu__text_keep(name->name);
  wanted.file = agpu__text_keep(name->file);
  if (!wanted.name) // out of memory: there is none
    return NULL;
  agpu__mutex_lock(&names.lock);
  agpu_trace_name **found = tfind(&wanted, &names.kept, compare_kept);
  agpu_trace_name *kept = found ? *found : malloc(sizeof(*kept));
  if (kept && !found) {
    *kept = wanted;
    if (!tsearch(kept, &names.kept, compare_kept)) {
      free(kept);
      kept = NULL;
    }
  }
  agpu__mutex_unlock(&names.lock);
  return kept;
}

void agpu__trace_names_fork(agpu__fork_step step) {
  agpu__mutex_fork(&names.lock, step);
}
