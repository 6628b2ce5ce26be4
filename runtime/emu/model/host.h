//===- host.h - The host in modelled time -------------------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The host in modelled time. Each thread has a clock, which goes on by what its
// calls of the driver take, and to the time of what it waits for; what it
// computes takes no time, unless the model says how much of its CPU time
// counts.
//
// Threads of the runtime say where they could see what others do
// (base/sync/schedule.h), and go on there one after the other, the one whose
// clock is behind first. Time of devices goes on when no thread can do anything
// before: that is how SimGrid runs threads (H. Casanova et al., "Versatile,
// scalable, and accurate simulation of distributed applications and platforms",
// JPDC 74(10), 2014; for a task runtime: L. Stanisic et al., "Faithful
// performance prediction of a dynamic task-based runtime system for
// heterogeneous multi-core architectures", CCPE 27(16), 2015).
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_EMU_MODEL_HOST_H
#define ASYNC_GPU_RUNTIME_EMU_MODEL_HOST_H

#include "base/sync/network.h"
#include "base/sync/schedule.h"
#include "emu/base/hooks.h"
#include "emu/device/marker.h"
#include "emu/model/model.h"

struct agpu__emu_op;
struct agpu__emu_timed;

/// `model` stays. Before any thread calls what follows.
void agpu__emu_host_start(const agpu__emu_model *model);

/// The calling thread begins a call of the driver of that name.
void agpu__emu_host_call(const char *function);

/// Its clock.
int64_t agpu__emu_host_now(void);

/// It waits until all that the stream has been given is over; until the marker
/// is reached. Whether they are, as the thread's clock stands: then that is not
/// before them.
void agpu__emu_host_await_stream(const agpu__emu_order *order);
/// The calling thread waits for room in a stream, or has waited.
void agpu__emu_host_held_up(bool is_held);

void agpu__emu_host_await_marker(agpu__emu_marker *marker);
bool agpu__emu_host_sees_stream(const agpu__emu_order *order);
bool agpu__emu_host_sees_marker(agpu__emu_marker *marker);

/// Calls a host function of a stream on the calling thread, once its turn has
/// come.
void agpu__emu_host_function(struct agpu__emu_timed *of,
                             void (*call)(const struct agpu__emu_op *op),
                             const struct agpu__emu_op *op);

// What the runtime's threads say (base/sync/schedule.h).
void agpu__emu_host_pass(agpu__point point);
bool agpu__emu_host_draw(agpu__point point);
uint32_t agpu__emu_host_random(void);
void agpu__emu_host_sleep(const void *place);
void agpu__emu_host_wake(const void *place);
void agpu__emu_host_fork(agpu__fork_step step);

// What messages say (base/sync/network.h).
bool agpu__emu_host_begin(void *of, const agpu__network_side *sides,
                          size_t count);
bool agpu__emu_host_begin_all(void *of, agpu__network_gathering kind,
                              uint64_t comm, int members, int64_t bytes,
                              int64_t earliest);
void *agpu__emu_host_await_message(void);

#endif // ASYNC_GPU_RUNTIME_EMU_MODEL_HOST_H
