//===- blocking.h - Calls that block their thread -----------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_MPI_BLOCKING_H
#define ASYNC_GPU_RUNTIME_MPI_BLOCKING_H

#include "mpi/internal.h"

/// Makes the request's call on a thread of its own, and `ends` it. Any thread.
void agpu__mpi_blocking_start(agpu__mpi_request *request,
                              void (*ends)(agpu__mpi_request *request));

/// Those that have not returned. Any thread.
void agpu__mpi_blocking_visit(void (*visit)(const agpu__mpi_request *request,
                                            void *argument),
                              void *argument);

/// In the child of a fork.
void agpu__mpi_blocking_forget(void);

#endif // ASYNC_GPU_RUNTIME_MPI_BLOCKING_H
