//===- mpi_remarks.c - What becomes of messages, in words -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Remarks at ops of MPI: where a region suspends, and whose memory is a
// device's. Which library there will be is not known here.
//
//===----------------------------------------------------------------------===//

#include "host/mpi/mpi.h"

#include "lower/pass/diagnostics.h"

/// Whether the memref is one of `gpu.alloc`, or a view of one, that the host
/// cannot address. What comes from elsewhere is not known, and is not said.
static bool is_on_device(MlirValue value) {
  value = agpu__view_source(value);
  return mlirValueIsAOpResult(value) &&
         agpu__op_is(mlirOpResultGetOwner(value), "gpu.alloc") &&
         !agpu__has_attr(mlirOpResultGetOwner(value), "hostShared");
}

static bool waits(MlirOperation op) {
  static const char *const names[] = {
      "mpi.init", "mpi.send",       "mpi.recv",    "mpi.allreduce",
      "mpi.wait", "mpi.comm_split", "mpi.barrier", "mpi.finalize"};
  return AGPU__OP_IS_ANY(op, names);
}

void agpu__mpi_remark(MlirOperation op) {
  static const char *const blocking[] = {"mpi.comm_split"};
  static const char *const messages[] = {"mpi.send", "mpi.recv", "mpi.isend",
                                         "mpi.irecv"};
  MlirLocation location = mlirOperationGetLocation(op);
  MlirStringRef name = agpu__op_name(op);
  int length = (int)name.length;
  bool in_region = !mlirOperationIsNull(agpu__parent_of(op, "async.execute"));
  if (waits(op) &&
      (in_region || !mlirOperationIsNull(agpu__parent_of(op, "async.func"))))
    agpu__remark(location,
                 AGPU__OP_IS_ANY(op, blocking)
                     ? "%.*s: the %s suspends, and the call blocks a thread of "
                       "the runtime's: MPI has no other form of it"
                     : "%.*s: the %s suspends on the request, without a thread",
                 length, name.data, in_region ? "region" : "function");
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    if (is_on_device(mlirOperationGetOperand(op, i))) {
      agpu__remark(
          location,
          "%.*s of device memory: staged through host memory, %sunless "
          "the MPI library is CUDA-aware",
          length, name.data,
          AGPU__OP_IS_ANY(op, messages) ? "in pieces if it is long, " : "");
      return;
    }
}
