//===- loop_serial.c - Loops that stay on their thread -------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// GPU ops belong to the region's stream, awaits suspend it, a failing assertion
// ends it, and lines that several threads print come out mixed. In a plain
// function, which is no region, a failing assertion ends the program, on
// whatever thread. Memory on the stack ends with the iteration, so one place
// serves all iterations of a thread, if its size is known and no loop inside
// that is no allocation scope needs several.
//
//===----------------------------------------------------------------------===//

#include "host/parallel/parallel.h"
#include "lower/dialect/attributes.h"

#include <stdlib.h>

typedef struct search {
  agpu__loop *loop;
  agpu__op_set visited; ///< functions that have been looked at
} search;

static char *find_bound(search *self, MlirOperation root);

/// A function without a body may run anywhere: that is what the program says
/// by calling it in a parallel loop.
static char *find_bound_in_callee(search *self, MlirOperation call) {
  MlirAttribute name = agpu__attr(call, "callee");
  if (mlirAttributeIsNull(name) || !mlirAttributeIsAFlatSymbolRef(name))
    return agpu__format("it calls an unknown function");
  MlirStringRef text = mlirFlatSymbolRefAttrGetValue(name);
  MlirOperation callee = mlirSymbolTableLookup(self->loop->symbols, text);
  if (mlirOperationIsNull(callee) || agpu__op_set_has(&self->visited, callee))
    return NULL;
  if (agpu__has_attr(callee, AGPU__ENQUEUE_ATTR) ||
      agpu__has_attr(call, AGPU__ENQUEUE_ATTR))
    return agpu__format("'%.*s', which it calls, puts work on the stream of "
                        "the region",
                        AGPU__STR(text));
  agpu__op_set_add(&self->visited, callee);
  return find_bound(self, callee);
}

/// Whether one place on the stack can stand for all that `alloca` gives.
static bool fits_one_place(const agpu__loop *loop, MlirOperation alloca) {
  return mlirOperationGetNumOperands(alloca) == 0 &&
         mlirOperationIsNull(agpu__handed_over_in(
             loop->symbols, alloca, agpu__allocation_scope(alloca)));
}

/// Whether a failed assertion is the error of a region or an async function,
/// itself or as part of a loop of one.
static bool is_in_region(const agpu__loop *loop) {
  return !agpu__op_is(loop->frame, "func.func") ||
         agpu__has_attr(loop->frame, AGPU__FAILS_ATTR);
}

/// What combines partial results runs when the loop has ended as well.
static bool is_in_combiner(const agpu__loop *loop, MlirOperation op) {
  MlirOperation reduce = mlirBlockGetTerminator(agpu__loop_block(loop));
  while (!mlirOperationEqual(op, loop->op)) {
    if (mlirOperationEqual(op, reduce))
      return true;
    op = mlirOperationGetParentOperation(op);
  }
  return false;
}

static char *find_bound_in_op(search *self, MlirOperation op, bool in_loop) {
  const agpu__op_row *row = agpu__row_of(op);
  bool is_stream_op = row->traits & (AGPU__OP_ENQUEUES | AGPU__OP_STREAM);
  bool is_bound =
      agpu__op_in_dialect(op, "async") || is_stream_op ||
      agpu__op_is(op, "func.call_indirect") ||
      (row->class == AGPU__OP_OUTSIDE && !(row->traits & AGPU__OP_FAILS));
  // What a function does on its own stack, or how it ends the program, is no
  // concern of the loop.
  if (in_loop && is_in_region(self->loop) &&
      (agpu__op_is(op, "cf.assert") || agpu__op_is(op, "agpu.propagate"))) {
    is_bound = is_in_combiner(self->loop, op);
    self->loop->fails = true;
  }
  // Of an allocation it is one as well, but what combines has no way for it.
  if (in_loop && is_in_region(self->loop) &&
      (agpu__op_is(op, "memref.alloc") || agpu__op_is(op, "memref.realloc")) &&
      !is_in_combiner(self->loop, op))
    self->loop->fails = true;
  if (in_loop && agpu__op_is(op, "memref.alloca"))
    is_bound = !fits_one_place(self->loop, op);
  if (is_bound) {
    MlirStringRef name = agpu__op_name(op);
    AGPU__OWNED char *where = agpu__location_text(mlirOperationGetLocation(op));
    const char *place = *where ? where : "an unknown place";
    return is_stream_op
               ? agpu__format(
                     "the work on a stream at %s cannot be enqueued by "
                     "another thread",
                     place)
               : agpu__format("'%.*s' at %s cannot run on another thread",
                              AGPU__STR(name), place);
  }
  if (agpu__op_is(op, "func.call") || agpu__op_is(op, "llvm.call"))
    return find_bound_in_callee(self, op);
  return NULL;
}

static char *find_bound(search *self, MlirOperation root) {
  AGPU__SCOPED(ops) nested = agpu__ops_in(root, NULL);
  char *reason = NULL;
  bool in_loop = mlirOperationEqual(root, self->loop->op);
  for (size_t i = 0; i < nested.count && !reason; ++i)
    reason = find_bound_in_op(self, nested.data[i], in_loop);
  return reason;
}

/// Whether a combiner takes what one iteration computes. Two partial results
/// come from no iteration.
static bool combines_by_iteration(const agpu__loop *loop) {
  MlirOperation reduce = mlirBlockGetTerminator(agpu__loop_block(loop));
  AGPU__SCOPED(ops) nested = agpu__ops_in(reduce, NULL);
  bool found = false;
  for (size_t i = 0; i < nested.count; ++i) {
    if (mlirOperationEqual(nested.data[i], reduce))
      continue;
    for (intptr_t n = 0; n < mlirOperationGetNumOperands(nested.data[i]); ++n) {
      MlirValue value = mlirOperationGetOperand(nested.data[i], n);
      found |= agpu__defined_inside(value, loop->op) &&
               !agpu__defined_inside(value, reduce);
    }
  }
  return found;
}

char *agpu__loop_serial_reason(agpu__loop *loop) {
  search self = {.loop = loop};
  char *reason = find_bound(&self, loop->op);
  agpu__op_set_free(&self.visited);
  if (!reason && combines_by_iteration(loop))
    reason = agpu__format("a combiner uses what one iteration computes");
  return reason;
}
