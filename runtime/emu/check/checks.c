//===- checks.c - The checks of ASYNC_GPU_EMU_CHECK -----------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which check listens to which hook. The check of arithmetic has none: kernels
// call it themselves (report.c). Host code that touches device memory ends the
// process whatever is checked.
//
//===----------------------------------------------------------------------===//

#include "emu/check/checks.h"

#include "emu/base/hooks.h"
#include "emu/base/origin.h"
#include "emu/check/flights.h"
#include "emu/check/host_access.h"
#include "emu/check/host_races.h"
#include "emu/check/order.h"
#include "emu/check/products.h"
#include "emu/check/races.h"
#include "emu/check/report.h"
#include "emu/check/thread_order.h"
#include "emu/check/thread_races.h"
#include "emu/check/written.h"

static void drop_record(agpu__emu_record *record) {
  agpu__emu_history_drop(record);
  agpu__emu_written_drop(record);
}

static void check_enqueued(agpu__emu_order *order, const agpu__emu_stamp *after,
                           agpu__emu_op *op) {
  op->origin = agpu__emu_origin_keep(op->origin);
  agpu__emu_order_step(order, after, op);
  agpu__emu_host_races_enqueue(op);
  agpu__emu_races_enqueue(op);
}

/// The number of a thread of the current block in its cluster.
static uint16_t number_of(uint32_t thread) {
  return (uint16_t)(agpu__emu_first_thread(agpu__emu_runner_current()) +
                    thread);
}

static void meet(const uint16_t *threads, uint32_t count) {
  uint16_t numbers[AGPU__EMU_MAX_THREADS_PER_BLOCK];
  for (uint32_t i = 0; i < count; ++i)
    numbers[i] = number_of(threads[i]);
  agpu__emu_threads_meet(numbers, count);
}

/// All threads of a block meet; of a cluster, those of one block.
static void meet_all(void) {
  const agpu__emu_runner *runner = agpu__emu_runner_current();
  uint16_t numbers[AGPU__EMU_MAX_THREADS_PER_BLOCK];
  if (!runner->cluster) {
    agpu__emu_threads_barrier();
    return;
  }
  for (uint32_t i = 0; i < runner->thread_count; ++i)
    numbers[i] = number_of(i);
  agpu__emu_threads_meet(numbers, runner->thread_count);
}

static void meet_in_cluster(const agpu__emu_runner *runner) {
  (void)runner;
  agpu__emu_threads_barrier();
}

static void phase_arrived(agpu__emu_phase_record *record, uint32_t thread) {
  agpu__emu_phase_arrived(record, number_of(thread));
}

/// The number of a thread in the block that the calling thread runs.
static uint32_t number_in_block(const uint32_t *id) {
  const uint32_t *size = agpu__emu_runner_current()->block.block_dim;
  return id[0] + size[0] * (id[1] + size[1] * id[2]);
}

static void phase_used(const void *place, bool writes, const char *location,
                       const uint32_t *thread) {
  agpu__emu_thread_races_access(agpu__emu_runner_current(), (uintptr_t)place,
                                sizeof(uint64_t),
                                writes ? AGPU_NATIVE_WRITES : AGPU_NATIVE_READS,
                                location, (uint16_t)number_in_block(thread));
}

static void matrix_read(uintptr_t place, uint32_t bytes, unsigned swizzle,
                        const char *location, const uint32_t *thread) {
  agpu__emu_matrix_read(agpu__emu_runner_current(), place, bytes, swizzle,
                        location, number_in_block(thread));
}

static void matrix_held(uintptr_t place, uint32_t bytes, const char *location,
                        const uint32_t *thread) {
  agpu__emu_thread_races_look_beside(agpu__emu_runner_current(), place, bytes,
                                     location,
                                     (uint16_t)number_in_block(thread));
  agpu__emu_matrix_held(place, location);
}

static void proxies_fenced(uint32_t thread) {
  agpu__emu_threads_fence(number_of(thread));
}

static uint32_t flight_begins(const agpu__emu_flight *flight) {
  return agpu__emu_flight_begins(flight, number_of(flight->thread));
}

static void phase_observed(const agpu__emu_phase_record *record,
                           uint32_t thread) {
  agpu__emu_phase_observed(record, number_of(thread));
}

static void begin_block(const agpu__emu_runner *runner) {
  if (runner->cluster && runner != runner->cluster)
    return; // with the first one of the cluster
  agpu__emu_flights_begin_block();
  agpu__emu_products_begin_block(runner);
  agpu__emu_thread_races_begin_block(runner);
}

static void forget_races(void) {
  agpu__emu_flights_reset();
  agpu__emu_products_reset();
  agpu__emu_order_reset();
  agpu__emu_races_reset();
  agpu__emu_thread_races_reset();
  agpu__emu_host_races_reset();
}

void agpu__emu_checks_install(const agpu__emu_settings *settings) {
  agpu__emu_hooks hooks = {.faulted = agpu__emu_host_access_faulted};
  agpu__emu_report_reset();
  if (agpu__emu_checks_accesses())
    hooks.record_dropped = drop_record;
  if (settings->check_races) {
    hooks.one_at_a_time = true;
    hooks.stream_created = agpu__emu_order_init;
    hooks.op_enqueued = check_enqueued;
    hooks.observed = agpu__emu_order_observe;
    hooks.run = agpu__emu_races_run;
    hooks.block_begins = begin_block;
    hooks.phase_arrived = phase_arrived;
    hooks.phase_completed = agpu__emu_phase_completed;
    hooks.phase_observed = phase_observed;
    hooks.cluster_barrier = meet_in_cluster;
    hooks.phase_dropped = agpu__emu_phase_dropped;
    hooks.tensor_loaded = agpu__emu_tensor_loaded;
    hooks.phase_used = phase_used;
    hooks.matrix_read = matrix_read;
    hooks.matrix_held = matrix_held;
    hooks.proxies_fenced = proxies_fenced;
    hooks.product_ending = agpu__emu_product_ending;
    hooks.matrix_released = agpu__emu_matrix_released;
    hooks.product_ended = agpu__emu_product_ended;
    hooks.flight_begins = flight_begins;
    hooks.flight_ends = agpu__emu_flight_ends;
    hooks.barrier = meet_all;
    hooks.meet = meet;
    hooks.ended = forget_races;
  }
  if (settings->check_memory) {
    hooks.allocated = agpu__emu_written_allocated;
    hooks.filled = agpu__emu_written_filled;
    hooks.copied = agpu__emu_written_copied;
    hooks.ending = agpu__emu_leaks_list;
  }
  if (settings->check_lanes)
    hooks.absent_lane_read = agpu__emu_report_absent_lane;
  agpu__emu_hooks_table = hooks;
}
