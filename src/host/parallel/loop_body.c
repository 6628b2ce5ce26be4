//===- loop_body.c - The functions of a parallel loop -------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All dimensions of a loop are one range of iterations to the runtime. A body
// gets part of it and runs whole rows, the last dimension, as a loop without
// divisions, so that LLVM can vectorise it.
//
//===----------------------------------------------------------------------===//

#include "host/parallel/parallel.h"
#include "lower/dialect/attributes.h"

#include "mlir-c/Dialect/LLVM.h"

#include <stdlib.h>

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

/// "<function><suffix>", for the function that the loop stands in. The caller
/// frees it.
static char *function_name(const agpu__loop *loop, const char *suffix) {
  MlirOperation op = loop->frame;
  while (!agpu__has_attr(op, "sym_name"))
    op = mlirOperationGetParentOperation(op);
  MlirStringRef name = agpu__get_string(op, "sym_name");
  return agpu__format("%.*s%s", AGPU__STR(name), suffix);
}

/// An empty function of these arguments, inserted into the module. One that
/// `fails` gives a token.
static MlirOperation create_function(const agpu__loop *loop, const char *suffix,
                                     const MlirType *inputs, size_t count,
                                     bool fails) {
  AGPU__OWNED char *name = function_name(loop, suffix);
  agpu__builder at = agpu__builder_at_end(agpu__module_body(loop->module),
                                          mlirOperationGetLocation(loop->op));
  MlirType token = agpu__token_type(at.context);
  MlirOperation function = agpu__build_function(
      &at, &(agpu__function_spec){.op = "func.func",
                                  .name = name,
                                  .type = mlirFunctionTypeGet(
                                      at.context, (intptr_t)count, inputs,
                                      fails ? 1 : 0, fails ? &token : NULL),
                                  .with_body = true,
                                  .is_internal = true});
  if (fails)
    mlirOperationSetDiscardableAttributeByName(
        function, agpu__str(AGPU__FAILS_ATTR), mlirUnitAttrGet(at.context));
  mlirSymbolTableInsert(loop->symbols, function);
  return function;
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// A function of the body while it is built.
typedef struct body {
  const agpu__loop *loop;
  const agpu__loop_values *values;
  agpu__values inside;
  agpu__reductions reductions;
} body;

static MlirValue inside(const body *self, MlirValue value) {
  return agpu__loop_value(self->values, &self->inside, value);
}

/// Begins an `scf.for` from `from` to below `to`. `carried` are its initial
/// values, and then what its body gets. `at` is then in its body. Returns its
/// index.
static MlirValue begin_for(agpu__builder *at, MlirValue from, MlirValue to,
                           agpu__values *carried) {
  AGPU__SCOPED(values) operands = {0};
  agpu__values_push(&operands, from);
  agpu__values_push(&operands, to);
  agpu__values_push(&operands, agpu__index_constant(at, 1));
  size_t count = carried->count;
  AGPU__OWNED MlirType *types = agpu__allocate(count + 1, sizeof(*types));
  AGPU__OWNED MlirLocation *locations =
      agpu__allocate(count + 1, sizeof(*locations));
  types[0] = agpu__index_type(at->context);
  locations[0] = at->location;
  for (size_t i = 0; i < count; ++i) {
    agpu__values_push(&operands, carried->data[i]);
    types[i + 1] = mlirValueGetType(carried->data[i]);
    locations[i + 1] = at->location;
  }
  MlirBlock block = mlirBlockCreate((intptr_t)count + 1, types, locations);
  MlirRegion region = mlirRegionCreate();
  mlirRegionAppendOwnedBlock(region, block);
  agpu__op_spec spec = {.name = "scf.for",
                        .operands = operands.data,
                        .operand_count = operands.count,
                        .results = types + 1,
                        .result_count = count,
                        .regions = &region,
                        .region_count = 1};
  agpu__build(at, &spec);
  for (size_t i = 0; i < count; ++i)
    carried->data[i] = mlirBlockGetArgument(block, (intptr_t)i + 1);
  *at = agpu__builder_at_end(block, at->location);
  return mlirBlockGetArgument(block, 0);
}

/// Ends it. `carried` are the values of the next iteration, and then the
/// loop's results. `at` is then after it.
static void end_for(agpu__builder *at, agpu__values *carried) {
  agpu__build_effect(at, "scf.yield", carried->data, carried->count);
  MlirOperation loop = mlirBlockGetParentOperation(at->block);
  for (size_t i = 0; i < carried->count; ++i)
    carried->data[i] = agpu__result(loop, (intptr_t)i);
  *at = agpu__builder_at_end(mlirOperationGetBlock(loop), at->location);
}

/// The loop's own induction value, from how often it has gone around.
static MlirValue induction(const body *self, agpu__builder *at,
                           size_t dimension, MlirValue trip) {
  MlirValue distance =
      agpu__build_binary(at, "arith.muli", trip,
                         inside(self, agpu__loop_step(self->loop, dimension)));
  return agpu__build_binary(
      at, "arith.addi",
      inside(self, agpu__loop_lower_bound(self->loop, dimension)), distance);
}

/// Whether each thread that runs the loop may have one place for what `alloca`
/// gives. Not if it belongs to a loop inside of this one whose iterations are
/// shared out as well.
static bool is_own_alloca(const agpu__loop *loop, MlirOperation alloca) {
  MlirOperation op = mlirOperationGetParentOperation(alloca);
  while (!agpu__op_is(op, "scf.parallel"))
    op = mlirOperationGetParentOperation(op);
  return !loop->shares_nested || mlirOperationEqual(op, loop->op);
}

/// Memory on the stack that iterations ask for, once for all of them.
static void move_allocas(const body *self, agpu__builder *at) {
  AGPU__OPS_IN_FOREACH (nested, self->loop->op, "memref.alloca") {
    if (!is_own_alloca(self->loop, nested))
      continue;
    mlirOperationRemoveFromParent(nested);
    mlirBlockAppendOwnedOperation(at->block, nested);
  }
}

/// Moves the loop's body to where `at` is, with these induction values.
static void move_iteration(const body *self, agpu__builder *at,
                           const MlirValue *inductions, agpu__values *carried) {
  MlirBlock block = agpu__loop_block(self->loop);
  for (size_t i = 0; i < self->loop->dimensions; ++i)
    mlirValueReplaceAllUsesOfWith(mlirBlockGetArgument(block, (intptr_t)i),
                                  inductions[i]);
  agpu__move_ops(at, mlirBlockGetFirstOperation(block),
                 mlirBlockGetTerminator(block));
  agpu__reductions_add(&self->reductions, at, mlirBlockGetTerminator(block),
                       carried);
}

/// Ops of an iteration, at most, that has room for more of them at a time.
#define SHORT 16

/// Whether sums and products of the loop wait for each other more than for
/// anything else: LLVM makes two vectors of an iteration's, where that takes
/// four or more to keep both adders of a core busy.
static bool is_bound_by_latency(const agpu__loop *loop) {
  AGPU__SCOPED(ops) ops = agpu__ops_in(loop->op, NULL);
  size_t sums = 0, others = 0;
  for (size_t i = 0; i < ops.count; ++i) {
    MlirOperation in = mlirOperationGetParentOperation(ops.data[i]);
    sums += agpu__op_is(in, "scf.reduce") &&
            agpu__op_is_any(ops.data[i], "arith.addf arith.mulf");
    others += mlirOperationGetNumRegions(ops.data[i]) > 0 &&
              !agpu__op_is(ops.data[i], "scf.reduce") &&
              !mlirOperationEqual(ops.data[i], loop->op);
  }
  return sums > 0 && others == 0 && ops.count <= SHORT;
}

/// Asks LLVM for four vectors of the `scf.for` that `block` belongs to.
static void interleave(MlirBlock block) {
  MlirOperation loop = mlirBlockGetParentOperation(block);
  mlirOperationSetDiscardableAttributeByName(
      loop, agpu__str("loop_annotation"),
      mlirAttributeParseGet(
          mlirOperationGetContext(loop),
          agpu__str("#llvm.loop_annotation<interleave = <count = 4 : i32>>")));
}

/// Loops over the iterations from `first` to below `last`.
static void build_loops(const body *self, agpu__builder *at, MlirValue first,
                        MlirValue last, agpu__values *carried) {
  size_t inner = self->loop->dimensions - 1;
  AGPU__OWNED MlirValue *inductions =
      agpu__allocate(inner + 1, sizeof(*inductions));
  AGPU__OWNED MlirValue *trips = agpu__allocate(inner + 1, sizeof(*trips));
  MlirValue from = first, to = last;
  if (inner > 0) {
    for (size_t i = 0; i <= inner; ++i)
      trips[i] = agpu__trip_count(
          at, inside(self, agpu__loop_lower_bound(self->loop, i)),
          inside(self, agpu__loop_upper_bound(self->loop, i)),
          inside(self, agpu__loop_step(self->loop, i)));
    // Rows that the iterations lie in, the first and last of them in part.
    MlirValue length = trips[inner];
    MlirValue zero = agpu__index_constant(at, 0);
    MlirValue one = agpu__index_constant(at, 1);
    MlirValue last_row = agpu__build_binary(
        at, "arith.divsi", agpu__build_binary(at, "arith.subi", last, one),
        length);
    MlirValue end = agpu__build_binary(at, "arith.addi", last_row, one);
    MlirValue row = begin_for(
        at, agpu__build_binary(at, "arith.divsi", first, length), end, carried);
    MlirValue start = agpu__build_binary(at, "arith.muli", row, length);
    MlirValue rest = row;
    for (size_t i = inner; i-- > 0;) {
      inductions[i] = induction(
          self, at, i, agpu__build_binary(at, "arith.remsi", rest, trips[i]));
      rest = agpu__build_binary(at, "arith.divsi", rest, trips[i]);
    }
    from =
        agpu__build_binary(at, "arith.maxsi", zero,
                           agpu__build_binary(at, "arith.subi", first, start));
    to = agpu__build_binary(at, "arith.minsi", length,
                            agpu__build_binary(at, "arith.subi", last, start));
  }
  inductions[inner] =
      induction(self, at, inner, begin_for(at, from, to, carried));
  if (is_bound_by_latency(self->loop))
    interleave(at->block);
  move_iteration(self, at, inductions, carried);
  end_for(at, carried);
  if (inner > 0)
    end_for(at, carried);
}

/// Ends the function of a piece, which has not failed.
static void build_return(const agpu__loop *loop, agpu__builder *at) {
  MlirValue token;
  if (loop->fails)
    token = agpu__build_value(at, "agpu.ready_token", NULL, 0,
                              agpu__token_type(at->context));
  agpu__build_effect(at, "func.return", &token, loop->fails ? 1 : 0);
}

MlirOperation agpu__loop_build_body(const agpu__loop *loop,
                                    const agpu__loop_values *values,
                                    MlirType results) {
  MlirContext context = mlirOperationGetContext(loop->op);
  MlirType ptr = agpu__ptr_type(context), i64 = agpu__i64_type(context);
  MlirType inputs[] = {ptr, i64, i64, ptr};
  MlirOperation function = create_function(
      loop, "_loop", inputs, loop->reductions ? 4 : 3, loop->fails);
  MlirBlock block = agpu__entry_block(function);
  agpu__builder at =
      agpu__builder_at_end(block, mlirOperationGetLocation(loop->op));
  body self = {.loop = loop, .values = values};
  agpu__loop_values_load(values, &at, mlirBlockGetArgument(block, 0),
                         &self.inside);
  AGPU__SCOPED(values) carried = {0};
  agpu__reductions_begin(loop, values, &self.inside, &at, &self.reductions,
                         &carried);
  agpu__loop_values_replace(values, &self.inside, loop->op);
  move_allocas(&self, &at);
  MlirType index = agpu__index_type(context);
  MlirValue first = agpu__convert(&at, "arith.index_cast",
                                  mlirBlockGetArgument(block, 1), index);
  MlirValue last = agpu__convert(&at, "arith.index_cast",
                                 mlirBlockGetArgument(block, 2), index);
  build_loops(&self, &at, first, last, &carried);
  if (loop->reductions)
    agpu__reductions_end(&self.reductions, &at, results, &carried,
                         mlirBlockGetArgument(block, 3));
  build_return(loop, &at);
  agpu__reductions_free(&self.reductions);
  agpu__values_free(&self.inside);
  return function;
}

MlirOperation agpu__loop_build_combine(const agpu__loop *loop,
                                       const agpu__loop_values *values,
                                       MlirType results) {
  MlirType ptr = agpu__ptr_type(mlirOperationGetContext(loop->op));
  MlirType inputs[] = {ptr, ptr, ptr};
  MlirOperation function =
      create_function(loop, "_combine", inputs, 3, /*fails=*/false);
  MlirBlock block = agpu__entry_block(function);
  agpu__builder at =
      agpu__builder_at_end(block, mlirOperationGetLocation(loop->op));
  AGPU__SCOPED(values) inside = {0};
  agpu__loop_values_load(values, &at, mlirBlockGetArgument(block, 0), &inside);
  agpu__reductions_combine(loop, values, &inside, &at, results,
                           mlirBlockGetArgument(block, 1),
                           mlirBlockGetArgument(block, 2));
  agpu__build_effect(&at, "func.return", NULL, 0);
  return function;
}
