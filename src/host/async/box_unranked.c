//===- box_unranked.c - Unranked memrefs that leave their frame -----------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass `async-gpu-box-unranked`.
//
// To LLVM an unranked memref is a rank and the address of a descriptor, which
// upstream's conversions put on the stack of the function that makes it: part
// of a coroutine's frame here. One that goes on, into another coroutine or into
// the next turn of a loop, would point to what is gone or written again. So it
// goes in a box, an object that holds a copy of the descriptor and is reference
// counted like all others.
//
// Which values are boxes: in async functions, and in others that await one, all
// but those that a cast of a ranked memref gives. The descriptor of such a cast
// is part of the frame as long as there is one, and it is written again only
// where the value is defined anew. It is copied where the value is passed on.
//
//===----------------------------------------------------------------------===//

#include "host/async/async.h"
#include "host/passes.h"

#include <stdlib.h>

static const MlirType no_type = {NULL};

static bool is_unranked(MlirValue value) {
  return mlirTypeIsAUnrankedMemRef(mlirValueGetType(value));
}

/// The tuple keeps the type of what is in the box.
static MlirType box_of(MlirType memref) {
  return agpu__async_value_get(
      mlirTupleTypeGet(mlirTypeGetContext(memref), 1, &memref));
}

/// The type of what is in a box; null for all other types.
static MlirType in_box(MlirType type) {
  MlirType payload = agpu__async_value_payload(type);
  if (mlirTypeIsNull(payload) || !mlirTypeIsATuple(payload) ||
      mlirTupleTypeGetNumTypes(payload) != 1 ||
      !mlirTypeIsAUnrankedMemRef(mlirTupleTypeGetType(payload, 0)))
    return no_type;
  return mlirTupleTypeGetType(payload, 0);
}

/// Ops whose operands are passed on: to blocks, coroutines and objects.
static bool passes_on(MlirOperation op) {
  return agpu__op_is_any(op, "cf.br cf.cond_br cf.switch async.return "
                             "async.call arith.select async.runtime.store");
}

/// Ops that give the payload of an async value, which is a box.
static bool opens_value(MlirOperation op) {
  return agpu__op_is_any(op, "async.await agpu.stream_wait async.runtime.load");
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

static MlirType in_value(MlirType type);

static MlirType *in_values(MlirType function, intptr_t count,
                           MlirType (*get)(MlirType, intptr_t)) {
  MlirType *types = agpu__allocate((size_t)count, sizeof(*types));
  for (intptr_t i = 0; i < count; ++i)
    types[i] = in_value(get(function, i));
  return types;
}

/// `!async.value<memref<*xT>>` is a value that holds a box, at any depth.
static MlirType in_value(MlirType type) {
  MlirContext context = mlirTypeGetContext(type);
  if (mlirTypeIsAFunction(type)) {
    intptr_t input_count = mlirFunctionTypeGetNumInputs(type);
    intptr_t result_count = mlirFunctionTypeGetNumResults(type);
    AGPU__OWNED MlirType *inputs =
        in_values(type, input_count, mlirFunctionTypeGetInput);
    AGPU__OWNED MlirType *results =
        in_values(type, result_count, mlirFunctionTypeGetResult);
    type = mlirFunctionTypeGet(context, input_count, inputs, result_count,
                               results);
    return type;
  }
  MlirType payload = agpu__async_value_payload(type);
  if (mlirTypeIsNull(payload))
    return type;
  MlirType held =
      mlirTypeIsAUnrankedMemRef(payload) ? box_of(payload) : in_value(payload);
  return mlirTypeEqual(held, payload) ? type : agpu__async_value_get(held);
}

/// An async function takes boxes, which its caller makes.
static void box_parameters(MlirOperation function) {
  MlirContext context = mlirOperationGetContext(function);
  MlirType type = agpu__function_type(function);
  intptr_t input_count = mlirFunctionTypeGetNumInputs(type);
  intptr_t result_count = mlirFunctionTypeGetNumResults(type);
  AGPU__OWNED MlirType *types =
      agpu__allocate((size_t)(input_count + result_count), sizeof(*types));
  MlirBlock entry = agpu__entry_block(function);
  for (intptr_t i = 0; i < input_count; ++i) {
    types[i] = mlirFunctionTypeGetInput(type, i);
    if (!mlirTypeIsAUnrankedMemRef(types[i]))
      continue;
    types[i] = box_of(types[i]);
    if (!mlirBlockIsNull(entry))
      mlirValueSetType(mlirBlockGetArgument(entry, i), types[i]);
  }
  for (intptr_t i = 0; i < result_count; ++i)
    types[input_count + i] = mlirFunctionTypeGetResult(type, i);
  agpu__set_attr(
      function, "function_type",
      mlirTypeAttrGet(mlirFunctionTypeGet(context, input_count, types,
                                          result_count, types + input_count)));
}

//===----------------------------------------------------------------------===//
// One function
//===----------------------------------------------------------------------===//

/// True where a function has something to do with boxes: not one that keeps its
/// unranked memrefs to itself, as most that print one do.
static bool needs_boxes(MlirOperation function, const agpu__ops *ops) {
  bool any = false, boxes = agpu__op_is(function, "async.func");
  AGPU__BLOCKS_FOREACH (block, mlirOperationGetRegion(function, 0))
    for (intptr_t i = 0; i < mlirBlockGetNumArguments(block); ++i)
      any |= is_unranked(mlirBlockGetArgument(block, i));
  for (size_t i = 0; i < ops->count; ++i) {
    MlirOperation op = ops->data[i];
    for (intptr_t r = 0; r < mlirOperationGetNumResults(op); ++r)
      if (is_unranked(agpu__result(op, r))) {
        any = true;
        boxes |= opens_value(op);
      }
    if (agpu__op_is(op, "async.call") || agpu__op_is(op, "async.runtime.store"))
      for (intptr_t n = 0; n < mlirOperationGetNumOperands(op); ++n)
        boxes |= is_unranked(mlirOperationGetOperand(op, n));
  }
  return any && boxes;
}

/// Blocks' arguments become boxes; those of a function are its callers'.
static void box_block_arguments(MlirOperation function) {
  MlirBlock block = agpu__entry_block(function);
  while (!mlirBlockIsNull(block = mlirBlockGetNextInRegion(block)))
    for (intptr_t i = 0; i < mlirBlockGetNumArguments(block); ++i) {
      MlirValue argument = mlirBlockGetArgument(block, i);
      if (is_unranked(argument))
        mlirValueSetType(argument, box_of(mlirValueGetType(argument)));
    }
}

static MlirValue build_box(agpu__builder *at, MlirValue memref) {
  return agpu__build_unary(at, "agpu.box_unranked", memref,
                           box_of(mlirValueGetType(memref)));
}

/// What an op gives becomes a box: at once where it is a box already or the
/// choice of one, else by a copy after it.
static void box_results(MlirOperation op) {
  if (agpu__op_is(op, "memref.cast") &&
      !is_unranked(mlirOperationGetOperand(op, 0)))
    return;
  MlirValue stack = {NULL};
  MlirOperation first_box = {NULL};
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i) {
    MlirValue result = agpu__result(op, i);
    if (!is_unranked(result))
      continue;
    if (opens_value(op) || agpu__op_is(op, "arith.select")) {
      mlirValueSetType(result, box_of(mlirValueGetType(result)));
      continue;
    }
    // Upstream's conversion has the descriptor on the stack, in memory that is
    // as large as the rank says: gone with this, it does not grow in a loop.
    agpu__builder before = agpu__builder_before(op);
    if (mlirValueIsNull(stack))
      stack = agpu__build_value(&before, "llvm.intr.stacksave", NULL, 0,
                                agpu__ptr_type(before.context));
    agpu__builder after = agpu__builder_after(op);
    MlirValue box = build_box(&after, result);
    MlirOperation maker = mlirOpResultGetOwner(box);
    mlirValueReplaceAllUsesOfWith(result, box);
    mlirOperationSetOperand(maker, 0, result);
    if (mlirOperationIsNull(first_box))
      first_box = maker;
  }
  if (mlirValueIsNull(stack))
    return;
  // Boxes are built right after the op, the first of them last.
  agpu__builder end = agpu__builder_after(first_box);
  agpu__build_effect(&end, "llvm.intr.stackrestore", &stack, 1);
}

/// What the box that is operand `index` of `op` holds, for `op`. The box stays
/// until `op` is done with the descriptor.
static void open_box(MlirOperation op, intptr_t index, MlirType memref) {
  MlirValue box = mlirOperationGetOperand(op, index);
  bool returns =
      mlirOperationEqual(op, mlirBlockGetTerminator(mlirOperationGetBlock(op)));
  agpu__builder before = agpu__builder_before(op);
  // What a function returns is copied by upstream's conversion, when no op can
  // follow.
  MlirNamedAttribute copy = agpu__named(before.context, AGPU__COPY_ATTR,
                                        mlirUnitAttrGet(before.context));
  MlirOperation opened = agpu__build_op(&before, "agpu.unbox_unranked", &box, 1,
                                        memref, &copy, returns ? 1 : 0);
  mlirOperationSetOperand(op, index, agpu__result(opened, 0));
  if (returns)
    return;
  // A cast to LLVM's type is what other ops of the block have stored.
  agpu__builder after = agpu__op_is(op, "builtin.unrealized_conversion_cast")
                            ? agpu__builder_before(mlirBlockGetTerminator(
                                  mlirOperationGetBlock(op)))
                            : agpu__builder_after(op);
  agpu__build_effect(&after, "agpu.keep", &box, 1);
}

/// Every operand is what the op takes: boxes where it passes them on, else
/// memrefs.
static MlirLogicalResult fix_operands(MlirOperation op) {
  bool takes_boxes = passes_on(op);
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i) {
    MlirValue value = mlirOperationGetOperand(op, i);
    if (takes_boxes && is_unranked(value)) {
      agpu__builder before = agpu__builder_before(op);
      mlirOperationSetOperand(op, i, build_box(&before, value));
    }
    MlirType memref = takes_boxes ? no_type : in_box(mlirValueGetType(value));
    bool is_memref = !mlirTypeIsNull(memref) || is_unranked(value);
    if (is_memref && agpu__op_is(op, "memref.store") && i == 0)
      return agpu__error(mlirOperationGetLocation(op),
                         "an unranked memref cannot be stored in memory here: "
                         "its descriptor is this function's own");
    if (!mlirTypeIsNull(memref))
      open_box(op, i, memref);
  }
  return mlirLogicalResultSuccess();
}

/// Fails where a value goes through the regions of an op.
static MlirLogicalResult check_regions(const agpu__ops *ops) {
  for (size_t i = 0; i < ops->count; ++i)
    for (intptr_t r = 0; r < mlirOperationGetNumResults(ops->data[i]); ++r)
      if (mlirOperationGetNumRegions(ops->data[i]) &&
          is_unranked(agpu__result(ops->data[i], r)))
        return agpu__error(
            mlirOperationGetLocation(ops->data[i]),
            "unranked memrefs can only be boxed in branches: turn structured "
            "control flow into them first (--lower-affine "
            "--convert-scf-to-cf)");
  return mlirLogicalResultSuccess();
}

static MlirLogicalResult box_in_function(MlirOperation function) {
  AGPU__SCOPED(ops) ops = agpu__ops_in(function, NULL);
  bool needs = needs_boxes(function, &ops);
  MlirLogicalResult result =
      needs ? check_regions(&ops) : mlirLogicalResultSuccess();
  if (agpu__op_is(function, "async.func"))
    box_parameters(function);
  if (needs && mlirLogicalResultIsSuccess(result)) {
    box_block_arguments(function);
    for (size_t i = 0; i < ops.count; ++i)
      box_results(ops.data[i]);
    for (size_t i = 0; i < ops.count; ++i)
      if (mlirLogicalResultIsFailure(fix_operands(ops.data[i])))
        result = mlirLogicalResultFailure();
  }
  return result;
}

static MlirLogicalResult run(MlirOperation module) {
  agpu__retype(module, in_value);
  MlirLogicalResult result = mlirLogicalResultSuccess();
  AGPU__OPS_FOREACH (op, agpu__module_body(module))
    if ((agpu__op_is(op, "async.func") || agpu__op_is(op, "func.func")) &&
        mlirLogicalResultIsFailure(box_in_function(op)))
      result = mlirLogicalResultFailure();
  return result;
}

const agpu_pass agpu__pass_box_unranked = {
    .argument = "async-gpu-box-unranked",
    .summary = "Put unranked memrefs that leave their frame into boxes",
    .run = run,
};

//===----------------------------------------------------------------------===//
// Boxes of unranked memrefs become runtime calls
//
// A box is a value that is ready from the start, by calls that upstream's
// runtime has too. It holds the rank and, after it, the descriptor:
//   i64 rank, ptr allocated, ptr aligned, i64 offset, i64 sizes[rank],
//   i64 strides[rank]
//===----------------------------------------------------------------------===//

#define RANK_BYTES 8
#define DESCRIPTOR_BYTES 24
#define DIMENSION_BYTES 16

static MlirValue storage_of(agpu__builder *at, MlirOperation module,
                            MlirValue box) {
  return agpu__call_runtime(at, module, "mlirAsyncRuntimeGetValueStorage", &box,
                            1, agpu__ptr_type(at->context));
}

static MlirValue descriptor_in(agpu__builder *at, MlirValue storage) {
  return agpu__llvm_byte(at, storage, RANK_BYTES);
}

static MlirValue descriptor_bytes(agpu__builder *at, MlirValue rank) {
  MlirValue dimensions = agpu__build_binary(
      at, "llvm.mul", rank, agpu__llvm_i64(at, DIMENSION_BYTES));
  return agpu__build_binary(at, "llvm.add",
                            agpu__llvm_i64(at, DESCRIPTOR_BYTES), dimensions);
}

MlirValue agpu__box_unranked(agpu__builder *at, MlirOperation module,
                             MlirValue memref, MlirType box_type) {
  MlirValue fields = agpu__memref_descriptor(at, memref);
  if (mlirValueIsNull(fields))
    return fields;
  MlirValue rank =
      agpu__llvm_extract(at, fields, agpu__i64_type(at->context), 0);
  MlirValue descriptor =
      agpu__llvm_extract(at, fields, agpu__ptr_type(at->context), 1);
  MlirValue bytes = descriptor_bytes(at, rank);
  MlirValue size =
      agpu__build_binary(at, "llvm.add", bytes, agpu__llvm_i64(at, RANK_BYTES));
  MlirValue box = agpu__call_runtime(at, module, "mlirAsyncRuntimeCreateValue",
                                     &size, 1, box_type);
  MlirValue storage = storage_of(at, module, box);
  agpu__llvm_store(at, rank, storage);
  agpu__llvm_copy(at, descriptor_in(at, storage), descriptor, bytes);
  agpu__call_runtime(at, module, "mlirAsyncRuntimeEmplaceValue", &box, 1,
                     no_type);
  return box;
}

MlirValue agpu__unbox_unranked(agpu__builder *at, MlirOperation module,
                               MlirValue box, MlirType memref, bool on_stack) {
  MlirValue storage = storage_of(at, module, box);
  MlirValue rank = agpu__llvm_load(at, storage, agpu__i64_type(at->context));
  MlirValue descriptor = descriptor_in(at, storage);
  if (on_stack) {
    MlirValue bytes = descriptor_bytes(at, rank);
    MlirValue memory =
        agpu__llvm_alloca(at, agpu__i8_type(at->context), bytes, 8);
    agpu__llvm_copy(at, memory, descriptor, bytes);
    descriptor = memory;
  }
  MlirValue fields = agpu__llvm_undef(at, agpu__payload_type(memref));
  fields = agpu__llvm_insert(at, fields, rank, 0);
  fields = agpu__llvm_insert(at, fields, descriptor, 1);
  return agpu__build_cast(at, fields, memref);
}
