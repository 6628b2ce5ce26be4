//===- bufferize.c - Tensors into memory ----------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass `async-gpu-bufferize`: upstream's passes that put tensors into
// memory, in the order that they need, where there is a tensor.
//
//===----------------------------------------------------------------------===//

#include "lower/convert/convert.h"
#include "lower/pass/diagnostics.h"
#include "lower/pass/pass.h"

#include "mlir-c/AffineMap.h"
#include "mlir-c/Dialect/Func.h"
#include "mlir-c/Dialect/Linalg.h"

#include <stdlib.h>

static bool any_tensor(MlirOperation op) {
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i)
    if (mlirTypeIsATensor(mlirValueGetType(agpu__result(op, i))))
      return true;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    if (mlirTypeIsATensor(mlirValueGetType(mlirOperationGetOperand(op, i))))
      return true;
  return false;
}

/// A value of a tensor, which upstream's passes do not know, and which is
/// reported where it stands by passes after this one.
static bool gives_value_of_tensor(MlirOperation op) {
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i) {
    MlirType payload =
        agpu__async_value_payload(mlirValueGetType(agpu__result(op, i)));
    if (!mlirTypeIsNull(payload) && mlirTypeIsATensor(payload))
      return true;
  }
  return false;
}

typedef struct contents {
  bool tensors, values_of_tensors;
  bool branches;      ///< between blocks of a function
  MlirLocation first; ///< of an op with a tensor
} contents;

static MlirWalkResult note_tensor(MlirOperation op, void *data) {
  contents *found = data;
  bool before = found->tensors;
  found->tensors |= any_tensor(op);
  if (agpu__op_is(op, "func.func")) {
    MlirType type = agpu__function_type(op);
    for (intptr_t i = 0; i < mlirFunctionTypeGetNumInputs(type); ++i)
      found->tensors |= mlirTypeIsATensor(mlirFunctionTypeGetInput(type, i));
  }
  found->branches |= agpu__op_is_any(op, "cf.br cf.cond_br cf.switch");
  if (found->tensors && !before)
    found->first = mlirOperationGetLocation(op);
  if (agpu__op_in_dialect(op, "async"))
    found->values_of_tensors |= gives_value_of_tensor(op);
  return MlirWalkResultAdvance;
}

//===----------------------------------------------------------------------===//
// Fusion
//===----------------------------------------------------------------------===//

#define APART "agpu.apart"

/// Before: fewer ops, of which fewer need memory of their own.
static const char fusion[] = "canonicalize,cse,linalg-fuse-elementwise-ops,"
                             "canonicalize,cse,";

/// Operand `index` is read or written less often than the op iterates.
static bool is_used_again(MlirAttribute maps, intptr_t index) {
  MlirAffineMap map =
      mlirAffineMapAttrGetValue(mlirArrayAttrGetElement(maps, index));
  return mlirAffineMapGetNumResults(map) < mlirAffineMapGetNumDims(map);
}

/// True if `value` has the elements of another tensor and computes nothing.
static bool is_copy(MlirValue value) {
  MlirOperation op = agpu__maker_of(value);
  if (!agpu__op_is(op, "linalg.generic"))
    return false;
  MlirOperation yield = mlirBlockGetTerminator(agpu__entry_block(op));
  return mlirOperationGetNumOperands(yield) == 1 &&
         mlirValueIsABlockArgument(mlirOperationGetOperand(yield, 0));
}

/// An op that computes from what it writes over: made more than once, it would
/// start from its own result.
static bool reads_its_start(MlirValue value) {
  MlirOperation op = agpu__maker_of(value);
  if (!agpu__op_is(op, "linalg.generic"))
    return false;
  MlirBlock body = agpu__entry_block(op);
  intptr_t count = mlirBlockGetNumArguments(body);
  for (intptr_t i = count - mlirOperationGetNumResults(op); i < count; ++i)
    if (!mlirOpOperandIsNull(
            mlirValueGetFirstUse(mlirBlockGetArgument(body, i))))
      return true;
  return false;
}

static bool is_permutation(MlirAttribute maps, intptr_t index) {
  return mlirAffineMapIsPermutation(
      mlirAffineMapAttrGetValue(mlirArrayAttrGetElement(maps, index)));
}

/// Sets apart what a reduction reads more than once: made where it is read, it
/// would be made as often. A transpose costs nothing there. Of what reads its
/// start, fusion would make one op with it that is wrong, unless each element
/// is read once.
static void set_apart(MlirOperation op) {
  MlirAttribute maps = mlirOperationGetNumRegions(op) == 1
                           ? mlirLinalgGetIndexingMapsAttribute(op)
                           : mlirAttributeGetNull();
  intptr_t count = mlirOperationGetNumOperands(op);
  if (mlirAttributeIsNull(maps) || mlirArrayAttrGetNumElements(maps) != count)
    return;
  bool reduces = is_used_again(maps, count - 1);
  for (intptr_t i = 0; i < count; ++i) {
    MlirValue operand = mlirOperationGetOperand(op, i);
    MlirType type = mlirValueGetType(operand);
    bool costs = reduces && is_used_again(maps, i) && !is_copy(operand);
    bool breaks = !is_permutation(maps, i) && reads_its_start(operand);
    if (!mlirTypeIsATensor(type) || !(costs || breaks))
      continue;
    agpu__builder before = agpu__builder_before(op);
    mlirOperationSetOperand(
        op, i, agpu__build_value(&before, APART, &operand, 1, type));
  }
}

static MlirLogicalResult fuse(MlirOperation module) {
  agpu__fold_transposes(module);
  // Fusion looks at generics alone.
  if (mlirLogicalResultIsFailure(
          agpu__upstream_run(module, "linalg-generalize-named-ops")))
    return mlirLogicalResultFailure();
  AGPU__OPS_IN_FOREACH (op, module, NULL)
    if (agpu__op_in_dialect(op, "linalg"))
      set_apart(op);
  MlirLogicalResult result = agpu__upstream_run(module, fusion);
  AGPU__OPS_IN_FOREACH (nested, module, APART) {
    agpu__replace_op_by_value(nested, mlirOperationGetOperand(nested, 0));
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

/// The op that holds `op`, or is it, in the block of `beside`; null where none
/// does.
static MlirOperation holder_beside(MlirOperation op, MlirOperation beside) {
  MlirBlock block = mlirOperationGetBlock(beside);
  while (!mlirOperationIsNull(op) &&
         !mlirBlockEqual(mlirOperationGetBlock(op), block))
    op = mlirOperationGetParentOperation(op);
  return op;
}

/// Gives each op that writes into a tensor.empty one of its own, which `cse`
/// has taken away: what has no order shares no memory, and upstream does not
/// look for what may share it, in time that grows with the cube of their
/// number. It stands no deeper in loops.
static void part_empties(MlirOperation module) {
  AGPU__OPS_IN_FOREACH (made, module, "tensor.empty") {
    MlirValue value = agpu__result(made, 0);
    MlirOpOperand use = mlirValueGetFirstUse(value);
    AGPU__SCOPED(ops) users = {0};
    for (; !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use))
      agpu__ops_push(&users, mlirOpOperandGetOwner(use));
    for (size_t k = 0; k < users.count; ++k) {
      MlirOperation user = users.data[k];
      MlirOperation holder = holder_beside(user, made);
      if (mlirOperationIsNull(holder))
        continue;
      MlirOperation own = mlirOperationClone(made);
      mlirBlockInsertOwnedOperationBefore(mlirOperationGetBlock(made), holder,
                                          own);
      for (intptr_t o = 0; o < mlirOperationGetNumOperands(user); ++o)
        if (mlirValueEqual(mlirOperationGetOperand(user, o), value))
          mlirOperationSetOperand(user, o, agpu__result(own, 0));
    }
    if (mlirOpOperandIsNull(mlirValueGetFirstUse(value)))
      mlirOperationDestroy(made);
  }
}

/// True for a linalg.generic that gives the same number for all elements of a
/// tensor.empty.
static bool is_fill(MlirOperation op) {
  if (mlirOperationGetNumResults(op) != 1 || !agpu__op_is(op, "linalg.generic"))
    return false;
  intptr_t outputs = mlirOperationGetNumOperands(op) - 1;
  MlirOperation empty = agpu__maker_of(mlirOperationGetOperand(op, outputs));
  MlirBlock body = agpu__entry_block(op);
  bool fills = agpu__op_is(empty, "tensor.empty") &&
               mlirOperationEqual(mlirBlockGetFirstOperation(body),
                                  mlirBlockGetTerminator(body));
  for (intptr_t i = 0; i < outputs; ++i)
    fills &=
        !mlirTypeIsATensor(mlirValueGetType(mlirOperationGetOperand(op, i)));
  return fills;
}

/// True if what `op` gives is put into another tensor.
static bool is_inserted(MlirOperation op) {
  if (mlirOperationGetNumResults(op) != 1)
    return false;
  MlirOpOperand use = mlirValueGetFirstUse(agpu__result(op, 0));
  return !mlirOpOperandIsNull(use) && mlirOpOperandGetOperandNumber(use) == 0 &&
         agpu__op_is(mlirOpOperandGetOwner(use), "tensor.insert_slice");
}

/// Gives ops whose results are put into tensors fills of their own, which `cse`
/// has taken away: one that several begin with is in the place of none.
static void part_fills(MlirOperation module) {
  AGPU__SCOPED(ops) ops = agpu__ops_in(module, "linalg.generic");
  for (size_t i = 0; i < ops.count; ++i) {
    if (!is_fill(ops.data[i]))
      continue;
    MlirValue value = agpu__result(ops.data[i], 0);
    AGPU__SCOPED(ops) users = {0};
    AGPU__USES_FOREACH (use, value)
      if (is_inserted(mlirOpOperandGetOwner(use)))
        agpu__ops_push(&users, mlirOpOperandGetOwner(use));
    for (size_t k = 0; k < users.count; ++k) {
      MlirOperation holder = holder_beside(users.data[k], ops.data[i]);
      if (mlirOperationIsNull(holder))
        continue;
      MlirOperation own = mlirOperationClone(ops.data[i]);
      mlirBlockInsertOwnedOperationBefore(mlirOperationGetBlock(ops.data[i]),
                                          holder, own);
      for (intptr_t o = 0; o < mlirOperationGetNumOperands(users.data[k]); ++o)
        if (mlirValueEqual(mlirOperationGetOperand(users.data[k], o), value))
          mlirOperationSetOperand(users.data[k], o, agpu__result(own, 0));
    }
    if (mlirOpOperandIsNull(mlirValueGetFirstUse(value)))
      mlirOperationDestroy(ops.data[i]);
  }
}

/// Ops that put a tensor into another: what they put may be made in place.
static MlirWalkResult find_insertion(MlirOperation op, void *data) {
  *(bool *)data |= agpu__op_is_any(
      op, "tensor.insert_slice tensor.parallel_insert_slice linalg.copy "
          "bufferization.materialize_in_destination vector.transfer_write");
  return *(bool *)data ? MlirWalkResultInterrupt : MlirWalkResultAdvance;
}

/// Functions take and give memrefs whose elements lie side by side; the caller
/// owns what they give.
static const char bufferization[] =
    "empty-tensor-to-alloc-tensor,"
    "one-shot-bufferize{bufferize-function-boundaries=true "
    "function-boundary-type-conversion=identity-layout-map "
    "allow-return-allocs-from-loops=true},"
    "canonicalize,cse";
static const char deallocation[] = "buffer-deallocation-pipeline,"
                                   "func.func(optimize-allocation-liveness),"
                                   "convert-bufferization-to-memref";

/// Puts tensors into memory, which is freed after its last use.
static MlirLogicalResult put_into_memory(MlirOperation module) {
  AGPU__SCOPED(map) before = agpu__symbols_named(module);
  MlirLogicalResult result = agpu__upstream_run(module, bufferization);
  if (mlirLogicalResultIsSuccess(result)) {
    agpu__order_constants(module, &before);
    agpu__hide_messages(module);
    result = agpu__upstream_run(module, deallocation);
    agpu__show_messages(module);
  }
  agpu__unmark_own_memory(module);
  return result;
}

/// True if the program says itself that a result goes into the argument.
static bool is_destination(MlirValue argument) {
  AGPU__USES_FOREACH (use, argument)
    if (agpu__op_is(mlirOpOperandGetOwner(use),
                    "bufferization.materialize_in_destination") &&
        mlirOpOperandGetOperandNumber(use) == 1)
      return true;
  return false;
}

/// Callers from outside keep the tensors that a function returns: the
/// function does not write into their memory, unless it says so. Where it does,
/// that is the memory of no other one: a tensor does not change.
static void mark_arguments(MlirOperation module) {
  MlirContext context = mlirOperationGetContext(module);
  AGPU__OPS_IN_FOREACH (function, module, "func.func") {
    MlirStringRef visibility = agpu__get_string(function, "sym_visibility");
    MlirType type = agpu__function_type(function);
    if (agpu__is_declaration(function) ||
        mlirStringRefEqual(visibility, agpu__str("private")))
      continue;
    for (intptr_t k = 0; k < mlirFunctionTypeGetNumInputs(type); ++k) {
      if (!mlirTypeIsATensor(mlirFunctionTypeGetInput(type, k)))
        continue;
      if (is_destination(mlirBlockGetArgument(agpu__entry_block(function), k)))
        mlirFuncSetArgAttr(function, k, agpu__str("llvm.noalias"),
                           mlirUnitAttrGet(context));
      else
        mlirFuncSetArgAttr(function, k, agpu__str("bufferization.writable"),
                           mlirBoolAttrGet(context, false));
    }
  }
}

/// Makes what upstream bufferizes of what it does not, and fewer ops of many.
static MlirLogicalResult prepare(MlirOperation module, bool has_branches,
                                 bool fuses) {
  MlirLogicalResult result = mlirLogicalResultSuccess();
  // Upstream frees memory in loops that are ops alone.
  if (has_branches)
    result = agpu__upstream_run(module, "lift-cf-to-scf");
  if (mlirLogicalResultIsSuccess(result))
    result = agpu__expand_tensor_ops(module);
  if (mlirLogicalResultIsSuccess(result))
    result = agpu__expand_attention(module);
  if (mlirLogicalResultIsSuccess(result) && fuses)
    result = fuse(module);
  if (mlirLogicalResultIsSuccess(result))
    result = agpu__mark_own_memory(module);
  if (mlirLogicalResultIsSuccess(result))
    result = agpu__expand_tm_tensor(module);
  return result;
}

static MlirLogicalResult run(MlirOperation module,
                             const agpu_pass_values *values) {
  contents found = {.tensors = false};
  mlirOperationWalk(module, note_tensor, &found, MlirWalkPreOrder);
  if (!found.tensors || found.values_of_tensors)
    return mlirLogicalResultSuccess();
  MlirLogicalResult result =
      prepare(module, found.branches, agpu__pass_value_bool(values, "fuse"));
  if (mlirLogicalResultIsFailure(result))
    return result;
  mark_arguments(module);
  part_fills(module);
  part_empties(module);
  bool inserts = false;
  mlirOperationWalk(module, find_insertion, &inserts, MlirWalkPreOrder);
  // It analyses the module as the bufferization does, for these ops alone.
  if (inserts)
    result = agpu__upstream_run(module, "eliminate-empty-tensors");
  if (mlirLogicalResultIsSuccess(result))
    result = put_into_memory(module);
  if (mlirLogicalResultIsFailure(result))
    agpu__note(found.first,
               "tensors have to be in memory, and upstream's "
               "one-shot-bufferize does not put them there for the reason "
               "above: beside ops of async, functions take memrefs");
  return result;
}

static const agpu_pass_option options[] = {
    {"fuse", AGPU_OPTION_BOOL, "false",
     "Fuse elementwise ops of linalg first (linalg-fuse-elementwise-ops)."},
};

const agpu_pass agpu__pass_bufferize = {
    .argument = "async-gpu-bufferize",
    .summary = "Tensors in memory",
    AGPU__OPTIONS(options),
    .run_with = run,
};
