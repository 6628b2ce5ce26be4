//===- timed.h - A piece of work in modelled time -----------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the timeline keeps of an op, from when it is enqueued until it is over
// in modelled time: the op itself is over, in real time, when it has run.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_EMU_MODEL_TIMED_H
#define ASYNC_GPU_RUNTIME_EMU_MODEL_TIMED_H

#include "emu/device/op.h"
#include "emu/model/cost.h"
#include "emu/model/lock.h"
#include "emu/model/model.h"

typedef struct agpu__emu_timed {
  STAILQ_ENTRY(agpu__emu_timed) link;    ///< of its stream, until it begins
  TAILQ_ENTRY(agpu__emu_timed) beside;   ///< of those that run, by their begins
  struct agpu__emu_timed_stream *stream; ///< the timeline's
  agpu__emu_op_kind kind;
  bool is_part;    ///< of a graph's launch
  bool is_inner;   ///< of a conditional node
  bool is_asking;  ///< CONDITIONAL: for its condition
  uint64_t number; ///< in the order in which all were enqueued
  uint64_t work;   ///< of a trace, or 0
  uint64_t round;  ///< the op's
  int64_t enqueued, begin;
  agpu__emu_marker *marker;  ///< RECORD, WAIT: one reference
  agpu__emu_launch launch;   ///< KERNEL: its sizes
  agpu__emu_tally counts;    ///< KERNEL: once it has run
  agpu__emu_touched rows[2]; ///< COPY, FILL: what it writes and what it reads
  size_t row_count;
  agpu__emu_cost cost; ///< of all but copies with the host once it begins
  double left, rate;   ///< nanoseconds alone, and how many of them in one
  bool has_run;        ///< in real time
  bool has_begun;      ///< in modelled time
  bool is_late;        ///< a host function in front of it holds it up
  bool has_come, has_turn, has_returned; ///< HOST
  bool is_left; ///< HOST: runs, and nobody waits for its return
  int64_t returned;
  /// CONDITIONAL: what it has begun to run, and has not begun in modelled time.
  STAILQ_HEAD(, agpu__emu_timed) parts;
} agpu__emu_timed;

/// What is known of the op before it runs. Sets op->timed; NULL: out of memory.
agpu__emu_timed *agpu__emu_timed_create(const agpu__emu_model *model,
                                        agpu__emu_op *op, uint64_t number,
                                        int64_t enqueued)
    AGPU__REQUIRES(agpu__emu_timeline_lock);
void agpu__emu_timed_free(agpu__emu_timed *of);

/// The op has run: what it has counted is known.
void agpu__emu_timed_count(agpu__emu_timed *of)
    AGPU__REQUIRES(agpu__emu_timeline_lock);

/// Whether it shares the device with others.
static inline bool agpu__emu_is_work(agpu__emu_op_kind kind) {
  return kind == AGPU__EMU_OP_KERNEL || kind == AGPU__EMU_OP_COPY ||
         kind == AGPU__EMU_OP_FILL;
}

/// Whether it keeps its stream busy, and begins no sooner than the device has
/// heard of it.
static inline bool agpu__emu_takes_time(const agpu__emu_timed *of) {
  return agpu__emu_is_work(of->kind) || of->kind == AGPU__EMU_OP_HOST ||
         of->is_asking;
}

#endif // ASYNC_GPU_RUNTIME_EMU_MODEL_TIMED_H
