//===- rest.h - Waiting for a change of what is modelled ----------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_EMU_MODEL_REST_H
#define ASYNC_GPU_RUNTIME_EMU_MODEL_REST_H

#include "emu/model/lock.h"

#include <stdint.h>
#include <sys/types.h>

/// Before threads rest; in the child of a fork, where none do.
void agpu__emu_rest_start(void);
void agpu__emu_rest_forget(void);

/// Wakes those that rest; waits for that, for some milliseconds: false where
/// nothing has changed.
void agpu__emu_changed(void) AGPU__REQUIRES(agpu__emu_timeline_lock);
bool agpu__emu_rest(void) AGPU__REQUIRES(agpu__emu_timeline_lock);

/// Whether the thread sleeps, as the system sees it. One that has what it waits
/// for and no CPU does not.
bool agpu__emu_is_asleep(pid_t thread);

/// Whether a thread of the process could go on, if there were a CPU for it, but
/// the calling one and those that rest. Reads the state of all: takes long.
bool agpu__emu_is_any_runnable(void) AGPU__REQUIRES(agpu__emu_timeline_lock);

/// Nanoseconds of CPU that the process has used, but while work of devices
/// runs: goes on no further where it has no CPU.
int64_t agpu__emu_used_cpu(void) AGPU__REQUIRES(agpu__emu_timeline_lock);

/// Work of devices runs from now on, or none does any more.
void agpu__emu_leave_out_cpu(bool works)
    AGPU__REQUIRES(agpu__emu_timeline_lock);

#endif // ASYNC_GPU_RUNTIME_EMU_MODEL_REST_H
