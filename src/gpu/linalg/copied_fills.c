//===- copied_fills.c - Copies of memory that was filled ------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tensors that are filled with the same number are one tensor, which several
// ops add to. Bufferization gives each but the last a copy of its memory. Such
// a copy is a fill here, and the fill itself stands where its memory is used
// first, so that the kernels of these ops can begin with the number.
//
//===----------------------------------------------------------------------===//

#include "gpu/linalg/linalg.h"

#include "lower/ir/template.h"

#include <stdlib.h>

/// A use of the memory: the op in the fill's block that is or holds it.
typedef struct use {
  MlirOperation at;
  bool is_copy; ///< from there, of all of it
  bool writes, frees;
} use;

typedef struct uses {
  use *data;
  size_t count, capacity;
} uses;

/// True if `op` may do more with `memref` than to read it.
static bool may_write(MlirOperation op, MlirValue memref) {
  agpu__op_class class = agpu__row_of(op)->class;
  if (class != AGPU__OP_LINALG && class != AGPU__OP_ACCESSES)
    return true;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    if (mlirValueEqual(mlirOperationGetOperand(op, i), memref) &&
        agpu__writes_operand(op, i))
      return true;
  return false;
}

/// Adds the uses of `memref`, and of it in other shapes. False if there are
/// such that stand in no op of the block, views of parts, or ops that may do
/// anything.
static bool find_uses(MlirValue memref, MlirOperation fill, uses *out) {
  MlirBlock block = mlirOperationGetBlock(fill);
  AGPU__USES_FOREACH (next, memref) {
    MlirOperation user = mlirOpOperandGetOwner(next);
    if (mlirOperationEqual(user, fill))
      continue;
    if (agpu__op_is_any(user, "memref.expand_shape memref.collapse_shape")) {
      if (!find_uses(agpu__result(user, 0), fill, out))
        return false;
      continue;
    }
    MlirOperation at = agpu__find_in_block(user, block);
    agpu__op_class class = agpu__row_of(user)->class;
    if (mlirOperationIsNull(at) ||
        (class != AGPU__OP_LINALG && class != AGPU__OP_ACCESSES &&
         !agpu__op_is_any(user, "memref.dealloc func.return")))
      return false;
    bool writes = may_write(user, memref);
    AGPU__GROW(out->data, out->count, out->capacity);
    out->data[out->count++] =
        (use){.at = at,
              .is_copy = mlirOperationEqual(at, user) && !writes &&
                         agpu__op_is(user, "memref.copy"),
              .writes = writes,
              .frees = agpu__op_is(user, "memref.dealloc")};
  }
  return true;
}

/// A fill of `memref` with `value` in front of `op`.
static MlirLogicalResult build_fill(MlirOperation op, MlirValue value,
                                    MlirValue memref) {
  MlirType type = mlirValueGetType(memref);
  AGPU__SCOPED(text) loops = {0}, kinds = {0}, text = {0};
  for (intptr_t i = 0; i < mlirShapedTypeGetRank(type); ++i) {
    agpu__text_printf(&loops, "%sd%d", i ? ", " : "", (int)i);
    agpu__text_printf(&kinds, "%s\"parallel\"", i ? ", " : "");
  }
  AGPU__OWNED char *to = agpu__type_text(type);
  AGPU__OWNED char *of = agpu__type_text(mlirValueGetType(value));
  agpu__text_printf(
      &text,
      "func.func @fill(%%x: %s, %%to: %s) {\n"
      "linalg.generic {indexing_maps = [affine_map<(%s) -> ()>, "
      "affine_map<(%s) -> (%s)>], iterator_types = [%s]} ins(%%x : %s) "
      "outs(%%to : %s) {\n^bb0(%%in: %s, %%out: %s):\n"
      "linalg.yield %%in : %s\n}\nreturn\n}\n",
      of, to, agpu__text_get(&loops), agpu__text_get(&loops),
      agpu__text_get(&loops), agpu__text_get(&kinds), of, to, of, of, of);
  agpu__template template = {
      .file = "linalg", .function = "fill", .text = agpu__text_get(&text)};
  agpu__builder at = agpu__builder_before(op);
  MlirLogicalResult result = agpu__template_build(
      &at, &template, (const MlirValue[]){value, memref}, NULL);
  return result;
}

/// The first of these uses behind the fill, or null: of those that write, or of
/// those that are no copies any more. `out_any`: whether any is left but those
/// that free the memory.
static MlirOperation first_use(const uses *all, MlirOperation fill,
                               bool of_writes, bool *out_any) {
  MlirOperation first = {NULL};
  *out_any = false;
  for (size_t i = 0; i < all->count; ++i) {
    const use *at = &all->data[i];
    if (mlirOperationIsNull(at->at) || (of_writes && !at->writes))
      continue;
    *out_any |= !at->frees;
    if (mlirOperationIsBeforeInBlock(fill, at->at) &&
        (mlirOperationIsNull(first) ||
         mlirOperationIsBeforeInBlock(at->at, first)))
      first = at->at;
  }
  return first;
}

/// Makes fills of the copies of what `fill` puts into `memref`, and moves it.
static MlirLogicalResult spread(MlirOperation fill, MlirValue value,
                                MlirValue memref) {
  uses all = {0};
  MlirLogicalResult result = mlirLogicalResultSuccess();
  if (!find_uses(memref, fill, &all)) {
    free(all.data);
    return result;
  }
  bool any;
  MlirOperation writer = first_use(&all, fill, true, &any);
  for (size_t i = 0; i < all.count && mlirLogicalResultIsSuccess(result); ++i) {
    MlirOperation copy = all.data[i].at;
    if (!all.data[i].is_copy || !mlirOperationIsBeforeInBlock(fill, copy) ||
        (!mlirOperationIsNull(writer) &&
         !mlirOperationIsBeforeInBlock(copy, writer)))
      continue;
    result = build_fill(copy, value, mlirOperationGetOperand(copy, 1));
    if (mlirLogicalResultIsFailure(result))
      break;
    mlirOperationDestroy(copy);
    all.data[i].at = (MlirOperation){NULL};
  }
  MlirOperation first = first_use(&all, fill, false, &any);
  if (!any)
    mlirOperationDestroy(fill);
  else if (!mlirOperationIsNull(first))
    mlirOperationMoveBefore(fill, first);
  free(all.data);
  return result;
}

MlirLogicalResult agpu__linalg_spread_fills(MlirOperation module) {
  AGPU__SCOPED(ops) ops = agpu__ops_in(module, "linalg.generic");
  MlirLogicalResult result = mlirLogicalResultSuccess();
  for (size_t i = 0; i < ops.count && mlirLogicalResultIsSuccess(result); ++i) {
    MlirValue value;
    MlirAffineMap map;
    intptr_t count = mlirOperationGetNumOperands(ops.data[i]);
    if (!count)
      continue;
    MlirValue memref = mlirOperationGetOperand(ops.data[i], count - 1);
    if (agpu__linalg_is_start(ops.data[i], memref, &value, &map) &&
        !agpu__is_memref(value) && agpu__linalg_is_allocated(memref))
      result = spread(ops.data[i], value, memref);
  }
  return result;
}
