//===- clocks.c - Clocks of ranks, aligned --------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Offsets o(i) of the ranks' clocks satisfy o(to) - o(from) <= end - begin for
// each bound: difference constraints. With D(i, j) the length of a shortest
// path over the least bounds, o(j) - o(0) lies between -D(j, 0) and D(0, j),
// and the middles satisfy all constraints together: by the triangle inequality
// (D(0, j) - D(j, 0)) / 2 exceeds the same of i by at most the bound from i to
// j. A cycle of negative length says that no constant offsets do. See Duda et
// al., "Estimating Global Time in Distributed Systems" (1987), for pairs.
//
//===----------------------------------------------------------------------===//

#include "trace/clocks.h"

#include <string.h>

#define NONE INT64_MAX

/// Parts of a run that a drift is looked for in, and how many are needed.
enum { PARTS = 32, LEAST_PARTS = 4 };

/// No clock of a machine is off by more than that.
#define MOST_DRIFT 1e-3

typedef struct aligner {
  agpu__clock *clocks;
  size_t count;
  const agpu__clock_bound *bounds;
  size_t bound_count;
  bool has_names;      ///< ranks of one name have one clock
  int64_t *least;      ///< from * count + to; NONE: no bound
  int64_t *to, *back;  ///< D(0, rank), D(rank, 0)
  int64_t *coarse;     ///< offsets, to within the length of a message
  bool *is_reached;    ///< by those
  int64_t first, last; ///< of all bounds, by the first rank's clock
} aligner;

int64_t agpu__clock_correct(const agpu__clock *clock, int64_t time) {
  double drifted = clock->drift * (double)(time - clock->reference);
  return time - clock->offset - (int64_t)drifted;
}

/// The first rank of the same clock.
static size_t get_clock(const aligner *self, size_t rank) {
  const char *name = self->clocks[rank].name;
  for (size_t i = 0; self->has_names && name && i < rank; ++i)
    if (self->clocks[i].name && strcmp(self->clocks[i].name, name) == 0)
      return i;
  return rank;
}

/// Without the offset.
static int64_t undrift(const agpu__clock *clock, int64_t time) {
  return agpu__clock_correct(clock, time) + clock->offset;
}

static int64_t get_length(const aligner *self, const agpu__clock_bound *bound) {
  return undrift(&self->clocks[bound->to], bound->end) -
         undrift(&self->clocks[bound->from], bound->begin);
}

/// When the bound was, roughly, by the first rank's clock.
static int64_t get_time(const aligner *self, const agpu__clock_bound *bound) {
  return bound->begin - self->coarse[bound->from];
}

//===----------------------------------------------------------------------===//
// Constant offsets
//===----------------------------------------------------------------------===//

/// Shortest paths from the first rank, or to it. False: there is a cycle of
/// negative length.
static bool find_paths(const aligner *self, int64_t *lengths, bool is_back) {
  size_t count = self->count;
  for (size_t i = 0; i < count; ++i)
    lengths[i] = i ? NONE : 0;
  for (size_t round = 0; round <= count; ++round) {
    bool changed = false;
    for (size_t i = 0; i < count; ++i)
      for (size_t j = 0; lengths[i] != NONE && j < count; ++j) {
        int64_t step = self->least[is_back ? j * count + i : i * count + j];
        if (step == NONE || lengths[i] + step >= lengths[j])
          continue;
        lengths[j] = lengths[i] + step;
        changed = true;
      }
    if (!changed)
      return true;
  }
  return false;
}

/// From bounds whose times lie from `begin` to `end`. False: they contradict
/// each other.
static bool solve(aligner *self, int64_t begin, int64_t end) {
  size_t count = self->count;
  for (size_t i = 0; i < count * count; ++i)
    self->least[i] = NONE;
  for (size_t i = 0; i < self->bound_count; ++i) {
    const agpu__clock_bound *bound = &self->bounds[i];
    int64_t time = get_time(self, bound);
    size_t from = get_clock(self, bound->from), to = get_clock(self, bound->to);
    int64_t *least = &self->least[from * count + to];
    if (from == to || time < begin || time > end)
      continue;
    int64_t length = get_length(self, bound);
    *least = length < *least ? length : *least;
  }
  return find_paths(self, self->to, false) &&
         find_paths(self, self->back, true);
}

/// Whether bounds say both how far the clock is ahead at most and at least.
static bool is_bounded(const aligner *self, size_t clock) {
  return self->to[clock] != NONE && self->back[clock] != NONE;
}

static int64_t get_middle(const aligner *self, size_t clock) {
  return self->to[clock] / 2 - self->back[clock] / 2;
}

static int64_t get_error(const aligner *self, size_t clock) {
  return self->to[clock] / 2 + self->back[clock] / 2 + 1;
}

//===----------------------------------------------------------------------===//
// Rough offsets
//===----------------------------------------------------------------------===//

/// From the first bound that says something of a rank: as wrong as a message
/// was long.
static void find_coarse(aligner *self) {
  self->is_reached[0] = true;
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t i = 0; i < self->bound_count; ++i) {
      const agpu__clock_bound *bound = &self->bounds[i];
      int64_t apart = bound->end - bound->begin;
      if (self->is_reached[bound->from] == self->is_reached[bound->to])
        continue;
      if (self->is_reached[bound->from])
        self->coarse[bound->to] = self->coarse[bound->from] + apart;
      else
        self->coarse[bound->from] = self->coarse[bound->to] - apart;
      self->is_reached[bound->from] = self->is_reached[bound->to] = true;
      changed = true;
    }
  }
  self->first = INT64_MAX;
  self->last = INT64_MIN;
  for (size_t i = 0; i < self->bound_count; ++i) {
    int64_t time = get_time(self, &self->bounds[i]);
    self->first = time < self->first ? time : self->first;
    self->last = time > self->last ? time : self->last;
  }
}

//===----------------------------------------------------------------------===//
// Drift
//===----------------------------------------------------------------------===//

/// Offsets of parts of the run, as sums for a line through them.
typedef struct line {
  size_t parts;
  double weight, x, y, xx, xy;
} line;

/// `time` is when the part was, in seconds.
static void add_point(line *self, double time, int64_t offset, int64_t error) {
  double ns = (double)error, weight = 1 / (ns * ns + 1);
  ++self->parts;
  self->weight += weight;
  self->x += weight * time;
  self->y += weight * (double)offset;
  self->xx += weight * time * time;
  self->xy += weight * time * (double)offset;
}

/// The slope in ns/s; 0 where the offsets' errors explain it. `*out_at_0` is
/// the offset at time 0.
static double get_slope(const line *self, double *out_at_0) {
  double spread = self->weight * self->xx - self->x * self->x;
  *out_at_0 = self->parts ? self->y / self->weight : 0;
  if (self->parts < LEAST_PARTS || spread <= 0)
    return 0;
  double slope = (self->weight * self->xy - self->x * self->y) / spread;
  double variance = self->weight / spread;
  if (slope * slope < 4 * variance || slope > MOST_DRIFT * 1e9 ||
      slope < -MOST_DRIFT * 1e9)
    return 0;
  *out_at_0 = (self->y - slope * self->x) / self->weight;
  return slope;
}

/// Fills in the drifts, and offsets for where constant ones contradict the
/// bounds.
static void find_drifts(aligner *self, line *lines) {
  int64_t length = self->last - self->first;
  for (int part = 0; part < PARTS; ++part) {
    int64_t begin = self->first + length / PARTS * part;
    int64_t end = part + 1 == PARTS ? self->last : begin + length / PARTS;
    if (!solve(self, begin, end))
      continue;
    double time = ((double)(begin - self->first) + (double)(end - begin) / 2);
    for (size_t i = 1; i < self->count; ++i)
      // By the rough offset: what is left are small numbers.
      if (is_bounded(self, i))
        add_point(&lines[i], time * 1e-9, get_middle(self, i) - self->coarse[i],
                  get_error(self, i));
  }
  for (size_t i = 1; i < self->count; ++i) {
    agpu__clock *clock = &self->clocks[i];
    double at_0, slope = get_slope(&lines[i], &at_0);
    clock->drift = slope * 1e-9;
    int64_t first = self->first + self->coarse[i]; // by this clock
    clock->offset =
        self->coarse[i] +
        (int64_t)(at_0 - clock->drift * (double)(first - clock->reference));
  }
}

//===----------------------------------------------------------------------===//
// All of it
//===----------------------------------------------------------------------===//

/// Ranks of one clock that a message went back in time between have not one.
static void check_names(aligner *self) {
  self->has_names = true;
  for (size_t i = 0; i < self->bound_count && self->has_names; ++i) {
    const agpu__clock_bound *bound = &self->bounds[i];
    if (bound->end < bound->begin &&
        get_clock(self, bound->from) == get_clock(self, bound->to))
      self->has_names = false;
  }
}

static void check_bounds(const aligner *self, agpu__clocks_found *found) {
  *found = (agpu__clocks_found){.worst = 0};
  for (size_t i = 0; i < self->bound_count; ++i) {
    const agpu__clock_bound *bound = &self->bounds[i];
    int64_t late =
        agpu__clock_correct(&self->clocks[bound->from], bound->begin) -
        agpu__clock_correct(&self->clocks[bound->to], bound->end);
    // Halves are rounded.
    found->contradictions += late > 2;
    found->worst = late > found->worst ? late : found->worst;
  }
}

/// Where a rank has the clock of another, that one's results are its own.
static void share(aligner *self) {
  for (size_t i = 0; i < self->count; ++i) {
    const char *name = self->clocks[i].name;
    self->clocks[i] = self->clocks[get_clock(self, i)];
    self->clocks[i].name = name;
  }
}

static void align(aligner *self, line *lines) {
  check_names(self);
  share(self); // of one clock, so that the reference may be another's
  find_coarse(self);
  if (!self->bound_count)
    self->first = self->last = 0;
  find_drifts(self, lines);
  share(self);
  bool is_solved = solve(self, INT64_MIN, INT64_MAX);
  for (size_t i = 0; i < self->count; ++i) {
    agpu__clock *clock = &self->clocks[i];
    bool is_known = i == 0 || (is_solved && is_bounded(self, i));
    if (i && is_known)
      clock->offset = get_middle(self, i);
    else if (i && lines[i].parts == 0)
      clock->offset = self->coarse[i];
    clock->error = !is_known ? -1 : i ? get_error(self, i) : 0;
  }
  share(self);
}

bool agpu__clocks_align(agpu__clock *clocks, size_t count,
                        const agpu__trace_array *bounds,
                        agpu__clocks_found *out_found) {
  aligner self = {.clocks = clocks,
                  .count = count,
                  .bounds = bounds->data,
                  .bound_count = bounds->count};
  size_t numbers = count * count + 3 * count;
  self.least = agpu__trace_map(numbers * sizeof *self.least);
  self.is_reached = agpu__trace_map(count * sizeof *self.is_reached);
  line *lines = agpu__trace_map(count * sizeof *lines);
  bool ok = self.least && self.is_reached && lines;
  if (ok) {
    self.to = self.least + count * count;
    self.back = self.to + count;
    self.coarse = self.back + count;
    for (size_t i = 0; i < count; ++i) {
      clocks[i].offset = 0;
      clocks[i].drift = 0;
    }
    align(&self, lines);
    check_bounds(&self, out_found);
  }
  agpu__trace_unmap(self.least, numbers * sizeof *self.least);
  agpu__trace_unmap(self.is_reached, count * sizeof *self.is_reached);
  agpu__trace_unmap(lines, count * sizeof *lines);
  return ok;
}
