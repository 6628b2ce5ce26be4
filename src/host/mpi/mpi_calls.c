//===- mpi_calls.c - Calls of the runtime for MPI -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The calls that stand in place of ops: of functions that take and give tokens
// and values as such, while later passes have yet to see them.
//
//===----------------------------------------------------------------------===//

#include "host/mpi/mpi.h"

#include "lower/dialect/attributes.h"

void agpu__mpi_set_blind(MlirOperation op) {
  agpu__set_attr(op, AGPU__OBSERVES_ATTR,
                 mlirBoolAttrGet(mlirOperationGetContext(op), 0));
}

MlirValue agpu__mpi_call(agpu__mpi_op *self, const char *name,
                         const MlirValue *operands, size_t count,
                         MlirType result) {
  return agpu__build_call_declared(&self->at, self->module, name, operands,
                                   count, result);
}

MlirValue agpu__mpi_location(agpu__mpi_op *self) {
  MlirValue location = agpu__location_constant(&self->at, self->module);
  agpu__mpi_set_blind(mlirOpResultGetOwner(location));
  return location;
}

MlirValue agpu__mpi_await(agpu__mpi_op *self, MlirValue object,
                          MlirType payload) {
  MlirOperation made =
      agpu__build_op(&self->at, "async.await", &object, 1, payload, NULL, 0);
  return mlirTypeIsNull(payload) ? (MlirValue){NULL} : agpu__result(made, 0);
}
