//===- cost.c - What work asks of the machine -----------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel takes the longest of three: its blocks, as many at a time on each
// multiprocessor as find room there, in waves; its bytes by the memory's
// bandwidth; its sectors by that of the second-level cache. That is a roofline
// (S. Williams, A. Waterman and D. Patterson, "Roofline", CACM 52(4), 2009)
// with waves and a tail.
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
  double all = counts->workgroup_accesses + counts->global_accesses;
  double cycles = all / model->workgroup_access_rate;
  for (int i = 0; i < AGPU__EMU_CLASSES; ++i) {
    cycles = most(cycles, counts->executed[i] / rates[i]);
    all += counts->executed[i];
  }
  cycles = most(cycles, all / LANES / model->issue_rate);
  return cycles / counts->blocks / model->clock;
}

/// How long a thread of the kernel takes at least, however few there are.
static double thread_time(const agpu__emu_model *model,
                          const agpu__emu_tally *counts, double threads) {
  double executed = counts->workgroup_accesses;
  for (int i = 0; i < AGPU__EMU_CLASSES; ++i)
    executed += counts->executed[i];
  return (executed * model->instruction_latency + counts->global_accesses *
                                                      model->memory_latency /
                                                      model->loads_in_flight) /
         (counts->blocks * threads);
}

agpu__emu_cost agpu__emu_cost_of_kernel(const agpu__emu_model *model,
                                        const agpu__emu_launch *launch,
                                        const agpu__emu_tally *counts) {
  const uint32_t *grid = launch->block.grid_dim,
                 *size = launch->block.block_dim;
  double blocks = (double)grid[0] * grid[1] * grid[2];
  double threads = (double)size[0] * size[1] * size[2];
  double resident = count_resident(model, launch, ceil(threads / LANES));
  double room = resident * model->multiprocessors;
  double block = counts->blocks > 0 ? block_time(model, counts) : 0;
  double thread = counts->blocks > 0 ? thread_time(model, counts, threads) : 0;
  double waves = floor(blocks / room), rest = blocks - waves * room;
  double busy = waves * most(resident * block, thread);
  if (rest > 0)
    busy += most(ceil(rest / model->multiprocessors) * block, thread);
  double memory = (counts->read_bytes + counts->written_bytes) /
                  (model->memory_bandwidth * model->memory_efficiency);
  double cache = counts->sectors * SECTOR / model->l2_bandwidth;
  double alone = most(busy, most(memory, cache)) + model->kernel_least;
  return (agpu__emu_cost){.alone = alone,
                          .share = least(1, blocks / room),
                          .memory = memory / alone};
}

static double count_bytes(const agpu__emu_rows *rows) {
  return (double)rows->width * (double)rows->height * (double)rows->depth;
}

agpu__emu_cost agpu__emu_cost_of_copy(const agpu__emu_model *model,
                                      const agpu__emu_rows *target,
                                      const agpu__emu_rows *source) {
  bool to_device = agpu__emu_memory_device(target->at) >= 0;
  bool from_device = agpu__emu_memory_device(source->at) >= 0;
  double bytes = count_bytes(target);
  double bandwidth = model->memory_bandwidth * model->memory_efficiency;
  if (to_device && from_device) { // read and written
    double memory = 2 * bytes / bandwidth;
    return (agpu__emu_cost){.alone = memory + model->copy_least,
                            .memory = memory / (memory + model->copy_least)};
  }
  bandwidth = to_device ? model->to_device_bandwidth : model->to_host_bandwidth;
  if (agpu__emu_memory_is_pageable(target->at, agpu__emu_rows_span(target)) ||
      agpu__emu_memory_is_pageable(source->at, agpu__emu_rows_span(source)))
    bandwidth = least(bandwidth, model->pageable_bandwidth);
  return (agpu__emu_cost){.alone = bytes / bandwidth + model->copy_least,
                          .engine = to_device ? AGPU__EMU_TO_DEVICE
                                              : AGPU__EMU_FROM_DEVICE};
}

agpu__emu_cost agpu__emu_cost_of_fill(const agpu__emu_model *model,
                                      const agpu__emu_rows *target) {
  double memory = count_bytes(target) /
                  (model->memory_bandwidth * model->memory_efficiency);
  double alone = memory + model->kernel_least;
  return (agpu__emu_cost){.alone = alone, .memory = memory / alone};
}
