//===- place_data.c - Memory of the host that kernels are given -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass `async-gpu-place-data`: each object of the host's memory that a
// launch is given gets a place that the device reaches. What is copied where is
// in transfers.c, what changes in apply.c; the decision for each object is
// here, as a remark, or an error where there is none that is sound.
//
//===----------------------------------------------------------------------===//

#include "gpu/place/apply.h"
#include "gpu/place/spaces.h"
#include "gpu/plan/async_ops.h"
#include "lower/ir/ir.h"
#include "lower/ir/op_memory.h"
#include "lower/ir/payload.h"
#include "lower/ir/type_size.h"
#include "lower/pass/diagnostics.h"
#include "lower/pass/pass.h"

#include <stdlib.h>

/// What is no larger is shared rather than copied in each round of a loop: a
/// card fetches it over the bus in the time that a copy takes to begin.
#define SHARED_BYTES 4096

#define FIX                                                                    \
  "copy it to the device (gpu.memcpy), register it (gpu.host_register), or "   \
  "allocate it for both (gpu.alloc host_shared)"

typedef struct placing {
  const agpu__spaces *spaces;
  const agpu__touches *touches;
  const agpu__summary *function;
  bool remarks;
  MlirLogicalResult result;
} placing;

//===----------------------------------------------------------------------===//
// Words
//===----------------------------------------------------------------------===//

/// "the memref.alloc in line 3"; the caller frees it.
static char *name_object(const placing *self, size_t number) {
  const agpu__object *object = &self->function->objects.data[number];
  if (object->kind == AGPU__OBJECT_ARGUMENT)
    return agpu__format("argument %zu", object->argument);
  if (object->kind == AGPU__OBJECT_GLOBAL) {
    MlirStringRef name = mlirFlatSymbolRefAttrGetValue(object->symbol);
    return agpu__format("global @%.*s", (int)name.length, name.data);
  }
  MlirOperation op = mlirOpResultGetOwner(object->value);
  MlirStringRef name = agpu__op_name(op);
  return agpu__format("the %.*s in line %d", (int)name.length, name.data,
                      agpu__place_of(mlirOperationGetLocation(op)).line);
}

static MlirOperation find_launch(const placing *self, size_t object) {
  const agpu__events *events = &self->touches->of[object];
  for (size_t i = 0; i < events->count; ++i)
    if (agpu__is_launch(events->data[i].op))
      return events->data[i].op;
  return (MlirOperation){NULL};
}

static void remark(const placing *self, size_t object, const char *text) {
  if (!self->remarks)
    return;
  char *name = name_object(self, object);
  MlirValue value = self->function->objects.data[object].value;
  MlirLocation location =
      !mlirValueIsNull(value) && mlirValueIsAOpResult(value)
          ? mlirOperationGetLocation(mlirOpResultGetOwner(value))
          : mlirOperationGetLocation(self->function->function);
  agpu__remark(location, "%s %s", name, text);
  free(name);
}

static void fail(placing *self, size_t object, const char *reason,
                 const char *fix) {
  char *name = name_object(self, object);
  agpu__error(mlirOperationGetLocation(find_launch(self, object)),
              "the kernel is given memory of the host, %s, which cannot be "
              "placed: %s; %s",
              name, reason, fix);
  free(name);
  self->result = mlirLogicalResultFailure();
}

//===----------------------------------------------------------------------===//
// What is known of an object
//===----------------------------------------------------------------------===//

static MlirType type_of(const placing *self, size_t object) {
  MlirValue value = self->function->objects.data[object].value;
  if (!mlirValueIsNull(value))
    return mlirValueGetType(value);
  agpu__ops gets = {0};
  agpu__collect(self->function->function, "memref.get_global", &gets);
  MlirType type = {NULL};
  for (size_t i = 0; i < gets.count; ++i)
    if (agpu__place_of_memref(&self->function->objects,
                              agpu__result(gets.data[i], 0))
            .object == object)
      type = mlirValueGetType(agpu__result(gets.data[i], 0));
  agpu__ops_free(&gets);
  return type;
}

/// True if the object is no larger than what is shared.
static bool is_small(MlirType type) {
  if (!mlirTypeIsAMemRef(type) || !mlirShapedTypeHasStaticShape(type))
    return false;
  MlirType element = agpu__payload_type(mlirShapedTypeGetElementType(type));
  if (mlirTypeIsNull(element))
    return false;
  uint64_t alignment, bytes = agpu__type_size(element, &alignment);
  for (intptr_t i = 0; i < mlirShapedTypeGetRank(type); ++i)
    if (__builtin_mul_overflow(
            bytes, (uint64_t)mlirShapedTypeGetDimSize(type, i), &bytes))
      return false;
  return bytes <= SHARED_BYTES;
}

/// Whether the program registers the object itself.
static bool is_registered(const placing *self, size_t object) {
  const agpu__events *events = &self->touches->of[object];
  for (size_t i = 0; i < events->count; ++i)
    if (agpu__op_is(events->data[i].op, "gpu.host_register"))
      return true;
  return false;
}

/// True if the host does nothing but free it.
static bool is_for_device_alone(const placing *self, size_t object) {
  const agpu__events *events = &self->touches->of[object];
  for (size_t i = 0; i < events->count; ++i)
    if (!events->data[i].on_device &&
        !agpu__op_is(events->data[i].op, "memref.dealloc"))
      return false;
  return true;
}

static bool writes_on_device(const placing *self, size_t object) {
  const agpu__events *events = &self->touches->of[object];
  for (size_t i = 0; i < events->count; ++i)
    if (events->data[i].on_device && events->data[i].writes)
      return true;
  return false;
}

/// A constant that gpu.launch alone uses becomes one of the kernel
/// (async-gpu-host-memory).
static bool goes_into_kernels(const placing *self, size_t object) {
  const agpu__object *it = &self->function->objects.data[object];
  if (it->kind != AGPU__OBJECT_GLOBAL)
    return false;
  MlirOperation global =
      mlirSymbolTableLookup(self->touches->summaries->symbols,
                            mlirFlatSymbolRefAttrGetValue(it->symbol));
  bool constant =
      !mlirOperationIsNull(global) && agpu__has_attr(global, "constant");
  const agpu__events *events = &self->touches->of[object];
  for (size_t i = 0; i < events->count; ++i)
    constant &= !agpu__op_is(events->data[i].op, "gpu.launch_func");
  return constant;
}

/// Another object that kernels are given and that may be the same memory, where
/// a copy of each would let them part; 0: there is none.
static size_t find_rival(const placing *self, size_t object) {
  const agpu__objects *objects = &self->function->objects;
  for (size_t o = AGPU__ELSEWHERE + 1; o < objects->count; ++o)
    if (o != object && !mlirOperationIsNull(find_launch(self, o)) &&
        agpu__objects_may_alias(objects, o, object) &&
        (writes_on_device(self, o) || writes_on_device(self, object)))
      return o;
  return 0;
}

//===----------------------------------------------------------------------===//
// Decisions
//===----------------------------------------------------------------------===//

static void mirror(placing *self, size_t object,
                   const agpu__transfers *transfers) {
  char *text =
      agpu__format("has a buffer on the device: %zu %s%s", transfers->count,
                   transfers->count == 1 ? "copy" : "copies",
                   transfers->in_loops ? ", in a loop" : "");
  remark(self, object, text);
  free(text);
  agpu__place_mirror(self->touches, object, transfers);
}

static void place_allocation(placing *self, size_t object) {
  const agpu__object *it = &self->function->objects.data[object];
  MlirType type = mlirValueGetType(it->value);
  bool in_frame = agpu__op_is(mlirOpResultGetOwner(it->value), "memref.alloca");
  bool plain = mlirAffineMapIsIdentity(mlirMemRefTypeGetAffineMap(type));
  agpu__transfers transfers;
  // Each time that it is allocated is another one.
  agpu__transfers_find(mlirOperationGetBlock(mlirOpResultGetOwner(it->value)),
                       &self->touches->of[object], AGPU__ON_BOTH, 0,
                       &transfers);
  bool known;
  agpu__release_of(self->touches, object, &known);
  if (it->escapes || transfers.fails || !agpu__can_mirror(type)) {
    const char *why = it->escapes ? "its address goes where it is not followed"
                      : transfers.fails
                          ? "it is used in control flow that is not followed"
                          : "its layout is not strided";
    if (in_frame || !known) {
      fail(self, object, why, FIX);
    } else {
      char *text = agpu__format("is registered: %s", why);
      remark(self, object, text);
      free(text);
      agpu__place_registration(self->touches, object);
    }
  } else if (!in_frame && plain && is_for_device_alone(self, object)) {
    remark(self, object,
           "is allocated on the device: the host never touches it");
    agpu__place_allocation(self->touches, object, false);
  } else if (!in_frame && plain && transfers.in_loops && is_small(type)) {
    remark(self, object,
           "is shared by host and device: it is small, and would be copied in "
           "a loop");
    agpu__place_allocation(self->touches, object, true);
  } else {
    mirror(self, object, &transfers);
  }
  agpu__transfers_free(&transfers);
}

static void place_given(placing *self, size_t object) {
  size_t rival = find_rival(self, object);
  if (rival) {
    char *name = name_object(self, rival);
    char *why = agpu__format("it may be the same memory as %s, and a kernel "
                             "writes to one of them",
                             name);
    fail(self, object, why,
         "give the argument llvm.noalias, or all of them by "
         "noalias-arguments=true, where that is so, or " FIX);
    free(why);
    free(name);
    return;
  }
  agpu__transfers transfers;
  agpu__transfers_find(agpu__entry_block(self->function->function),
                       &self->touches->of[object], AGPU__ON_HOST, AGPU__ON_HOST,
                       &transfers);
  if (!agpu__can_mirror(type_of(self, object)))
    fail(self, object, "it has no rank, or its layout is not strided", FIX);
  else if (transfers.fails)
    fail(self, object, "it is used in control flow that is not followed", FIX);
  else
    mirror(self, object, &transfers);
  agpu__transfers_free(&transfers);
}

static void place(placing *self, size_t object) {
  const agpu__object *it = &self->function->objects.data[object];
  unsigned space = agpu__space_of(self->spaces, self->function, object);
  if (mlirOperationIsNull(find_launch(self, object)) ||
      !(space & AGPU__SPACE_HOST) || is_registered(self, object) ||
      goes_into_kernels(self, object))
    return;
  if (space & AGPU__SPACE_DEVICE)
    fail(self, object,
         "some calls give memory of the device in its place, others of the "
         "host",
         "give memory of the device (gpu.alloc) in all of them");
  else if (it->kind == AGPU__OBJECT_ALLOCATION)
    place_allocation(self, object);
  else
    place_given(self, object);
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

static bool is_for_kernels(const placing *self, MlirValue memref) {
  size_t object =
      agpu__place_of_memref(&self->function->objects, memref).object;
  return object > AGPU__ELSEWHERE &&
         !self->function->objects.data[object].escapes &&
         !mlirOperationIsNull(find_launch(self, object)) &&
         agpu__can_mirror(mlirValueGetType(memref));
}

/// Copies between memory that kernels use are for the device to do. True if
/// there are any.
static bool move_copies(const placing *self) {
  agpu__ops copies = {0};
  agpu__collect(self->function->function, "memref.copy", &copies);
  bool any = false;
  for (size_t i = 0; i < copies.count; ++i) {
    MlirOperation op = copies.data[i];
    MlirValue from = mlirOperationGetOperand(op, 0);
    MlirValue to = mlirOperationGetOperand(op, 1);
    const agpu__objects *objects = &self->function->objects;
    if (!is_for_kernels(self, from) || !is_for_kernels(self, to) ||
        !mlirOperationIsNull(agpu__parent_of(op, "gpu.launch")) ||
        agpu__objects_may_alias(objects,
                                agpu__place_of_memref(objects, from).object,
                                agpu__place_of_memref(objects, to).object))
      continue;
    agpu__builder at = agpu__builder_before(op);
    MlirValue operands[] = {to, from};
    agpu__build_effect(&at, "gpu.memcpy", operands, 2);
    mlirOperationDestroy(op);
    any = true;
  }
  agpu__ops_free(&copies);
  return any;
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

static MlirWalkResult find_token(MlirOperation op, void *data) {
  bool has_token = agpu__op_in_dialect(op, "async") ||
                   (agpu__op_in_dialect(op, "gpu") &&
                    (!mlirValueIsNull(agpu__async_token_of(op)) ||
                     agpu__async_dependency_count(op) > 0));
  if (!has_token)
    return MlirWalkResultAdvance;
  *(bool *)data = true;
  return MlirWalkResultInterrupt;
}

static void place_function(placing *self, agpu__summaries *summaries,
                           MlirOperation function) {
  bool has_token = false;
  mlirOperationWalk(function, find_token, &has_token, MlirWalkPreOrder);
  if (has_token || !agpu__holds_device_work(function))
    return;
  self->function = agpu__summary_of(summaries, function);
  agpu__touches touches;
  agpu__touches_create(summaries, self->function, &touches);
  self->touches = &touches;
  if (move_copies(self)) {
    agpu__touches_free(&touches);
    agpu__touches_create(summaries, self->function, &touches);
  }
  for (size_t o = AGPU__ELSEWHERE + 1; o < self->function->objects.count; ++o)
    place(self, o);
  agpu__touches_free(&touches);
}

static MlirLogicalResult run(MlirOperation module,
                             const agpu_pass_values *values) {
  agpu__ops functions = {0};
  for (MlirOperation op = mlirBlockGetFirstOperation(agpu__module_body(module));
       !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op))
    if (agpu__op_is(op, "func.func") && !agpu__is_declaration(op))
      agpu__ops_push(&functions, op);
  bool apart = agpu__pass_value_bool(values, "noalias-arguments");
  agpu__summaries summaries;
  agpu__spaces spaces;
  agpu__summaries_create(module, apart, &summaries);
  agpu__spaces_create(&summaries, &functions, &spaces);
  // With what that has marked.
  agpu__summaries_free(&summaries);
  agpu__summaries_create(module, apart, &summaries);
  placing self = {.spaces = &spaces,
                  .remarks = agpu__pass_value_bool(values, "remarks") ||
                             agpu__diagnostics_wants_remarks(
                                 mlirOperationGetContext(module)),
                  .result = mlirLogicalResultSuccess()};
  for (size_t i = 0; i < functions.count; ++i)
    agpu__summary_of(&summaries, functions.data[i]);
  for (size_t i = 0; i < functions.count; ++i)
    place_function(&self, &summaries, functions.data[i]);
  agpu__spaces_free(&spaces);
  agpu__summaries_free(&summaries);
  agpu__ops_free(&functions);
  return self.result;
}

static const agpu_pass_option options[] = {
    {"noalias-arguments", AGPU_OPTION_BOOL, "false",
     "Take it that no two memref arguments of a function are the same memory, "
     "nor a global."},
    {"remarks", AGPU_OPTION_BOOL, "false",
     "Emit where each buffer goes and how often it is copied, as remarks."},
};

const agpu_pass agpu__pass_place_data = {
    .argument = "async-gpu-place-data",
    .summary = "Put memory of the host that kernels use where they reach it",
    .options = options,
    .option_count = sizeof(options) / sizeof(*options),
    .run = run,
};
