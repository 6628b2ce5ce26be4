//===- world.c - MPI in this process --------------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What there is once in a process. process.c fills it in before any rank comes
// after its mpi.init; from then on it is constant but for what is atomic.
//
//===----------------------------------------------------------------------===//

#include "mpi/internal.h"

agpu__mpi_world agpu__the_mpi_world;
