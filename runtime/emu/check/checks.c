//===- checks.c - The checks of ASYNC_GPU_EMU_CHECK -----------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which check listens to which hook. The check of arithmetic has none: kernels
// call it themselves (report.c).
//
//===----------------------------------------------------------------------===//

#include "emu/check/checks.h"
#include "base/memory/text.h"

#include "emu/base/hooks.h"
#include "emu/check/flights.h"
#include "emu/check/guard.h"
#include "emu/check/host_access.h"
#include "emu/check/host_races.h"
#include "emu/check/order.h"
#include "emu/check/races.h"
#include "emu/check/report.h"
#include "emu/check/thread_order.h"
#include "emu/check/thread_races.h"
#include "emu/check/written.h"

/// Checks tell of memory and races when the code that was the cause may have
/// been released.
static agpu__op_name keep(agpu__op_name origin) {
  origin.kernel = agpu__text_keep(origin.kernel);
  origin.location = agpu__text_keep(origin.location);
  return origin;
}

static agpu__op_name get_lasting_origin(void) {
  return keep(agpu__driver_get_origin());
}

static void drop_record(agpu__emu_record *record) {
  agpu__emu_history_drop(record);
  agpu__emu_written_drop(record);
}

static void check_enqueued(agpu__emu_order *order, const agpu__emu_stamp *after,
                           agpu__emu_op *op) {
  op->origin = keep(op->origin);
  agpu__emu_order_step(order, after, op);
  agpu__emu_host_races_enqueue(op);
  agpu__emu_races_enqueue(op);
}

static void begin_block(const agpu__emu_runner *runner) {
  agpu__emu_flights_begin_block();
  agpu__emu_thread_races_begin_block(runner);
}

static void forget_races(void) {
  agpu__emu_flights_reset();
  agpu__emu_order_reset();
  agpu__emu_races_reset();
  agpu__emu_thread_races_reset();
  agpu__emu_host_races_reset();
}

void agpu__emu_checks_install(const agpu__emu_settings *settings) {
  agpu__emu_hooks hooks = {.map = NULL};
  agpu__emu_report_reset();
  if (settings->check_races || settings->check_memory) {
    hooks.get_origin = get_lasting_origin;
    hooks.record_dropped = drop_record;
  }
  if (settings->check_races) {
    hooks.one_at_a_time = true;
    hooks.stream_created = agpu__emu_order_init;
    hooks.op_enqueued = check_enqueued;
    hooks.observed = agpu__emu_order_observe;
    hooks.run = agpu__emu_races_run;
    hooks.block_begins = begin_block;
    hooks.phase_arrived = agpu__emu_phase_arrived;
    hooks.phase_completed = agpu__emu_phase_completed;
    hooks.phase_observed = agpu__emu_phase_observed;
    hooks.phase_dropped = agpu__emu_phase_dropped;
    hooks.flight_begins = agpu__emu_flight_begins;
    hooks.flight_ends = agpu__emu_flight_ends;
    hooks.barrier = agpu__emu_threads_barrier;
    hooks.meet = agpu__emu_threads_meet;
    hooks.ended = forget_races;
  }
  if (settings->check_memory) {
    hooks.launch_begins = agpu__emu_guard_begin_launch;
    hooks.launch_ends = agpu__emu_guard_end_launch;
    hooks.map = agpu__emu_host_access_map;
    hooks.unmap = agpu__emu_guard_unmap;
    hooks.allocated = agpu__emu_written_allocated;
    hooks.filled = agpu__emu_written_filled;
    hooks.copied = agpu__emu_written_copied;
    hooks.faulted = agpu__emu_host_access_faulted;
    hooks.ending = agpu__emu_leaks_list;
  }
  if (settings->check_lanes)
    hooks.absent_lane_read = agpu__emu_report_absent_lane;
  agpu__emu_hooks_table = hooks;
}
