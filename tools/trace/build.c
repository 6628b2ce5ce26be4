//===- build.c - The graph of a run ---------------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A thread is cut into pieces wherever a slice begins or ends and wherever an
// arrow does, so that arrows are edges between pieces. A piece is of the
// innermost slice that is about something that runs; calls that enqueue work
// are part of who makes them. Where a thread waits, or has nothing to do, no
// time is spent: arrows have a piece there that takes none. What a thread does
// between two arrows is in order, as long as it does something.
//
// On a stream, each piece of work, record and wait for an event is an activity,
// in order; records and waits take no time. Loops and branches of the device
// have as pieces what their bodies run, and what lies between.
//
// Pieces of a track have consecutive numbers, in the order of their times.
//
//===----------------------------------------------------------------------===//

#include "trace/build.h"

#include "trace/sort.h"

#include <string.h>

#define NONE AGPU__GRAPH_NONE

/// Slices inside each other, at most; deeper ones count as part of those.
#define DEPTH 1024

typedef struct track {
  agpu__emit_track id;
  uint32_t first, end; // pieces
} track;

/// A point where a thread is cut.
typedef struct cut {
  agpu__emit_track track;
  int64_t time;
  bool is_in; // an arrow ends there; else one begins
} cut;

/// What is known of a slice of a region.
typedef struct part {
  uint64_t run, number;
  uint32_t first, last; // pieces
  uint32_t before;      // the thread's last piece before it was free
} part;

typedef struct builder {
  agpu__graph *graph;
  agpu__timeline *run;
  agpu__trace_array *slices;
  agpu__trace_array tracks, cuts, parts;
  bool failed;
} builder;

//===----------------------------------------------------------------------===//
// Orders
//===----------------------------------------------------------------------===//

static int compare_numbers(uint64_t a, uint64_t b) { return (a > b) - (a < b); }
static int compare_times(int64_t a, int64_t b) { return (a > b) - (a < b); }

static int compare_tracks(agpu__emit_track a, agpu__emit_track b) {
  int groups = compare_numbers(a.group, b.group);
  return groups ? groups : compare_numbers(a.track, b.track);
}

/// By track and time, those around others first.
static bool is_slice_before(const void *first, const void *second) {
  const agpu__timeline_slice *a = first, *b = second;
  int order = compare_tracks(a->track, b->track);
  if (!order)
    order = compare_times(a->begin, b->begin);
  // On a stream, what is emitted first comes first.
  if (!order && agpu__timeline_is_host(a->track))
    order = compare_times(b->end, a->end);
  // Slices are emitted when they end: the outer one later.
  if (!order)
    order = agpu__timeline_is_host(a->track)
                ? compare_numbers(b->number, a->number)
                : compare_numbers(a->number, b->number);
  return order < 0;
}

static bool is_cut_before(const void *first, const void *second) {
  const cut *a = first, *b = second;
  int order = compare_tracks(a->track, b->track);
  if (!order)
    order = compare_times(a->time, b->time);
  return order ? order < 0 : a->is_in && !b->is_in;
}

static bool is_part_before(const void *first, const void *second) {
  const part *a = first, *b = second;
  int order = compare_numbers(a->run, b->run);
  return (order ? order : compare_numbers(a->number, b->number)) < 0;
}

//===----------------------------------------------------------------------===//
// Pieces
//===----------------------------------------------------------------------===//

static uint32_t add_piece(builder *self, int64_t begin, int64_t end,
                          uint32_t label, uint32_t slice) {
  uint32_t added = agpu__graph_add(self->graph, begin, end, label);
  uint32_t *of =
      added == NONE ? NULL : agpu__trace_array_add(self->slices, sizeof *of);
  if (of)
    *of = slice;
  else
    self->failed = true;
  return added;
}

static void connect(builder *self, uint32_t from, uint32_t to,
                    agpu__graph_edge kind) {
  agpu__graph_connect(self->graph, from, to, kind);
}

/// A thread while its slices are gone through.
typedef struct thread {
  agpu__emit_track track;
  uint32_t root; // label of what it does outside of slices; NONE: nothing
  uint32_t idle; // label of what takes no time
  int64_t time;  // so far
  const cut *next, *end; // those that are not behind
  uint32_t stack[DEPTH]; // slices
  size_t depth;
  uint32_t last;    // piece; NONE: none yet
  bool is_free;     // it has had nothing to do since
  uint32_t learned; // the first of the pieces that what comes next is behind
  uint32_t parts[DEPTH]; // of the slices on the stack; NONE: it is no region
} thread;

/// Whether time in it is that of the slice around it.
static bool is_transparent(agpu__timeline_kind kind) {
  return kind == AGPU__TIMELINE_ENQUEUE || kind == AGPU__TIMELINE_LEARN ||
         kind == AGPU__TIMELINE_OTHER || kind == AGPU__TIMELINE_PROGRAM;
}

/// Behind the last piece; and all regions that the thread is in have it.
static void note_piece(builder *self, thread *on, uint32_t piece) {
  on->last = piece;
  on->is_free = false;
  for (size_t i = 0; i < on->depth; ++i) {
    if (on->parts[i] == NONE)
      continue;
    part *of = (part *)self->parts.data + on->parts[i];
    of->first = of->first == NONE ? piece : of->first;
    of->last = piece;
  }
}

/// A piece that takes no time, for arrows, while the thread does nothing. What
/// begins there is behind all that the thread has learned since something
/// last began there.
static void add_idle_piece(builder *self, thread *on, const cut *at,
                           bool waits) {
  uint32_t piece = add_piece(self, at->time, at->time, on->idle, NONE);
  if (waits) { // in a slice
    connect(self, on->last, piece, AGPU__GRAPH_PROGRAM);
    note_piece(self, on, piece);
    return;
  }
  if (at->is_in) {
    on->learned = on->learned == NONE ? piece : on->learned;
  } else if (on->learned != NONE && piece != NONE) {
    for (uint32_t i = on->learned; i < piece; ++i)
      connect(self, i, piece, AGPU__GRAPH_PROGRAM);
    on->learned = NONE;
  }
}

/// The thread's pieces up to `time`.
static void advance(builder *self, thread *on, int64_t time) {
  uint32_t owner = on->depth ? on->stack[on->depth - 1] : NONE;
  const agpu__timeline_slice *slice =
      owner == NONE ? NULL : &agpu__timeline_slices(self->run)[owner];
  bool waits = slice && slice->kind == AGPU__TIMELINE_WAIT;
  uint32_t label = slice ? slice->label : on->root;
  bool is_busy = !waits && label != NONE;
  if (!is_busy && !waits && on->time < time)
    on->is_free = true;
  // Where something begins that takes time, that is what an arrow is about.
  int64_t cuts_end = is_busy ? time : time - 1;
  for (;;) {
    bool is_cut = on->next < on->end && on->next->time <= cuts_end;
    if (on->time >= time && !is_cut)
      return;
    int64_t until = is_cut ? on->next->time : time;
    if (is_busy && until > on->time) {
      uint32_t piece = add_piece(self, on->time, until, label, owner);
      if (!on->is_free)
        connect(self, on->last, piece, AGPU__GRAPH_PROGRAM);
      note_piece(self, on, piece);
    } else if (is_cut && !is_busy) {
      add_idle_piece(self, on, on->next, waits);
    }
    on->time = until;
    for (const cut *at = on->next; is_cut && on->next < on->end &&
                                   on->next->time == at->time &&
                                   (is_busy || on->next->is_in == at->is_in);)
      ++on->next;
  }
}

static void enter(builder *self, thread *on, uint32_t index) {
  const agpu__timeline_slice *slice = &agpu__timeline_slices(self->run)[index];
  if (is_transparent(slice->kind) || on->depth == DEPTH)
    return;
  on->parts[on->depth] = NONE;
  if (slice->kind == AGPU__TIMELINE_REGION) {
    part *of = agpu__trace_array_add(&self->parts, sizeof *of);
    if (of) {
      on->parts[on->depth] = (uint32_t)self->parts.count - 1;
      *of = (part){.run = slice->run,
                   .number = slice->part,
                   .first = NONE,
                   .last = NONE,
                   .before = on->depth ? NONE : on->last};
    } else {
      self->failed = true;
    }
    // What runs on its own begins for a reason of its own.
    if (on->depth == 0 && on->root == NONE)
      on->is_free = true;
  }
  on->stack[on->depth++] = index;
}

/// The innermost slice that the thread is in.
static const agpu__timeline_slice *get_top(const builder *self,
                                           const thread *on) {
  return &agpu__timeline_slices(self->run)[on->stack[on->depth - 1]];
}

static void leave(builder *self, thread *on) {
  uint32_t index = on->stack[on->depth - 1];
  const agpu__timeline_slice *slice = get_top(self, on);
  advance(self, on, slice->end);
  uint32_t number = on->parts[on->depth - 1];
  if (number != NONE &&
      ((part *)self->parts.data)[number].first == NONE) { // took no time
    uint32_t piece =
        add_piece(self, slice->begin, slice->begin, slice->label, index);
    if (!on->is_free)
      connect(self, on->last, piece, AGPU__GRAPH_PROGRAM);
    note_piece(self, on, piece);
  }
  --on->depth;
}

static const char *get_name(const agpu__timeline *run, agpu__emit_track id) {
  const agpu__timeline_track *tracks = run->tracks.data;
  for (size_t i = 0; i < run->tracks.count; ++i)
    if (!compare_tracks(tracks[i].track, id) && tracks[i].name)
      return tracks[i].name;
  return "thread";
}

/// Of slices `first` up to `end`, a thread's.
static void build_thread(builder *self, thread *on, size_t first, size_t end) {
  const char *name = get_name(self->run, on->track);
  // Threads of the runtime do nothing outside of slices.
  bool is_own = strncmp(name, "agpu-", 5) == 0;
  on->idle = agpu__timeline_add_label(self->run, AGPU__TIMELINE_RUNTIME, name,
                                      on->track);
  on->root = is_own ? NONE
                    : agpu__timeline_add_label(
                          self->run, AGPU__TIMELINE_PROGRAM, name, on->track);
  if (on->idle == AGPU__TIMELINE_NO_LABEL ||
      (!is_own && on->root == AGPU__TIMELINE_NO_LABEL)) {
    self->failed = true;
    return;
  }
  on->last = on->learned = NONE;
  on->time = first < end ? agpu__timeline_slices(self->run)[first].begin
                         : on->next->time;
  if (on->next < on->end && on->next->time < on->time)
    on->time = on->next->time;
  on->depth = 0;
  on->is_free = true;
  // For arrows that begin where it does.
  if (on->root != NONE)
    note_piece(self, on, add_piece(self, on->time, on->time, on->root, NONE));
  int64_t until = on->time;
  for (size_t i = first; i < end; ++i) {
    const agpu__timeline_slice *next = &agpu__timeline_slices(self->run)[i];
    int64_t begin = next->begin, finish = next->end;
    until = finish > until ? finish : until;
    while (on->depth) {
      int64_t around = get_top(self, on)->end;
      // What takes no time may be the last thing in the slice.
      if (around > begin || (around == begin && finish == begin))
        break;
      leave(self, on);
    }
    advance(self, on, begin);
    enter(self, on, (uint32_t)i);
  }
  while (on->depth)
    leave(self, on);
  if (on->next < on->end && (on->end - 1)->time > until)
    until = (on->end - 1)->time;
  advance(self, on, on->root == NONE ? until + 1 : until);
}

/// The next piece of a stream.
static void add_next(builder *self, thread *on, int64_t begin, int64_t end,
                     uint32_t slice) {
  uint32_t piece = add_piece(
      self, begin, end, agpu__timeline_slices(self->run)[slice].label, slice);
  connect(self, on->last, piece, AGPU__GRAPH_STREAM);
  on->last = piece;
  on->time = end;
}

/// The stream's loops and branches up to `time`, without those that are over.
static void advance_bodies(builder *self, thread *on, int64_t time) {
  while (on->depth) {
    const agpu__timeline_slice *top = get_top(self, on);
    bool is_over = top->end <= time;
    int64_t until = is_over ? top->end : time;
    // One that takes no time is a piece, too.
    if (until > on->time || top->begin == top->end)
      add_next(self, on, on->time, until, on->stack[on->depth - 1]);
    if (!is_over)
      return;
    --on->depth;
  }
}

/// A stream's.
static void build_stream(builder *self, thread *on, size_t first, size_t end) {
  on->last = NONE;
  on->depth = 0;
  for (size_t i = first; i < end; ++i) {
    const agpu__timeline_slice *slice = &agpu__timeline_slices(self->run)[i];
    bool takes_time = agpu__timeline_is_work(slice->kind);
    if (!takes_time && slice->kind != AGPU__TIMELINE_RECORD &&
        slice->kind != AGPU__TIMELINE_STREAM_WAIT)
      continue; // what is about these
    int64_t begin = takes_time ? slice->begin : slice->end;
    advance_bodies(self, on, begin);
    if (slice->kind != AGPU__TIMELINE_CONDITIONAL || on->depth == DEPTH) {
      add_next(self, on, begin, slice->end, (uint32_t)i);
      continue;
    }
    on->stack[on->depth++] = (uint32_t)i;
    on->time = begin;
  }
  advance_bodies(self, on, INT64_MAX);
}

/// Of requests of MPI: each is on its way from when both sides have begun it.
static void build_lane(builder *self, size_t first, size_t end) {
  for (size_t i = first; i < end; ++i) {
    const agpu__timeline_slice *slice = &agpu__timeline_slices(self->run)[i];
    (void)add_piece(self, slice->begin + slice->late, slice->end, slice->label,
                    (uint32_t)i);
  }
}

//===----------------------------------------------------------------------===//
// Edges between tracks
//===----------------------------------------------------------------------===//

static const track *find_track(const builder *self, agpu__emit_track id) {
  const track *tracks = self->tracks.data;
  for (size_t i = 0; i < self->tracks.count; ++i)
    if (!compare_tracks(tracks[i].id, id))
      return &tracks[i];
  return NULL;
}

/// The first piece of a track that begins at `time` or later, or its end.
static uint32_t find_begin(const builder *self, const track *on, int64_t time) {
  uint32_t low = on->first, high = on->end;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (agpu__graph_begin(self->graph, middle) < time)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static agpu__timeline_kind get_kind(const builder *self, uint32_t piece) {
  uint32_t slice = ((const uint32_t *)self->slices->data)[piece];
  return slice == NONE ? AGPU__TIMELINE_RUNTIME
                       : agpu__timeline_slices(self->run)[slice].kind;
}

/// The piece that an arrow begins at: the last one that has ended.
static uint32_t find_from(const builder *self, agpu__emit_point at) {
  const track *on = find_track(self, at.track);
  if (!on)
    return NONE;
  uint32_t next = find_begin(self, on, at.time);
  bool is_host = agpu__timeline_is_host(at.track);
  if (agpu__timeline_is_lane(at.track)) // it says when the request began
    return next < on->end ? next : NONE;
  // Those that take no time, at the time itself.
  for (uint32_t i = next;
       i < on->end && agpu__graph_begin(self->graph, i) == at.time; ++i)
    if (agpu__graph_end(self->graph, i) == at.time &&
        (is_host || get_kind(self, i) == AGPU__TIMELINE_RECORD))
      return i;
  return is_host && next > on->first ? next - 1 : NONE;
}

/// The piece that an arrow ends at.
static uint32_t find_to(const builder *self, agpu__emit_point at) {
  const track *on = find_track(self, at.track);
  if (!on)
    return NONE;
  uint32_t next = find_begin(self, on, at.time);
  // On a stream, no arrow ends at a record.
  while (next < on->end && !agpu__timeline_is_host(at.track) &&
         get_kind(self, next) == AGPU__TIMELINE_RECORD)
    ++next;
  return next < on->end ? next : NONE;
}

static agpu__graph_edge get_edge(const agpu__timeline_arrow *arrow,
                                 bool is_work) {
  if (agpu__timeline_is_lane(arrow->from.track) ||
      agpu__timeline_is_lane(arrow->to.track))
    return AGPU__GRAPH_MESSAGE;
  if (!agpu__timeline_is_host(arrow->to.track))
    return is_work ? AGPU__GRAPH_LAUNCH : AGPU__GRAPH_EVENT;
  if (!agpu__timeline_is_host(arrow->from.track))
    return AGPU__GRAPH_COMPLETION;
  return strcmp(arrow->kind, "spawn") == 0 ? AGPU__GRAPH_SPAWN
                                           : AGPU__GRAPH_AWAIT;
}

/// Arrows, and who was ready while the thread it ran on had something else to
/// do.
static void connect_arrows(builder *self) {
  const agpu__timeline_arrow *arrows = self->run->arrows.data;
  agpu__trace_table ready = {.count =
                                 0}; // piece + 1: when an arrow to it began
  for (size_t i = 0; i < self->run->arrows.count; ++i) {
    uint32_t from = find_from(self, arrows[i].from);
    uint32_t to = find_to(self, arrows[i].to);
    if (to == NONE)
      continue;
    connect(self, from, to,
            get_edge(&arrows[i], agpu__timeline_is_work(get_kind(self, to))));
    uint64_t *time = agpu__trace_table_add(&ready, (uint64_t)to + 1);
    if (time)
      *time = (uint64_t)arrows[i].from.time;
    else
      self->failed = true;
  }
  const part *parts = self->parts.data;
  for (size_t i = 0; i < self->parts.count; ++i) {
    const uint64_t *time =
        parts[i].before == NONE || parts[i].first == NONE
            ? NULL
            : agpu__trace_table_find(&ready, (uint64_t)parts[i].first + 1);
    if (time && (int64_t)*time < agpu__graph_end(self->graph, parts[i].before))
      connect(self, parts[i].before, parts[i].first, AGPU__GRAPH_WORKER);
  }
  agpu__trace_table_free(&ready);
}

/// A region goes on behind where it was suspended.
static void connect_parts(builder *self) {
  agpu__array_sort(&self->parts, sizeof(part), is_part_before);
  const part *parts = self->parts.data;
  for (size_t i = 1; i < self->parts.count; ++i)
    if (parts[i].run && parts[i].run == parts[i - 1].run)
      connect(self, parts[i - 1].last, parts[i].first, AGPU__GRAPH_PROGRAM);
}

static void add_cuts(builder *self) {
  const agpu__timeline_arrow *arrows = self->run->arrows.data;
  for (size_t i = 0; i < 2 * self->run->arrows.count; ++i) {
    const agpu__emit_point *at =
        i % 2 ? &arrows[i / 2].to : &arrows[i / 2].from;
    cut *added = agpu__timeline_is_host(at->track)
                     ? agpu__trace_array_add(&self->cuts, sizeof *added)
                     : NULL;
    if (added)
      *added = (cut){at->track, at->time, i % 2 == 1};
    else if (agpu__timeline_is_host(at->track))
      self->failed = true;
  }
  agpu__array_sort(&self->cuts, sizeof(cut), is_cut_before);
}

static void build_tracks(builder *self, thread *on) {
  const agpu__timeline *run = self->run;
  const cut *cuts = self->cuts.data;
  size_t slice = 0, at = 0;
  while (slice < run->slices.count || at < self->cuts.count) {
    // Both are sorted by tracks.
    agpu__emit_track id =
        slice == run->slices.count ? cuts[at].track
        : at == self->cuts.count ||
                compare_tracks(agpu__timeline_slices(run)[slice].track,
                               cuts[at].track) < 0
            ? agpu__timeline_slices(run)[slice].track
            : cuts[at].track;
    size_t slices_end = slice, cuts_end = at;
    while (slices_end < run->slices.count &&
           !compare_tracks(agpu__timeline_slices(run)[slices_end].track, id))
      ++slices_end;
    while (cuts_end < self->cuts.count &&
           !compare_tracks(cuts[cuts_end].track, id))
      ++cuts_end;
    track *added = agpu__trace_array_add(&self->tracks, sizeof *added);
    if (!added) {
      self->failed = true;
      return;
    }
    added->id = id;
    added->first = (uint32_t)agpu__graph_count(self->graph);
    on->track = id;
    on->next = cuts + at;
    on->end = cuts + cuts_end;
    if (agpu__timeline_is_host(id))
      build_thread(self, on, slice, slices_end);
    else if (agpu__timeline_is_lane(id))
      build_lane(self, slice, slices_end);
    else
      build_stream(self, on, slice, slices_end);
    added->end = (uint32_t)agpu__graph_count(self->graph);
    slice = slices_end;
    at = cuts_end;
  }
}

bool agpu__graph_build(agpu__graph *graph, agpu__timeline *run,
                       agpu__trace_array *slices) {
  builder self = {.graph = graph, .run = run, .slices = slices};
  thread *on = agpu__trace_map(sizeof *on);
  if (!on)
    return false;
  agpu__array_sort(&run->slices, sizeof(agpu__timeline_slice), is_slice_before);
  add_cuts(&self);
  build_tracks(&self, on);
  if (!self.failed) {
    connect_arrows(&self);
    connect_parts(&self);
  }
  agpu__trace_unmap(on, sizeof *on);
  agpu__trace_array_free(&self.tracks, sizeof(track));
  agpu__trace_array_free(&self.cuts, sizeof(cut));
  agpu__trace_array_free(&self.parts, sizeof(part));
  return !self.failed;
}
