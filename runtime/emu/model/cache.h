//===- cache.h - What a card's second-level cache holds -----------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Work of a device touches ranges of memory in modelled order. What it touches
// again is in the cache if little else was touched meanwhile.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_EMU_MODEL_CACHE_H
#define ASYNC_GPU_RUNTIME_EMU_MODEL_CACHE_H

#include "emu/model/counts.h"
#include "emu/model/lock.h"
#include "emu/model/model.h"

/// The next piece of work touches `count` ranges, none of which overlap. Gives
/// how much of their traffic the cache does not take, in bytes.
double agpu__emu_cache_touch(const agpu__emu_model *model,
                             const agpu__emu_touched *ranges, size_t count)
    AGPU__REQUIRES(agpu__emu_timeline_lock);

#endif // ASYNC_GPU_RUNTIME_EMU_MODEL_CACHE_H
