//===- launch.h - A launch of a kernel -------------------------- -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The blocks of a launch run on the thread of its stream, which a small pool of
// threads helps where that pays.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_EMU_SIMT_LAUNCH_H
#define ASYNC_GPU_RUNTIME_EMU_SIMT_LAUNCH_H

#include "async_gpu/compiled/kernel.h"
#include "driver_api/functions.h"
#include "emu/base/random.h"

#include <stdbool.h>

typedef struct agpu__emu_launch {
  const agpu_native_kernel *kernel;
  agpu_native_block block; // sizes; block_id and shared are set per block
  uint32_t cluster_dim[3]; // in blocks
  uint64_t number;         // of the launches of the process
  void **params;           // into the same allocation as the launch
  CUdeviceptr *hidden;     // likewise; see pageable.c
  struct agpu__emu_launch_counts *counts; // emu/model's, or NULL
} agpu__emu_launch;

/// "kernel 'NAME' with grid XxYxZ, block XxYxZ".
void agpu__emu_launch_describe(const agpu__emu_launch *launch, char *out,
                               size_t size);

/// Runs all blocks of a launch and returns when they are done.
void agpu__emu_launch_run(const agpu__emu_launch *launch,
                          agpu__emu_random *random);

/// Has the calling thread, which waits for the device, run blocks of launches
/// that others share until is_done(of), or there have been none for a moment.
/// What is_done says in the end: who goes on to sleep has to look again.
bool agpu__emu_launch_help(bool (*is_done)(void *of), void *of);

/// Joins the threads that run blocks. No work may be running.
void agpu__emu_launch_reset(void);

#endif // ASYNC_GPU_RUNTIME_EMU_SIMT_LAUNCH_H
