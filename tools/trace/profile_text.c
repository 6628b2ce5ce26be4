//===- profile_text.c - A profile as tables -------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Columns of one width, the names last, as they may be long. What there is none
// of has no table. Integers alone are formatted, which may be done in a signal
// handler.
//
//===----------------------------------------------------------------------===//

#include "trace/show.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

/// Rows of a table that are shown; the rest is added up.
#define ROWS 20

__attribute__((format(printf, 2, 3))) static void put(agpu__trace_output *to,
                                                      const char *format, ...) {
  char line[512];
  va_list arguments;
  va_start(arguments, format);
  (void)vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  agpu__trace_put(to, line);
}

/// Twelve columns: milliseconds.
static void put_time(agpu__trace_output *to, int64_t ns) {
  int64_t us = ns < 0 ? -ns / 1000 : ns / 1000;
  char number[32];
  (void)snprintf(number, sizeof number, "%s%" PRId64 ".%03d", ns < 0 ? "-" : "",
                 us / 1000, (int)(us % 1000));
  put(to, "%12s", number);
}

/// Eight columns.
static void put_share(agpu__trace_output *to, int64_t part, int64_t all) {
  int64_t per_mille =
      all > 0 ? (int64_t)((double)part * 1000 / (double)all + 0.5) : 0;
  put(to, "%4" PRId64 ".%d %%", per_mille / 10, (int)(per_mille % 10));
}

static void put_name(agpu__trace_output *to, const agpu__timeline *run,
                     uint32_t label) {
  const agpu__timeline_label *of = &agpu__timeline_labels(run)[label];
  static const char *const headings[] = {
#define HEADING(kind, name, heading) heading,
      AGPU__TIMELINE_KINDS(HEADING)
#undef HEADING
  };
  if (of->rank >= 0)
    put(to, "rank %" PRId32 ": ", of->rank);
  // The names of these say what they are.
  if (of->kind != AGPU__TIMELINE_COPY && of->kind != AGPU__TIMELINE_FILL &&
      of->kind != AGPU__TIMELINE_MESSAGE &&
      of->kind != AGPU__TIMELINE_COLLECTIVE)
    put(to, "%s ", headings[of->kind]);
  if (of->region >= 0)
    put(to, "%s%" PRId64 " ", of->kind == AGPU__TIMELINE_WAIT ? "region " : "",
        of->region);
  agpu__trace_put(to, of->name);
  if (of->place)
    put(to, " at %s", of->place);
  agpu__trace_put(to, "\n");
}

static void put_path(agpu__trace_output *to, const agpu__summary *summary,
                     const agpu__timeline *run) {
  const agpu__summary_part *parts = summary->parts.data;
  if (!summary->parts.count)
    return;
  put(to,
      "\ncritical path: what the run was as long as, and what it would gain "
      "if that took no time\n"
      "     time ms   share     gain ms   times  what\n");
  int64_t rest = 0;
  for (size_t i = 0; i < summary->parts.count; ++i) {
    const agpu__summary_part *part = &parts[i];
    if (i >= ROWS) {
      rest += part->time;
      continue;
    }
    put_time(to, part->time);
    put_share(to, part->time, summary->span);
    if (part->has_gain)
      put_time(to, part->gain);
    else
      put(to, "%12s", "");
    put(to, "%8" PRIu64 "  ", part->count);
    if (part->is_delay)
      put(to, "(delay: %s)\n",
          agpu__graph_edge_delay((agpu__graph_edge)part->what));
    else
      put_name(to, run, part->what);
  }
  if (rest) {
    put_time(to, rest);
    put_share(to, rest, summary->span);
    put(to, "%20s  %zu more\n", "", summary->parts.count - ROWS);
  }
  put_time(to, summary->work);
  put_share(to, summary->work, summary->span);
  put(to,
      "%20s  the longest chain of work: with workers enough and no delays, "
      "it could not be shorter\n",
      "");
}

typedef bool is_of_table(agpu__timeline_kind kind);

static bool is_kernel(agpu__timeline_kind kind) {
  return kind == AGPU__TIMELINE_KERNEL;
}
static bool is_conditional(agpu__timeline_kind kind) {
  return kind == AGPU__TIMELINE_CONDITIONAL;
}
static bool is_copy(agpu__timeline_kind kind) {
  return kind == AGPU__TIMELINE_COPY || kind == AGPU__TIMELINE_FILL;
}
static bool is_wait(agpu__timeline_kind kind) {
  return kind == AGPU__TIMELINE_WAIT;
}
static bool is_region(agpu__timeline_kind kind) {
  return kind == AGPU__TIMELINE_REGION || kind == AGPU__TIMELINE_PROGRAM;
}
static bool is_module(agpu__timeline_kind kind) {
  return kind == AGPU__TIMELINE_MODULE;
}

static bool is_message(agpu__timeline_kind kind) {
  return kind == AGPU__TIMELINE_MESSAGE;
}
static bool is_collective(agpu__timeline_kind kind) {
  return kind == AGPU__TIMELINE_COLLECTIVE;
}

static void put_bandwidth(agpu__trace_output *to,
                          const agpu__summary_row *row) {
  // Bytes per microsecond are MB/s.
  double speed = row->total ? (double)row->bytes * 1e3 / (double)row->total : 0;
  put(to, "%14" PRIu64 "%12" PRIu64 "  ", row->bytes,
      speed < (double)INT64_MAX ? (uint64_t)speed : UINT64_MAX);
}

/// The rows that `is_of` takes.
static void put_rows(agpu__trace_output *to, const agpu__summary *summary,
                     const agpu__timeline *run, is_of_table *is_of,
                     const char *heading) {
  const agpu__summary_row *rows = summary->rows.data;
  int64_t all = 0, rest = 0;
  for (size_t i = 0; i < summary->rows.count; ++i)
    if (is_of(agpu__timeline_labels(run)[rows[i].label].kind))
      all += rows[i].total;
  size_t shown = 0, left = 0;
  for (size_t i = 0; i < summary->rows.count; ++i) {
    const agpu__summary_row *row = &rows[i];
    agpu__timeline_kind kind = agpu__timeline_labels(run)[row->label].kind;
    if (!is_of(kind) || (!row->count && !row->total))
      continue;
    if (shown == ROWS) {
      ++left;
      rest += row->total;
      continue;
    }
    if (shown++ == 0)
      put(to, "\n%s\n", heading);
    put_time(to, row->total);
    put_share(to, row->total, all);
    uint64_t count = row->count ? row->count : 1;
    put(to, "%8" PRIu64, count);
    put_time(to, row->total / (int64_t)count);
    if (is_message(kind) || is_collective(kind))
      put_time(to, row->late);
    if (is_message(kind))
      put(to, "%14" PRIu64, row->bytes);
    if (is_copy(kind))
      put_bandwidth(to, row);
    else
      put(to, "  ");
    put_name(to, run, row->label);
  }
  if (left) {
    put_time(to, rest);
    put_share(to, rest, all);
    put(to, "%20s  %zu more\n", "", left);
  }
}

static void put_overlap(agpu__trace_output *to, const agpu__summary *summary) {
  if (!summary->busy)
    return;
  put(to, "\noverlap: of the time that devices were busy\n");
  put_time(to, summary->busy);
  put_share(to, summary->busy, summary->span);
  put(to, "  of the run, busy\n");
  const struct {
    int64_t time;
    const char *what;
  } rows[] = {{summary->beside_host, "host work beside it"},
              {summary->beside_stream, "another stream beside it"},
              {summary->beside_any, "one of the two"},
              {summary->busy - summary->beside_any, "nothing beside it"}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
    put_time(to, rows[i].time);
    put_share(to, rows[i].time, summary->busy);
    put(to, "  %s\n", rows[i].what);
  }
}

/// How well the clocks are known.
static void put_clocks(agpu__trace_output *to, const agpu__ranks *ranks) {
  int64_t error = 0;
  size_t unknown = 0;
  for (size_t i = 0; i < ranks->count; ++i) {
    int64_t of = ranks->all[i].clock.error;
    error = of > error ? of : error;
    unknown += of < 0;
  }
  if (unknown)
    put(to, "clocks of %zu ranks could not be aligned: too few messages\n",
        unknown);
  if (error)
    put(to, "clocks are aligned to within %" PRId64 ".%03d us\n", error / 1000,
        (int)(error % 1000));
  else if (!unknown)
    put(to, "ranks have one clock\n");
  if (ranks->clocks.contradictions)
    put(to,
        "%zu messages end before they begin, by at most %" PRId64 " ns: the "
        "clocks are not steady\n",
        ranks->clocks.contradictions, ranks->clocks.worst);
}

static void put_ranks(agpu__trace_output *to, const agpu__summary *summary,
                      const agpu__ranks *ranks) {
  const agpu__summary_rank *rows = summary->ranks.data;
  char line[1024];
  if (!ranks || ranks->count < 2)
    return;
  put_clocks(to, ranks);
  if (agpu__ranks_describe_lone(ranks, line, sizeof line)) {
    agpu__trace_put(to, line);
    agpu__trace_put(to, "\n");
  }
  put(to, "\nranks\n"
          "     host ms  on the critical path   others later  "
          "last of collectives  rank\n");
  for (size_t i = 0; i < summary->ranks.count; ++i) {
    const agpu__rank *of = agpu__ranks_find(ranks, rows[i].rank);
    put_time(to, rows[i].host);
    put_time(to, rows[i].critical);
    put_share(to, rows[i].critical, summary->span);
    put(to, "%3s", "");
    put_time(to, rows[i].late);
    put(to, "%14zu of %zu", of ? of->lasts : 0, ranks->collectives);
    put(to, "  %" PRId32 "%s%s\n", rows[i].rank,
        of && of->machine ? " on " : "", of && of->machine ? of->machine : "");
  }
}

void agpu__profile_put_text(agpu__trace_output *to,
                            const agpu__summary *summary,
                            const agpu__timeline *run,
                            const agpu__profile_notes *notes) {
  put(to, "profile:");
  put_time(to, summary->span);
  put(to, " ms; ran on %zu %s of the host and %zu %s; ended by %s\n",
      summary->threads, summary->threads == 1 ? "thread" : "threads",
      summary->streams, summary->streams == 1 ? "stream" : "streams",
      notes->ended);
  if (notes->modelled)
    put(to, "times are %s\n", notes->modelled);
  if (notes->dropped)
    put(to,
        "%" PRIu64 " events were dropped, so the begin of the run is missing: "
        "ASYNC_GPU_TRACE_EVENTS=0 keeps all\n",
        notes->dropped);
  if (run->left_out)
    put(to,
        "%" PRIu64 " runs of nodes in loops and branches of the device are "
        "left out: ASYNC_GPU_TRACE_EVENTS=0 shows all\n",
        run->left_out);
  if (summary->left_out)
    put(to, "%zu dependencies contradict the times, and were left out\n",
        summary->left_out);
  if (notes->is_cut_off)
    put(to, "the dump is cut off: parts are missing\n");
  if (summary->is_incomplete)
    put(to, "memory was out: parts are missing\n");
  put_ranks(to, summary, notes->ranks);
  put_path(to, summary, run);
  put_rows(to, summary, run, is_message,
           "messages, and how much later the other side began\n"
           "     time ms   share   times     mean ms    later ms         bytes"
           "  what");
  put_rows(to, summary, run, is_collective,
           "collective operations, and how much later the last rank began\n"
           "     time ms   share   times     mean ms    later ms  what");
  put_rows(to, summary, run, is_kernel,
           "kernels\n     time ms   share   calls     mean ms  what");
  put_rows(to, summary, run, is_conditional,
           "loops and branches of the device, with what is in them\n"
           "     time ms   share   times     mean ms  what");
  put_rows(to, summary, run, is_copy,
           "copies and fills\n"
           "     time ms   share   calls     mean ms         bytes        MB/s"
           "  what");
  put_rows(to, summary, run, is_region,
           "host: what ran itself, without what it waited for\n"
           "     time ms   share   times     mean ms  what");
  put_rows(to, summary, run, is_wait,
           "waits of the host\n     time ms   share   times     mean ms  what");
  put_rows(to, summary, run, is_module,
           "modules loaded\n     time ms   share   times     mean ms  what");
  put_overlap(to, summary);
}
