//===- running.h - Requests that have begun -----------------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_MPI_RUNNING_H
#define ASYNC_GPU_RUNTIME_MPI_RUNNING_H

#include "mpi/internal.h"

/// Adds a request that has begun. Any thread.
void agpu__mpi_running_add(agpu__mpi_request *request);

/// One thread at a time has claimed the requests: it may call what follows, for
/// a moment. The second waits until it has.
bool agpu__mpi_running_try_claim(void);
void agpu__mpi_running_claim(void);
void agpu__mpi_running_disclaim(void);

/// Tests the oldest, or all. Takes out those that it finds to have ended, as a
/// list by `next`, or NULL; each has its `end`. The caller ends them once it
/// has given up its claim, since what waits for one may add the next.
agpu__mpi_request *agpu__mpi_running_test(void);

/// All that had not ended when they were last tested, until the next test.
agpu__mpi_request *const *agpu__mpi_running_all(int *out_count);

/// Nothing runs any more, and nobody has a claim.
void agpu__mpi_running_free(void);

/// In the child of a fork.
void agpu__mpi_running_forget(void);

#endif // ASYNC_GPU_RUNTIME_MPI_RUNNING_H
