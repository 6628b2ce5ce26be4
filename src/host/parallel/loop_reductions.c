//===- loop_reductions.c - How results of iterations are combined -------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A piece of a loop combines its iterations from a value on that changes
// nothing: 0 for a sum, 1 for a product, and for what may take in a value twice
// (a maximum) the loop's own initial value. Of combiners that are not known it
// has none, and a flag says whether there was an iteration before.
//
// The dialect leaves the order open in which iterations are combined, so that
// sums and products of floating-point numbers may be reassociated, and LLVM
// can run several iterations in one vector.
//
//===----------------------------------------------------------------------===//

#include "host/parallel/parallel.h"

#include "mlir-c/Dialect/LLVM.h"

#include <stdlib.h>

static const MlirType no_type = {NULL};

static MlirBlock combiner_block(MlirOperation reduce, size_t number) {
  return agpu__region_entry(reduce, (intptr_t)number);
}

/// The op that is all there is in a combiner; null if there is more, or less.
static MlirOperation only_op(MlirBlock block) {
  MlirOperation none = {NULL};
  MlirOperation op = mlirBlockGetFirstOperation(block);
  MlirOperation end = mlirBlockGetTerminator(block);
  if (mlirOperationEqual(op, end) ||
      !mlirOperationEqual(mlirOperationGetNextInBlock(op), end) ||
      mlirOperationGetNumOperands(op) != 2 ||
      mlirOperationGetNumResults(op) != 1 ||
      !mlirValueEqual(mlirOperationGetOperand(end, 0), agpu__result(op, 0)))
    return none;
  MlirValue a = mlirOperationGetOperand(op, 0);
  MlirValue b = mlirOperationGetOperand(op, 1);
  MlirValue left = mlirBlockGetArgument(block, 0);
  MlirValue right = mlirBlockGetArgument(block, 1);
  bool combines = (mlirValueEqual(a, left) && mlirValueEqual(b, right)) ||
                  (mlirValueEqual(a, right) && mlirValueEqual(b, left));
  return combines ? op : none;
}

/// What is known of how results are combined; NULL: by more than one op.
static const agpu__combiner *find_combiner(MlirBlock combiner) {
  MlirOperation op = only_op(combiner);
  return mlirOperationIsNull(op) ? NULL : agpu__find_combiner(op);
}

/// `arith.constant` of a number, in all elements of a vector. Null if the type
/// has none.
static MlirValue build_number(agpu__builder *at, MlirType type, double number) {
  bool is_vector = mlirTypeIsAVector(type);
  MlirType scalar = is_vector ? mlirShapedTypeGetElementType(type) : type;
  MlirAttribute value;
  if (mlirTypeIsAInteger(scalar) || mlirTypeIsAIndex(scalar))
    value = mlirIntegerAttrGet(scalar, (int64_t)number);
  else if (mlirTypeIsAFloat(scalar))
    value = mlirFloatAttrDoubleGet(at->context, scalar, number);
  else
    return (MlirValue){NULL};
  if (is_vector)
    value = mlirDenseElementsAttrSplatGet(type, value);
  return agpu__build_with(at, "arith.constant", NULL, 0, type, "value", value);
}

/// Null too where what is neutral is not a number that all types have.
static MlirValue build_neutral(agpu__builder *at, MlirType type,
                               agpu__neutral neutral) {
  switch (neutral) {
  case AGPU__NEUTRAL_ZERO: return build_number(at, type, 0.0);
  case AGPU__NEUTRAL_MINUS_ZERO: return build_number(at, type, -0.0);
  case AGPU__NEUTRAL_ONE: return build_number(at, type, 1.0);
  default: return (MlirValue){NULL};
  }
}

static MlirValue build_bool(agpu__builder *at, bool value) {
  return build_number(at, agpu__i1_type(at->context), value);
}

/// Lets LLVM combine in another order.
static void allow_reassociation(MlirBlock combiner) {
  MlirOperation op = only_op(combiner);
  if (mlirOperationIsNull(op) ||
      (!agpu__op_is(op, "arith.addf") && !agpu__op_is(op, "arith.mulf")))
    return;
  MlirContext context = mlirOperationGetContext(op);
  MlirAttribute flags = agpu__attr(op, "fastmath");
  AGPU__SCOPED(text) text = {0};
  if (!mlirAttributeIsNull(flags))
    mlirAttributePrint(flags, agpu__text_callback, &text);
  // As in #arith.fastmath<nnan,ninf>.
  char *list = text.data ? strchr(text.data, '<') : NULL;
  AGPU__OWNED char *fresh = NULL;
  if (!list || !strcmp(list, "<none>"))
    fresh = agpu__format("#arith.fastmath<reassoc>");
  else if (!strstr(list, "reassoc") && !strstr(list, "fast"))
    fresh = agpu__format("#arith.fastmath<reassoc,%s", list + 1);
  if (fresh)
    agpu__set_attr(op, "fastmath", agpu__parse_attr(context, fresh));
}

MlirType agpu__reductions_type(const agpu__loop *loop) {
  AGPU__OWNED MlirType *fields =
      agpu__allocate(loop->reductions, sizeof(*fields));
  bool possible = true;
  for (size_t i = 0; i < loop->reductions; ++i) {
    MlirType type = mlirValueGetType(agpu__loop_initial(loop, i));
    fields[i] = agpu__payload_type(type);
    possible &= !agpu__type_is_object(type) && !mlirTypeIsNull(fields[i]);
  }
  MlirType type = no_type;
  if (possible)
    type =
        mlirLLVMStructTypeLiteralGet(mlirOperationGetContext(loop->op),
                                     (intptr_t)loop->reductions, fields, false);
  return type;
}

void agpu__reductions_begin(const agpu__loop *loop,
                            const agpu__loop_values *values,
                            const agpu__values *inside, agpu__builder *at,
                            agpu__reductions *out_reductions,
                            agpu__values *out_carried) {
  MlirOperation reduce = mlirBlockGetTerminator(agpu__loop_block(loop));
  bool *has_start = agpu__allocate(loop->reductions, sizeof(*has_start));
  *out_reductions = (agpu__reductions){.has_start = has_start};
  AGPU__SCOPED(values) starts = {0};
  for (size_t i = 0; i < loop->reductions; ++i) {
    MlirValue initial =
        agpu__loop_value(values, inside, agpu__loop_initial(loop, i));
    MlirType type = mlirValueGetType(initial);
    const agpu__combiner *how = find_combiner(combiner_block(reduce, i));
    MlirValue value = {NULL};
    bool from_initial = how && how->takes_twice;
    if (how && !from_initial)
      value = build_neutral(at, type, how->neutral);
    has_start[i] = from_initial || !mlirValueIsNull(value);
    out_reductions->flagged |= !has_start[i];
    // Something has to be carried to the first iteration, where there is no
    // start as well; it is not looked at then.
    agpu__values_push(&starts, mlirValueIsNull(value) ? initial : value);
  }
  if (out_reductions->flagged)
    agpu__values_push(out_carried, build_bool(at, false));
  agpu__values_push_all(out_carried, &starts);
}

void agpu__reductions_free(agpu__reductions *reductions) {
  free(reductions->has_start);
}

/// Moves the ops of a combiner to where `at` is; returns what it gives.
static MlirValue use_combiner(agpu__builder *at, MlirBlock block, MlirValue a,
                              MlirValue b) {
  mlirValueReplaceAllUsesOfWith(mlirBlockGetArgument(block, 0), a);
  mlirValueReplaceAllUsesOfWith(mlirBlockGetArgument(block, 1), b);
  MlirOperation end = mlirBlockGetTerminator(block);
  agpu__move_ops(at, mlirBlockGetFirstOperation(block), end);
  return mlirOperationGetOperand(end, 0);
}

/// `scf.if`: combines where there was an iteration before.
static MlirValue combine_if(agpu__builder *at, MlirValue flag, MlirBlock block,
                            MlirValue a, MlirValue b) {
  MlirType type = mlirValueGetType(a);
  agpu__if choice = agpu__build_if(at, flag, &type, 1);
  agpu__builder then = agpu__builder_at_end(choice.yes, at->location);
  MlirValue combined = use_combiner(&then, block, a, b);
  agpu__build_yield(choice.yes, at->location, &combined, 1);
  agpu__build_yield(choice.no, at->location, &b, 1);
  return agpu__result(choice.op, 0);
}

void agpu__reductions_add(const agpu__reductions *reductions, agpu__builder *at,
                          MlirOperation reduce, agpu__values *carried) {
  size_t first = reductions->flagged ? 1 : 0;
  for (size_t i = 0; i + first < carried->count; ++i) {
    MlirBlock block = combiner_block(reduce, i);
    MlirValue a = carried->data[first + i];
    MlirValue b = mlirOperationGetOperand(reduce, (intptr_t)i);
    allow_reassociation(block);
    carried->data[first + i] =
        reductions->has_start[i]
            ? use_combiner(at, block, a, b)
            : combine_if(at, carried->data[0], block, a, b);
  }
  if (reductions->flagged)
    carried->data[0] = build_bool(at, true);
}

void agpu__reductions_end(const agpu__reductions *reductions, agpu__builder *at,
                          MlirType structure, const agpu__values *carried,
                          MlirValue address) {
  size_t first = reductions->flagged ? 1 : 0;
  MlirValue whole = agpu__llvm_undef(at, structure);
  for (size_t i = 0; i + first < carried->count; ++i)
    whole = agpu__llvm_insert(
        at, whole,
        agpu__cast(at, carried->data[first + i],
                   mlirLLVMStructTypeGetElementType(structure, (intptr_t)i)),
        (int64_t)i);
  agpu__llvm_store(at, whole, address);
}

void agpu__reductions_combine(const agpu__loop *loop,
                              const agpu__loop_values *values,
                              const agpu__values *inside, agpu__builder *at,
                              MlirType structure, MlirValue into,
                              MlirValue partial) {
  // The piece needs the combiners as well.
  MlirOperation reduce =
      mlirOperationClone(mlirBlockGetTerminator(agpu__loop_block(loop)));
  agpu__loop_values_replace(values, inside, reduce);
  MlirValue left = agpu__llvm_load(at, into, structure);
  MlirValue right = agpu__llvm_load(at, partial, structure);
  MlirValue whole = left;
  for (size_t i = 0; i < loop->reductions; ++i) {
    MlirType type = mlirValueGetType(agpu__loop_initial(loop, i));
    MlirType stored = mlirLLVMStructTypeGetElementType(structure, (intptr_t)i);
    MlirValue from_right =
        agpu__cast(at, agpu__llvm_extract(at, right, stored, (int64_t)i), type);
    MlirValue result = use_combiner(
        at, combiner_block(reduce, i),
        agpu__cast(at, agpu__llvm_extract(at, left, stored, (int64_t)i), type),
        from_right);
    whole = agpu__llvm_insert(at, whole, agpu__cast(at, result, stored),
                              (int64_t)i);
  }
  mlirOperationDestroy(reduce);
  agpu__llvm_store(at, whole, into);
}
