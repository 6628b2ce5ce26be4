//===- comms.h - The communicators of a program -  *- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_MPI_COMMS_H
#define ASYNC_GPU_RUNTIME_MPI_COMMS_H

#include <stdint.h>

/// What is the same on all ranks of a communicator, and of no other one: 0 is
/// the world. `comm` is the program's number. Any thread.
uint64_t agpu__mpi_comm_id(int64_t comm);

/// The identity of what a split of `parent` by `color` gives. Called once for
/// each split, before its call of the library: the ranks of a communicator
/// split it in one order. Any thread.
uint64_t agpu__mpi_comm_split_id(int64_t parent, int32_t color);

/// The program has a communicator with this identity now. Any thread.
void agpu__mpi_comm_add(int64_t comm, uint64_t id);

/// The rank in the world of rank `peer` of `comm`; `peer` itself where it is
/// none, as AGPU_MPI_ANY_SOURCE. Calls the library.
int32_t agpu__mpi_comm_world_rank(int64_t comm, int32_t peer);

#endif // ASYNC_GPU_RUNTIME_MPI_COMMS_H
