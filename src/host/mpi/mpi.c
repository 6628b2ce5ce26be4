//===- mpi.c - Requests of MPI become tokens -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass `async-gpu-mpi`: each op of the `mpi` dialect becomes a call of the
// runtime that starts it and gives a token or value, and an await of that where
// the op blocks:
//
//   mpi.recv(%m, %tag, %from, %c)    %t = call @mpi_start.0(%m, ...)
//                                    async.await %t
//   %r = mpi.irecv(...)              %r = call @mpi_start.0(%m, ...)
//   mpi.wait(%r)                     async.await %r
//   %e = mpi.wait(%r) -> !retval     %v = call @agpu_mpi_code(%r)
//                                    %e = async.await %v : !async.value<i32>
//
// After this there is nothing of MPI but calls: what suspends, what blocks,
// what an error does and how streams stand to it is what holds for tokens. A
// request is an !async.token, a communicator an i64, a return code an i32 with
// the dialect's number of the error's class.
//
//===----------------------------------------------------------------------===//

#include "host/mpi/mpi.h"

#include "async_gpu/compiled/mpi.h"
#include "host/passes.h"
#include "lower/dialect/attributes.h"
#include "lower/pass/diagnostics.h"

#include <stdlib.h>

static const MlirType no_type = {NULL};

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

static MlirType retype_leaf(MlirType type) {
  MlirContext context = mlirTypeGetContext(type);
  MlirType payload = agpu__async_value_payload(type);
  if (!mlirTypeIsNull(payload)) {
    MlirType converted = agpu__retype_leaves(payload, retype_leaf);
    return mlirTypeEqual(payload, converted) ? type
                                             : agpu__async_value_get(converted);
  }
  if (!mlirStringRefEqual(mlirDialectGetNamespace(mlirTypeGetDialect(type)),
                          agpu__str("mpi")))
    return type;
  if (agpu__type_has_prefix(type, "!mpi.request"))
    return agpu__token_type(context);
  if (agpu__type_has_prefix(type, "!mpi.comm"))
    return agpu__i64_type(context);
  if (agpu__type_has_prefix(type, "!mpi.retval"))
    return agpu__i32_type(context);
  return type;
}

static MlirType retype(MlirType type) {
  return agpu__retype_leaves(type, retype_leaf);
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

/// Calls `name` with the op's operands and its place. The call observes nothing
/// of a device.
static MlirValue call_with_operands(agpu__mpi_op *self, const char *name,
                                    MlirType result) {
  AGPU__SCOPED(values) operands = {0};
  agpu__values_push_operands(&operands, self->op, 0);
  agpu__values_push(&operands, agpu__mpi_location(self));
  return agpu__mpi_call(self, name, operands.data, operands.count, result);
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

/// Puts the end of `object` in the op's place: its payload, and a return code
/// where the op gives one.
static void finish(agpu__mpi_op *self, MlirValue object, MlirType payload) {
  intptr_t count = mlirOperationGetNumResults(self->op);
  bool has_payload = !mlirTypeIsNull(payload);
  if (count == has_payload) {
    agpu__replace_op_by_value(self->op, agpu__mpi_await(self, object, payload));
    return;
  }
  MlirType i32 = agpu__i32_type(self->at.context);
  MlirValue operands[] = {object, agpu__mpi_location(self)};
  // One function for each type of an object.
  const char *function = !has_payload                  ? "agpu_mpi_code"
                         : mlirTypeEqual(payload, i32) ? "agpu_mpi_number_code"
                                                       : "agpu_mpi_comm_code";
  MlirValue coded =
      agpu__mpi_call(self, function, operands, 2, agpu__async_value_get(i32));
  MlirValue code = agpu__mpi_await(self, coded, i32);
  mlirValueReplaceAllUsesOfWith(agpu__result(self->op, 0), code);
  // There in ERROR too: the runtime has written something.
  if (has_payload)
    mlirValueReplaceAllUsesOfWith(
        agpu__result(self->op, 1),
        agpu__build_unary(&self->at, "async.runtime.load", object, payload));
  mlirOperationDestroy(self->op);
}

/// A message: a blocking one is awaited, the token of another is its request.
static MlirLogicalResult lower_message(agpu__mpi_op *self, int32_t message) {
  bool blocks = message == AGPU_MPI_SEND || message == AGPU_MPI_RECV;
  bool coded = !blocks && mlirOperationGetNumResults(self->op) == 2;
  MlirValue token =
      agpu__mpi_start(self, coded ? message | AGPU_MPI_CODED : message);
  if (mlirValueIsNull(token))
    return mlirLogicalResultFailure();
  if (blocks) {
    finish(self, token, no_type);
    return mlirLogicalResultSuccess();
  }
  if (coded)
    mlirValueReplaceAllUsesOfWith(
        agpu__result(self->op, 0),
        agpu__mpi_call(self, "agpu_mpi_start_code", &token, 1,
                       agpu__i32_type(self->at.context)));
  mlirValueReplaceAllUsesOfWith(agpu__result(self->op, coded), token);
  mlirOperationDestroy(self->op);
  return mlirLogicalResultSuccess();
}

/// The number of a class, `#mpi.errclass<MPI_ERR_COMM>`.
static int64_t class_of(MlirAttribute attribute) {
  static const char *const names[] = {
#define NAME(name, openmpi, mpich) "<MPI_" #name ">",
      AGPU_MPI_ERROR_CLASSES(NAME)
#undef NAME
  };
  AGPU__SCOPED(text) text = {0};
  mlirAttributePrint(attribute, agpu__text_callback, &text);
  int64_t found = AGPU_MPI_ERR_UNKNOWN;
  for (size_t i = 0; i < AGPU__COUNT(names); ++i)
    if (strstr(agpu__text_get(&text), names[i]))
      found = (int64_t)i;
  return found;
}

static void replace(agpu__mpi_op *self, MlirValue with) {
  agpu__replace_op_by_value(self->op, with);
}

static MlirLogicalResult lower_comm_world(agpu__mpi_op *self) {
  replace(self,
          agpu__build_constant(&self->at, agpu__i64_type(self->at.context), 0));
  return mlirLogicalResultSuccess();
}

/// Codes are classes already.
static MlirLogicalResult lower_error_class(agpu__mpi_op *self) {
  replace(self, mlirOperationGetOperand(self->op, 0));
  return mlirLogicalResultSuccess();
}

static MlirLogicalResult lower_retval_check(agpu__mpi_op *self) {
  MlirValue number =
      agpu__build_constant(&self->at, agpu__i32_type(self->at.context),
                           class_of(agpu__attr(self->op, "errclass")));
  replace(self,
          agpu__build_compare(&self->at, "arith.cmpi", AGPU__EQUAL,
                              mlirOperationGetOperand(self->op, 0), number));
  return mlirLogicalResultSuccess();
}

static MlirLogicalResult lower_wait(agpu__mpi_op *self) {
  finish(self, mlirOperationGetOperand(self->op, 0), no_type);
  return mlirLogicalResultSuccess();
}

static MlirLogicalResult lower_allreduce(agpu__mpi_op *self) {
  MlirValue token = agpu__mpi_allreduce(self);
  if (mlirValueIsNull(token))
    return mlirLogicalResultFailure();
  finish(self, token, no_type);
  return mlirLogicalResultSuccess();
}

static const struct {
  const char *op;
  int32_t message;
} messages[] = {{"mpi.send", AGPU_MPI_SEND},
                {"mpi.recv", AGPU_MPI_RECV},
                {"mpi.isend", AGPU_MPI_ISEND},
                {"mpi.irecv", AGPU_MPI_IRECV}};

/// Ops whose operands are the function's. `bits`: of what they give; 0: a
/// token. Those that are not blind wait for all device work.
static const struct {
  const char *op, *function;
  unsigned bits;
  bool is_blind;
} calls[] = {{"mpi.init", "agpu_mpi_init", 0, true},
             {"mpi.finalize", "agpu_mpi_finalize", 0, false},
             {"mpi.barrier", "agpu_mpi_barrier", 0, false},
             {"mpi.comm_rank", "agpu_mpi_comm_rank", 32, true},
             {"mpi.comm_size", "agpu_mpi_comm_size", 32, true},
             {"mpi.comm_split", "agpu_mpi_comm_split", 64, true}};

static const struct {
  const char *op;
  MlirLogicalResult (*lower)(agpu__mpi_op *self);
} others[] = {{"mpi.comm_world", lower_comm_world},
              {"mpi.error_class", lower_error_class},
              {"mpi.retval_check", lower_retval_check},
              {"mpi.wait", lower_wait},
              {"mpi.allreduce", lower_allreduce}};

static MlirLogicalResult lower(agpu__mpi_op *self) {
  MlirContext context = self->at.context;
  if (agpu__mpi_is_shard_op(self->op))
    return agpu__mpi_lower_shard_op(self);
  for (size_t i = 0; i < AGPU__COUNT(messages); ++i)
    if (agpu__op_is(self->op, messages[i].op))
      return lower_message(self, messages[i].message);
  for (size_t i = 0; i < AGPU__COUNT(others); ++i)
    if (agpu__op_is(self->op, others[i].op))
      return others[i].lower(self);
  for (size_t i = 0; i < AGPU__COUNT(calls); ++i) {
    if (!agpu__op_is(self->op, calls[i].op))
      continue;
    MlirType payload =
        calls[i].bits ? mlirIntegerTypeGet(context, calls[i].bits) : no_type;
    MlirValue object =
        call_with_operands(self, calls[i].function,
                           calls[i].bits ? agpu__async_value_get(payload)
                                         : agpu__token_type(context));
    if (calls[i].is_blind)
      agpu__mpi_set_blind(mlirOpResultGetOwner(object));
    finish(self, object, payload);
    return mlirLogicalResultSuccess();
  }
  MlirStringRef name = agpu__op_name(self->op);
  return agpu__error(self->at.location, "%.*s is not supported",
                     AGPU__STR(name));
}

static bool is_in_kernel(MlirOperation op) {
  return !mlirOperationIsNull(agpu__parent_of(op, "gpu.launch")) ||
         !mlirOperationIsNull(agpu__parent_of(op, "gpu.module"));
}

/// What upstream's convert-shard-to-mpi leaves of the dialect before: what
/// processes there are, which its ops of mpi do not refer to.
static void drop_grids(MlirOperation module) {
  AGPU__OPS_IN_FOREACH (nested, module, "shard.grid")
    mlirOperationDestroy(nested);
}

static MlirLogicalResult run(MlirOperation module,
                             const agpu_pass_values *values) {
  drop_grids(module);
  agpu__ops all = {0}, ops = {0};
  agpu__collect(module, NULL, &all);
  for (size_t i = 0; i < all.count; ++i)
    if (agpu__op_in_dialect(all.data[i], "mpi") ||
        agpu__mpi_is_shard_op(all.data[i]))
      agpu__ops_push(&ops, all.data[i]);
  agpu__ops_free(&all);
  if (!ops.count)
    return mlirLogicalResultSuccess();

  bool upstream;
  MlirLogicalResult result = agpu__abi_option(module, values, &upstream);
  if (mlirLogicalResultIsSuccess(result) && upstream)
    result = agpu__error(mlirOperationGetLocation(ops.data[0]),
                         "this program uses MPI, which upstream's runtime has "
                         "no calls for: abi=upstream is for programs without");
  if (mlirLogicalResultIsSuccess(result)) {
    bool remarks =
        agpu__pass_value_bool(values, "remarks") ||
        agpu__diagnostics_wants_remarks(mlirOperationGetContext(module));
    for (size_t i = 0; remarks && i < ops.count; ++i)
      agpu__mpi_remark(ops.data[i]);
    agpu__retype(module, retype);
    AGPU__SCOPED(mpi_stubs) stubs = {0};
    for (size_t i = 0; i < ops.count; ++i) {
      agpu__mpi_op self = {module, ops.data[i],
                           agpu__builder_before(ops.data[i]), &stubs};
      if (is_in_kernel(ops.data[i])) {
        MlirStringRef name = agpu__op_name(ops.data[i]);
        result = agpu__error(self.at.location,
                             "%.*s cannot stand in a kernel: the host sends "
                             "and receives",
                             AGPU__STR(name));
      } else if (mlirLogicalResultIsFailure(lower(&self))) {
        result = mlirLogicalResultFailure();
      }
    }
  }
  agpu__ops_free(&ops);
  return result;
}

static const agpu_pass_option options[] = {
    AGPU__ABI_OPTION,
    {"remarks", AGPU_OPTION_BOOL, "false",
     "Emit where regions suspend on requests, and which messages are of device "
     "memory, as remarks."},
};

const agpu_pass agpu__pass_mpi = {
    .argument = "async-gpu-mpi",
    .summary = "Turn requests of MPI into tokens",
    AGPU__OPTIONS(options),
    .run_with = run,
};

//===----------------------------------------------------------------------===//
// What becomes of messages, in words
//
// Remarks at ops of MPI: where a region suspends, and whose memory is a
// device's. Which library there will be is not known here.
//===----------------------------------------------------------------------===//

/// Whether the memref is one of `gpu.alloc`, or a view of one, that the host
/// cannot address. What comes from elsewhere is not known, and is not said.
static bool is_on_device(MlirValue value) {
  value = agpu__view_source(value);
  return agpu__op_is(agpu__maker_of(value), "gpu.alloc") &&
         !agpu__has_attr(mlirOpResultGetOwner(value), "hostShared");
}

static bool waits(MlirOperation op) {
  return agpu__op_is_any(op,
                         "mpi.init mpi.send mpi.recv mpi.allreduce mpi.wait "
                         "mpi.comm_split mpi.barrier mpi.finalize");
}

void agpu__mpi_remark(MlirOperation op) {
  static const char pieces[] = "mpi.send mpi.recv mpi.isend mpi.irecv";
  MlirLocation location = mlirOperationGetLocation(op);
  MlirStringRef name = agpu__op_name(op);
  int length = (int)name.length;
  bool in_region = !mlirOperationIsNull(agpu__parent_of(op, "async.execute"));
  if (waits(op) &&
      (in_region || !mlirOperationIsNull(agpu__parent_of(op, "async.func"))))
    agpu__remark(location,
                 agpu__op_is(op, "mpi.comm_split")
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
          agpu__op_is_any(op, pieces) ? "in pieces if it is long, " : "");
      return;
    }
}
