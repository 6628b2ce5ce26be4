//===- start.c - The beginning of modelled time ---------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Modelled time is switched on by what is first of two: the runtime begins to
// have threads, or the driver is started. Its work comes by two hooks of the
// device (emu/base/hooks.h), in front of those that are there already.
//
//===----------------------------------------------------------------------===//

#include "emu/model/start.h"

#include "base/os/write.h"
#include "base/report/settings.h"
#include "emu/base/hooks.h"
#include "emu/model/counts.h"
#include "emu/model/host.h"
#include "emu/model/network.h"
#include "emu/model/ranks.h"
#include "emu/model/timeline.h"

#include <stdio.h>

// In the order of the setting's words.
enum { ALL, COUNTED, FEW };

static struct {
  bool is_read AGPU__GUARDED_BY(agpu__emu_timeline_lock);
  bool has_blocks AGPU__GUARDED_BY(agpu__emu_timeline_lock);
  int blocks; // constant once the device is used, as `others`
  agpu__emu_model model;
  agpu__emu_hooks others; // constant once the device is used, as the text is
  char text[192];         // what describes it
} self;

agpu_status agpu__emu_model_begin(void) {
  agpu_status status = AGPU_OK;
  agpu__mutex_lock(&agpu__emu_timeline_lock);
  if (!self.is_read && agpu__emu_model_load(&self.model, &status)) {
    agpu__emu_host_start(&self.model);
    agpu__emu_timeline_start(&self.model);
    agpu__emu_ranks_start(&self.model);
    self.is_read = true;
  }
  if (!status && !self.has_blocks) {
    status = agpu__setting_word(AGPU__SETTING_EMU_BLOCKS, &self.blocks);
    self.has_blocks = !status;
  }
  if (!status && self.blocks != ALL && !self.is_read)
    status = agpu_status_create(
        AGPU_STATUS_INVALID_ARGUMENT, NULL,
        "ASYNC_GPU_EMU_BLOCKS leaves out blocks that no model counts: set "
        "ASYNC_GPU_EMU_MODEL too");
  agpu__mutex_unlock(&agpu__emu_timeline_lock);
  return status;
}

AGPU__UNCHECKED_LOCKS const char *agpu__emu_model_describe(void) {
  if (!self.is_read)
    return NULL;
  (void)snprintf(self.text, sizeof self.text,
                 "the modelled time of %s, which may be %.0f %% off",
                 self.model.name, 100 * self.model.error);
  return self.text;
}

static void op_enqueued(agpu__emu_order *order, const agpu__emu_stamp *after,
                        agpu__emu_op *op) {
  if (self.others.op_enqueued)
    self.others.op_enqueued(order, after, op);
  int64_t now = agpu__emu_host_now();
  agpu__mutex_lock(&agpu__emu_timeline_lock);
  agpu__emu_timeline_add(order, op, now);
  agpu__mutex_unlock(&agpu__emu_timeline_lock);
}

static void block_begins(const agpu__emu_runner *runner) {
  if (self.others.block_begins)
    self.others.block_begins(runner);
  agpu__emu_counts_begin_block(&self.model, runner, self.blocks == FEW);
}

static void host_function_dropped(struct agpu__emu_timed *of) {
  agpu__emu_timeline_returned(of, 0);
}

AGPU__UNCHECKED_LOCKS void agpu__emu_model_install(void) {
  agpu__emu_hooks *hooks = &agpu__emu_hooks_table;
  if (!self.is_read)
    return;
  self.others = *hooks;
  hooks->op_enqueued = op_enqueued;
  hooks->block_begins = block_begins;
  if (self.blocks != ALL) {
    static const char said[] =
        "warning: results are wrong: ASYNC_GPU_EMU_BLOCKS has kernels run only "
        "those of their blocks that the model counts\n";
    hooks->is_left_out = agpu__emu_counts_is_other;
    agpu__write_stderr(said, sizeof said - 1);
  }
  hooks->multiprocessors = (int)self.model.multiprocessors;
  hooks->called = agpu__emu_host_call;
  hooks->op_ran = agpu__emu_timeline_ran;
  hooks->held_up = agpu__emu_host_held_up;
  hooks->op_runs = agpu__emu_timeline_runs;
  hooks->host_function_dropped = host_function_dropped;
  hooks->host_function = agpu__emu_host_function;
  hooks->part_begins = agpu__emu_timeline_add_part;
  hooks->await_stream = agpu__emu_host_await_stream;
  hooks->await_marker = agpu__emu_host_await_marker;
  hooks->sees_stream = agpu__emu_host_sees_stream;
  hooks->sees_marker = agpu__emu_host_sees_marker;
  hooks->stream_ended = agpu__emu_timeline_stream_ended;
  hooks->tell_times = agpu__emu_timeline_tell;
  hooks->accessed = agpu__emu_counts_access;
  hooks->multiplied = agpu__emu_counts_multiply;
  hooks->runner_ends = agpu__emu_counts_end;
}

/// Where the runtime looks for it (base/sync/schedule.h).
static void begin(int64_t unused) {
  (void)unused;
  // The driver's start says what is wrong with it.
  agpu_status_release(agpu__emu_model_begin());
}

static const agpu__network_calls network = {
    .bytes = sizeof(agpu__emu_network),
    .create = agpu__emu_ranks_create,
    .join = agpu__emu_ranks_join,
    .is_eager = agpu__emu_ranks_is_eager,
    .begin = agpu__emu_host_begin,
    .begin_all = agpu__emu_host_begin_all,
    .await = agpu__emu_host_await_message,
    .leave = agpu__emu_ranks_leave,
};

extern const agpu__schedule_calls agpu_schedule_calls
    __attribute__((visibility("default")));
const agpu__schedule_calls agpu_schedule_calls = {.points = AGPU__POINTS,
                                                  .begin = begin,
                                                  .pass = agpu__emu_host_pass,
                                                  .draw = agpu__emu_host_draw,
                                                  .random =
                                                      agpu__emu_host_random,
                                                  .sleep = agpu__emu_host_sleep,
                                                  .wake = agpu__emu_host_wake,
                                                  .fork = agpu__emu_host_fork,
                                                  .now = agpu__emu_host_now,
                                                  .network = &network};
