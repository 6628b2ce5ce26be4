//===- profile.c - What a profile says of a run ---------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs that are made up, told as the writer of traces tells them, and whose
// figures are known. Times are in microseconds.
//
//===----------------------------------------------------------------------===//

#include "check.h"
#include "trace/show.h"

#include <stdbool.h>
#include <unistd.h>

#define US 1000

static agpu__timeline run;

static const agpu__emit_track main_thread = {AGPU__EMIT_HOST, 1},
                              worker_0 = {AGPU__EMIT_HOST, 2},
                              worker_1 = {AGPU__EMIT_HOST, 3},
                              completion = {AGPU__EMIT_HOST, 4},
                              stream_0 = {2, 1}, stream_1 = {2, 2};

static void begin_run(void) {
  agpu__timeline_begin(&run, false);
  run.listener.track(&run.listener, main_thread, "main thread");
  run.listener.track(&run.listener, worker_0, "agpu-0");
  run.listener.track(&run.listener, worker_1, "agpu-1");
  run.listener.track(&run.listener, completion, "agpu-completion");
  run.listener.track(&run.listener, stream_0, "stream 0");
  run.listener.track(&run.listener, stream_1, "stream 1");
}

static void slice(agpu__emit_track on, int64_t begin, int64_t end,
                  const char *category, const char *name) {
  run.listener.begin(&run.listener, "X", category, name,
                     (agpu__emit_point){on, begin * US}, (end - begin) * US);
}

static void region(agpu__emit_track on, int64_t begin, int64_t end,
                   const char *name, uint64_t id, uint64_t part) {
  slice(on, begin, end, "region", name);
  run.listener.number(&run.listener, "run", id);
  run.listener.number(&run.listener, "part", part);
}

static void arrow(const char *kind, agpu__emit_track from, int64_t from_time,
                  agpu__emit_track to, int64_t to_time) {
  run.listener.arrow(&run.listener, kind,
                     (agpu__emit_point){from, from_time * US},
                     (agpu__emit_point){to, to_time * US});
}

static const agpu__summary_part *find_part(const agpu__summary *summary,
                                           const char *name) {
  const agpu__summary_part *parts = summary->parts.data;
  for (size_t i = 0; i < summary->parts.count; ++i)
    if (strcmp(name,
               parts[i].is_delay
                   ? agpu__graph_edge_name((agpu__graph_edge)parts[i].what)
                   : agpu__timeline_labels(&run)[parts[i].what].name) == 0)
      return &parts[i];
  return NULL;
}

static void check_part(const agpu__summary *summary, const char *name,
                       int64_t time, int64_t gain) {
  const agpu__summary_part *part = find_part(summary, name);
  if (!part)
    fprintf(stderr, "%s is not on the critical path\n", name);
  CHECK(part != NULL);
  CHECK_EQ(part->time, time * US);
  CHECK(part->has_gain);
  CHECK_EQ(part->gain, gain * US);
}

static const agpu__summary_row *find_row(const agpu__summary *summary,
                                         const char *name) {
  const agpu__summary_row *rows = summary->rows.data;
  for (size_t i = 0; i < summary->rows.count; ++i)
    if (strcmp(agpu__timeline_labels(&run)[rows[i].label].name, name) == 0)
      return &rows[i];
  fprintf(stderr, "there is no row %s\n", name);
  CHECK(false);
  return NULL;
}

/// The main thread spawns a and b, and waits for both: a takes longer.
static void test_fork(void) {
  agpu__summary summary;
  begin_run();
  slice(main_thread, 0, 70, "program", "program"); // the writer's, around all
  arrow("spawn", main_thread, 10, worker_0, 12);
  region(worker_0, 12, 52, "a", 1, 1);
  arrow("spawn", main_thread, 20, worker_1, 21);
  region(worker_1, 21, 41, "b", 2, 1);
  slice(main_thread, 25, 60, "wait", "wait");
  run.listener.text(&run.listener, "at", "p.mlir:7:3");
  arrow("resume", worker_0, 52, main_thread, 59);
  slice(main_thread, 70, 70, "other", "the end");
  agpu__summary_make(&summary, &run);
  CHECK_EQ(summary.left_out, 0);
  CHECK(!summary.is_incomplete);
  CHECK_EQ(summary.span, 70 * US);
  check_part(&summary, "a", 40, 70 - (25 + 8 + 10));
  check_part(&summary, "main thread", 20, 70 - (2 + 40 + 8));
  check_part(&summary, "spawn", 2, 2);
  CHECK_EQ(summary.parts.count, 5); // and the ways to the wait and out of it
  CHECK(!find_part(&summary, "b"));
  CHECK_EQ(summary.work, (10 + 40 + 10) * US);
  CHECK_EQ(find_row(&summary, "a")->total, 40 * US);
  CHECK_EQ(find_row(&summary, "main thread")->total, 35 * US);
  const agpu__summary_row *wait =
      find_row(&summary, "the device or another thread");
  CHECK_EQ(wait->total, 35 * US);
  CHECK_STR(agpu__timeline_labels(&run)[wait->label].place, "p.mlir:7:3");
  agpu__summary_free(&summary);
  agpu__timeline_free(&run);
}

/// A region that is suspended for another, which had to wait for the worker.
static void test_suspended(void) {
  agpu__summary summary;
  begin_run();
  slice(main_thread, 0, 5, "program", "program");
  arrow("spawn", main_thread, 1, worker_0, 3);
  arrow("spawn", worker_0, 5, worker_0, 21);
  region(worker_0, 3, 20, "outer", 1, 1);
  region(worker_0, 21, 51, "inner", 2, 1);
  arrow("resume", worker_0, 51, worker_0, 55);
  region(worker_0, 55, 60, "outer", 1, 2);
  agpu__summary_make(&summary, &run);
  CHECK_EQ(summary.left_out, 0);
  CHECK_EQ(summary.span, 60 * US);
  // With two workers, the inner one would begin when it is spawned.
  CHECK_EQ(summary.work, (1 + 2 + 30 + 5) * US);
  check_part(&summary, "inner", 30, 30);
  check_part(&summary, "worker", 1, 1);
  check_part(&summary, "outer", 17 + 5, 17 + 5);
  CHECK_EQ(find_row(&summary, "outer")->count, 1);
  CHECK_EQ(find_row(&summary, "outer")->total, 22 * US);
  agpu__summary_free(&summary);
  agpu__timeline_free(&run);
}

/// Two streams: the second one's kernel waits for the first one's, and the host
/// for that; beside it, a copy on the first.
static void test_streams(void) {
  agpu__summary summary;
  begin_run();
  slice(main_thread, 0, 200, "program", "program");
  slice(main_thread, 10, 12, "enqueue", "first");
  arrow("kernel", main_thread, 10, stream_0, 15);
  slice(stream_0, 15, 65, "kernel", "first");
  slice(stream_0, 65, 65, "record", "record");
  slice(main_thread, 14, 15, "enqueue", "copy host to device");
  arrow("copy", main_thread, 14, stream_0, 65);
  slice(stream_0, 65, 85, "copy", "copy host to device");
  run.listener.number(&run.listener, "bytes", 4000);
  arrow("stream wait", stream_0, 65, stream_1, 20);
  slice(stream_1, 20, 65, "stream wait", "wait");
  slice(main_thread, 16, 18, "enqueue", "second");
  arrow("kernel", main_thread, 16, stream_1, 70);
  slice(stream_1, 70, 170, "kernel", "second");
  slice(stream_1, 170, 170, "record", "record");
  slice(main_thread, 30, 180, "wait", "wait");
  slice(completion, 175, 175, "learn", "learn");
  arrow("learn", stream_1, 170, completion, 175);
  arrow("resume", completion, 176, main_thread, 179);
  slice(main_thread, 200, 200, "other", "the end");
  agpu__summary_make(&summary, &run);
  CHECK_EQ(summary.left_out, 0);
  CHECK_EQ(summary.span, 200 * US);
  // Without it, the second one waits for the call that enqueues it, at 16.
  check_part(&summary, "first", 50, 49);
  check_part(&summary, "second", 100, 100);
  check_part(&summary, "launch", 5, 5);
  check_part(&summary, "completion", 5, 5);
  CHECK(!find_part(&summary, "copy host to device"));
  const agpu__summary_row *copy = find_row(&summary, "copy host to device");
  CHECK_EQ(copy->bytes, 4000);
  CHECK_EQ(copy->total, 20 * US);
  CHECK_EQ(summary.busy, (50 + 20 + 85) * US);
  CHECK_EQ(summary.beside_stream, 15 * US);
  CHECK_EQ(summary.beside_host, 15 * US); // the host waits from 30 on
  CHECK_EQ(summary.streams, 2);
  const bool *critical = summary.critical.data;
  size_t marked = 0;
  for (size_t i = 0; i < run.slices.count; ++i)
    marked += critical[i];
  CHECK_EQ(marked, 2);
  agpu__summary_free(&summary);
  agpu__timeline_free(&run);
}

/// A loop of the device with a branch in it: each instant is of what is
/// innermost there.
static void test_loop(void) {
  agpu__summary summary;
  begin_run();
  slice(main_thread, 0, 100, "program", "program");
  slice(main_thread, 10, 12, "enqueue", "loop");
  arrow("conditional", main_thread, 10, stream_0, 15);
  slice(stream_0, 15, 65, "conditional", "loop");
  run.listener.number(&run.listener, "left_out", 7);
  slice(stream_0, 17, 27, "kernel", "a");
  slice(stream_0, 30, 40, "conditional", "branch");
  slice(stream_0, 32, 38, "kernel", "b");
  slice(stream_0, 42, 52, "kernel", "a");
  slice(stream_0, 65, 65, "conditional", "not taken");
  slice(stream_0, 65, 85, "copy", "copy device to host");
  slice(stream_0, 85, 85, "record", "record");
  slice(main_thread, 30, 90, "wait", "wait");
  slice(completion, 86, 86, "learn", "learn");
  arrow("learn", stream_0, 85, completion, 86);
  arrow("resume", completion, 87, main_thread, 89);
  slice(main_thread, 100, 100, "other", "the end");
  agpu__summary_make(&summary, &run);
  CHECK_EQ(summary.left_out, 0);
  CHECK_EQ(run.left_out, 7);
  CHECK_EQ(summary.span, 100 * US);
  check_part(&summary, "loop", 2 + 3 + 2 + 13, 2 + 3 + 2 + 13);
  check_part(&summary, "branch", 4, 4);
  check_part(&summary, "a", 20, 20);
  check_part(&summary, "b", 6, 6);
  check_part(&summary, "copy device to host", 20, 20);
  check_part(&summary, "launch", 5, 5);
  CHECK_EQ(find_row(&summary, "loop")->total, 50 * US);
  CHECK_EQ(find_row(&summary, "a")->count, 2);
  CHECK_EQ(summary.busy, 70 * US);
  CHECK_EQ(summary.beside_stream, 0);
  agpu__summary_free(&summary);
  agpu__timeline_free(&run);
}

/// A prediction comes true: what a run without a region's time is said to take
/// is what that run takes.
static int64_t fork_span(int64_t a, int64_t *out_without_a) {
  agpu__summary summary;
  int64_t b = 30, end_a = 12 + a, end_b = 15 + b;
  int64_t end = (end_a > end_b ? end_a : end_b) + 8;
  begin_run();
  slice(main_thread, 0, 1, "program", "program");
  arrow("spawn", main_thread, 10, worker_0, 12);
  region(worker_0, 12, end_a, "a", 1, 1);
  arrow("spawn", main_thread, 10, worker_1, 15);
  region(worker_1, 15, end_b, "b", 2, 1);
  slice(main_thread, 11, end, "wait", "wait");
  arrow("resume", worker_0, end_a, main_thread, end);
  arrow("resume", worker_1, end_b, main_thread, end);
  slice(main_thread, end + 10, end + 10, "other", "the end");
  agpu__summary_make(&summary, &run);
  const agpu__summary_part *part = find_part(&summary, "a");
  int64_t span = summary.span;
  *out_without_a = span - (part ? part->gain : 0);
  agpu__summary_free(&summary);
  agpu__timeline_free(&run);
  return span;
}

static void test_prediction(void) {
  int64_t without, none;
  int64_t fast = fork_span(0, &none);
  for (int64_t a = 0; a < 100; a += 7) {
    int64_t span = fork_span(a, &without);
    CHECK(span >= fast);
    CHECK_EQ(without, fast);
  }
}

/// Both forms, of a run and of nothing.
static void test_shown(void) {
  static agpu__trace_output to;
  char path[] = "profile.XXXXXX";
  int made = mkstemp(path);
  CHECK(made >= 0);
  for (int i = 0; i < 2; ++i) {
    agpu__summary summary;
    begin_run();
    if (i) {
      slice(main_thread, 0, 20, "program", "program");
      slice(stream_0, 15, 65, "kernel", "a \"kernel\"");
      slice(stream_0, 65, 75, "copy", "copy device to host");
      run.listener.number(&run.listener, "bytes", 123456);
    }
    agpu__summary_make(&summary, &run);
    const agpu__profile_notes notes = {.ended = "exit", .dropped = 3};
    agpu__trace_output_open(&to, path, -1);
    agpu__profile_put_text(&to, &summary, &run, &notes);
    agpu__profile_put_json(&to, &summary, &run, &notes);
    CHECK_EQ(agpu__trace_output_close(&to), 0);
    char text[8192] = "";
    FILE *file = fopen(path, "r");
    CHECK(file != NULL);
    (void)fread(text, 1, sizeof text - 1, file);
    (void)fclose(file);
    CHECK(strstr(text, "3 events were dropped") != NULL);
    CHECK(!i == !strstr(text, "0.050 100.0 %       1       0.050  kernel a "
                              "\"kernel\""));
    CHECK(!i == !strstr(text, "123456       12345  copy device to host"));
    CHECK(!i == !strstr(text, "\"name\":\"a \\\"kernel\\\"\""));
    agpu__summary_free(&summary);
    agpu__timeline_free(&run);
  }
  (void)close(made);
  (void)unlink(path);
}

int main(void) {
  test_fork();
  test_suspended();
  test_streams();
  test_loop();
  test_prediction();
  test_shown();
  return 0;
}
