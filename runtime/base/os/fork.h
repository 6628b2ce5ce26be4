//===- fork.h - What happens at a fork ----------------------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A fork copies the memory of a process and one of its threads. Whatever other
// threads do at that time is never finished in the child, so each part of the
// runtime that has a lock or threads takes part in three steps, which
// async/lifecycle.c has called: before the fork it takes its locks; after it,
// it lets go of them, in the child once it is as if it had not started.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_BASE_OS_FORK_H
#define ASYNC_GPU_RUNTIME_BASE_OS_FORK_H

typedef enum agpu__fork_step {
  AGPU__FORK_BEFORE,
  AGPU__FORK_IN_PARENT,
  AGPU__FORK_IN_CHILD,
} agpu__fork_step;

#endif // ASYNC_GPU_RUNTIME_BASE_OS_FORK_H
