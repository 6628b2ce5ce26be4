//===- shard_linalg.c - Structured ops on parts of tensors ----------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A rank does the loops of its part. What an op reads beyond that, by a window,
// comes from the ranks beside it (shard_halo.c); what lies outside of the array
// is padded by those at its borders.
//
//===----------------------------------------------------------------------===//

#include "host/shard/shard_parts.h"

#include "mlir-c/Dialect/Linalg.h"

#include <stdlib.h>

//===----------------------------------------------------------------------===//
// Inputs
//===----------------------------------------------------------------------===//

static bool is_window(const agpu__subscript *at) {
  return at->window >= 0 || at->stride != 1 || at->before != 0;
}

/// What is needed of dimension `dim`, of `size`, of an operand.
static agpu__shard_split split_of(const agpu__shard_loops *loops,
                                  const agpu__subscript *at, int64_t size) {
  int64_t extent =
      at->window < 0 ? 0 : (loops->sizes[at->window] - 1) * at->dilation;
  return (agpu__shard_split){size, loops->sizes[at->loop], at->stride,
                             at->before, extent - at->before};
}

/// The tensor.pad that makes the operand, if ranks can pad their parts
/// themselves: where windows go along dimensions that are padded.
static MlirOperation pad_of(agpu__shard *self, const agpu__shard_loops *loops,
                            intptr_t operand) {
  MlirOperation none = {NULL};
  MlirOperation pad =
      agpu__maker_of(mlirOperationGetOperand(loops->op, operand));
  if (!agpu__op_is(pad, "tensor.pad") || operand >= loops->inputs)
    return none;
  MlirAttribute low = agpu__attr(pad, "static_low");
  MlirAttribute high = agpu__attr(pad, "static_high");
  MlirType source =
      agpu__shard_whole_type(self, mlirOperationGetOperand(pad, 0));
  agpu__layout layout = agpu__shard_operand_layout(loops, operand);
  bool any = false;
  for (intptr_t i = 0; i < mlirShapedTypeGetRank(source); ++i) {
    agpu__subscript at = agpu__shard_subscript(loops, operand, i);
    int64_t before = mlirDenseI64ArrayGetElement(low, i);
    int64_t after = mlirDenseI64ArrayGetElement(high, i);
    if (!layout.dims[i] || (!before && !after))
      continue;
    if (before < 0 || after < 0 || !is_window(&at) ||
        mlirShapedTypeIsDynamicDim(source, i))
      return none;
    any = true;
  }
  return any ? pad : none;
}

/// True if the tensor.dim goes away, as the number that it asks for is known
/// otherwise, or wanted by nobody.
static bool goes_away(agpu__shard *self, MlirOperation dim_op, MlirValue of) {
  if (!agpu__op_is(dim_op, "tensor.dim") ||
      !mlirBlockEqual(mlirOperationGetBlock(dim_op),
                      mlirOperationGetBlock(agpu__maker_of(of))))
    return false;
  if (mlirOpOperandIsNull(mlirValueGetFirstUse(agpu__result(dim_op, 0))))
    return true;
  MlirValue number = agpu__shard_number_of(self, dim_op);
  return !mlirValueIsNull(number) && !agpu__shard_is_asked(number, of);
}

bool agpu__shard_pads_parts(agpu__shard *self, MlirOperation pad) {
  MlirValue padded = agpu__result(pad, 0);
  MlirOpOperand use = mlirValueGetFirstUse(padded);
  for (; !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    agpu__shard_loops loops;
    MlirOperation user = mlirOpOperandGetOwner(use);
    if (goes_away(self, user, padded))
      continue;
    if (!agpu__shard_loops_kept(self, user, &loops) ||
        mlirOperationIsNull(
            pad_of(self, &loops, mlirOpOperandGetOperandNumber(use))))
      return false;
  }
  return true;
}

/// The part of an input that the rank's loops read. Where they are computed in
/// pieces (shard_interior.c), `padded` becomes it, which has no halo yet.
static MlirValue input_part(agpu__shard *self, agpu__builder *at,
                            const agpu__shard_loops *loops, intptr_t operand,
                            agpu__shard_padded *padded) {
  MlirValue value = mlirOperationGetOperand(loops->op, operand);
  if (!agpu__shard_value(self, value))
    return value;
  agpu__layout layout = agpu__shard_operand_layout(loops, operand);
  MlirOperation pad = pad_of(self, loops, operand);
  MlirAttribute low = {NULL};
  if (!mlirOperationIsNull(pad)) {
    value = mlirOperationGetOperand(pad, 0);
    low = agpu__attr(pad, "static_low");
  }
  MlirType whole = agpu__shard_whole_type(self, value);
  intptr_t rank = mlirShapedTypeGetRank(whole);
  agpu__layout before = agpu__shard_layout(self, value), taken = layout;
  bool is_needed[AGPU__SHARD_RANK] = {false};
  for (intptr_t i = 0; i < rank; ++i) {
    agpu__subscript sub = agpu__shard_subscript(loops, operand, i);
    is_needed[i] = layout.dims[i] && is_window(&sub);
    if (is_needed[i] && before.dims[i] != layout.dims[i])
      taken.dims[i] = 0;
  }
  value = agpu__shard_convert(self, at, value, &taken);
  agpu__shard_need needs[AGPU__SHARD_RANK] = {{.low = {NULL}}};
  agpu__shard_halo halo = {.dim = -1};
  agpu__shard_split split = {0};
  for (intptr_t i = 0; i < rank; ++i) {
    if (!is_needed[i])
      continue;
    agpu__subscript sub = agpu__shard_subscript(loops, operand, i);
    int64_t padding =
        mlirAttributeIsNull(low) ? 0 : mlirDenseI64ArrayGetElement(low, i);
    sub.before += padding;
    split = split_of(loops, &sub, mlirShapedTypeGetDimSize(whole, i));
    needs[i] = agpu__shard_needed(self, layout.dims[i], &split);
    if (halo.dim >= 0)
      value = agpu__shard_halo_join(at, value, &needs[halo.dim], &halo);
    halo.dim = -1;
    value = taken.dims[i]
                ? agpu__shard_halo_get(self, at, value, i, layout.dims[i],
                                       &split, &needs[i], &halo)
                : agpu__shard_slice_some(at, value, i, needs[i].block);
  }
  if (!mlirOperationIsNull(pad)) {
    agpu__shard_padded made =
        agpu__shard_halo_pad(at, pad, value, needs, is_needed, &halo);
    if (halo.dim < 0 || padded->operand >= 0 ||
        !agpu__shard_can_part(self, loops, operand, halo.dim, &split))
      return agpu__shard_surround(at, &made);
    made.operand = operand;
    made.before = split.before;
    made.after = split.after;
    *padded = made;
    return made.tensor;
  }
  return halo.dim < 0
             ? value
             : agpu__shard_halo_join(at, value, &needs[halo.dim], &halo);
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

/// A structured op with its own region.
static MlirValue build_named(agpu__builder *at, const char *name,
                             const MlirValue *operands, MlirType result,
                             int inputs) {
  MlirRegion region = mlirRegionCreate();
  MlirNamedAttribute segments =
      agpu__segments(at->context, (int32_t[]){inputs, 1}, 2);
  MlirOperation made =
      agpu__build(at, &(agpu__op_spec){.name = name,
                                       .operands = operands,
                                       .operand_count = (size_t)inputs + 1,
                                       .results = &result,
                                       .result_count = 1,
                                       .attributes = &segments,
                                       .attribute_count = 1,
                                       .regions = &region,
                                       .region_count = 1});
  mlirLinalgFillBuiltinNamedOpRegion(made);
  return agpu__result(made, 0);
}

/// A tensor like `like` that a reduction begins with.
static MlirValue build_neutral(agpu__builder *at, int reduction,
                               MlirValue like) {
  MlirType type = mlirValueGetType(like);
  MlirType element = mlirShapedTypeGetElementType(type);
  AGPU__SCOPED(values) sizes = {0};
  agpu__shard_push_sizes(at, like, &sizes);
  MlirValue number;
  MlirAttribute neutral = agpu__shard_neutral(reduction, element);
  if (mlirAttributeIsNull(neutral)) { // complex
    MlirAttribute zero = mlirFloatAttrDoubleGet(
        at->context, mlirComplexTypeGetElementType(element), 0);
    number = agpu__build_with(
        at, "complex.constant", NULL, 0, element, "value",
        mlirArrayAttrGet(at->context, 2, (MlirAttribute[]){zero, zero}));
  } else {
    number = agpu__build_with(at, "arith.constant", NULL, 0, element, "value",
                              neutral);
  }
  MlirValue operands[] = {
      number,
      agpu__build_value(at, "tensor.empty", sizes.data, sizes.count, type)};
  return build_named(at, "linalg.fill", operands, type, 1);
}

/// True if the value is filled with what the reduction begins with, or if it
/// does no harm more than once.
static bool may_repeat(MlirValue begin, int reduction) {
  if (reduction != AGPU_MPI_SUM && reduction != AGPU_MPI_PROD)
    return true;
  MlirOperation fill = agpu__maker_of(begin);
  if (!agpu__op_is(fill, "linalg.fill"))
    return false;
  MlirOperation number = agpu__maker_of(mlirOperationGetOperand(fill, 0));
  if (!agpu__op_is(number, "arith.constant"))
    return false;
  MlirAttribute value = agpu__attr(number, "value");
  MlirType type = mlirAttributeGetType(value);
  return mlirAttributeEqual(value, agpu__shard_neutral(reduction, type));
}

/// Adds up what ranks have, and `begin` if that is not in it yet. Users of the
/// op get the sum.
static void reduce(agpu__shard *self, const agpu__shard_loops *loops,
                   MlirValue begin) {
  static const char *const combiners[] = {[AGPU_MPI_SUM] = "linalg.add",
                                          [AGPU_MPI_PROD] = "linalg.mul"};
  MlirValue result = agpu__result(loops->op, 0);
  agpu__sharded known = *agpu__shard_value(self, result);
  agpu__layout layout = known.layout;
  AGPU__SCOPED(ops) owners = {0};
  AGPU__USES_FOREACH (use, result)
    agpu__ops_push(&owners, mlirOpOperandGetOwner(use));
  agpu__builder at = agpu__builder_after(loops->op);
  intptr_t dim = loops->scattered;
  MlirValue sum =
      dim < 0 ? agpu__shard_all_reduce(self, &at, result, loops->reduction,
                                       loops->reduced)
              : agpu__shard_reduce_scatter(
                    self, &at, result, loops->reduction, dim, loops->reduced,
                    agpu__shard_local_type(self, known.whole, &layout),
                    agpu__shard_block(self, loops->reduced,
                                      agpu__sharded_size(&known, dim))
                        .size);
  if (!mlirValueIsNull(begin)) {
    begin = agpu__shard_convert(self, &at, begin, &layout);
    MlirValue operands[] = {sum, begin, sum};
    sum = build_named(&at, combiners[loops->reduction], operands,
                      mlirValueGetType(sum), 2);
  }
  for (size_t i = 0; i < owners.count; ++i)
    for (intptr_t k = 0; k < mlirOperationGetNumOperands(owners.data[i]); ++k)
      if (mlirValueEqual(mlirOperationGetOperand(owners.data[i], k), result))
        mlirOperationSetOperand(owners.data[i], k, sum);
  agpu__shard_set_like(self, sum, &known, layout);
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

/// Loops that are split begin somewhere.
static void shift_indices(agpu__shard *self, const agpu__shard_loops *loops) {
  AGPU__OPS_IN_FOREACH (index, loops->op, "linalg.index") {
    int64_t loop = agpu__get_int(index, "dim", 0);
    if (!loops->axes[loop])
      continue;
    agpu__block block = agpu__shard_block(
        self, loops->axes[loop],
        (agpu__shard_size){loops->sizes[loop], loops->numbers[loop]});
    agpu__builder at = agpu__builder_after(index);
    MlirValue shifted =
        agpu__shard_add(&at, agpu__result(index, 0), block.begin);
    MlirOperation except = agpu__maker_of(shifted);
    mlirValueReplaceAllUsesExcept(agpu__result(index, 0), shifted, 1, &except);
  }
}

void agpu__shard_rewrite_linalg(agpu__shard *self, MlirOperation op,
                                agpu__ops *dead) {
  agpu__shard_loops loops;
  if (!agpu__shard_loops_kept(self, op, &loops))
    return;
  agpu__shard_loops_forget(op);
  agpu__builder at = agpu__builder_before(op);
  MlirValue begin = {NULL};
  agpu__shard_padded padded = {.operand = -1};
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i) {
    MlirValue part;
    if (i < loops.inputs) {
      part = input_part(self, &at, &loops, i, &padded);
    } else {
      agpu__layout layout = agpu__shard_operand_layout(&loops, i);
      part = agpu__shard_convert(self, &at, mlirOperationGetOperand(op, i),
                                 &layout);
      if (loops.reduced && !may_repeat(part, loops.reduction)) {
        begin = part;
        part = build_neutral(&at, loops.reduction, part);
      }
      mlirValueSetType(agpu__result(op, i - loops.inputs),
                       mlirValueGetType(part));
    }
    mlirOperationSetOperand(op, i, part);
  }
  shift_indices(self, &loops);
  if (loops.reduced)
    reduce(self, &loops, begin);
  if (padded.operand >= 0) {
    agpu__shard_part(self, &at, &loops, &padded);
    agpu__ops_push(dead, op);
  }
}
