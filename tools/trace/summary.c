//===- summary.c - What a profile says ------------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rows are slices of one label, added up. The critical path is walked through
// once, and its parts are what is on it of one label; what each would gain is
// the graph's to say. How long devices were busy, and what went on beside that,
// comes out of all begins and ends in the order of time.
//
//===----------------------------------------------------------------------===//

#include "trace/summary.h"

#include "trace/build.h"
#include "trace/sort.h"

/// Delays up to that, in ns, are none: arrows end that far inside of slices.
#define SLACK 1

/// Parts of the path whose gain is worked out: the longest.
#define GAINS 64

/// Something of a host, or of a stream, begins or ends.
typedef struct change {
  int64_t time;
  bool is_host, is_begin;
} change;

static bool is_change_before(const void *first, const void *second) {
  return ((const change *)first)->time < ((const change *)second)->time;
}

static bool is_row_before(const void *first, const void *second) {
  const agpu__summary_row *a = first, *b = second;
  return a->total != b->total ? a->total > b->total : a->label < b->label;
}

static bool is_part_before(const void *first, const void *second) {
  const agpu__summary_part *a = first, *b = second;
  if (a->time != b->time)
    return a->time > b->time;
  return a->is_delay != b->is_delay ? b->is_delay : a->what < b->what;
}

static void *add(agpu__summary *self, agpu__trace_array *to, size_t size) {
  void *added = agpu__trace_array_add(to, size);
  self->is_incomplete |= !added;
  return added;
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

/// One for each label, in their order.
static bool make_rows(agpu__summary *self, const agpu__timeline *run) {
  for (size_t i = 0; i < run->labels.count; ++i) {
    agpu__summary_row *row = add(self, &self->rows, sizeof *row);
    if (!row)
      return false;
    *row = (agpu__summary_row){.label = (uint32_t)i, .least = INT64_MAX};
  }
  agpu__summary_row *rows = self->rows.data;
  for (size_t i = 0; i < run->slices.count; ++i) {
    const agpu__timeline_slice *slice = &agpu__timeline_slices(run)[i];
    if (slice->kind == AGPU__TIMELINE_PROGRAM)
      continue; // around all else: its own time is in pieces
    agpu__summary_row *row = &rows[slice->label];
    int64_t length = slice->end - slice->begin;
    bool is_region = slice->kind == AGPU__TIMELINE_REGION;
    row->count += !is_region || slice->part <= 1;
    row->total += is_region ? 0 : length;
    row->least = length < row->least ? length : row->least;
    row->most = length > row->most ? length : row->most;
    row->bytes += slice->bytes;
    row->late += slice->late;
  }
  return true;
}

/// The time that regions and threads ran themselves: of their pieces.
static void add_pieces(agpu__summary *self, const agpu__timeline *run,
                       const agpu__graph *graph) {
  agpu__summary_row *rows = self->rows.data;
  for (uint32_t i = 0; i < agpu__graph_count(graph); ++i) {
    uint32_t label = agpu__graph_label(graph, i);
    agpu__timeline_kind kind = agpu__timeline_labels(run)[label].kind;
    if (kind == AGPU__TIMELINE_REGION || kind == AGPU__TIMELINE_PROGRAM)
      rows[label].total +=
          agpu__graph_end(graph, i) - agpu__graph_begin(graph, i);
  }
}

//===----------------------------------------------------------------------===//
// Overlap
//===----------------------------------------------------------------------===//

static void add_changes(agpu__summary *self, agpu__trace_array *changes,
                        int64_t begin, int64_t end, bool is_host) {
  for (int i = 0; i < 2 && begin < end; ++i) {
    change *added = add(self, changes, sizeof *added);
    if (added)
      *added = (change){i ? end : begin, is_host, i == 0};
  }
}

static void measure_overlap(agpu__summary *self, const agpu__timeline *run,
                            const agpu__graph *graph) {
  agpu__trace_array changes = {.data = NULL};
  for (uint32_t i = 0; i < agpu__graph_count(graph); ++i) {
    agpu__timeline_kind kind =
        agpu__timeline_labels(run)[agpu__graph_label(graph, i)].kind;
    bool is_work = agpu__timeline_is_work(kind);
    if (is_work || kind == AGPU__TIMELINE_REGION ||
        kind == AGPU__TIMELINE_PROGRAM || kind == AGPU__TIMELINE_MODULE)
      add_changes(self, &changes, agpu__graph_begin(graph, i),
                  agpu__graph_end(graph, i), !is_work);
  }
  agpu__array_sort(&changes, sizeof(change), is_change_before);
  const change *at = changes.data;
  int64_t hosts = 0, streams = 0;
  for (size_t i = 0; i + 1 < changes.count; ++i) {
    int64_t *of = at[i].is_host ? &hosts : &streams;
    *of += at[i].is_begin ? 1 : -1;
    int64_t length = at[i + 1].time - at[i].time;
    self->busy += streams > 0 ? length : 0;
    self->beside_host += streams > 0 && hosts > 0 ? length : 0;
    self->beside_stream += streams > 1 ? length : 0;
    self->beside_any += streams > 1 || (streams && hosts > 0) ? length : 0;
  }
  agpu__trace_array_free(&changes, sizeof(change));
}

//===----------------------------------------------------------------------===//
// The critical path
//===----------------------------------------------------------------------===//

static void add_step(agpu__summary *self, bool is_delay, uint32_t what,
                     int64_t begin, int64_t time) {
  agpu__summary_step *last =
      self->steps.count
          ? (agpu__summary_step *)self->steps.data + self->steps.count - 1
          : NULL;
  // Backwards: the last one added comes after.
  if (last && last->is_delay == is_delay && last->what == what) {
    last->begin = begin;
    last->time += time;
    return;
  }
  agpu__summary_step *added = add(self, &self->steps, sizeof *added);
  if (added)
    *added = (agpu__summary_step){is_delay, what, begin, time};
}

static void reverse_steps(agpu__summary *self) {
  agpu__summary_step *steps = self->steps.data;
  for (size_t i = 0, j = self->steps.count; i + 1 < j; ++i) {
    agpu__summary_step first = steps[i];
    steps[i] = steps[--j];
    steps[j] = first;
  }
}

static void make_steps(agpu__summary *self, const agpu__timeline *run,
                       const agpu__graph *graph,
                       const agpu__trace_array *slices) {
  bool *critical = self->critical.data;
  for (uint32_t at = agpu__graph_last(graph); at != AGPU__GRAPH_NONE;) {
    int64_t begin = agpu__graph_begin(graph, at), delay = 0;
    int64_t time = agpu__graph_end(graph, at) - begin;
    uint32_t slice = ((const uint32_t *)slices->data)[at];
    if (slice != AGPU__GRAPH_NONE && time)
      critical[agpu__timeline_slices(run)[slice].number] = true;
    if (time)
      add_step(self, false, agpu__graph_label(graph, at), begin, time);
    agpu__graph_edge kind = AGPU__GRAPH_PROGRAM;
    at = agpu__graph_before(graph, at, &kind, &delay);
    if (at == AGPU__GRAPH_NONE) {
      kind = AGPU__GRAPH_START;
      delay = begin - self->begin;
    }
    if (delay > SLACK || delay < -SLACK)
      add_step(self, true, kind, begin - delay, delay);
  }
  reverse_steps(self);
}

static void make_parts(agpu__summary *self) {
  const agpu__summary_step *steps = self->steps.data;
  agpu__trace_table known = {.count = 0};
  for (size_t i = 0; i < self->steps.count; ++i) {
    uint64_t key = 1 + 2 * (uint64_t)steps[i].what + steps[i].is_delay;
    uint64_t *index = agpu__trace_table_add(&known, key);
    agpu__summary_part *part =
        index && *index ? (agpu__summary_part *)self->parts.data + *index - 1
                        : add(self, &self->parts, sizeof *part);
    if (!part)
      break;
    self->is_incomplete |= !index;
    if (index)
      *index = (uint64_t)(part - (agpu__summary_part *)self->parts.data) + 1;
    part->is_delay = steps[i].is_delay;
    part->what = steps[i].what;
    part->time += steps[i].time;
    ++part->count;
  }
  agpu__trace_table_free(&known);
  agpu__array_sort(&self->parts, sizeof(agpu__summary_part), is_part_before);
}

static void find_gains(agpu__summary *self, agpu__graph *graph) {
  agpu__summary_part *parts = self->parts.data;
  for (size_t i = 0; i < self->parts.count && i < GAINS; ++i) {
    agpu__graph_without without = {
        .label = parts[i].is_delay ? AGPU__GRAPH_NONE : parts[i].what,
        .delay = parts[i].is_delay ? parts[i].what : AGPU__GRAPH_NONE};
    if (without.delay == AGPU__GRAPH_START)
      continue;
    parts[i].gain = self->span - agpu__graph_imagine(graph, without);
    parts[i].has_gain = true;
  }
}

//===----------------------------------------------------------------------===//
// Ranks
//===----------------------------------------------------------------------===//

/// The rank of a label; NULL: it has none, or memory is out.
static agpu__summary_rank *rank_of(agpu__summary *self,
                                   const agpu__timeline *run, uint32_t label) {
  int32_t rank = agpu__timeline_labels(run)[label].rank;
  for (size_t i = 0; i < self->ranks.count; ++i)
    if (((agpu__summary_rank *)self->ranks.data)[i].rank == rank)
      return (agpu__summary_rank *)self->ranks.data + i;
  agpu__summary_rank *added =
      rank < 0 ? NULL : add(self, &self->ranks, sizeof *added);
  if (added)
    added->rank = rank;
  return added;
}

static bool is_rank_before(const void *first, const void *second) {
  return ((const agpu__summary_rank *)first)->rank <
         ((const agpu__summary_rank *)second)->rank;
}

static void add_ranks(agpu__summary *self, const agpu__timeline *run) {
  const agpu__summary_row *rows = self->rows.data;
  for (size_t i = 0; run->is_joined && i < self->rows.count; ++i) {
    agpu__timeline_kind kind = agpu__timeline_labels(run)[rows[i].label].kind;
    agpu__summary_rank *rank = rank_of(self, run, rows[i].label);
    bool is_own =
        kind == AGPU__TIMELINE_REGION || kind == AGPU__TIMELINE_PROGRAM;
    if (!rank)
      continue;
    rank->host += is_own ? rows[i].total : 0;
    rank->late += rows[i].late;
  }
  const agpu__summary_step *steps = self->steps.data;
  for (size_t i = 0; run->is_joined && i < self->steps.count; ++i) {
    agpu__summary_rank *rank =
        steps[i].is_delay ? NULL : rank_of(self, run, steps[i].what);
    if (rank)
      rank->critical += steps[i].time;
  }
  agpu__array_sort(&self->ranks, sizeof(agpu__summary_rank), is_rank_before);
}

//===----------------------------------------------------------------------===//
// All of it
//===----------------------------------------------------------------------===//

/// Tracks that have an activity which takes time.
static void count_tracks(agpu__summary *self, const agpu__timeline *run,
                         const agpu__graph *graph,
                         const agpu__trace_array *slices) {
  const agpu__timeline_slice *before = NULL;
  bool has_program = false;
  for (uint32_t i = 0; i < agpu__graph_count(graph); ++i) {
    uint32_t slice = ((const uint32_t *)slices->data)[i];
    has_program |=
        agpu__timeline_labels(run)[agpu__graph_label(graph, i)].kind ==
            AGPU__TIMELINE_PROGRAM &&
        slice == AGPU__GRAPH_NONE;
    const agpu__timeline_slice *of =
        slice == AGPU__GRAPH_NONE ? NULL : &agpu__timeline_slices(run)[slice];
    if (!of || agpu__graph_end(graph, i) == agpu__graph_begin(graph, i) ||
        (before && of->track.group == before->track.group &&
         of->track.track == before->track.track))
      continue;
    before = of;
    if (agpu__timeline_is_host(of->track))
      ++self->threads;
    else if (!agpu__timeline_is_lane(of->track))
      ++self->streams;
  }
  if (has_program && !self->threads)
    self->threads = 1;
}

void agpu__summary_make(agpu__summary *self, agpu__timeline *run) {
  *self = (agpu__summary){.begin = 0};
  agpu__graph graph = {.order = NULL};
  agpu__trace_array slices = {.data = NULL};
  bool is_built = agpu__graph_build(&graph, run, &slices) &&
                  agpu__graph_finish(&graph, &self->left_out);
  self->is_incomplete = !is_built || graph.is_incomplete || run->is_incomplete;
  if (is_built && make_rows(self, run) &&
      agpu__trace_array_reserve(&self->critical, sizeof(bool),
                                run->slices.count + 1)) {
    self->critical.count = run->slices.count;
    add_pieces(self, run, &graph);
    agpu__array_sort(&self->rows, sizeof(agpu__summary_row), is_row_before);
    count_tracks(self, run, &graph, &slices);
    measure_overlap(self, run, &graph);
    self->span = agpu__graph_span(&graph);
    uint32_t last = agpu__graph_last(&graph);
    if (last != AGPU__GRAPH_NONE)
      self->begin = agpu__graph_end(&graph, last) - self->span;
    make_steps(self, run, &graph, &slices);
    make_parts(self);
    add_ranks(self, run);
    find_gains(self, &graph);
    self->work = agpu__graph_imagine(
        &graph, (agpu__graph_without){.label = AGPU__GRAPH_NONE,
                                      .delay = AGPU__GRAPH_NONE,
                                      .all_delays = true});
  } else {
    self->is_incomplete = true;
  }
  agpu__trace_array_free(&slices, sizeof(uint32_t));
  agpu__graph_free(&graph);
}

void agpu__summary_free(agpu__summary *self) {
  agpu__trace_array_free(&self->rows, sizeof(agpu__summary_row));
  agpu__trace_array_free(&self->parts, sizeof(agpu__summary_part));
  agpu__trace_array_free(&self->steps, sizeof(agpu__summary_step));
  agpu__trace_array_free(&self->ranks, sizeof(agpu__summary_rank));
  agpu__trace_array_free(&self->critical, sizeof(bool));
}
