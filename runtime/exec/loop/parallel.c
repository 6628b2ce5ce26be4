//===- parallel.c - Loops on all threads ----------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A loop is divided into one range per thread that may take part. The thread
// that runs the loop is the first of them; it needs no one else, and takes from
// the others' ranges when its own is empty. The others are helpers: tasks that
// join whatever loop is open. As many helpers as there are workers beside the
// calling thread are enough for all loops.
//
// A helper that finds no loop any more stays for a moment, since loops often
// follow each other, unless there are tasks to run. Every helper has a rank for
// as long as it stays, and begins with the same range of every loop: what it
// has in its caches is used again.
//
//===----------------------------------------------------------------------===//

#include "exec/loop/parallel.h"

#include "async_gpu/compiled/trace.h"
#include "base/os/clock.h"
#include "base/os/platform.h"
#include "exec/census.h"
#include "exec/executor.h"
#include "exec/loop/loop.h"

#include <stddef.h>

/// Pieces that a range can fall into, at most; so an uneven loop ends evenly.
#define UNITS_PER_RANGE 32

/// How long a helper stays without a loop: about as long as it would take to
/// wake a thread again. And how often it polls before it looks at the clock.
#define STAY_NS 50000
#ifndef AGPU__LOOP_STAY_POLLS // a test has fewer
#define AGPU__LOOP_STAY_POLLS 16
#endif

/// Until the bell differs from `heard`. False if it is time to go.
static bool stay(uint32_t heard) {
  int64_t end = agpu__clock_machine_ns() + STAY_NS;
  do {
    if (agpu__exec_has_work())
      return false;
    for (int i = 0; i < AGPU__LOOP_STAY_POLLS; ++i) {
      if (agpu__loop_bell() != heard)
        return true;
      agpu__pause();
    }
  } while (agpu__clock_machine_ns() < end);
  return false;
}

static void help(void *unused) {
  (void)unused;
  uint32_t rank = agpu__loop_take_rank();
  uint32_t heard;
  bool back;
  do {
    do {
      // Heard before looking: a loop opened in between rings again.
      heard = agpu__loop_bell();
      if (rank)
        agpu__loop_join_all(rank);
    } while (stay(heard));
    // A thread that opens a loop wakes others and then counts helpers; here it
    // is the other way round. So one of the two notices the other.
    atomic_fetch_sub_explicit(&agpu__the_loops.helpers, 1,
                              memory_order_seq_cst);
    back = agpu__loop_bell() != heard;
    if (back)
      atomic_fetch_add_explicit(&agpu__the_loops.helpers, 1,
                                memory_order_relaxed);
  } while (back);
  agpu__loop_give_rank(rank);
}

/// What traces call helpers.
static void __attribute__((constructor)) tell_traces(void) {
  static const agpu_trace_name name = {.code = (const void *)(uintptr_t)help,
                                       .name = "parallel loops",
                                       .region = -1,
                                       .stream = -1};
  static agpu_trace_names table = {.names = &name, .count = 1};
  agpu_trace_names_add(&table);
}

/// Queues helpers until there are `wanted`.
static void call_helpers(uint32_t wanted) {
  unsigned count =
      atomic_load_explicit(&agpu__the_loops.helpers, memory_order_seq_cst);
  while (count < wanted)
    if (atomic_compare_exchange_weak_explicit(&agpu__the_loops.helpers, &count,
                                              count + 1, memory_order_relaxed,
                                              memory_order_relaxed)) {
      agpu__exec_submit((agpu__task){NULL, help});
      ++count;
    }
}

void agpu__exec_parallel_for(int64_t count, int64_t grain, agpu__loop_body body,
                             void *context) {
  if (count <= 0)
    return;
  if (grain < 1)
    grain = 1;
  int64_t threads = agpu__exec_worker_count();
  if (threads > AGPU__LOOP_RANGES)
    threads = AGPU__LOOP_RANGES;
  int64_t pieces = count / grain;
  if (threads > pieces)
    threads = pieces;
  agpu__loop *loop = threads > 1 ? agpu__loop_acquire() : NULL;
  if (!loop) {
    body(context, 0, count);
    return;
  }
  int64_t most = threads * UNITS_PER_RANGE;
  loop->unit = pieces <= most ? grain : (count - 1) / most + 1;
  loop->unit_count = (uint32_t)((count - 1) / loop->unit + 1);
  loop->range_count = (uint32_t)threads;
  loop->count = count;
  loop->body = body;
  loop->context = context;
  agpu__loop_open(loop);
  call_helpers((uint32_t)threads - 1);
  agpu__loop_run(loop, 0);
  agpu__loop_close(loop);
}

void agpu__parallel_forget(void) {
  atomic_store_explicit(&agpu__the_loops.helpers, 0, memory_order_relaxed);
  agpu__loop_forget_all();
}
