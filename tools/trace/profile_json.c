//===- profile_json.c - A profile as JSON ---------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All figures of the tables, none left out and none rounded: times are
// nanoseconds.
//
//===----------------------------------------------------------------------===//

#include "trace/show.h"

static void put_key(agpu__trace_output *to, const char *key, bool is_first) {
  agpu__trace_put(to, is_first ? "{" : ",");
  agpu__trace_put_string(to, key);
  agpu__trace_put(to, ":");
}

static void put_time(agpu__trace_output *to, const char *key, int64_t ns,
                     bool is_first) {
  put_key(to, key, is_first);
  agpu__trace_put_signed(to, ns);
}

static void put_count(agpu__trace_output *to, const char *key, uint64_t count) {
  put_key(to, key, false);
  agpu__trace_put_number(to, count);
}

/// Opens an object.
static void put_label(agpu__trace_output *to, const agpu__timeline *run,
                      uint32_t label) {
  const agpu__timeline_label *of = &agpu__timeline_labels(run)[label];
  put_key(to, "kind", true);
  agpu__trace_put_string(to, agpu__timeline_kind_name(of->kind));
  put_key(to, "name", false);
  agpu__trace_put_string(to, of->name);
  if (of->rank >= 0)
    put_time(to, "rank", of->rank, false);
  if (of->region >= 0)
    put_time(to, "region", of->region, false);
  if (!of->place)
    return;
  put_key(to, "place", false);
  agpu__trace_put_string(to, of->place);
}

/// The same for what is a delay.
static void put_what(agpu__trace_output *to, const agpu__timeline *run,
                     bool is_delay, uint32_t what) {
  if (!is_delay) {
    put_label(to, run, what);
    return;
  }
  put_key(to, "kind", true);
  agpu__trace_put_string(to, "delay");
  put_key(to, "name", false);
  agpu__trace_put_string(to, agpu__graph_edge_name((agpu__graph_edge)what));
}

static void put_path(agpu__trace_output *to, const agpu__summary *summary,
                     const agpu__timeline *run) {
  const agpu__summary_part *parts = summary->parts.data;
  put_key(to, "critical_path", false);
  for (size_t i = 0; i < summary->parts.count; ++i) {
    agpu__trace_put(to, i ? ",\n" : "[\n");
    put_what(to, run, parts[i].is_delay, parts[i].what);
    put_time(to, "time_ns", parts[i].time, false);
    put_count(to, "times", parts[i].count);
    if (parts[i].has_gain)
      put_time(to, "gain_ns", parts[i].gain, false);
    agpu__trace_put(to, "}");
  }
  agpu__trace_put(to, summary->parts.count ? "]\n" : "[]\n");

  const agpu__summary_step *steps = summary->steps.data;
  put_key(to, "steps", false);
  for (size_t i = 0; i < summary->steps.count; ++i) {
    agpu__trace_put(to, i ? ",\n" : "[\n");
    put_what(to, run, steps[i].is_delay, steps[i].what);
    put_time(to, "begin_ns", steps[i].begin - summary->begin, false);
    put_time(to, "time_ns", steps[i].time, false);
    agpu__trace_put(to, "}");
  }
  agpu__trace_put(to, summary->steps.count ? "]\n" : "[]\n");
}

static void put_rows(agpu__trace_output *to, const agpu__summary *summary,
                     const agpu__timeline *run) {
  const agpu__summary_row *rows = summary->rows.data;
  bool is_first = true;
  put_key(to, "rows", false);
  agpu__trace_put(to, "[");
  for (size_t i = 0; i < summary->rows.count; ++i) {
    agpu__timeline_kind kind = agpu__timeline_labels(run)[rows[i].label].kind;
    if (!rows[i].count && !rows[i].total)
      continue;
    agpu__trace_put(to, is_first ? "\n" : ",\n");
    is_first = false;
    put_label(to, run, rows[i].label);
    put_count(to, "count", rows[i].count);
    put_time(to, "total_ns", rows[i].total, false);
    if (kind != AGPU__TIMELINE_REGION && kind != AGPU__TIMELINE_PROGRAM) {
      put_time(to, "least_ns", rows[i].least, false);
      put_time(to, "most_ns", rows[i].most, false);
    }
    if (rows[i].bytes)
      put_count(to, "bytes", rows[i].bytes);
    if (kind == AGPU__TIMELINE_MESSAGE || kind == AGPU__TIMELINE_COLLECTIVE)
      put_time(to, "late_ns", rows[i].late, false);
    agpu__trace_put(to, "}");
  }
  agpu__trace_put(to, "]\n");
}

static void put_ranks(agpu__trace_output *to, const agpu__summary *summary,
                      const agpu__ranks *ranks) {
  const agpu__summary_rank *rows = summary->ranks.data;
  if (!ranks || ranks->count < 2)
    return;
  put_count(to, "messages", ranks->messages);
  put_count(to, "collectives", ranks->collectives);
  put_count(to, "unmatched_sends", ranks->lone_sends);
  put_count(to, "unmatched_receives", ranks->lone_receives);
  put_count(to, "contradictions", ranks->clocks.contradictions);
  put_key(to, "ranks", false);
  for (size_t i = 0; i < summary->ranks.count; ++i) {
    const agpu__rank *of = agpu__ranks_find(ranks, rows[i].rank);
    agpu__trace_put(to, i ? ",\n" : "[\n");
    put_time(to, "rank", rows[i].rank, true);
    put_time(to, "host_ns", rows[i].host, false);
    put_time(to, "critical_ns", rows[i].critical, false);
    put_time(to, "late_ns", rows[i].late, false);
    if (of) {
      put_count(to, "last_of_collectives", of->lasts);
      put_time(to, "clock_offset_ns", of->clock.offset, false);
      put_time(to, "clock_error_ns", of->clock.error, false);
    }
    agpu__trace_put(to, "}");
  }
  agpu__trace_put(to, summary->ranks.count ? "]\n" : "[]\n");
}

void agpu__profile_put_json(agpu__trace_output *to,
                            const agpu__summary *summary,
                            const agpu__timeline *run,
                            const agpu__profile_notes *notes) {
  put_key(to, "format", true);
  agpu__trace_put_string(to, "async-gpu profile");
  put_count(to, "version", 1);
  put_key(to, "ended", false);
  agpu__trace_put_string(to, notes->ended);
  if (notes->modelled) {
    put_key(to, "modelled", false);
    agpu__trace_put_string(to, notes->modelled);
  }
  put_count(to, "dropped", notes->dropped);
  put_count(to, "left_out", summary->left_out);
  put_count(to, "nodes_left_out", run->left_out);
  put_key(to, "incomplete", false);
  agpu__trace_put(to, summary->is_incomplete || notes->is_cut_off ? "true"
                                                                  : "false");
  put_time(to, "span_ns", summary->span, false);
  put_time(to, "work_ns", summary->work, false);
  put_count(to, "threads", summary->threads);
  put_count(to, "streams", summary->streams);
  put_key(to, "overlap", false);
  put_time(to, "busy_ns", summary->busy, true);
  put_time(to, "beside_host_ns", summary->beside_host, false);
  put_time(to, "beside_stream_ns", summary->beside_stream, false);
  put_time(to, "beside_any_ns", summary->beside_any, false);
  agpu__trace_put(to, "}\n");
  put_ranks(to, summary, notes->ranks);
  put_path(to, summary, run);
  put_rows(to, summary, run);
  agpu__trace_put(to, "}\n");
}
