//===- watch.h - Kernels that do not end --------------------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A thread looks after the launches that run: of one that runs for long, a
// warning says so, once, as nothing else would tell where the program hangs;
// one that runs for longer than ASYNC_GPU_EMU_KERNEL_SECONDS ends the program.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_EMU_SIMT_WATCH_H
#define ASYNC_GPU_RUNTIME_EMU_SIMT_WATCH_H

#include "emu/simt/launch.h"

#include <stdint.h>
#include <sys/queue.h>

/// A launch that runs. The caller's, who does not touch it in between.
typedef struct agpu__emu_watched {
  LIST_ENTRY(agpu__emu_watched) link;
  const agpu__emu_launch *launch;
  const char *location; ///< of its op, or NULL
  int64_t deadline;     ///< in nanoseconds
} agpu__emu_watched;

/// Before and after a launch. Where no thread is available, nothing is watched.
void agpu__emu_watch_begin(agpu__emu_watched *watched,
                           const agpu__emu_launch *launch,
                           const char *location);
void agpu__emu_watch_end(agpu__emu_watched *watched);

/// Joins the thread. No launch runs.
void agpu__emu_watch_reset(void);

#endif // ASYNC_GPU_RUNTIME_EMU_SIMT_WATCH_H
