//===- body_runs.c - What ran in loops of a device ------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs are reported when they are over, those in a body before that of the node
// around it: so how many rounds that had is known then.
//
//===----------------------------------------------------------------------===//

#include "gpu/trace/body_runs.h"

#include "base/memory/memory.h"
#include "base/trace/ring.h"

#include <stdlib.h>

/// A launch has no more than this part of the events that a thread keeps.
#define PART 16

typedef struct inner {
  agpu__stream_item item;
  size_t around;   // node whose body it is in
  uint64_t rounds; // of its own body, since it began to run
} inner;

typedef struct run {
  size_t node;
  uint64_t round, rounds; // of the body that it is in; of its own
  int64_t begin, end;
} run;

struct agpu__body_runs {
  size_t count; // nodes
  run *runs;
  size_t run_count, capacity;
  uint64_t left_out;
  inner nodes[]; // the first is around all
};

agpu__body_runs *agpu__body_runs_create(const agpu__traced_node *nodes,
                                        uint64_t first) {
  size_t count = nodes[0].inside + 1;
  if (count == 1)
    return NULL;
  agpu__body_runs *of =
      agpu__memory_alloc((int64_t)(sizeof *of + count * sizeof(inner)),
                         _Alignof(agpu__body_runs), "a trace of a loop");
  *of = (agpu__body_runs){.count = count};
  for (size_t i = 0; i < count; ++i) {
    of->nodes[i] = (inner){.item = nodes[i].item};
    of->nodes[i].item.id = first + i;
  }
  // The innermost node around each comes last.
  for (size_t i = 0; i < count; ++i)
    for (size_t k = 1; k <= nodes[i].inside; ++k)
      of->nodes[i + k].around = i;
  return of;
}

void agpu__body_runs_free(agpu__body_runs *of) {
  if (of)
    agpu__memory_free(of->runs);
  agpu__memory_free(of);
}

size_t agpu__body_runs_inside(const agpu__body_runs *of) {
  return of ? of->count - 1 : 0;
}

void agpu__body_runs_add(agpu__body_runs *of, uint64_t work, uint64_t round,
                         int64_t begin, int64_t end) {
  size_t node = (size_t)(work - of->nodes[0].item.id);
  inner *ran = &of->nodes[node];
  of->nodes[ran->around].rounds = round;
  run added = {node, round, ran->rounds, begin, end};
  ran->rounds = 0;
  uint64_t limit = agpu__trace_rings_limit(); // 0: none
  // What is around the last one that is shown is shown, too.
  bool is_around = of->run_count && begin <= of->runs[of->run_count - 1].begin;
  if (limit && of->run_count >= (limit + PART - 1) / PART && !is_around) {
    ++of->left_out;
    return;
  }
  of->runs = agpu__memory_grow(of->runs, &of->capacity, of->run_count + 1,
                               sizeof(run), "a trace of a loop");
  of->runs[of->run_count++] = added;
}

void agpu__body_runs_count(const agpu__body_runs *of, bool is_shown,
                           uint64_t *out_rounds, uint64_t *out_left_out) {
  *out_rounds = of->nodes[0].rounds;
  *out_left_out = of->left_out + (is_shown ? 0 : of->run_count);
}

uint64_t agpu__traced_third(const agpu__stream_item *of, uint64_t length) {
  if (of->kind != AGPU__TRACE_COPY && of->kind != AGPU__TRACE_FILL)
    return of->third;
  return length ? (uint64_t)((double)of->second * 1e9 / (double)length) : 0;
}

/// By begin; nodes around others, which have lower numbers, first.
static int compare(const void *first, const void *second) {
  const run *a = first, *b = second;
  int order = (a->begin > b->begin) - (a->begin < b->begin);
  return order ? order : (a->node > b->node) - (a->node < b->node);
}

static void write(const inner *of, const run *ran, uint32_t track) {
  static const agpu__trace_kind kinds[AGPU__TRACE_KIND_COUNT] = {
      [AGPU__TRACE_KERNEL] = AGPU__TRACE_BODY_KERNEL,
      [AGPU__TRACE_COPY] = AGPU__TRACE_BODY_COPY,
      [AGPU__TRACE_FILL] = AGPU__TRACE_BODY_FILL,
      [AGPU__TRACE_CONDITIONAL] = AGPU__TRACE_BODY_CONDITIONAL};
  uint64_t length = (uint64_t)(ran->end - ran->begin);
  bool is_conditional = of->item.kind == AGPU__TRACE_CONDITIONAL;
  agpu__trace_record_at(track, ran->begin, kinds[of->item.kind], of->item.id,
                        ran->round, of->item.name, length,
                        is_conditional ? ran->rounds : of->item.second,
                        agpu__traced_third(&of->item, length));
}

void agpu__body_runs_write(agpu__body_runs *of, uint32_t track) {
  qsort(of->runs, of->run_count, sizeof *of->runs, compare);
  for (size_t i = 0; i < of->run_count; ++i)
    write(&of->nodes[of->runs[i].node], &of->runs[i], track);
}
