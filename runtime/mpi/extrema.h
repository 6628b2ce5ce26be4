//===- extrema.h - Maxima and minima of floats --------------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_MPI_EXTREMA_H
#define ASYNC_GPU_RUNTIME_MPI_EXTREMA_H

#include "async_gpu/compiled/mpi.h"

/// Element by element, `to` becomes the larger or smaller of `from` and `to`,
/// as `reduction` says, one of AGPU_MPI_OWN_REDUCTIONS. Any thread.
void agpu__mpi_reduce_floats(agpu_mpi_reduction reduction, const float *from,
                             float *to, int count);
void agpu__mpi_reduce_doubles(agpu_mpi_reduction reduction, const double *from,
                              double *to, int count);

#endif // ASYNC_GPU_RUNTIME_MPI_EXTREMA_H
