//===- timeline.h - Work of devices in modelled time --------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Work of modelled devices in modelled time, which begins at 0: nanoseconds. A
// piece of work begins when what it waits for is over, the host has enqueued it
// and its engine is free; the order in which threads of this machine come does
// not matter. Kernels that run at the same time share multiprocessors and
// memory bandwidth, in the order in which they began.
//
// The timeline goes on by steps, each one event, and no further than somebody
// needs: what is enqueued later, at a later time, finds the device as it is
// then.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_EMU_MODEL_TIMELINE_H
#define ASYNC_GPU_RUNTIME_EMU_MODEL_TIMELINE_H

#include "emu/device/op.h"
#include "emu/model/lock.h"
#include "emu/model/model.h"

#define AGPU__EMU_NEVER INT64_MAX

/// From now on `ran` is told when the work of each number runs; NULL: nobody.
void agpu__emu_timeline_tell(agpu__emu_ran *ran);

/// `model` stays. Before the device is used.
void agpu__emu_timeline_start(const agpu__emu_model *model);

/// The op is the next of its stream, from `now` on. Sets op->timed.
void agpu__emu_timeline_add(agpu__emu_order *order, agpu__emu_op *op,
                            int64_t now)
    AGPU__REQUIRES(agpu__emu_timeline_lock);

/// The conditional node runs that op next; NULL: it asks for its condition.
/// Sets op->timed. On the stream's thread.
void agpu__emu_timeline_add_part(struct agpu__emu_timed *of, agpu__emu_op *op);

/// Work, or a conditional node, runs from now on, in real time.
void agpu__emu_timeline_runs(void);

/// The op has run, in real time, or was dropped.
void agpu__emu_timeline_ran(struct agpu__emu_timed *of);

/// The host function is over, which the thread that has called it says at
/// `now`.
void agpu__emu_timeline_returned(struct agpu__emu_timed *of, int64_t now);

/// The host function that is called waits for something: devices go on, and its
/// end comes when it returns.
void agpu__emu_timeline_leave_called(void)
    AGPU__REQUIRES(agpu__emu_timeline_lock);

/// Waits until the timeline has got to the host function; when it begins.
/// Looks `every` few milliseconds whether it has to be helped.
int64_t agpu__emu_timeline_await_turn(struct agpu__emu_timed *of,
                                      void (*every)(void));

/// Makes one step, if there is one up to `limit`. May give the lock back and
/// take it again; one thread at a time does so, which the caller sees to.
bool agpu__emu_timeline_step(int64_t limit)
    AGPU__REQUIRES(agpu__emu_timeline_lock);

/// When the next step is; NEVER: there is none.
int64_t agpu__emu_timeline_next(void) AGPU__REQUIRES(agpu__emu_timeline_lock);

/// How far it is; whether a thread makes a step.
int64_t agpu__emu_timeline_now(void) AGPU__REQUIRES(agpu__emu_timeline_lock);
bool agpu__emu_timeline_is_stepping(void)
    AGPU__REQUIRES(agpu__emu_timeline_lock);

/// How many pieces of work the stream has been given so far, and whether so
/// many are over; `*out_time` is when the last of them was.
uint64_t agpu__emu_timeline_given(const agpu__emu_order *order)
    AGPU__REQUIRES(agpu__emu_timeline_lock);
bool agpu__emu_timeline_is_over(const agpu__emu_order *order, uint64_t given,
                                int64_t *out_time)
    AGPU__REQUIRES(agpu__emu_timeline_lock);

/// The stream goes: it has no work left that somebody could wait for.
void agpu__emu_timeline_stream_ended(agpu__emu_order *order);

#endif // ASYNC_GPU_RUNTIME_EMU_MODEL_TIMELINE_H
