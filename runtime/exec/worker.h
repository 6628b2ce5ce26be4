//===- worker.h - What a worker's thread does ---------------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_EXEC_WORKER_H
#define ASYNC_GPU_RUNTIME_EXEC_WORKER_H

/// The life of a thread of the executor, an agpu__exec_thread: waits for a
/// seat, works there until it has given it away, and so on until the executor
/// stops.
void *agpu__exec_work(void *thread);

#endif // ASYNC_GPU_RUNTIME_EXEC_WORKER_H
