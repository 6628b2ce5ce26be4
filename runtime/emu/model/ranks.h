//===- ranks.h - This rank among others ---------------------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ranks have one clock: a rank whose messages are not over goes on to a time
// once no other rank can begin anything that would come to it before. A rank
// that waits for nobody goes on, and says how far it is.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_EMU_MODEL_RANKS_H
#define ASYNC_GPU_RUNTIME_EMU_MODEL_RANKS_H

#include "base/sync/network.h"
#include "emu/model/lock.h"
#include "emu/model/model.h"

/// `model` stays.
void agpu__emu_ranks_start(const agpu__emu_model *model);

/// When the first of what has begun is over, as far as it is known; INT64_MAX:
/// it is not.
int64_t agpu__emu_ranks_next(void) AGPU__REQUIRES(agpu__emu_timeline_lock);

/// Whether the rank may go on to `time`; it begins nothing before `bound`, nor
/// before its first message is over, unless nobody waits for that now.
bool agpu__emu_ranks_may(int64_t bound, int64_t time, bool is_awaited)
    AGPU__REQUIRES(agpu__emu_timeline_lock);

/// It may not, or has nothing to do: waits for a while until others go on.
void agpu__emu_ranks_rest(void) AGPU__REQUIRES(agpu__emu_timeline_lock);

/// Takes the first that is over.
void *agpu__emu_ranks_take(void) AGPU__REQUIRES(agpu__emu_timeline_lock);

/// As base/sync/network.h says, at `*time`, which goes on.
bool agpu__emu_ranks_begin(void *of, const agpu__network_side *sides,
                           size_t count, int64_t *time)
    AGPU__REQUIRES(agpu__emu_timeline_lock);
bool agpu__emu_ranks_begin_all(void *of, agpu__network_gathering kind,
                               uint64_t comm, int members, int64_t bytes,
                               int64_t time)
    AGPU__REQUIRES(agpu__emu_timeline_lock);

// The same as the calls of that name.
bool agpu__emu_ranks_create(void *shared, int ranks);
bool agpu__emu_ranks_join(void *shared, int rank, void (*poll)(void));
bool agpu__emu_ranks_is_eager(int peer, int64_t bytes);
void agpu__emu_ranks_leave(void);

/// In the child of a fork, which is no rank.
void agpu__emu_ranks_forget(void);

#endif // ASYNC_GPU_RUNTIME_EMU_MODEL_RANKS_H
