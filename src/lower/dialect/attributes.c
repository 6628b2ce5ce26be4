//===- attributes.c - What passes and programs say of ops -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Passes write these attributes for each other, but their input may be written
// by hand: a pass that reads one has the table checked first.
//
//===----------------------------------------------------------------------===//

#include "lower/dialect/attributes.h"

#include "lower/ir/ir.h"

#include <stdlib.h>
#include <string.h>

#define UNIT AGPU__ATTRIBUTE_UNIT
#define BOOL AGPU__ATTRIBUTE_BOOL
#define NUMBER AGPU__ATTRIBUTE_NUMBER
#define WORD AGPU__ATTRIBUTE_WORD
#define NAME AGPU__ATTRIBUTE_NAME
#define LIST AGPU__ATTRIBUTE_LIST

// clang-format off
const agpu__attribute agpu__attributes[] = {
    // What programs say.
    {AGPU__CAPTURE_ATTR, true, WORD,
     {AGPU__CAPTURE_THREAD_LOCAL, AGPU__CAPTURE_RELAXED, AGPU__CAPTURE_NEVER},
     {"func.call", "func.func"},
     "Whether what a call with `async_gpu.enqueue` enqueues may be captured as "
     "part of a graph, and how ([graphs.md](graphs.md#calls-of-libraries)); on "
     "a declaration, for all calls that do not say. `async-gpu-regions` reads "
     "it."},
    {AGPU__DEVICE_ATTR, true, NUMBER, {NULL},
     {"async.execute", "async.func", "func.func"},
     "The device that it works on. `async-gpu-regions` and `async-gpu-devices` "
     "read it ([gpu-host.md](gpu-host.md))."},
    {AGPU__ENQUEUE_ATTR, true, UNIT, {NULL}, {"func.call", "func.func"},
     "The call enqueues work on the region's stream, which the callee finds "
     "with `agpu_stream_current`. The plan, `async-gpu-failures` and "
     "`async-gpu-parallel` read it, `async-gpu-stream-calls` removes it."},
    {AGPU__GRAPHS_ATTR, true, WORD, {"off", "on", "auto"}, {NULL},
     "On a loop or a function: whether what repeats in it becomes graphs "
     "([graphs.md](graphs.md)). `async-gpu-graphs` reads and removes it."},
    {AGPU__NON_BLOCKING, true, UNIT, {NULL}, {"func.func"},
     "Calls of the function in regions suspend: `async-gpu-non-blocking` makes "
     "it so, and removes it. On a declaration: the function does not block, so "
     "that regions that call it may start in their spawner."},
    {AGPU__OBSERVES_ATTR, true, BOOL, {NULL}, {NULL},
     "Whether the op may observe what the device does; on a function, whether "
     "all calls of it may. The plan reads it."},
    // Of the module.
    {AGPU__ABI_ATTR, false, WORD, {AGPU__ABI_OWN, AGPU__ABI_UPSTREAM},
     {"builtin.module"},
     "The runtime that the program will run on. The first pass with the option "
     "`abi` writes it, `async-gpu-check-lowered` removes it."},
    {AGPU__ALIKE_ATTR, false, UNIT, {NULL}, {"builtin.module"},
     "Kernels that are alike may be one. From `async-gpu-map-linalg` to "
     "`async-gpu-share-kernels`."},
    {AGPU__EXPORTS_ATTR, false, LIST, {NULL}, {"builtin.module"},
     "What is called by the address of its values: of each function its name, "
     "its symbol, how many parameters each argument has in the LLVM dialect, "
     "and how many results there are. A program that embeds the compiler writes "
     "it, for the JIT."},
    {AGPU__TRACE_ATTR, false, UNIT, {NULL}, {"builtin.module"},
     "Regions that run in place tell traces of it. Written by "
     "`async-gpu-runtime-calls{trace}`, read when code is made."},
    {AGPU__UNIFIED_ATTR, false, UNIT, {NULL},
     {"builtin.module", "func.func", "async.func"},
     "Launches are given memory of the host as it is, which devices have to "
     "reach. From `async-gpu-place-data{memory=unified}` to "
     "`async-gpu-host-memory`, `async-gpu-kernel-facts` and "
     "`async-gpu-embed-kernels`."},
    // What the plan and later passes decide.
    {AGPU__KIND_ATTR, false, WORD,
     {AGPU__KIND_HOST, AGPU__KIND_DEVICE, AGPU__KIND_MIXED},
     {"async.execute", "async.func"},
     "The region holds no GPU op, GPU ops and what cannot observe them, or "
     "both. From `async-gpu-regions` to `async-gpu-coroutines`."},
    {AGPU__REGION_ATTR, false, NUMBER, {NULL},
     {"async.execute", "async.func", "func.func", "llvm.func"},
     "The region's number in [the plan](plan.md). `async-gpu-form-regions` "
     "writes it for what it remarks, `async-gpu-regions` for all; "
     "`async-gpu-outline` names functions by it, and traces have it."},
    {AGPU__STREAM_ATTR, false, NUMBER, {NULL},
     {"async.execute", "async.func", "func.func", "llvm.func"},
     "The number of its stream there, if it has one."},
    {AGPU__HOW_ATTR, false, WORD,
     {AGPU__WAIT_EVENT, AGPU__WAIT_STREAM, AGPU__WAIT_LAST, AGPU__WAIT_NONE},
     {"agpu.stream_wait", "agpu.stream_depend"},
     "How the stream comes to wait; without it by an event, where the work is "
     "on another stream. From `async-gpu-regions` to `async-gpu-stream-calls`."},
    {AGPU__GRAPH_ATTR, false, UNIT, {NULL},
     {"agpu.stream_acquire", "async.add_to_group",
      "async.runtime.add_to_group"},
     "It may stand in a part that becomes a graph. From `async-gpu-graphs` to "
     "`async-gpu-runtime-calls`."},
    {AGPU__START_ATTR, false, WORD,
     {AGPU__START_EXECUTOR, AGPU__START_SPAWNER, AGPU__START_EITHER,
      AGPU__START_READY},
     {"async.func"},
     "Where a region of kind `host` starts; without it on the executor. From "
     "`async-gpu-starts` to `async-gpu-coroutines`."},
    {AGPU__FAILS_ATTR, false, UNIT, {NULL}, {"func.func"},
     "It can fail: its first result is a token that then has the error. From "
     "`async-gpu-parallel` and `async-gpu-failures` to `async-gpu-coroutines`."},
    {AGPU__CHECKED_ATTR, false, UNIT, {NULL},
     {"memref.alloc", "memref.alloca", "memref.realloc"},
     "What follows depends on whether there was memory. From `async-gpu-starts` "
     "and `async-gpu-coroutines` to `async-gpu-check-sizes`."},
    {AGPU__SHARD_OP_ATTR, false, NAME, {NULL}, {"func.func"},
     "The op of the dialect `agpu` that calls of it become. From "
     "`async-gpu-shard` to `async-gpu-shard-messages`."},
    {AGPU__SHARD_NUMBERS_ATTR, false, LIST, {NULL}, {"func.func"},
     "That op's `numbers`."},
    {AGPU__SHARD_AXES_ATTR, false, LIST, {NULL}, {NULL},
     "Along which axes the op's loops are split, and behind these the dimension "
     "of the result that is scattered or -1, while `async-gpu-shard` "
     "rewrites a function."},
    // What async-gpu-coroutines leaves.
    {AGPU__RESULT_ATTR, false, UNIT, {NULL}, {"async.runtime.create"},
     "Of a coroutine's result: its caller has the one reference that is "
     "counted, the coroutine the producer's, which goes when it completes the "
     "object. Read by `async-gpu-reference-counts`."},
    {AGPU__TASK_ATTR, false, UNIT, {NULL}, {"async.runtime.create"},
     "The first of these lies in one piece of memory with the frame, as the "
     "coroutine always begins on the executor. Read by "
     "`async-gpu-runtime-calls`."},
    {AGPU__RESULTS_ATTR, false, NUMBER, {NULL},
     {"func.func", "func.call", "async.runtime.resume"},
     "So many first arguments are results that the function completes in that "
     "way, so many objects, the last that were created, the coroutine. Read by "
     "`async-gpu-reference-counts` and `async-gpu-runtime-calls`."},
    {AGPU__AWAITED_ATTR, false, NUMBER, {NULL}, {"func.call"},
     "The call takes place once so many operands, after the results, are "
     "ENQUEUED; if one is in error, its results are, and it does not. Read by "
     "`async-gpu-runtime-calls`."},
    {AGPU__BRIEF_ATTR, false, UNIT, {NULL},
     {"async.runtime.resume", "agpu.resume_after"},
     "The coroutine takes a moment. Read by `async-gpu-runtime-calls`."},
    {AGPU__SUSPENSION_ATTR, false, NUMBER, {NULL},
     {"async.coro.suspend", "llvm.intr.coro.suspend"},
     "No other one in the function has that number, so that no two blocks that "
     "suspend are alike."},
};
// clang-format on

const size_t agpu__attribute_count =
    sizeof(agpu__attributes) / sizeof(*agpu__attributes);

const agpu__attribute *agpu__attribute_find(MlirStringRef name) {
  for (size_t i = 0; i < agpu__attribute_count; ++i)
    if (mlirStringRefEqual(name, agpu__str(agpu__attributes[i].name)))
      return &agpu__attributes[i];
  return NULL;
}

bool agpu__attribute_is_ours(MlirStringRef name) {
  static const char prefix[] = "async_gpu.";
  return name.length > sizeof(prefix) - 1 &&
         !memcmp(name.data, prefix, sizeof(prefix) - 1);
}

/// `a, b or c`, each between `quotes`; the caller frees it.
static char *list(const char *const *words, const char *quotes) {
  agpu__text text = {0};
  for (size_t i = 0; i < 4 && words[i]; ++i) {
    bool is_last = i == 3 || !words[i + 1];
    agpu__text_printf(&text, "%s%s%s%s",
                      !i        ? ""
                      : is_last ? " or "
                                : ", ",
                      quotes, words[i], quotes);
  }
  char *result = agpu__format("%s", agpu__text_get(&text));
  agpu__text_free(&text);
  return result;
}

char *agpu__attribute_values(const agpu__attribute *attribute) {
  static const char *const words[] = {[UNIT] = "without a value",
                                      [BOOL] = "true or false",
                                      [NUMBER] =
                                          "a number that is not negative",
                                      [NAME] = "a string",
                                      [LIST] = "an array"};
  return attribute->type == WORD ? list(attribute->words, "\"")
                                 : agpu__format("%s", words[attribute->type]);
}

static bool is_word(const agpu__attribute *attribute, MlirAttribute value) {
  for (size_t i = 0; i < 4 && attribute->words[i]; ++i)
    if (mlirStringRefEqual(mlirStringAttrGetValue(value),
                           agpu__str(attribute->words[i])))
      return true;
  return false;
}

static bool has_value(const agpu__attribute *attribute, MlirAttribute value) {
  switch (attribute->type) {
  case UNIT: return mlirAttributeIsAUnit(value);
  case BOOL: return mlirAttributeIsABool(value);
  case NUMBER:
    return mlirAttributeIsAInteger(value) && !mlirAttributeIsABool(value) &&
           mlirIntegerAttrGetValueInt(value) >= 0;
  case WORD: return mlirAttributeIsAString(value) && is_word(attribute, value);
  case NAME: return mlirAttributeIsAString(value);
  case LIST: return true; // who reads it knows
  }
  return false;
}

static bool may_stand_on(const agpu__attribute *attribute, MlirOperation op) {
  for (size_t i = 0; i < 4 && attribute->on[i]; ++i)
    if (agpu__op_is(op, attribute->on[i]))
      return true;
  return !attribute->on[0];
}

static MlirLogicalResult check(MlirOperation op, MlirNamedAttribute given) {
  MlirStringRef name = mlirIdentifierStr(given.name);
  const agpu__attribute *attribute = agpu__attribute_find(name);
  // `how` and `brief` of other dialects are theirs.
  if (!attribute ||
      (!agpu__attribute_is_ours(name) && !may_stand_on(attribute, op)))
    return mlirLogicalResultSuccess();
  MlirLocation location = mlirOperationGetLocation(op);
  MlirLogicalResult result = mlirLogicalResultSuccess();
  char *expected = NULL;
  if (!may_stand_on(attribute, op)) {
    expected = list(attribute->on, "");
    result =
        agpu__error(location, "%s belongs on %s", attribute->name, expected);
  } else if (!has_value(attribute, given.attribute)) {
    expected = agpu__attribute_values(attribute);
    result = agpu__error(location, "%s is %s", attribute->name, expected);
  }
  free(expected);
  return result;
}

MlirLogicalResult agpu__check_attributes_of(MlirOperation op) {
  MlirLogicalResult result = mlirLogicalResultSuccess();
  for (intptr_t i = 0; i < mlirOperationGetNumDiscardableAttributes(op); ++i)
    if (mlirLogicalResultIsFailure(
            check(op, mlirOperationGetDiscardableAttribute(op, i))))
      result = mlirLogicalResultFailure();
  return result;
}

static MlirWalkResult check_op(MlirOperation op, void *data) {
  if (mlirLogicalResultIsFailure(agpu__check_attributes_of(op)))
    *(MlirLogicalResult *)data = mlirLogicalResultFailure();
  return MlirWalkResultAdvance;
}

MlirLogicalResult agpu__check_attributes(MlirOperation module) {
  MlirLogicalResult result = mlirLogicalResultSuccess();
  mlirOperationWalk(module, check_op, &result, MlirWalkPreOrder);
  return result;
}

void agpu__set_same_region(MlirOperation to, MlirOperation from) {
  static const char *const names[] = {AGPU__REGION_ATTR, AGPU__STREAM_ATTR};
  for (size_t i = 0; i < sizeof(names) / sizeof(*names); ++i)
    if (agpu__has_attr(from, names[i]))
      agpu__set_attr(to, names[i], agpu__attr(from, names[i]));
}
