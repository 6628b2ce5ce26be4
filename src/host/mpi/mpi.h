//===- mpi.h - One op of MPI on its way to a call -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_HOST_MPI_H
#define ASYNC_GPU_HOST_MPI_H

#include "lower/ir/ir.h"

/// The stubs of a module, by the types of their memrefs.
typedef struct agpu__mpi_stubs {
  struct agpu__mpi_stub *list;
  size_t count;
} agpu__mpi_stubs;

/// An op of the dialect, whose operands have the types of the runtime.
typedef struct agpu__mpi_op {
  MlirOperation module;
  MlirOperation op;
  agpu__builder at; ///< before it
  agpu__mpi_stubs *stubs;
} agpu__mpi_op;

/// `func.call` of the runtime's function `name`, which is declared if it is not
/// yet. It takes and gives objects by their types, so that references of what
/// it gives are counted.
MlirValue agpu__mpi_call(agpu__mpi_op *self, const char *name,
                         const MlirValue *operands, size_t count,
                         MlirType result);

/// Says that an op has nothing to do with what a device does.
void agpu__mpi_set_blind(MlirOperation op);

/// "file:line:col" of the op, by an op that observes nothing.
MlirValue agpu__mpi_location(agpu__mpi_op *self);

/// The token of a message (`message` is an agpu_mpi_message) or of a reduction;
/// a null value after an error.
MlirValue agpu__mpi_start(agpu__mpi_op *self, int32_t message);
MlirValue agpu__mpi_allreduce(agpu__mpi_op *self);

/// The token of an agpu.exchange or agpu.reduce; a null value after an error.
MlirValue agpu__mpi_shard_start(agpu__mpi_op *self);

/// True for what ranks of a sharded program do together.
bool agpu__mpi_is_shard_op(MlirOperation op);

/// Lowers such an op.
MlirLogicalResult agpu__mpi_lower_shard_op(agpu__mpi_op *self);

/// Awaits `object`; what it holds, where `payload` is not null.
MlirValue agpu__mpi_await(agpu__mpi_op *self, MlirValue object,
                          MlirType payload);

/// Says as remarks what becomes of an op of the dialect.
void agpu__mpi_remark(MlirOperation op);

void agpu__mpi_stubs_free(agpu__mpi_stubs *stubs);

#endif // ASYNC_GPU_HOST_MPI_H
