//===- graph_work.c - What a part may hold -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How much work ops enqueue that may be part of a graph, also in the regions
// that they spawn and the functions that they call. What is not known may
// not be: a part too few is slow, one too many is wrong.
//
//===----------------------------------------------------------------------===//

#include "gpu/streams/streams.h"

/// Rounds of an inner loop that a graph takes as a whole.
#define MOST_INNER_ROUNDS 256

/// What neither enqueues nor waits.
static bool is_harmless(MlirOperation op) {
  const agpu__op_row *row = agpu__row_of(op);
  return agpu__computes(op) || agpu__graph_names_device(op) ||
         (row->class == AGPU__OP_OUTSIDE && !(row->traits & AGPU__OP_FAILS));
}

static int64_t count_region(MlirSymbolTable symbols, MlirOperation function,
                            agpu__graph_obstacle *out, unsigned depth);

/// How much work the op enqueues; negative: it cannot be part of a graph, and
/// `*out` says what in it cannot.
static int64_t count_work(MlirSymbolTable symbols, MlirOperation op,
                          agpu__graph_obstacle *out, unsigned depth);

static int64_t count_block(MlirSymbolTable symbols, MlirBlock block,
                           agpu__graph_obstacle *out, unsigned depth) {
  int64_t work = 0;
  AGPU__OPS_FOREACH (op, block) {
    int64_t more = count_work(symbols, op, out, depth);
    if (more < 0)
      return -1;
    work += more;
  }
  return work;
}

static int64_t count_inner(MlirSymbolTable symbols, MlirOperation op,
                           agpu__graph_obstacle *out, unsigned depth) {
  int64_t work = 0;
  for (intptr_t i = 0; i < mlirOperationGetNumRegions(op); ++i)
    AGPU__BLOCKS_FOREACH (block, mlirOperationGetRegion(op, i)) {
      int64_t more = count_block(symbols, block, out, depth);
      if (more < 0)
        return -1;
      work += more;
    }
  return work;
}

static int64_t refuse(agpu__graph_obstacle *out, MlirOperation op,
                      const char *why) {
  *out = (agpu__graph_obstacle){op, why};
  return -1;
}

/// The function that the op calls or spawns; null: neither, or it is not known.
static MlirOperation find_callee(MlirSymbolTable symbols, MlirOperation op) {
  const MlirOperation none = {NULL};
  return agpu__op_is_any(op, "async.call func.call")
             ? agpu__find_callee(symbols, op)
             : none;
}

static int64_t count_call(MlirSymbolTable symbols, MlirOperation op,
                          agpu__graph_obstacle *out, unsigned depth) {
  MlirOperation function = find_callee(symbols, op);
  if (mlirOperationIsNull(function) ||
      (agpu__op_is(op, "async.call") && !agpu__graph_is_region(function))) {
    const char *why = "it spawns what runs on the host";
    return !depth && agpu__graph_is_host_region(symbols, op, &why)
               ? 1
               : refuse(out, op, why);
  }
  agpu__graph_obstacle inside;
  int64_t work = count_region(symbols, function, &inside, depth + 1);
  return work < 0 ? refuse(out, op, inside.why) : work;
}

static int64_t count_work(MlirSymbolTable symbols, MlirOperation op,
                          agpu__graph_obstacle *out, unsigned depth) {
  if (depth > 8)
    return refuse(out, op, "regions are nested too deep");
  if (agpu__op_has(op, AGPU__OP_RECORDS))
    return agpu__op_has(op, AGPU__OP_DEVICE) ||
           agpu__op_is(op, "agpu.host_call");
  if (agpu__op_is(op, "async.call") || agpu__op_is(op, "func.call"))
    return count_call(symbols, op, out, depth);
  if (agpu__graph_is_loop(op)) {
    int64_t rounds = agpu__graph_rounds(op);
    int64_t inner = count_inner(symbols, op, out, depth);
    if (inner <= 0)
      return inner;
    if (rounds < 0 || rounds > MOST_INNER_ROUNDS ||
        inner * rounds > AGPU__GRAPH_MOST_WORK)
      return refuse(out, op,
                    rounds < 0 ? "it runs as often as is computed"
                               : "it has too much work for one graph");
    return inner * rounds;
  }
  if (agpu__op_is(op, "scf.if") || agpu__op_is(op, "memref.alloca_scope"))
    return count_inner(symbols, op, out, depth);
  if (agpu__op_is(op, "agpu.set_default_device"))
    return refuse(out, op, "the function's work moves to another device");
  if (agpu__op_is(op, "agpu.stream_enter"))
    return refuse(out, op,
                  "a call that enqueues says nothing of " AGPU__CAPTURE_ATTR);
  if (is_harmless(op))
    return 0;
  return refuse(
      out, op,
      "the host may observe what was done, or what it does is not known");
}

/// Of a function, which may wait, on its stream, for what comes in.
static int64_t count_region(MlirSymbolTable symbols, MlirOperation function,
                            agpu__graph_obstacle *out, unsigned depth) {
  MlirBlock entry = agpu__entry_block(function);
  int64_t work = 0;
  if (mlirBlockIsNull(entry) ||
      !mlirBlockIsNull(mlirBlockGetNextInRegion(entry)))
    return refuse(out, function, "what the function does is not known");
  AGPU__OPS_FOREACH (op, entry) {
    if (agpu__op_has(op, AGPU__OP_STREAM))
      continue;
    int64_t more = count_work(symbols, op, out, depth);
    if (more < 0)
      return -1;
    work += more;
  }
  return work;
}

int64_t agpu__graph_work(MlirSymbolTable symbols, MlirOperation op,
                         agpu__graph_obstacle *out) {
  return count_work(symbols, op, out, 0);
}

int64_t agpu__graph_work_in(MlirSymbolTable symbols, MlirOperation op,
                            agpu__graph_obstacle *out) {
  return count_inner(symbols, op, out, 0);
}

/// Appends the ops in `root`, and in what they call.
static void collect(MlirSymbolTable symbols, MlirOperation root,
                    agpu__ops *out) {
  agpu__ops_push(out, root);
  size_t first = out->count - 1;
  agpu__collect(root, NULL, out);
  for (size_t i = first, end = out->count; i < end; ++i) {
    MlirOperation callee = find_callee(symbols, out->data[i]);
    if (!mlirOperationIsNull(callee))
      collect(symbols, callee, out);
  }
}

agpu__ops agpu__graph_ops(MlirSymbolTable symbols, MlirOperation root) {
  agpu__ops ops = {0};
  collect(symbols, root, &ops);
  return ops;
}
