//===- cost.c - What work asks of the machine -----------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Three things bound a kernel: its blocks, as many at a time on each
// multiprocessor as find room there, in waves; what the cache misses, by the
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
                    BLOCK_RESERVE = 1024;

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

/// How long a multiprocessor is busy with a block, in nanoseconds.
static double block_time(const agpu__emu_model *model,
                         const agpu__emu_tally *counts) {
  const double rates[AGPU__EMU_CLASSES] = {
      [AGPU__EMU_FP32] = model->fp32_rate,
      [AGPU__EMU_FP64] = model->fp64_rate,
      [AGPU__EMU_INTEGER] = model->integer_rate,
      [AGPU__EMU_SPECIAL] = model->special_rate,
  };
  double all = counts->workgroup_accesses + counts->reads + counts->writes;
  double cycles = all / model->workgroup_access_rate;
  for (int i = 0; i < AGPU__EMU_CLASSES; ++i) {
    cycles = most(cycles, counts->executed[i] / rates[i]);
    all += counts->executed[i];
  }
  cycles = most(cycles, all / LANES / model->issue_rate);
  return cycles / counts->blocks / model->clock;
}

/// How long a block takes at least, however few there are: what its threads
/// execute one after the other, and the loads that they wait for, some of which
/// are on their way together. Stores are not waited for.
static double thread_time(const agpu__emu_model *model,
                          const agpu__emu_tally *counts, double threads,
                          double latency) {
  threads *= counts->blocks;
  double executed = counts->workgroup_accesses + counts->writes;
  for (int i = 0; i < AGPU__EMU_CLASSES; ++i)
    executed += counts->executed[i];
  double waits = counts->reads / threads / model->loads_in_flight;
  if (counts->reads > 0)
    waits = most(waits, 1);
  return model->block_start + waits * latency +
         executed / threads * model->instruction_latency;
}

static double get_memory_time(const agpu__emu_model *model, double bytes) {
  return bytes / (model->memory_bandwidth * model->memory_efficiency);
}

agpu__emu_cost agpu__emu_cost_of_kernel(const agpu__emu_model *model,
                                        const agpu__emu_launch *launch,
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
  double traffic = 0;
  for (size_t i = 0; i < counts->ranges; ++i)
    traffic += counts->touched[i].traffic;
  double misses = traffic > 0 ? missed / traffic : 0;
  double latency =
      misses * model->memory_latency + (1 - misses) * model->l2_latency;
  double block = block_time(model, counts);
  double thread = thread_time(model, counts, threads, latency);
  double waves = floor(blocks / room), rest = blocks - waves * room;
  double busy = waves * most(resident * block, thread);
  if (rest > 0)
    busy += most(ceil(rest / model->multiprocessors) * block, thread);
  busy = most(busy, blocks / model->block_rate / model->clock);
  double memory = get_memory_time(model, missed);
  double cache = SECTOR * (counts->read_sectors / model->l2_bandwidth +
                           counts->written_sectors / model->l2_write_bandwidth);
  double alone = hypot(busy, most(memory, cache)) + model->kernel_least;
  return (agpu__emu_cost){.alone = alone,
                          .share = least(1, blocks / room),
                          .memory = memory / alone};
}

agpu__emu_cost agpu__emu_cost_of_copy(const agpu__emu_model *model,
                                      const agpu__emu_rows *target,
                                      const agpu__emu_rows *source) {
  bool to_device = agpu__emu_memory_device(target->at) >= 0;
  if (to_device && agpu__emu_memory_device(source->at) >= 0)
    return (agpu__emu_cost){0};
  double bandwidth =
      to_device ? model->to_device_bandwidth : model->to_host_bandwidth;
  if (agpu__emu_memory_is_pageable(target->at, agpu__emu_rows_span(target)) ||
      agpu__emu_memory_is_pageable(source->at, agpu__emu_rows_span(source)))
    bandwidth = least(bandwidth, model->pageable_bandwidth);
  return (agpu__emu_cost){
      .alone = agpu__emu_rows_bytes(target) / bandwidth + model->copy_least,
      .engine = to_device ? AGPU__EMU_TO_DEVICE : AGPU__EMU_FROM_DEVICE};
}

agpu__emu_cost agpu__emu_cost_of_traffic(const agpu__emu_model *model,
                                         double traffic, double missed,
                                         double least_time) {
  double memory = get_memory_time(model, missed);
  double alone = hypot(memory, traffic / model->l2_bandwidth) + least_time;
  return (agpu__emu_cost){.alone = alone, .memory = memory / alone};
}
