//===- helper.h - A thread for calls that block -------------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Some of the driver's calls wait for what the device does: those that
// unregister, free, unload or destroy. The completion thread has another thread
// make them, since the device's work may in turn need an object that it
// completes.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_GPU_STREAM_HELPER_H
#define ASYNC_GPU_RUNTIME_GPU_STREAM_HELPER_H

#include <sys/queue.h>

typedef struct agpu__helper agpu__helper;

/// What is to be done, in the caller's memory.
typedef struct agpu__job {
  STAILQ_ENTRY(agpu__job) link;
  void (*run)(struct agpu__job *job); ///< the last that is done with the job
} agpu__job;

/// The thread begins with the first job.
agpu__helper *agpu__helper_create(void);

/// Runs the job after those before it; here where there is no thread to be
/// had. Any thread.
void agpu__helper_give(agpu__helper *helper, agpu__job *job);

/// Runs what is left, and ends the thread. No other thread gives jobs.
void agpu__helper_destroy(agpu__helper *helper);

#endif // ASYNC_GPU_RUNTIME_GPU_STREAM_HELPER_H
