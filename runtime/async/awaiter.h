//===- awaiter.h - Memory of awaiters -----------------------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One block per wait, of a pool, so that all waits of a program that has come
// to rest can be listed.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_ASYNC_AWAITER_H
#define ASYNC_GPU_RUNTIME_ASYNC_AWAITER_H

#include "async/object.h"

/// An awaiter of `object`, whose other members are the caller's to set. Ends
/// the process where memory is out. Any thread.
agpu__awaiter *agpu__awaiter_create(agpu_object *object);

/// Gives it back. Any thread.
void agpu__awaiter_release(agpu__awaiter *awaiter);

/// Calls `visit` for every awaiter that has not been released. Only while no
/// other thread creates or releases any.
void agpu__awaiter_visit(void (*visit)(const agpu__awaiter *awaiter,
                                       void *argument),
                         void *argument);

/// What waits now will wait for good, and is not visited any more. As
/// agpu__awaiter_visit.
void agpu__awaiter_forget(void);

#endif // ASYNC_GPU_RUNTIME_ASYNC_AWAITER_H
