//===- thread.h - The threads of the process -------------------- -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All threads of the runtime are created here, so that it can tell whether the
// process has others: those of a program that may still act by themselves.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_BASE_OS_THREAD_H
#define ASYNC_GPU_RUNTIME_BASE_OS_THREAD_H

#include "base/os/platform.h"

#include <pthread.h>
#include <stdbool.h>

/// As pthread_create, for a thread of the runtime that runs `run(argument)`.
/// It is called `name` (15 characters at most), and leaves signals that are
/// for the process to the program's own threads. Any thread.
AGPU__SHARED int agpu__thread_create(pthread_t *out_thread, const char *name,
                                     void *(*run)(void *), void *argument);

/// The same for a thread of a driver, whose name begins with
/// AGPU__DRIVER_THREAD: it is known while the driver is trusted.
int agpu__thread_create_driver(pthread_t *out_thread, const char *name,
                               void *(*run)(void *), void *argument);
#define AGPU__DRIVER_THREAD "agpu-emu"

/// Whether the calling thread is the one that the process began with.
bool agpu__thread_is_main(void);

/// Whether the process has no threads but that of the caller, those of the
/// runtime, and such of other libraries as never call into a program: the pools
/// of LLVM, and a driver's while they are trusted. False where that
/// cannot be told. Slow: not under a lock.
bool agpu__thread_only_known(void);

/// A driver's threads run host functions that are put on streams. With
/// the first call, nobody but the runtime uses the driver, as far as it knows:
/// they run none but its own. `is_shared` says whether somebody may do so by
/// now, and is asked before such threads are taken for known. With the second
/// call somebody does, for good. Any thread.
void agpu__thread_trust_driver(bool (*is_shared)(void));
void agpu__thread_distrust_driver(void);

/// The threads that the process has by now which are not the runtime's, a
/// library has made for itself (an MPI library does, when it is initialized):
/// they are known. Few are remembered; of more some stay unknown. Any thread,
/// one at a time.
AGPU__SHARED void agpu__thread_trust_present(void);

/// In the child of a fork, whose only thread is the one it began with.
void agpu__thread_forget(void);

#endif // ASYNC_GPU_RUNTIME_BASE_OS_THREAD_H
