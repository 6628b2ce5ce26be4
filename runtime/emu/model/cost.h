//===- cost.h - What work asks of the machine ---------------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a piece of work asks of the modelled machine: how long it would take
// alone, and how much of the machine it takes meanwhile.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_EMU_MODEL_COST_H
#define ASYNC_GPU_RUNTIME_EMU_MODEL_COST_H

#include "emu/memory/rows.h"
#include "emu/model/counts.h"
#include "emu/model/model.h"

/// What of a device can do one thing at a time: each direction of its link to
/// the host, and of those to its peers.
typedef enum agpu__emu_engine {
  AGPU__EMU_TO_DEVICE,
  AGPU__EMU_FROM_DEVICE,
  AGPU__EMU_FROM_PEER,
  AGPU__EMU_TO_PEER,
  AGPU__EMU_ENGINES
} agpu__emu_engine;

/// One of them.
typedef struct agpu__emu_engine_of {
  CUdevice device;
  agpu__emu_engine engine;
} agpu__emu_engine_of;

typedef struct agpu__emu_cost {
  double alone;  ///< nanoseconds
  double share;  ///< of the multiprocessors, 0 to 1
  double memory; ///< of the memory's bandwidth, 0 to 1
  size_t engine_count;
  agpu__emu_engine_of engines[2]; ///< that it needs all the time
} agpu__emu_cost;

/// Of a launch on the device in which that was counted, of whose traffic
/// `missed` bytes are not in the cache.
agpu__emu_cost agpu__emu_cost_of_kernel(const agpu__emu_model *model,
                                        const agpu__emu_launch *launch,
                                        CUdevice device,
                                        const agpu__emu_tally *counts,
                                        double missed);

/// Nanoseconds that a block takes which has a multiprocessor for itself, for
/// what its threads execute between two barriers, where a load of memory that
/// is not the block's takes `latency`.
double agpu__emu_cost_of_phase(const agpu__emu_model *model,
                               const agpu__emu_work *work, double threads,
                               double latency);

/// Of a copy between the host and a device or between two devices, as the
/// memory lies when it is enqueued. What a copy on a device takes is not known
/// yet.
agpu__emu_cost agpu__emu_cost_of_copy(const agpu__emu_model *model,
                                      const agpu__emu_rows *target,
                                      const agpu__emu_rows *source);

/// Of a fill or a copy on a device with so many bytes of traffic, of which the
/// cache misses so many. `least`: what it takes at all, in nanoseconds.
agpu__emu_cost agpu__emu_cost_of_traffic(const agpu__emu_model *model,
                                         double traffic, double missed,
                                         double least);

#endif // ASYNC_GPU_RUNTIME_EMU_MODEL_COST_H
