//===- progress.h - The thread that requests end on -  *- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_MPI_PROGRESS_H
#define ASYNC_GPU_RUNTIME_MPI_PROGRESS_H

#include "mpi/request.h"

/// Starts `request` and sees to its end. The library is called on the calling
/// thread where it lets any thread do so, else on the progress thread. Starts
/// that one thread submits are in this order. Any thread.
void agpu__mpi_submit(agpu__mpi_request *request);

#endif // ASYNC_GPU_RUNTIME_MPI_PROGRESS_H
