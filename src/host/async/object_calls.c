//===- object_calls.c - Ops of objects become calls and accesses ----------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Most of what compiled code does to tokens, values and groups is a call; the
// commonest things are done in place (async_gpu/compiled/object_layout.h):
//
//   "agpu.is_ready"(%t)            %s = load acquire %t[8]; (%s & 3) >= READY
//   async.runtime.store %x, %v     store %x, %v[64]
//   async.runtime.drop_ref %t      unless it is @agpu_ready_token:
//                                    call @mlirAsyncRuntimeDropRef(%t, 1)
//
//===----------------------------------------------------------------------===//

#include "host/async/async.h"

#include "async_gpu/compiled/object_layout.h"
#include "lower/dialect/attributes.h"

#include <stdlib.h>

static const MlirType no_type = {NULL};

/// As the LLVM dialect numbers it.
enum { ACQUIRE = 4 };

//===----------------------------------------------------------------------===//
// In place
//===----------------------------------------------------------------------===//

/// The address of a field of an object.
static MlirValue field(agpu__lowering *self, MlirValue object, int32_t offset) {
  MlirValue address =
      agpu__build_cast(&self->at, object, agpu__ptr_type(self->at.context));
  return offset ? agpu__llvm_byte(&self->at, address, offset) : address;
}

/// The phase of an object, with what its producer did before.
static MlirValue load_phase(agpu__lowering *self, MlirValue object) {
  MlirContext context = self->at.context;
  MlirValue address = field(self, object, AGPU_OBJECT_STATE_OFFSET);
  MlirNamedAttribute attributes[] = {
      agpu__named(context, "ordering", agpu__i64_attr(context, ACQUIRE)),
      agpu__named(context, "alignment", agpu__i64_attr(context, 8)),
  };
  MlirValue state =
      agpu__result(agpu__build_op(&self->at, "llvm.load", &address, 1,
                                  agpu__i64_type(context), attributes, 2),
                   0);
  return agpu__build_binary(&self->at, "llvm.and", state,
                            agpu__llvm_i64(&self->at, AGPU_OBJECT_PHASE_MASK));
}

static const struct {
  const char *op;
  agpu__predicate predicate;
  int64_t phase;
  bool of_group; ///< holds for groups too
} questions[] = {
    {"agpu.is_ready", AGPU__UNSIGNED_GREATER_EQUAL, AGPU_OBJECT_READY, true},
    {"agpu.has_failed", AGPU__EQUAL, AGPU_OBJECT_ERROR, false},
    {"agpu.has_succeeded", AGPU__EQUAL, AGPU_OBJECT_READY, false},
};

static bool lower_question(agpu__lowering *self) {
  for (size_t i = 0; i < AGPU__COUNT(questions); ++i) {
    if (!agpu__op_is(self->op, questions[i].op))
      continue;
    MlirType type = mlirValueGetType(agpu__operand(self, 0));
    bool is_group = !agpu__type_is_token(type) &&
                    mlirTypeIsNull(agpu__async_value_payload(type));
    if (is_group && !questions[i].of_group)
      return false;
    MlirValue phase = load_phase(self, agpu__operand(self, 0));
    MlirValue asked = agpu__llvm_i64(&self->at, questions[i].phase);
    agpu__replace(self, agpu__llvm_compare(&self->at, questions[i].predicate,
                                           phase, asked));
    return true;
  }
  return false;
}

/// The creator's reference of one that has been seen by nobody else is all
/// there is.
static MlirLogicalResult lower_set_available_unshared(agpu__lowering *self) {
  MlirValue object = agpu__operand(self, 0);
  MlirValue state = field(self, object, AGPU_OBJECT_STATE_OFFSET);
  agpu__llvm_store(&self->at, agpu__llvm_i64(&self->at, AGPU_OBJECT_READY),
                   state);
  MlirValue references = field(self, object, AGPU_OBJECT_REFERENCES_OFFSET);
  agpu__llvm_store(&self->at, agpu__llvm_i64(&self->at, 1), references);
  mlirOperationDestroy(self->op);
  return mlirLogicalResultSuccess();
}

/// The address of the token that is always ready.
static MlirValue ready_token(agpu__lowering *self) {
  agpu__declare(self, "agpu_ready_token",
                "llvm.mlir.global external @agpu_ready_token() : i64\n");
  return agpu__llvm_address(&self->at, "agpu_ready_token");
}

//===----------------------------------------------------------------------===//
// Payloads
//===----------------------------------------------------------------------===//

/// Payloads live in the value's storage as LLVM types; casts that upstream's
/// conversions resolve connect the two.
static MlirValue storage(agpu__lowering *self, MlirValue value) {
  if (!self->upstream)
    return field(self, value, AGPU_OBJECT_STORAGE_OFFSET);
  return agpu__call(self, "mlirAsyncRuntimeGetValueStorage", value, NONE, NONE,
                    agpu__ptr_type(self->at.context));
}

/// The type that a payload has in its value's storage; null after an error.
static MlirType stored_type(const agpu__lowering *self, MlirType payload) {
  if (mlirTypeIsAUnrankedMemRef(payload)) {
    agpu__error(self->at.location,
                "an unranked memref cannot be the payload of an async value "
                "here: run --async-gpu-box-unranked first");
    return no_type;
  }
  MlirType stored = agpu__payload_type(payload);
  if (mlirTypeIsNull(stored)) {
    AGPU__SCOPED(text) text = {0};
    mlirTypePrint(payload, agpu__text_callback, &text);
    agpu__error(self->at.location,
                "a value of type %s cannot be the payload of an async value: "
                "it has no LLVM type",
                agpu__text_get(&text));
  }
  return stored;
}

static MlirValue create_token(agpu__lowering *self, MlirType type,
                              bool is_task) {
  if (!is_task)
    return agpu__call(self, "mlirAsyncRuntimeCreateToken", NONE, NONE, NONE,
                      type);
  agpu__frame_layout frame = agpu__build_frame_layout(&self->at);
  return agpu__call(self, "agpu_task_create_token", frame.size, frame.alignment,
                    NONE, type);
}

static MlirValue create_value(agpu__lowering *self, MlirType type,
                              MlirType stored, bool is_task) {
  MlirValue size = agpu__llvm_size_of(&self->at, stored);
  if (!is_task)
    return agpu__call(self, "mlirAsyncRuntimeCreateValue", size, NONE, NONE,
                      type);
  agpu__frame_layout frame = agpu__build_frame_layout(&self->at);
  return agpu__call(self, "agpu_task_create_value", size, frame.size,
                    frame.alignment, type);
}

static MlirLogicalResult lower_create(agpu__lowering *self) {
  MlirType type = mlirValueGetType(agpu__result(self->op, 0));
  MlirType payload = agpu__async_value_payload(type);
  bool is_task = agpu__has_attr(self->op, AGPU__TASK_ATTR);
  MlirOperation function = agpu__parent_of(self->op, "func.func");
  if (mlirTypeIsNull(payload)) {
    MlirValue token = create_token(self, type, is_task);
    if (is_task)
      *self->owner = (agpu__frame_owner){function, token};
    agpu__replace(self, token);
    return mlirLogicalResultSuccess();
  }
  MlirType stored = stored_type(self, payload);
  if (mlirTypeIsNull(stored))
    return mlirLogicalResultFailure();
  MlirValue value = create_value(self, type, stored, is_task);
  if (is_task)
    *self->owner = (agpu__frame_owner){function, value};
  // Upstream's runtime does not drop what a value holds.
  if (agpu__type_is_object(payload) && !self->upstream)
    agpu__call(self, "agpu_value_own_payload", value, NONE, NONE, no_type);
  agpu__replace(self, value);
  return mlirLogicalResultSuccess();
}

/// What a value's storage is aligned to, whatever LLVM would like its payload
/// to be: here a cache line; on upstream's runtime it comes from `operator
/// new`, of which allocators align small pieces to 8 alone.
static MlirNamedAttribute storage_alignment(const agpu__lowering *self) {
  return agpu__named(self->at.context, "alignment",
                     agpu__i64_attr(self->at.context, self->upstream ? 8 : 64));
}

static MlirLogicalResult lower_store(agpu__lowering *self) {
  MlirValue payload = agpu__operand(self, 0);
  MlirType stored = stored_type(self, mlirValueGetType(payload));
  if (mlirTypeIsNull(stored))
    return mlirLogicalResultFailure();
  MlirValue address = storage(self, agpu__operand(self, 1));
  MlirValue operands[] = {agpu__build_cast(&self->at, payload, stored),
                          address};
  MlirNamedAttribute alignment = storage_alignment(self);
  agpu__build_op(&self->at, "llvm.store", operands, 2, no_type, &alignment, 1);
  mlirOperationDestroy(self->op);
  return mlirLogicalResultSuccess();
}

static MlirLogicalResult lower_load(agpu__lowering *self) {
  MlirType payload = mlirValueGetType(agpu__result(self->op, 0));
  MlirType stored = stored_type(self, payload);
  if (mlirTypeIsNull(stored))
    return mlirLogicalResultFailure();
  MlirValue address = storage(self, agpu__operand(self, 0));
  MlirNamedAttribute alignment = storage_alignment(self);
  MlirValue loaded =
      agpu__result(agpu__build_op(&self->at, "llvm.load", &address, 1, stored,
                                  &alignment, 1),
                   0);
  agpu__replace(self, agpu__build_cast(&self->at, loaded, payload));
  return mlirLogicalResultSuccess();
}

static MlirLogicalResult lower_box(agpu__lowering *self) {
  MlirValue box =
      agpu__box_unranked(&self->at, self->module, agpu__operand(self, 0),
                         mlirValueGetType(agpu__result(self->op, 0)));
  if (mlirValueIsNull(box))
    return mlirLogicalResultFailure();
  agpu__replace(self, box);
  return mlirLogicalResultSuccess();
}

/// A user of a group owns a reference of it, unlike what upstream's passes say.
static MlirLogicalResult lower_add_to_group(agpu__lowering *self) {
  MlirValue member = agpu__operand(self, 0), group = agpu__operand(self, 1);
  if (self->upstream && !agpu__type_is_token(mlirValueGetType(member)))
    return agpu__error(self->at.location,
                       "upstream's runtime has groups of tokens alone: add the "
                       "token that the value came with (abi=upstream)");
  MlirType i64 = agpu__i64_type(self->at.context);
  MlirValue rank = self->upstream
                       ? agpu__call(self, "mlirAsyncRuntimeAddTokenToGroup",
                                    member, group, NONE, i64)
                       : agpu__call(self,
                                    agpu__has_attr(self->op, AGPU__GRAPH_ATTR)
                                        ? "agpu_graph_group_add"
                                        : "agpu_group_add",
                                    group, member, NONE, i64);
  agpu__replace(self, agpu__build_unary(&self->at, "arith.index_cast", rank,
                                        agpu__index_type(self->at.context)));
  return mlirLogicalResultSuccess();
}

static MlirLogicalResult lower_set_error(agpu__lowering *self) {
  MlirStringRef message = agpu__get_string(self->op, "message");
  AGPU__OWNED char *text = agpu__format(
      "assertion failed%s%.*s", message.length ? ": " : "", AGPU__STR(message));
  MlirValue constant = agpu__string_constant(&self->at, self->module, text);
  agpu__call(self, "agpu_object_set_error", agpu__operand(self, 0), constant,
             agpu__location_constant(&self->at, self->module), no_type);
  mlirOperationDestroy(self->op);
  return mlirLogicalResultSuccess();
}

static MlirLogicalResult lower_set_out_of_memory(agpu__lowering *self) {
  agpu__call(self, "agpu_object_set_out_of_memory", agpu__operand(self, 0),
             agpu__operand(self, 1),
             agpu__location_constant(&self->at, self->module), no_type);
  mlirOperationDestroy(self->op);
  return mlirLogicalResultSuccess();
}

static void lower_count(agpu__lowering *self, const char *function) {
  MlirAttribute count = agpu__attr(self->op, "count");
  MlirValue value = agpu__llvm_constant(&self->at, count);
  agpu__call(self, function, agpu__operand(self, 0), value, NONE, no_type);
  mlirOperationDestroy(self->op);
}

/// Whether the op is in the body of an enqueued call: of what it drops LLVM
/// finds out nothing, and each question would be two more blocks.
static bool in_enqueued_call(const agpu__lowering *self) {
  MlirOperation function = agpu__parent_of(self->op, "func.func");
  return !mlirOperationIsNull(function) &&
         agpu__has_attr(function, AGPU__RESULTS_ATTR);
}

void agpu__skip_ready_token(agpu__lowering *self) {
  if (self->upstream || in_enqueued_call(self) ||
      !agpu__type_is_token(mlirValueGetType(agpu__operand(self, 0))))
    return;
  MlirLocation location = self->at.location;
  MlirBlock before = mlirOperationGetBlock(self->op);
  MlirValue token = agpu__build_cast(&self->at, agpu__operand(self, 0),
                                     agpu__ptr_type(self->at.context));
  MlirValue is_ready =
      agpu__llvm_compare(&self->at, AGPU__EQUAL, token, ready_token(self));
  MlirBlock drop = agpu__split_after(mlirOpResultGetOwner(is_ready));
  MlirBlock rest = agpu__split_after(self->op);
  agpu__branch_if(before, location, is_ready, rest, drop);
  agpu__branch(drop, location, rest);
}

static MlirLogicalResult lower_drop(agpu__lowering *self) {
  lower_count(self, "mlirAsyncRuntimeDropRef");
  return mlirLogicalResultSuccess();
}

static MlirLogicalResult lower_add(agpu__lowering *self) {
  lower_count(self, "mlirAsyncRuntimeAddRef");
  return mlirLogicalResultSuccess();
}

static MlirLogicalResult lower_ready_token(agpu__lowering *self) {
  agpu__replace(self,
                agpu__build_cast(&self->at, ready_token(self),
                                 mlirValueGetType(agpu__result(self->op, 0))));
  return mlirLogicalResultSuccess();
}

static MlirLogicalResult lower_create_group(agpu__lowering *self) {
  MlirValue size =
      agpu__build_unary(&self->at, "arith.index_cast", agpu__operand(self, 0),
                        agpu__i64_type(self->at.context));
  agpu__replace(self,
                agpu__call(self, "mlirAsyncRuntimeCreateGroup", size, NONE,
                           NONE, mlirValueGetType(agpu__result(self->op, 0))));
  return mlirLogicalResultSuccess();
}

static MlirLogicalResult lower_unbox(agpu__lowering *self) {
  agpu__replace(self, agpu__unbox_unranked(
                          &self->at, self->module, agpu__operand(self, 0),
                          mlirValueGetType(agpu__result(self->op, 0)),
                          agpu__has_attr(self->op, AGPU__COPY_ATTR)));
  return mlirLogicalResultSuccess();
}

/// It has held its object back from being dropped so far.
static MlirLogicalResult lower_keep(agpu__lowering *self) {
  mlirOperationDestroy(self->op);
  return mlirLogicalResultSuccess();
}

bool agpu__lower_object_op(agpu__lowering *self,
                           MlirLogicalResult *out_result) {
  static const struct {
    const char *op;
    MlirLogicalResult (*lower)(agpu__lowering *self);
  } ops[] = {{"async.runtime.create", lower_create},
             {"async.runtime.create_group", lower_create_group},
             {"async.runtime.add_to_group", lower_add_to_group},
             {"async.runtime.store", lower_store},
             {"async.runtime.load", lower_load},
             {"async.runtime.add_ref", lower_add},
             {"async.runtime.drop_ref", lower_drop},
             {"agpu.set_error", lower_set_error},
             {"agpu.set_out_of_memory", lower_set_out_of_memory},
             {"agpu.set_available_unshared", lower_set_available_unshared},
             {"agpu.ready_token", lower_ready_token},
             {"agpu.box_unranked", lower_box},
             {"agpu.unbox_unranked", lower_unbox},
             {"agpu.keep", lower_keep}};
  *out_result = mlirLogicalResultSuccess();
  if (lower_question(self))
    return true;
  for (size_t i = 0; i < AGPU__COUNT(ops); ++i)
    if (agpu__op_is(self->op, ops[i].op)) {
      *out_result = ops[i].lower(self);
      return true;
    }
  return false;
}
