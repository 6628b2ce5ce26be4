//===- cost.c - What work asks of the machine -----------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Three things bound a kernel: its blocks, as many at a time on each
// multiprocessor as find room there, in waves, each of which takes the longer
// of what the multiprocessor is busy with all of them and of what one takes
// alone, as its threads wait (V. Volkov, "Understanding latency hiding on
// GPUs", UC Berkeley, 2016); what the cache misses, by the
// memory's bandwidth; its sectors, by the cache's. That is a roofline
// (S. Williams, A. Waterman and D. Patterson, "Roofline", CACM 52(4), 2009)
// with waves and a tail, and without its sharp corner: where two bounds are
// near each other, work waits for both now and then. The root of the sum of
// their squares lies between the longer one and their sum.
//
//===----------------------------------------------------------------------===//

#include "emu/model/cost.h"

#include "emu/memory/memory.h"

#include <math.h>

static const double LANES = AGPU__EMU_LANES, SECTOR = AGPU__EMU_SECTOR_BYTES,
                    BLOCK_RESERVE = 1024, PICOSECONDS = 1000;

static double least(double a, double b) { return a < b ? a : b; }
static double most(double a, double b) { return a > b ? a : b; }

/// Blocks of the launch that a multiprocessor has room for, at least 1.
static double count_resident(const agpu__emu_model *model,
                             const agpu__emu_launch *launch, double warps) {
  double shared = launch->block.shared_bytes;
  double fit = least(model->blocks, floor(model->warps / warps));
  fit = least(
      fit, floor(model->registers / (warps * LANES * model->thread_registers)));
  if (shared > 0)
    fit = least(fit, floor(model->workgroup_memory / (shared + BLOCK_RESERVE)));
  return most(fit, 1);
}

/// Instructions, apart from loads of memory that is not the block's.
static double count_executed(const agpu__emu_work *work) {
  double executed = work->workgroup_accesses + work->writes;
  for (int i = 0; i < AGPU__EMU_CLASSES; ++i)
    executed += work->executed[i];
  return executed;
}

/// How long a multiprocessor is busy with it, in nanoseconds: with instructions
/// of each kind, with what goes from and to workgroup memory, a word for each
/// lane at a time, and with issuing all of them.
static double busy_time(const agpu__emu_model *model,
                        const agpu__emu_work *work) {
  const double rates[AGPU__EMU_CLASSES] = {
      [AGPU__EMU_FP32] = model->fp32_rate,
      [AGPU__EMU_FP64] = model->fp64_rate,
      [AGPU__EMU_INTEGER] = model->integer_rate,
      [AGPU__EMU_SPECIAL] = model->special_rate,
  };
  double words = work->workgroup_words + work->reads + work->writes;
  double cycles = words / model->workgroup_access_rate;
  for (int i = 0; i < AGPU__EMU_CLASSES; ++i)
    cycles = most(cycles, work->executed[i] / rates[i]);
  cycles = most(cycles, work->products / model->matrix_rate);
  double all = count_executed(work) + work->reads;
  return most(cycles, all / LANES / model->issue_rate) / model->clock;
}

/// A thread issues an instruction in a clock, unless it waits: for what the one
/// before gives, and for loads, of which some of memory that is not the block's
/// are on their way together. What it loads and does not need yet arrives
/// meanwhile. It does not wait for stores. The other threads execute then, too.
double agpu__emu_cost_of_phase(const agpu__emu_model *model,
                               const agpu__emu_work *work, double threads,
                               double latency) {
  double issue = count_executed(work) / threads / model->clock;
  double chain = (work->chain * model->instruction_latency +
                  work->chained_loads * model->workgroup_latency) /
                 threads;
  double waits = work->reads / threads / model->loads_in_flight;
  if (work->reads > 0)
    waits = most(waits, 1);
  double chained = least(work->chained_reads / threads, waits);
  // A warp has one of a multiprocessor's four units for matrices.
  double multiply =
      4 * work->products * LANES / threads / model->matrix_rate / model->clock;
  chain = most(chain, multiply);
  double thread = most(most(issue, chain) + chained * latency, waits * latency);
  return most(busy_time(model, work), thread);
}

static double get_memory_time(const agpu__emu_model *model, double bytes) {
  return bytes / (model->memory_bandwidth * model->memory_efficiency);
}

agpu__emu_cost agpu__emu_cost_of_kernel(const agpu__emu_model *model,
                                        const agpu__emu_launch *launch,
                                        CUdevice device,
                                        const agpu__emu_tally *counts,
                                        double missed) {
  if (!(counts->blocks > 0))
    return (agpu__emu_cost){.alone = model->kernel_least};
  const uint32_t *grid = launch->block.grid_dim,
                 *size = launch->block.block_dim;
  double blocks = (double)grid[0] * grid[1] * grid[2];
  double threads = (double)size[0] * size[1] * size[2];
  double resident = count_resident(model, launch, ceil(threads / LANES));
  double room = resident * model->multiprocessors;
  double traffic = 0, peers = 0;
  for (size_t i = 0; i < counts->ranges; ++i) {
    const agpu__emu_touched *touched = &counts->touched[i];
    traffic += touched->traffic;
    if (touched->device >= 0 && touched->device != device)
      peers += touched->traffic;
  }
  double misses = traffic > 0 ? missed / traffic : 0;
  double block = busy_time(model, &counts->work) / blocks;
  double alone = misses * counts->alone_far + (1 - misses) * counts->alone_near;
  alone =
      model->block_start + alone / most(counts->alone_blocks, 1) / PICOSECONDS;
  double waves = floor(blocks / room), rest = blocks - waves * room;
  double busy = waves * most(resident * block, alone);
  if (rest > 0)
    busy += most(ceil(rest / model->multiprocessors) * block, alone);
  busy = most(busy, blocks / model->block_rate / model->clock);
  double memory = get_memory_time(model, missed);
  double cache = SECTOR * (counts->read_sectors / model->l2_bandwidth +
                           counts->written_sectors / model->l2_write_bandwidth);
  double links = peers / model->peer_bandwidth;
  double whole =
      hypot(busy, most(most(memory, cache), links)) + model->kernel_least;
  return (agpu__emu_cost){.alone = whole,
                          .share = least(1, blocks / room),
                          .memory = memory / whole};
}

agpu__emu_cost agpu__emu_cost_of_copy(const agpu__emu_model *model,
                                      const agpu__emu_rows *target,
                                      const agpu__emu_rows *source) {
  CUdevice to = agpu__emu_memory_slot_device(target->at),
           from = agpu__emu_memory_slot_device(source->at);
  bool to_device = to >= 0;
  if (to_device && from == to)
    return (agpu__emu_cost){0};
  double bytes = agpu__emu_rows_bytes(target);
  if (to_device && from >= 0) {
    bool has_links = model->peer_links > 0;
    return (agpu__emu_cost){
        .alone = bytes / model->peer_bandwidth + model->copy_least,
        .engine_count = 2,
        .engines = {
            {from, has_links ? AGPU__EMU_TO_PEER : AGPU__EMU_FROM_DEVICE},
            {to, has_links ? AGPU__EMU_FROM_PEER : AGPU__EMU_TO_DEVICE}}};
  }
  double bandwidth =
      to_device ? model->to_device_bandwidth : model->to_host_bandwidth;
  if (agpu__emu_memory_is_pageable(target->at, agpu__emu_rows_span(target)) ||
      agpu__emu_memory_is_pageable(source->at, agpu__emu_rows_span(source)))
    bandwidth = least(bandwidth, model->pageable_bandwidth);
  return (agpu__emu_cost){
      .alone = bytes / bandwidth + model->copy_least,
      .engine_count = to_device || from >= 0,
      .engines = {{to_device ? to : from,
                   to_device ? AGPU__EMU_TO_DEVICE : AGPU__EMU_FROM_DEVICE}}};
}

agpu__emu_cost agpu__emu_cost_of_traffic(const agpu__emu_model *model,
                                         double traffic, double missed,
                                         double least_time) {
  double memory = get_memory_time(model, missed);
  double alone = hypot(memory, traffic / model->l2_bandwidth) + least_time;
  return (agpu__emu_cost){.alone = alone, .memory = memory / alone};
}
