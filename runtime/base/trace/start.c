//===- start.c - When the process starts, forks and ends ------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A trace begins when the runtime is loaded, if ASYNC_GPU_TRACE says so, and is
// written by the last of the process's acts: after all other handlers at exit,
// by agpu__fatal once devices have been given back, or by a signal that ends
// the process.
//
//===----------------------------------------------------------------------===//

#include "async_gpu/runtime.h"
#include "base/report/fatal.h"
#include "base/report/settings.h"
#include "base/trace/names.h"
#include "base/trace/ranges.h"
#include "base/trace/ring.h"
#include "base/trace/session.h"
#include "base/trace/trace.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

/// The first handler that is registered is the last to run.
static void at_exit(int exit_status, void *unused) {
  (void)unused;
  // Who ends the process by an error writes it.
  agpu__fatal_wait_if_ending();
  // What is registered otherwise still runs (report/settings.c).
  if (!agpu__trace_finish("exit", /*in_signal=*/false) && !exit_status)
    exit(EXIT_FAILURE);
}

static void at_fatal(void) {
  (void)agpu__trace_finish("error", /*in_signal=*/false);
}

/// Whoever comes here first has the end arranged for.
static void arrange_end(void) {
  (void)on_exit(at_exit, NULL);
  agpu__fatal_set_trace(at_fatal);
  agpu__trace_signals_begin();
}

agpu_status agpu__trace_start(const char *pattern) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  agpu_status status = agpu__trace_begin(pattern);
  if (!status)
    (void)pthread_once(&once, arrange_end);
  return status;
}

agpu_status agpu_runtime_set_trace(const char *file) {
  if (file && *file)
    return agpu__trace_start(file);
  return agpu_status_create(AGPU_STATUS_INVALID_ARGUMENT, NULL,
                            "a trace needs a file");
}

agpu_status agpu_runtime_begin_trace(const char *file) {
  if (!agpu__trace_on())
    return agpu_runtime_set_trace(file);
  return agpu_status_create(AGPU_STATUS_INVALID_ARGUMENT, NULL,
                            "a trace is being recorded already");
}

agpu_status agpu_runtime_end_trace(void) {
  if (agpu__trace_on())
    return agpu__trace_end_alone();
  return agpu_status_create(AGPU_STATUS_INVALID_ARGUMENT, NULL,
                            "no trace is being recorded");
}

static void __attribute__((constructor)) begin_at_load(void) {
  if (&agpu__settings_shown_by_program)
    return;
  agpu__trace_ranges_begin();
  const char *pattern = agpu__setting_output(AGPU__SETTING_TRACE);
  if (pattern)
    agpu__setting_refuse(agpu__trace_start(pattern));
}

/// The steps before a fork go down: who settles takes the other locks.
void agpu__trace_fork(agpu__fork_step step) {
  if (step == AGPU__FORK_BEFORE) {
    agpu__trace_settle_fork(step);
    agpu__trace_session_fork(step);
    agpu__trace_names_fork(step);
    agpu__trace_rings_fork(step);
    return;
  }
  agpu__trace_rings_fork(step);
  agpu__trace_names_fork(step);
  agpu__trace_session_fork(step);
  agpu__trace_settle_fork(step);
}
