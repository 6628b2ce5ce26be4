//===- runtime_calls.c - Async ops become runtime calls -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass `async-gpu-runtime-calls`: every op of the dialects async and agpu
// that is left becomes a call of the runtime or an LLVM coroutine intrinsic,
// and every type of theirs a pointer or an LLVM token.
//
//===----------------------------------------------------------------------===//

#include "async_gpu/compiled/object_layout.h"
#include "host/async/box_calls.h"
#include "host/async/enqueued_call.h"
#include "host/passes.h"
#include "lower/dialect/attributes.h"
#include "lower/ir/cfg.h"
#include "lower/ir/ir.h"
#include "lower/ir/llvm_ops.h"
#include "lower/ir/object_types.h"
#include "lower/ir/payload.h"
#include "lower/ir/text.h"
#include "lower/pass/abi.h"

#include <stdlib.h>
#include <string.h>

#define NONE ((MlirValue){NULL})

static const MlirType no_type = {NULL};

/// As the LLVM dialect numbers them.
enum { ACQUIRE = 4 };
enum { EQUAL = 0, UNSIGNED_GREATER_EQUAL = 9 };

/// One op on its way.
typedef struct lowering {
  MlirOperation module;
  MlirOperation op;
  agpu__builder at;
  bool upstream; ///< only calls that upstream's runtime and libc have
} lowering;

static MlirValue operand(const lowering *self, intptr_t index) {
  return mlirOperationGetOperand(self->op, index);
}

/// The op's only result takes the value `with`; the op goes away.
static void replace(lowering *self, MlirValue with) {
  if (!mlirValueIsNull(with))
    mlirValueReplaceAllUsesOfWith(agpu__result(self->op, 0), with);
  mlirOperationDestroy(self->op);
}

/// A call with up to three operands; its result, or null.
static MlirValue call(lowering *self, const char *name, MlirValue a,
                      MlirValue b, MlirValue c, MlirType result) {
  MlirValue operands[] = {a, b, c};
  size_t count = 0;
  while (count < 3 && !mlirValueIsNull(operands[count]))
    ++count;
  return agpu__call_runtime(&self->at, self->module, name, operands, count,
                            result);
}

static MlirValue index_to_i64(lowering *self, MlirValue value) {
  return agpu__result(agpu__build_op(&self->at, "arith.index_cast", &value, 1,
                                     agpu__i64_type(self->at.context), NULL, 0),
                      0);
}

static MlirValue i64_to_index(lowering *self, MlirValue value) {
  return agpu__result(agpu__build_op(&self->at, "arith.index_cast", &value, 1,
                                     agpu__index_type(self->at.context), NULL,
                                     0),
                      0);
}

static MlirValue cast(lowering *self, MlirValue value, MlirType type) {
  if (mlirTypeEqual(mlirValueGetType(value), type))
    return value;
  return agpu__result(agpu__build_op(&self->at,
                                     "builtin.unrealized_conversion_cast",
                                     &value, 1, type, NULL, 0),
                      0);
}

//===----------------------------------------------------------------------===//
// Which runtime function
//===----------------------------------------------------------------------===//

/// Ops with one function for each kind of object, and the op's operands as its
/// arguments. NULL: the op is not allowed on that kind.
typedef struct per_kind {
  const char *op;
  const char *on_token, *on_value, *on_group;
} per_kind;

static const per_kind per_kind_calls[] = {
    {"async.runtime.set_available", "mlirAsyncRuntimeEmplaceToken",
     "mlirAsyncRuntimeEmplaceValue", NULL},
    {"async.runtime.set_error", "mlirAsyncRuntimeSetTokenError",
     "mlirAsyncRuntimeSetValueError", NULL},
    {"async.runtime.is_error", "mlirAsyncRuntimeIsTokenError",
     "mlirAsyncRuntimeIsValueError", "mlirAsyncRuntimeIsGroupError"},
    {"async.runtime.await", "mlirAsyncRuntimeAwaitToken",
     "mlirAsyncRuntimeAwaitValue", "mlirAsyncRuntimeAwaitAllInGroup"},
    {"async.runtime.await_and_resume", "mlirAsyncRuntimeAwaitTokenAndExecute",
     "mlirAsyncRuntimeAwaitValueAndExecute",
     "mlirAsyncRuntimeAwaitAllInGroupAndExecute"},
};

static const char *pick(const per_kind *row, MlirType type) {
  if (agpu__type_is_token(type))
    return row->on_token;
  return mlirTypeIsNull(agpu__async_value_payload(type)) ? row->on_group
                                                         : row->on_value;
}

/// Ops with one function for all kinds.
static const struct {
  const char *op, *function;
  bool with_location; ///< a location string follows the operands
} plain_calls[] = {
    {"agpu.forward_error", "agpu_object_forward_error", false},
    {"agpu.set_available_last", "agpu_object_emplace_last", false},
    {"agpu.check", "agpu_object_check", true},
    {"agpu.await", "agpu_object_await", true},
    {"agpu.is_enqueued", "agpu_object_is_enqueued", false},
    {"agpu.has_failed", "agpu_object_has_failed", false}, // of a group
    {"agpu.await_enqueued", "agpu_object_await_enqueued", false},
    {"agpu.start_here", "agpu_start_here", false},
    {"agpu.started_here", "agpu_started_here", false},
    {"agpu.throttle", "agpu_throttle", false},
};

//===----------------------------------------------------------------------===//
// What is done without a call (async_gpu/compiled/object_layout.h)
//===----------------------------------------------------------------------===//

/// The address of a field of an object.
static MlirValue field(lowering *self, MlirValue object, int32_t offset) {
  MlirContext context = self->at.context;
  MlirType pointer = agpu__ptr_type(context);
  MlirValue address = cast(self, object, pointer);
  if (offset == 0)
    return address;
  MlirNamedAttribute attributes[] = {
      agpu__named(context, "elem_type",
                  mlirTypeAttrGet(mlirIntegerTypeGet(context, 8))),
      agpu__named(context, "rawConstantIndices",
                  mlirDenseI32ArrayGet(context, 1, &offset)),
  };
  return agpu__result(agpu__build_op(&self->at, "llvm.getelementptr", &address,
                                     1, pointer, attributes, 2),
                      0);
}

/// The phase of an object, with what its producer did before.
static MlirValue load_phase(lowering *self, MlirValue object) {
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
  int64_t predicate; ///< of llvm.icmp
  int64_t phase;
  bool of_group; ///< holds for groups too
} questions[] = {
    {"agpu.is_ready", UNSIGNED_GREATER_EQUAL, AGPU_OBJECT_READY, true},
    {"agpu.has_failed", EQUAL, AGPU_OBJECT_ERROR, false},
    {"agpu.has_succeeded", EQUAL, AGPU_OBJECT_READY, false},
};

static bool lower_question(lowering *self) {
  MlirContext context = self->at.context;
  for (size_t i = 0; i < sizeof(questions) / sizeof(*questions); ++i) {
    if (!agpu__op_is(self->op, questions[i].op))
      continue;
    MlirType type = mlirValueGetType(operand(self, 0));
    bool is_group = !agpu__type_is_token(type) &&
                    mlirTypeIsNull(agpu__async_value_payload(type));
    if (is_group && !questions[i].of_group)
      return false;
    MlirValue operands[] = {load_phase(self, operand(self, 0)),
                            agpu__llvm_i64(&self->at, questions[i].phase)};
    MlirNamedAttribute predicate = agpu__named(
        context, "predicate", agpu__i64_attr(context, questions[i].predicate));
    replace(self,
            agpu__result(agpu__build_op(&self->at, "llvm.icmp", operands, 2,
                                        agpu__i1_type(context), &predicate, 1),
                         0));
    return true;
  }
  return false;
}

/// The creator's reference of one that has been seen by nobody else is all
/// there is.
static void lower_set_available_unshared(lowering *self) {
  MlirValue object = operand(self, 0);
  agpu__llvm_store(&self->at, agpu__llvm_i64(&self->at, AGPU_OBJECT_READY),
                   field(self, object, AGPU_OBJECT_STATE_OFFSET));
  agpu__llvm_store(&self->at, agpu__llvm_i64(&self->at, 1),
                   field(self, object, AGPU_OBJECT_REFERENCES_OFFSET));
  mlirOperationDestroy(self->op);
}

/// The address of the token that is always ready.
static MlirValue ready_token(lowering *self) {
  const char *name = "agpu_ready_token";
  if (mlirOperationIsNull(agpu__lookup(self->module, name)))
    mlirBlockInsertOwnedOperation(
        agpu__module_body(self->module), 0,
        mlirOperationCreateParse(
            self->at.context,
            agpu__str("llvm.mlir.global external @agpu_ready_token() : i64\n"),
            agpu__str("async-gpu-runtime-calls")));
  return agpu__llvm_address(&self->at, name);
}

//===----------------------------------------------------------------------===//
// Ops with a shape of their own
//===----------------------------------------------------------------------===//

/// The address of the function that resumes a coroutine, made on first use.
static MlirValue resume_function(lowering *self) {
  const char *name = "agpu_coro_resume";
  if (mlirOperationIsNull(agpu__lookup(self->module, name))) {
    MlirOperation function = mlirOperationCreateParse(
        self->at.context,
        agpu__str("llvm.func internal @agpu_coro_resume(%handle: !llvm.ptr) {\n"
                  "  llvm.intr.coro.resume %handle : !llvm.ptr\n"
                  "  llvm.return\n"
                  "}\n"),
        agpu__str("async-gpu-runtime-calls"));
    mlirBlockInsertOwnedOperation(agpu__module_body(self->module), 0, function);
  }
  return agpu__llvm_address(&self->at, name);
}

/// Payloads live in the value's storage as LLVM types; casts that upstream's
/// conversions resolve connect the two.
static MlirValue storage(lowering *self, MlirValue value) {
  if (!self->upstream)
    return field(self, value, AGPU_OBJECT_STORAGE_OFFSET);
  return call(self, "mlirAsyncRuntimeGetValueStorage", value, NONE, NONE,
              agpu__ptr_type(self->at.context));
}

/// The type that a payload has in its value's storage; null after an error.
static MlirType stored_type(const lowering *self, MlirType payload) {
  if (mlirTypeIsAUnrankedMemRef(payload)) {
    agpu__error(self->at.location,
                "an unranked memref cannot be the payload of an async value "
                "here: run --async-gpu-box-unranked first");
    return no_type;
  }
  MlirType stored = agpu__payload_type(payload);
  if (mlirTypeIsNull(stored)) {
    agpu__text text = {0};
    mlirTypePrint(payload, agpu__text_callback, &text);
    agpu__error(self->at.location,
                "a value of type %s cannot be the payload of an async value: "
                "it has no LLVM type",
                agpu__text_get(&text));
    agpu__text_free(&text);
  }
  return stored;
}

static MlirLogicalResult lower_create(lowering *self) {
  MlirType type = mlirValueGetType(agpu__result(self->op, 0));
  MlirType payload = agpu__async_value_payload(type);
  if (mlirTypeIsNull(payload)) {
    replace(self,
            call(self, "mlirAsyncRuntimeCreateToken", NONE, NONE, NONE, type));
    return mlirLogicalResultSuccess();
  }
  MlirType stored = stored_type(self, payload);
  if (mlirTypeIsNull(stored))
    return mlirLogicalResultFailure();
  MlirValue value =
      call(self, "mlirAsyncRuntimeCreateValue",
           agpu__llvm_size_of(&self->at, stored), NONE, NONE, type);
  // Upstream's runtime does not drop what a value holds.
  if (agpu__type_is_object(payload) && !self->upstream)
    call(self, "agpu_value_own_payload", value, NONE, NONE, no_type);
  replace(self, value);
  return mlirLogicalResultSuccess();
}

/// What a value's storage is aligned to, whatever LLVM would like its payload
/// to be: here a cache line; on upstream's runtime it comes from `operator
/// new`, of which allocators align small pieces to 8 alone.
static MlirNamedAttribute storage_alignment(const lowering *self) {
  return agpu__named(self->at.context, "alignment",
                     agpu__i64_attr(self->at.context, self->upstream ? 8 : 64));
}

static MlirLogicalResult lower_store(lowering *self) {
  MlirValue payload = operand(self, 0);
  MlirType stored = stored_type(self, mlirValueGetType(payload));
  if (mlirTypeIsNull(stored))
    return mlirLogicalResultFailure();
  MlirValue address = storage(self, operand(self, 1));
  MlirValue operands[] = {cast(self, payload, stored), address};
  MlirNamedAttribute alignment = storage_alignment(self);
  agpu__build_op(&self->at, "llvm.store", operands, 2, no_type, &alignment, 1);
  mlirOperationDestroy(self->op);
  return mlirLogicalResultSuccess();
}

static MlirLogicalResult lower_load(lowering *self) {
  MlirType payload = mlirValueGetType(agpu__result(self->op, 0));
  MlirType stored = stored_type(self, payload);
  if (mlirTypeIsNull(stored))
    return mlirLogicalResultFailure();
  MlirValue address = storage(self, operand(self, 0));
  MlirNamedAttribute alignment = storage_alignment(self);
  MlirValue loaded =
      agpu__result(agpu__build_op(&self->at, "llvm.load", &address, 1, stored,
                                  &alignment, 1),
                   0);
  replace(self, cast(self, loaded, payload));
  return mlirLogicalResultSuccess();
}

static MlirLogicalResult lower_box(lowering *self) {
  MlirValue box =
      agpu__box_unranked(&self->at, self->module, operand(self, 0),
                         mlirValueGetType(agpu__result(self->op, 0)));
  if (mlirValueIsNull(box))
    return mlirLogicalResultFailure();
  replace(self, box);
  return mlirLogicalResultSuccess();
}

/// Who uses a group owns a reference of it, unlike what upstream's passes say.
static MlirLogicalResult lower_add_to_group(lowering *self) {
  MlirValue member = operand(self, 0), group = operand(self, 1);
  if (self->upstream && !agpu__type_is_token(mlirValueGetType(member)))
    return agpu__error(self->at.location,
                       "upstream's runtime has groups of tokens alone: add the "
                       "token that the value came with (abi=upstream)");
  MlirType i64 = agpu__i64_type(self->at.context);
  MlirValue rank = self->upstream
                       ? call(self, "mlirAsyncRuntimeAddTokenToGroup", member,
                              group, NONE, i64)
                       : call(self, "agpu_group_add", group, member, NONE, i64);
  replace(self, i64_to_index(self, rank));
  return mlirLogicalResultSuccess();
}

static void lower_set_error(lowering *self) {
  MlirStringRef message = agpu__get_string(self->op, "message");
  char *text =
      agpu__format("assertion failed%s%.*s", message.length ? ": " : "",
                   (int)message.length, message.data);
  MlirValue constant = agpu__string_constant(&self->at, self->module, text);
  free(text);
  call(self, "agpu_object_set_error", operand(self, 0), constant,
       agpu__location_constant(&self->at, self->module), no_type);
  mlirOperationDestroy(self->op);
}

static void lower_count(lowering *self, const char *function) {
  MlirAttribute count =
      mlirOperationGetAttributeByName(self->op, agpu__str("count"));
  MlirValue value = agpu__llvm_constant(&self->at, count);
  call(self, function, operand(self, 0), value, NONE, no_type);
  mlirOperationDestroy(self->op);
}

/// A dropped token often is the one that is always ready, as LLVM finds out by
/// inlining: it is asked for first.
static void skip_ready_token(lowering *self) {
  MlirContext context = self->at.context;
  MlirLocation location = self->at.location;
  MlirValue token = operand(self, 0);
  MlirBlock before = mlirOperationGetBlock(self->op);
  MlirValue operands[] = {cast(self, token, agpu__ptr_type(context)),
                          ready_token(self)};
  MlirNamedAttribute predicate =
      agpu__named(context, "predicate", agpu__i64_attr(context, EQUAL));
  MlirOperation is_ready =
      agpu__build_op(&self->at, "llvm.icmp", operands, 2,
                     agpu__i1_type(context), &predicate, 1);
  MlirBlock drop = agpu__split_after(is_ready);
  MlirBlock rest = agpu__split_after(self->op);
  agpu__branch_if(before, location, agpu__result(is_ready, 0), rest, drop);
  agpu__branch(drop, location, rest);
  self->at = agpu__builder_before(self->op);
}

/// Whether `op` stands in the body of an enqueued call: of what it drops LLVM
/// finds out nothing, and each question would be two more blocks.
static bool in_enqueued_call(const lowering *self) {
  MlirOperation function = agpu__parent_of(self->op, "func.func");
  return !mlirOperationIsNull(function) &&
         agpu__has_attr(function, AGPU__RESULTS_ATTR);
}

static void lower_drop(lowering *self) {
  if (!self->upstream && !in_enqueued_call(self) &&
      agpu__type_is_token(mlirValueGetType(operand(self, 0))))
    skip_ready_token(self);
  lower_count(self, "mlirAsyncRuntimeDropRef");
}

/// A call of a libc function that upstream's conversions may declare too: as
/// an llvm.func, so that both find the same.
static MlirValue call_libc(lowering *self, const char *declaration,
                           const char *name, const MlirValue *operands,
                           size_t count, MlirType result) {
  MlirContext context = self->at.context;
  if (mlirOperationIsNull(agpu__lookup(self->module, name)))
    mlirBlockInsertOwnedOperation(
        agpu__module_body(self->module), 0,
        mlirOperationCreateParse(context, agpu__str(declaration),
                                 agpu__str("async-gpu-runtime-calls")));
  int32_t segments[] = {(int32_t)count, 0};
  MlirNamedAttribute attributes[] = {
      agpu__named(context, "callee", agpu__symbol_attr(context, name)),
      agpu__named(context, "operandSegmentSizes",
                  mlirDenseI32ArrayGet(context, 2, segments)),
      agpu__named(context, "op_bundle_sizes",
                  mlirDenseI32ArrayGet(context, 0, NULL)),
  };
  MlirOperation made = agpu__build_op(&self->at, "llvm.call", operands, count,
                                      result, attributes, 3);
  return mlirTypeIsNull(result) ? NONE : agpu__result(made, 0);
}

static void lower_begin(lowering *self) {
  MlirType i64 = agpu__i64_type(self->at.context);
  MlirType pointer = agpu__ptr_type(self->at.context);
  MlirValue size = agpu__result(
      agpu__build_op(&self->at, "llvm.intr.coro.size", NULL, 0, i64, NULL, 0),
      0);
  MlirValue alignment = agpu__result(
      agpu__build_op(&self->at, "llvm.intr.coro.align", NULL, 0, i64, NULL, 0),
      0);
  MlirValue operands[] = {operand(self, 0), NONE};
  if (self->upstream) {
    // aligned_alloc wants a multiple of the alignment.
    MlirValue one = agpu__llvm_i64(&self->at, 1);
    MlirValue below = agpu__build_binary(&self->at, "llvm.sub", alignment, one);
    MlirValue padded = agpu__build_binary(&self->at, "llvm.add", size, below);
    MlirValue rest =
        agpu__build_binary(&self->at, "llvm.urem", padded, alignment);
    MlirValue rounded = agpu__build_binary(&self->at, "llvm.sub", padded, rest);
    MlirValue arguments[] = {alignment, rounded};
    operands[1] =
        call_libc(self, "llvm.func @aligned_alloc(i64, i64) -> !llvm.ptr",
                  "aligned_alloc", arguments, 2, pointer);
  } else {
    operands[1] =
        call(self, "agpu_frame_alloc", size, alignment, NONE, pointer);
  }
  replace(self, agpu__result(agpu__build_op(&self->at, "llvm.intr.coro.begin",
                                            operands, 2, pointer, NULL, 0),
                             0));
}

/// Gives the function one more LLVM attribute.
static void add_passthrough(MlirOperation function, const char *attribute) {
  MlirContext context = mlirOperationGetContext(function);
  MlirAttribute old =
      mlirOperationGetAttributeByName(function, agpu__str("passthrough"));
  intptr_t count = mlirAttributeIsNull(old) || !mlirAttributeIsAArray(old)
                       ? 0
                       : mlirArrayAttrGetNumElements(old);
  MlirAttribute added = agpu__string_attr(context, attribute);
  MlirAttribute *elements = calloc((size_t)count + 1, sizeof(*elements));
  if (!elements)
    abort();
  bool known = false;
  for (intptr_t i = 0; i < count; ++i) {
    elements[i] = mlirArrayAttrGetElement(old, i);
    known |= mlirAttributeEqual(elements[i], added);
  }
  elements[count] = added;
  if (!known)
    mlirOperationSetAttributeByName(
        function, agpu__str("passthrough"),
        mlirArrayAttrGet(context, count + 1, elements));
  free(elements);
}

/// LLVM splits only functions that say they are coroutines.
static void lower_id(lowering *self) {
  MlirContext context = self->at.context;
  MlirValue null = agpu__llvm_null(&self->at);
  MlirValue operands[] = {
      agpu__llvm_constant(&self->at, agpu__i32_attr(context, 0)), null, null,
      null};
  add_passthrough(mlirOperationGetParentOperation(self->op),
                  "presplitcoroutine");
  replace(self,
          agpu__result(
              agpu__build_op(&self->at, "llvm.intr.coro.id", operands, 4,
                             agpu__parse_type(context, "!llvm.token"), NULL, 0),
              0));
}

static void lower_suspend(lowering *self) {
  MlirContext context = self->at.context;
  MlirValue operands[] = {operand(self, 0), agpu__llvm_bool(&self->at, false)};
  MlirValue how =
      agpu__result(agpu__build_op(&self->at, "llvm.intr.coro.suspend", operands,
                                  2, mlirIntegerTypeGet(context, 8), NULL, 0),
                   0);
  // -1: suspended now; 0: resumed; 1: destroyed. As an op of cf, like all other
  // branches: upstream's greedy passes, which come in between, merge blocks
  // that are alike, and give values of any type to what is left.
  MlirNamedAttribute attributes[] = {
      agpu__named(context, "case_values",
                  agpu__parse_attr(context, "dense<[0, 1]> : vector<2xi8>")),
      agpu__named(context, "case_operand_segments",
                  agpu__parse_attr(context, "array<i32: 0, 0>")),
      agpu__named(context, "operandSegmentSizes",
                  agpu__parse_attr(context, "array<i32: 1, 0, 0>")),
  };
  MlirBlock successors[] = {mlirOperationGetSuccessor(self->op, 0),
                            mlirOperationGetSuccessor(self->op, 1),
                            mlirOperationGetSuccessor(self->op, 2)};
  agpu__op_spec spec = {.name = "cf.switch",
                        .location = self->at.location,
                        .operands = &how,
                        .operand_count = 1,
                        .attributes = attributes,
                        .attribute_count = 3,
                        .successors = successors,
                        .successor_count = 3};
  agpu__build(&self->at, &spec);
  mlirOperationDestroy(self->op);
}

static void lower_free(lowering *self) {
  MlirValue operands[] = {operand(self, 0), operand(self, 1)};
  MlirValue memory =
      agpu__result(agpu__build_op(&self->at, "llvm.intr.coro.free", operands, 2,
                                  agpu__ptr_type(self->at.context), NULL, 0),
                   0);
  if (self->upstream)
    call_libc(self, "llvm.func @free(!llvm.ptr)", "free", &memory, 1, no_type);
  else
    call(self, "agpu_frame_free", memory, NONE, NONE, no_type);
  mlirOperationDestroy(self->op);
}

static void lower_end(lowering *self) {
  MlirContext context = self->at.context;
  MlirValue none = agpu__result(
      agpu__build_op(&self->at, "llvm.mlir.none", NULL, 0,
                     agpu__parse_type(context, "!llvm.token"), NULL, 0),
      0);
  MlirValue operands[] = {operand(self, 0), agpu__llvm_bool(&self->at, false),
                          none};
  agpu__build_op(&self->at, "llvm.intr.coro.end", operands, 3,
                 agpu__i1_type(context), NULL, 0);
  mlirOperationDestroy(self->op);
}

static void lower_save(lowering *self) {
  MlirValue handle = operand(self, 0);
  replace(self,
          agpu__result(
              agpu__build_op(&self->at, "llvm.intr.coro.save", &handle, 1,
                             agpu__parse_type(self->at.context, "!llvm.token"),
                             NULL, 0),
              0));
}

//===----------------------------------------------------------------------===//
// Dispatch
//===----------------------------------------------------------------------===//

/// A suspension tells the runtime where it is, unless that is upstream's.
static void lower_await_and_resume(lowering *self) {
  MlirValue operands[] = {operand(self, 0), operand(self, 1),
                          resume_function(self),
                          agpu__location_constant(&self->at, self->module)};
  agpu__call_runtime(&self->at, self->module, "agpu_object_await_and_execute",
                     operands, 4, no_type);
  mlirOperationDestroy(self->op);
}

static bool is_brief(const lowering *self) {
  return agpu__has_attr(self->op, AGPU__BRIEF_ATTR);
}

static void lower_resume_after(lowering *self) {
  MlirValue operands[] = {operand(self, 0), operand(self, 1),
                          resume_function(self),
                          agpu__llvm_bool(&self->at, is_brief(self)),
                          agpu__location_constant(&self->at, self->module)};
  agpu__call_runtime(&self->at, self->module, "agpu_execute_after", operands, 5,
                     no_type);
  mlirOperationDestroy(self->op);
}

static bool lower_from_tables(lowering *self) {
  if (lower_question(self))
    return true;
  if (agpu__op_is(self->op, "async.runtime.await_and_resume") &&
      !self->upstream) {
    lower_await_and_resume(self);
    return true;
  }
  for (size_t i = 0; i < sizeof(plain_calls) / sizeof(*plain_calls); ++i) {
    if (!agpu__op_is(self->op, plain_calls[i].op))
      continue;
    bool has_result = mlirOperationGetNumResults(self->op) == 1;
    MlirValue second = plain_calls[i].with_location
                           ? agpu__location_constant(&self->at, self->module)
                       : mlirOperationGetNumOperands(self->op) > 1
                           ? operand(self, 1)
                           : NONE;
    MlirValue first =
        mlirOperationGetNumOperands(self->op) > 0 ? operand(self, 0) : NONE;
    replace(self, call(self, plain_calls[i].function, first, second, NONE,
                       has_result ? mlirValueGetType(agpu__result(self->op, 0))
                                  : no_type));
    return true;
  }
  for (size_t i = 0; i < sizeof(per_kind_calls) / sizeof(*per_kind_calls);
       ++i) {
    if (!agpu__op_is(self->op, per_kind_calls[i].op))
      continue;
    const char *function =
        pick(&per_kind_calls[i], mlirValueGetType(operand(self, 0)));
    if (!function)
      return false;
    bool suspends = mlirOperationGetNumOperands(self->op) == 2;
    bool has_result = mlirOperationGetNumResults(self->op) == 1;
    replace(self, call(self, function, operand(self, 0),
                       suspends ? operand(self, 1) : NONE,
                       suspends ? resume_function(self) : NONE,
                       has_result ? mlirValueGetType(agpu__result(self->op, 0))
                                  : no_type));
    return true;
  }
  return false;
}

static MlirLogicalResult lower(lowering *self) {
  MlirOperation op = self->op;
  if (lower_from_tables(self))
    return mlirLogicalResultSuccess();
  if (agpu__op_is(op, "async.runtime.create"))
    return lower_create(self);
  if (agpu__op_is(op, "async.runtime.create_group"))
    replace(self, call(self, "mlirAsyncRuntimeCreateGroup",
                       index_to_i64(self, operand(self, 0)), NONE, NONE,
                       mlirValueGetType(agpu__result(op, 0))));
  else if (agpu__op_is(op, "async.runtime.add_to_group"))
    return lower_add_to_group(self);
  else if (agpu__op_is(op, "async.runtime.num_worker_threads"))
    replace(self,
            i64_to_index(self,
                         call(self, "mlirAsyncRuntimGetNumWorkerThreads", NONE,
                              NONE, NONE, agpu__i64_type(self->at.context))));
  else if (agpu__op_is(op, "async.runtime.resume"))
    replace(self, call(self,
                       is_brief(self) ? "agpu_execute_brief"
                                      : "mlirAsyncRuntimeExecute",
                       operand(self, 0), resume_function(self), NONE, no_type));
  else if (agpu__op_is(op, "agpu.resume_after"))
    lower_resume_after(self);
  else if (agpu__op_is(op, "agpu.set_available_unshared"))
    lower_set_available_unshared(self);
  else if (agpu__op_is(op, "agpu.ready_token"))
    replace(self, cast(self, ready_token(self),
                       mlirValueGetType(agpu__result(op, 0))));
  else if (agpu__op_is(op, "agpu.await_enqueued_and_resume"))
    replace(self, call(self, "agpu_object_enqueued_or_execute",
                       operand(self, 0), operand(self, 1),
                       resume_function(self), agpu__i1_type(self->at.context)));
  else if (agpu__op_is(op, "async.runtime.store"))
    return lower_store(self);
  else if (agpu__op_is(op, "async.runtime.load"))
    return lower_load(self);
  else if (agpu__op_is(op, "agpu.box_unranked"))
    return lower_box(self);
  else if (agpu__op_is(op, "agpu.unbox_unranked"))
    replace(self,
            agpu__unbox_unranked(&self->at, self->module, operand(self, 0),
                                 mlirValueGetType(agpu__result(op, 0)),
                                 agpu__has_attr(op, AGPU__COPY_ATTR)));
  else if (agpu__op_is(op, "agpu.keep"))
    mlirOperationDestroy(op);
  else if (agpu__op_is(op, "async.runtime.add_ref"))
    lower_count(self, "mlirAsyncRuntimeAddRef");
  else if (agpu__op_is(op, "async.runtime.drop_ref"))
    lower_drop(self);
  else if (agpu__op_is(op, "agpu.set_error"))
    lower_set_error(self);
  else if (agpu__op_is(op, "async.coro.id"))
    lower_id(self);
  else if (agpu__op_is(op, "async.coro.begin"))
    lower_begin(self);
  else if (agpu__op_is(op, "async.coro.save"))
    lower_save(self);
  else if (agpu__op_is(op, "async.coro.suspend"))
    lower_suspend(self);
  else if (agpu__op_is(op, "async.coro.free"))
    lower_free(self);
  else if (agpu__op_is(op, "async.coro.end"))
    lower_end(self);
  else {
    MlirStringRef name = mlirIdentifierStr(mlirOperationGetName(op));
    return agpu__error(self->at.location,
                       "%.*s cannot be lowered to runtime calls here: run the "
                       "earlier passes of --async-gpu-lower first",
                       (int)name.length, name.data);
  }
  return mlirLogicalResultSuccess();
}

/// The calls that wait for operands, which stand beside the ops of the
/// dialects.
static void lower_enqueued_calls(MlirOperation module) {
  agpu__ops calls = {0};
  agpu__collect(module, "func.call", &calls);
  MlirSymbolTable symbols = mlirSymbolTableCreate(module);
  for (size_t i = 0; i < calls.count; ++i)
    if (agpu__has_attr(calls.data[i], AGPU__AWAITED_ATTR))
      agpu__enqueued_call_lower(module, symbols, calls.data[i]);
  mlirSymbolTableDestroy(symbols);
  agpu__ops_free(&calls);
}

static MlirLogicalResult run(MlirOperation module,
                             const agpu_pass_values *values) {
  bool upstream;
  MlirLogicalResult result = agpu__abi_option(module, values, &upstream);
  if (mlirLogicalResultIsFailure(result))
    return result;
  agpu__ops ops = {0};
  agpu__collect(module, NULL, &ops);
  for (size_t i = 0; i < ops.count; ++i) {
    MlirOperation op = ops.data[i];
    if (!agpu__op_in_dialect(op, "async") && !agpu__op_in_dialect(op, "agpu"))
      continue;
    lowering self = {module, op, agpu__builder_before(op), upstream};
    if (mlirLogicalResultIsFailure(lower(&self)))
      result = mlirLogicalResultFailure();
  }
  agpu__ops_free(&ops);
  lower_enqueued_calls(module);
  if (mlirLogicalResultIsSuccess(result))
    agpu__convert_object_types(module);
  return result;
}

static const agpu_pass_option options[] = {AGPU__ABI_OPTION};

const agpu_pass agpu__pass_runtime_calls = {
    .argument = "async-gpu-runtime-calls",
    .summary = "Turn async ops and types into runtime calls and LLVM types",
    .description =
        "Lowers the `async.runtime` and `async.coro` ops, and the ops that "
        "async-gpu-coroutines made, to calls of the runtime "
        "(`mlirAsyncRuntime*` as upstream spells them, `agpu_*` where upstream "
        "has no call) and to LLVM's coroutine intrinsics. Tokens, values and "
        "groups, wherever they stand, become `!llvm.ptr`. A call with "
        "`async_gpu.awaited` becomes a frame with its operands and a call of "
        "`agpu_call_enqueued`. A payload that has "
        "no LLVM type is an error.",
    .before = "async.runtime.await %token : !async.token\n",
    .after = "call @mlirAsyncRuntimeAwaitToken(%token) : (!llvm.ptr) -> ()\n",
    .options = options,
    .option_count = sizeof(options) / sizeof(*options),
    .run = run,
};
