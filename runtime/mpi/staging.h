//===- staging.h - Messages of device memory -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_MPI_STAGING_H
#define ASYNC_GPU_RUNTIME_MPI_STAGING_H

#include "mpi/request.h"

/// Has the request use host memory in place of device memory, where the library
/// does not take that: begins to copy what is to be sent. `then` is called with
/// the request once it is there, on a thread of the executor, unless true is
/// returned: nothing needs to be copied, or `failure` is set. On an error of a
/// copy `failure` is set, and `then` is called all the same. Any thread.
bool agpu__mpi_stage(agpu__mpi_request *request,
                     void (*then)(agpu__mpi_request *request));

/// After the end of a request that has not failed: begins to copy what has
/// come to where it belongs. `then` as above.
bool agpu__mpi_unstage(agpu__mpi_request *request,
                       void (*then)(agpu__mpi_request *request));

#endif // ASYNC_GPU_RUNTIME_MPI_STAGING_H
