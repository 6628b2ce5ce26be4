//===- timed.c - A piece of work in modelled time -------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes from an op what the timeline has to know of it when the op itself,
// which runs and ends in real time, is gone: sizes of a launch and what it has
// counted, and memory that copies and fills touch.
//
//===----------------------------------------------------------------------===//

#include "emu/model/timed.h"

#include "base/os/write.h"
#include "emu/device/marker.h"
#include "emu/memory/memory.h"

#include <stdio.h>
#include <stdlib.h>

/// A copy or fill touches these, if they are a device's.
static void add_rows(agpu__emu_timed *to, const agpu__emu_rows *rows) {
  CUdevice device = agpu__emu_memory_slot_device(rows->at);
  double bytes = agpu__emu_rows_bytes(rows);
  if (device >= 0)
    to->rows[to->row_count++] = (agpu__emu_touched){
        rows->at, rows->at + agpu__emu_rows_span(rows), bytes, bytes, device};
}

agpu__emu_timed *agpu__emu_timed_create(const agpu__emu_model *model,
                                        agpu__emu_op *op, uint64_t number,
                                        int64_t enqueued) {
  agpu__emu_timed *made = calloc(1, sizeof *made);
  if (!made)
    return NULL;
  *made = (agpu__emu_timed){.kind = op->kind,
                            .is_part = op->is_part,
                            .number = number,
                            .work = op->work,
                            .round = op->round,
                            .enqueued = enqueued};
  STAILQ_INIT(&made->parts);
  switch (op->kind) {
  case AGPU__EMU_OP_RECORD:
  case AGPU__EMU_OP_WAIT:
    agpu__emu_marker_retain(op->marker);
    made->marker = op->marker;
    break;
  case AGPU__EMU_OP_KERNEL:
    made->launch = op->launch;
    made->launch.counts = op->launch.counts = agpu__emu_launch_counts_create();
    break;
  case AGPU__EMU_OP_COPY:
    made->cost =
        agpu__emu_cost_of_copy(model, &op->copy.target, &op->copy.source);
    add_rows(made, &op->copy.target);
    add_rows(made, &op->copy.source);
    break;
  case AGPU__EMU_OP_FILL: add_rows(made, &op->fill.target); break;
  case AGPU__EMU_OP_WRITE:
  case AGPU__EMU_OP_ALLOC:
  case AGPU__EMU_OP_FREE:
  case AGPU__EMU_OP_CONDITIONAL:
  case AGPU__EMU_OP_BEGIN:
  case AGPU__EMU_OP_HOST: break;
  }
  return op->timed = made;
}

void agpu__emu_timed_free(agpu__emu_timed *of) {
  agpu__emu_marker_release(of->marker);
  free(of);
}

/// Says once that a kernel has said nothing: its time is that of an empty one.
static void warn_uncounted(const agpu__emu_launch *launch)
    AGPU__REQUIRES(agpu__emu_timeline_lock) {
  static bool has_warned AGPU__GUARDED_BY(agpu__emu_timeline_lock);
  if (has_warned)
    return;
  has_warned = true;
  char kernel[512], line[1024];
  agpu__emu_launch_describe(launch, kernel, sizeof kernel);
  int length = snprintf(
      line, sizeof line,
      "warning: %s does not say what it executes, and takes the modelled time "
      "of an empty kernel: compile the program with "
      "--async-gpu-lower=gpu-count=true\n",
      kernel);
  agpu__write_stderr(line, (size_t)length);
}

void agpu__emu_timed_count(agpu__emu_timed *of) {
  of->has_run = true;
  if (of->launch.counts) {
    of->counts = agpu__emu_launch_counts_take(of->launch.counts, &of->launch);
    if (of->counts.blocks > 0 && !of->counts.has_counted)
      warn_uncounted(&of->launch);
  }
  of->launch.counts = NULL;
}
