//===- repair.c - Around gaps in upstream's conversions -------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each repair stands for one gap, before or after the conversion, and changes
// nothing where the gap does not show. Where a newer upstream has closed one,
// its repair can go.
//
//===----------------------------------------------------------------------===//

#include "gpu/nvvm/nvvm.h"

#include "lower/ir/ir.h"

#include "mlir-c/Dialect/LLVM.h"
#include "mlir-c/Dialect/Transform/Interpreter.h"

#include <stdlib.h>

//===----------------------------------------------------------------------===//
// Tensor maps
//===----------------------------------------------------------------------===//

/// The body goes on seeing the tensor map, as a cast that the conversion of
/// the nvgpu dialect folds.
static bool retype_argument(MlirBlock entry, MlirValue argument) {
  MlirType type = mlirValueGetType(argument);
  if (!agpu__type_has_prefix(type, "!nvgpu.tensormap.descriptor"))
    return false;
  MlirOperation first = mlirBlockGetFirstOperation(entry);
  agpu__builder at = agpu__builder_before(first);
  MlirType pointer = agpu__ptr_type(at.context);
  mlirValueSetType(argument, pointer);
  MlirOperation cast = agpu__build_op(&at, "builtin.unrealized_conversion_cast",
                                      &argument, 1, type, NULL, 0);
  mlirValueReplaceAllUsesExcept(argument, agpu__result(cast, 0), 1, &cast);
  return true;
}

static void repair_function(MlirOperation function) {
  MlirBlock entry = agpu__entry_block(function);
  MlirType type = agpu__function_type(function);
  if (mlirBlockIsNull(entry) || !mlirTypeIsAFunction(type))
    return;
  intptr_t count = mlirFunctionTypeGetNumInputs(type);
  bool changed = false;
  for (intptr_t i = 0; i < count; ++i)
    changed |= retype_argument(entry, mlirBlockGetArgument(entry, i));
  if (!changed)
    return;
  AGPU__OWNED MlirType *inputs = agpu__allocate((size_t)count, sizeof(*inputs));
  for (intptr_t i = 0; i < count; ++i)
    inputs[i] = mlirValueGetType(mlirBlockGetArgument(entry, i));
  // Kernels have no results.
  MlirType repaired = mlirFunctionTypeGet(mlirOperationGetContext(function),
                                          count, inputs, 0, NULL);
  agpu__set_attr(function, "function_type", mlirTypeAttrGet(repaired));
}

void agpu__repair_tensor_maps(MlirOperation gpu_module) {
  AGPU__OPS_IN_FOREACH (function, gpu_module, "gpu.func")
    if (agpu__has_attr(function, "gpu.kernel"))
      repair_function(function);
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

static bool is_narrow(MlirType type) {
  return mlirTypeIsAF16(type) || mlirTypeIsABF16(type);
}

static bool is_float(MlirType type) { return mlirTypeIsAFloat(type); }

/// Replaces the ops `name` of floats that `fits` takes, or of vectors of them,
/// by LLVM's `intrinsic`.
static void replace_all(MlirOperation gpu_module, const char *name,
                        const char *intrinsic, bool (*fits)(MlirType)) {
  AGPU__OPS_IN_FOREACH (op, gpu_module, name) {
    MlirType type = mlirValueGetType(agpu__result(op, 0));
    bool is_row = mlirTypeIsAVector(type) && mlirShapedTypeGetRank(type) == 1;
    if (!fits(is_row ? mlirShapedTypeGetElementType(type) : type))
      continue;
    agpu__builder at = agpu__builder_before(op);
    MlirValue operands[3];
    intptr_t count = mlirOperationGetNumOperands(op);
    for (intptr_t k = 0; k < count; ++k)
      operands[k] = mlirOperationGetOperand(op, k);
    MlirValue value =
        agpu__build_value(&at, intrinsic, operands, (size_t)count, type);
    agpu__replace_op_by_value(op, value);
  }
}

void agpu__repair_fma(MlirOperation gpu_module) {
  replace_all(gpu_module, "math.fma", "llvm.intr.fma", is_narrow);
}

void agpu__repair_extremes(MlirOperation gpu_module) {
  replace_all(gpu_module, "arith.maximumf", "llvm.intr.maximum", is_float);
  replace_all(gpu_module, "arith.minimumf", "llvm.intr.minimum", is_float);
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

static void mark_kernel(MlirOperation function) {
  MlirContext context = mlirOperationGetContext(function);
  // An attribute of a dialect that no text has brought along means nothing to
  // the translation.
  (void)mlirContextGetOrLoadDialect(context, agpu__str("nvvm"));
  agpu__set_attr(function, "nvvm.kernel", mlirUnitAttrGet(context));
}

MlirLogicalResult agpu__repair_kernels(MlirOperation gpu_module) {
  MlirLogicalResult result = mlirLogicalResultSuccess();
  AGPU__OPS_FOREACH (op, agpu__module_body(gpu_module)) {
    if (!agpu__nvvm_is_kernel(op))
      continue;
    MlirType type = agpu__function_type(op);
    if (!agpu__type_has_prefix(mlirLLVMFunctionTypeGetReturnType(type),
                               "!llvm.void"))
      result =
          agpu__error(mlirOperationGetLocation(op), "a kernel has no result");
    else if (!agpu__has_attr(op, "nvvm.kernel"))
      mark_kernel(op);
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Arrivals at barriers
//===----------------------------------------------------------------------===//

static void repair_arrival(MlirOperation op) {
  agpu__builder at = agpu__builder_before(op);
  MlirContext context = at.context;
  bool numbered = mlirOperationGetNumOperands(op) == 2;
  MlirValue operands[] = {
      numbered ? mlirOperationGetOperand(op, 0)
               : agpu__llvm_constant(&at, agpu__i32_attr(context, 0)),
      mlirOperationGetOperand(op, numbered ? 1 : 0)};
  const int32_t segments[] = {2, 0};
  MlirNamedAttribute attributes[] = {
      agpu__named(context, "intrin",
                  agpu__string_attr(
                      context, "llvm.nvvm.barrier.cta.arrive.aligned.count")),
      agpu__named(context, "op_bundle_sizes",
                  mlirDenseI32ArrayGet(context, 0, NULL)),
      agpu__segments(context, segments, 2)};
  agpu__build_op(&at, "llvm.call_intrinsic", operands, 2, (MlirType){NULL},
                 attributes, 3);
  mlirOperationDestroy(op);
}

void agpu__repair_arrivals(MlirOperation gpu_module) {
  AGPU__OPS_IN_FOREACH (arrival, gpu_module, "nvvm.barrier.arrive")
    repair_arrival(arrival);
}

//===----------------------------------------------------------------------===//
// Alignment of globals
//===----------------------------------------------------------------------===//

// Leaves no llvm.mlir.global without an alignment: what LLVM's optimiser would
// assume of it is written down, so that both targets keep it.

// LLVM's optimiser takes a variable of more bytes than this, defined where it
// can see it and without an alignment of its own, to be aligned to as many
// (DataLayout::getPreferredAlign). The NVPTX backend writes that of the type
// alone, so that what is not said is assumed and not kept.
#define LARGE 16u

static void align(MlirOperation global) {
  MlirAttribute asked = agpu__attr(global, "alignment");
  if (!mlirAttributeIsNull(asked) && mlirIntegerAttrGetValueInt(asked) > 0)
    return;
  MlirType type = mlirTypeAttrGetValue(agpu__attr(global, "global_type"));
  uint64_t alignment;
  // What the launch gives the size of may be large.
  uint64_t size = agpu__type_size(type, &alignment);
  if ((!size || size > LARGE) && alignment < LARGE)
    alignment = LARGE;
  agpu__set_attr(
      global, "alignment",
      agpu__i64_attr(mlirOperationGetContext(global), (int64_t)alignment));
}

/// What tensor copies and wgmma go to has to lie at a multiple of 128 bytes,
/// and patterns of swizzling repeat after up to 1024: `global`, workgroup
/// memory of a module with such, gets what it has room for.
static void align_for_tensors(MlirOperation global) {
  if (agpu__get_int(global, "addr_space", 0) != 3)
    return;
  uint64_t natural;
  uint64_t size = agpu__type_size(
      mlirTypeAttrGetValue(agpu__attr(global, "global_type")), &natural);
  int64_t wanted = !size || size >= 1024 ? 1024 : size >= 128 ? 128 : 0;
  if (agpu__get_int(global, "alignment", 0) < wanted)
    agpu__set_attr(global, "alignment",
                   agpu__i64_attr(mlirOperationGetContext(global), wanted));
}

static MlirWalkResult note_tensors(MlirOperation op, void *data) {
  bool *found = data;
  *found |= agpu__op_is_any(
      op, "nvvm.cp.async.bulk.tensor.shared.cluster.global "
          "nvvm.cp.async.bulk.tensor.global.shared.cta "
          "nvvm.cp.async.bulk.tensor.reduce nvvm.wgmma.mma_async");
  return *found ? MlirWalkResultInterrupt : MlirWalkResultAdvance;
}

void agpu__align_globals(MlirOperation gpu_module) {
  bool has_tensors = false;
  mlirOperationWalk(gpu_module, note_tensors, &has_tensors, MlirWalkPreOrder);
  for (MlirOperation op =
           mlirBlockGetFirstOperation(agpu__module_body(gpu_module));
       has_tensors && !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op))
    if (agpu__op_is(op, "llvm.mlir.global"))
      align_for_tensors(op);
  AGPU__OPS_FOREACH (op, agpu__module_body(gpu_module))
    if (agpu__op_is(op, "llvm.mlir.global"))
      align(op);
}

//===----------------------------------------------------------------------===//
// Reductions of vectors
//===----------------------------------------------------------------------===//

// The pass that applies these patterns runs on func.func alone; the transform
// dialect applies them to any op.
static const char schedule[] =
    "module attributes {transform.with_named_sequence} {\n"
    "  transform.named_sequence @reductions(\n"
    "      %root: !transform.any_op {transform.readonly}) {\n"
    "    transform.apply_patterns to %root {\n"
    "      transform.apply_patterns.vector.lower_multi_reduction\n"
    "          lowering_strategy = \"innerreduction\"\n"
    "    } : !transform.any_op\n"
    "    transform.yield\n"
    "  }\n"
    "}\n";

MlirLogicalResult agpu__repair_multi_reductions(MlirOperation gpu_module) {
  MlirModule module = mlirModuleCreateParse(mlirOperationGetContext(gpu_module),
                                            agpu__str(schedule));
  if (mlirModuleIsNull(module))
    abort();
  MlirTransformOptions options = mlirTransformOptionsCreate();
  MlirLogicalResult result = mlirTransformApplyNamedSequence(
      gpu_module, mlirBlockGetFirstOperation(mlirModuleGetBody(module)),
      mlirModuleGetOperation(module), options);
  mlirTransformOptionsDestroy(options);
  mlirModuleDestroy(module);
  return result;
}

//===----------------------------------------------------------------------===//
// Matrices with one register a lane
//===----------------------------------------------------------------------===//

/// The name in an attribute such as `#nvvm.mma_layout<row>`, which the caller
/// frees.
static char *name_in(MlirOperation op, const char *attribute) {
  AGPU__SCOPED(text) text = {0};
  mlirAttributePrint(agpu__attr(op, attribute), agpu__text_callback, &text);
  const char *open = strchr(agpu__text_get(&text), '<');
  return agpu__format("%.*s", open ? (int)strcspn(open + 1, ">") : 0,
                      open ? open + 1 : "");
}

static void repair_load(MlirOperation op) {
  MlirType type = mlirValueGetType(agpu__result(op, 0));
  if (!mlirTypeIsALLVMStructType(type) ||
      mlirLLVMStructTypeGetNumElementTypes(type) != 1)
    return;
  agpu__builder at = agpu__builder_before(op);
  MlirValue operands[] = {mlirOperationGetOperand(op, 0),
                          mlirOperationGetOperand(op, 1)};
  char *fragment = name_in(op, "frag"), *layout = name_in(op, "layout"),
       *element = name_in(op, "eltype");
  AGPU__OWNED char *intrinsic = agpu__format(
      "llvm.nvvm.wmma.m%dn%dk%d.load.%s.%s.stride.%s.p%u",
      (int)agpu__get_int(op, "m", 0), (int)agpu__get_int(op, "n", 0),
      (int)agpu__get_int(op, "k", 0), fragment, layout, element,
      mlirLLVMPointerTypeGetAddressSpace(mlirValueGetType(operands[0])));
  const MlirNamedAttribute attributes[] = {
      agpu__named(at.context, "intrin",
                  agpu__string_attr(at.context, intrinsic)),
      agpu__named(at.context, "operandSegmentSizes",
                  agpu__parse_attr(at.context, "array<i32: 2, 0>")),
      agpu__named(at.context, "op_bundle_sizes",
                  agpu__parse_attr(at.context, "array<i32>"))};
  MlirOperation load =
      agpu__build_op(&at, "llvm.call_intrinsic", operands, 2,
                     mlirLLVMStructTypeGetElementType(type, 0), attributes, 3);
  agpu__replace_op_by_value(op,
                            agpu__llvm_insert(&at, agpu__llvm_undef(&at, type),
                                              agpu__result(load, 0), 0));
  free(element);
  free(layout);
  free(fragment);
}

void agpu__repair_fragments(MlirOperation gpu_module) {
  AGPU__OPS_IN_FOREACH (nested, gpu_module, "nvvm.wmma.load")
    repair_load(nested);
}

//===----------------------------------------------------------------------===//
// Products of single bits
//===----------------------------------------------------------------------===//

void agpu__repair_bit_products(MlirOperation gpu_module) {
  static const char types[] = ".s32.b1.b1 ";
  AGPU__OPS_IN_FOREACH (nested, gpu_module, "llvm.inline_asm") {
    MlirStringRef text = agpu__get_string(nested, "asm_string");
    AGPU__OWNED char *old = agpu__format("%.*s", AGPU__STR(text));
    const char *found = strstr(old, types);
    if (found && strstr(old, "wgmma.mma_async")) {
      size_t front = (size_t)(found - old) + sizeof types - 2;
      AGPU__OWNED char *repaired =
          agpu__format("%.*s.and.popc%s", (int)front, old, old + front);
      agpu__set_attr(
          nested, "asm_string",
          agpu__string_attr(mlirOperationGetContext(nested), repaired));
    }
  }
}
