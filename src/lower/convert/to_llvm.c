//===- to_llvm.c - What functions hold to the LLVM dialect ----------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass `async-gpu-to-llvm`: upstream's conversions to the LLVM dialect,
// inside of functions. Each goes through the whole program, so that only those
// run that find something to do.
//
//===----------------------------------------------------------------------===//

#include "lower/convert/convert.h"
#include "lower/pass/pass.h"

/// What the choice of conversions depends on. Most programs need few of them,
/// and one that finds nothing to do goes through all of the program.
typedef struct contents {
  bool affine, atomics, clamp, complex, exchanges, math, multi_reductions,
      realloc, reshapes, scf, vector, views, tensor_maps;
} contents;

/// What convert-to-llvm converts: not functions, for which it looks up each
/// callee from the beginning of the module.
#define DIALECTS "arith,cf,complex,index,math,memref,ub,vector"

/// Ops on memrefs that convert-to-llvm takes as they are.
static bool is_plain(MlirOperation op) {
  return agpu__op_is_any(
      op,
      "memref.alloc memref.alloca memref.alloca_scope "
      "memref.alloca_scope.return memref.assume_alignment memref.atomic_rmw "
      "memref.atomic_yield memref.cast memref.copy memref.dealloc memref.dim "
      "memref.generic_atomic_rmw memref.get_global memref.global memref.load "
      "memref.memory_space_cast memref.prefetch memref.rank "
      "memref.reinterpret_cast memref.store memref.view");
}

static MlirWalkResult note_op(MlirOperation op, void *data) {
  contents *found = data;
  if (agpu__op_in_dialect(op, "llvm"))
    return MlirWalkResultAdvance;
  found->affine |= agpu__op_in_dialect(op, "affine");
  found->complex |= agpu__op_in_dialect(op, "complex");
  found->scf |= agpu__op_in_dialect(op, "scf");
  if (agpu__op_in_dialect(op, "math")) {
    found->math = true;
    found->clamp |= agpu__op_is(op, "math.clampf");
  } else if (agpu__op_in_dialect(op, "vector")) {
    found->vector = true;
    found->multi_reductions |= agpu__op_is(op, "vector.multi_reduction");
  } else if (agpu__op_is(op, "nvgpu.tma.create.descriptor")) {
    found->tensor_maps = true;
  } else if (agpu__op_in_dialect(op, "memref")) {
    found->atomics |= agpu__op_is(op, "memref.atomic_rmw");
    found->exchanges |= agpu__op_is(op, "memref.generic_atomic_rmw");
    found->realloc |= agpu__op_is(op, "memref.realloc");
    found->reshapes |= agpu__op_is(op, "memref.reshape");
    found->views |= !is_plain(op);
  }
  return MlirWalkResultAdvance;
}

/// The conversions that `found` needs, each after those whose results it
/// converts.
static void pipeline_text(const contents *found, agpu__text *text) {
  if (found->tensor_maps)
    agpu__text_puts(text, "convert-nvgpu-to-nvvm,");
  if (found->realloc)
    agpu__text_puts(text, "expand-realloc,");
  if (found->multi_reductions)
    agpu__text_puts(text, "func.func(lower-vector-multi-reduction),");
  if (found->vector)
    agpu__text_puts(text, "convert-vector-to-scf,");
  // Views become arithmetic on offsets, and so do transfers of vectors.
  if (found->views || found->vector)
    agpu__text_puts(text, "expand-strided-metadata,");
  if (found->affine || found->views || found->vector)
    agpu__text_puts(text, "lower-affine,");
  if (found->clamp)
    agpu__text_puts(text, "math-expand-ops{ops=clampf},");
  if (found->scf || found->reshapes || found->realloc || found->vector)
    agpu__text_puts(text, "convert-scf-to-cf,");
  if (found->complex)
    agpu__text_puts(text, "convert-complex-to-standard,");
  // A call of the C library where LLVM has no intrinsic.
  if (found->math || found->complex)
    agpu__text_puts(text, "convert-math-to-llvm,convert-math-to-libm,");
  if (found->vector)
    agpu__text_puts(text, "convert-vector-to-llvm,");
  // As part of convert-to-llvm this conversion fails on itself.
  if (found->reshapes)
    agpu__text_puts(text, "finalize-memref-to-llvm,");
  agpu__text_puts(text, "convert-to-llvm{filter-dialects=" DIALECTS "},");
}

static void erase_unreachable_blocks(MlirOperation module) {
  AGPU__OPS_FOREACH (op, agpu__module_body(module))
    if (agpu__op_is(op, "func.func"))
      agpu__erase_unreachable_blocks(mlirOperationGetRegion(op, 0));
}

//===----------------------------------------------------------------------===//
// Shapes of integers
//===----------------------------------------------------------------------===//

// memref.reshape to a shape of integers: upstream converts those of indices
// alone, so that the shape is copied to such a one first.

static bool has_integer_shape(MlirOperation reshape) {
  MlirType shape = mlirValueGetType(mlirOperationGetOperand(reshape, 1));
  MlirType element = mlirShapedTypeGetElementType(shape);
  return mlirTypeIsAInteger(element) && mlirIntegerTypeIsSignless(element);
}

/// Memory for the shape as indices, at the start of the function where its size
/// is known: a loop around the reshape must not take more each time.
static MlirValue indices_for(MlirOperation reshape) {
  MlirValue shape = mlirOperationGetOperand(reshape, 1);
  int64_t size = mlirShapedTypeGetDimSize(mlirValueGetType(shape), 0);
  bool dynamic = mlirShapedTypeIsDynamicDim(mlirValueGetType(shape), 0);
  agpu__builder at = agpu__builder_before(reshape);
  MlirContext context = at.context;
  MlirValue count;
  if (dynamic) {
    MlirValue operands[] = {shape, agpu__index_constant(&at, 0)};
    count = agpu__build_value(&at, "memref.dim", operands, 2,
                              agpu__index_type(context));
  } else {
    MlirOperation function = reshape;
    while (!agpu__has_attr(function, "function_type"))
      function = mlirOperationGetParentOperation(function);
    at = agpu__builder_at_start(agpu__entry_block(function),
                                mlirOperationGetLocation(reshape));
  }
  MlirType type = mlirMemRefTypeContiguousGet(agpu__index_type(context), 1,
                                              &size, mlirAttributeGetNull());
  return agpu__build_with(
      &at, "memref.alloca", &count, dynamic, type, "operandSegmentSizes",
      agpu__parse_attr(context,
                       dynamic ? "array<i32: 1, 0>" : "array<i32: 0, 0>"));
}

static void expand_reshape(MlirOperation reshape) {
  MlirValue indices = indices_for(reshape);
  MlirType shape = mlirValueGetType(mlirOperationGetOperand(reshape, 1));
  AGPU__SCOPED(holes) holes = {0};
  agpu__hole_type(&holes, "source",
                  mlirValueGetType(mlirOperationGetOperand(reshape, 0)));
  agpu__hole_type(&holes, "shape", shape);
  agpu__hole_type(&holes, "number", mlirShapedTypeGetElementType(shape));
  agpu__hole_type(&holes, "indices", mlirValueGetType(indices));
  agpu__hole_type(&holes, "result", mlirValueGetType(agpu__result(reshape, 0)));
  const agpu__template copy = {
      .file = "reshape.mlir", .function = "reshape", .holes = &holes};
  agpu__template_replace(reshape, &copy, &indices, 1);
}

static void expand_reshapes(MlirOperation root) {
  AGPU__OPS_IN_FOREACH (op, root, "memref.reshape")
    if (has_integer_shape(op))
      expand_reshape(op);
}

static MlirLogicalResult run(MlirOperation module) {
  erase_unreachable_blocks(module);
  contents found = {0};
  mlirOperationWalk(module, note_op, &found, MlirWalkPreOrder);
  if (found.atomics)
    found.exchanges |= agpu__expand_atomics(module);
  if (found.reshapes)
    expand_reshapes(module);
  if (found.vector)
    agpu__expand_vector_accesses(module);
  AGPU__SCOPED(text) pipeline = {0};
  pipeline_text(&found, &pipeline);
  MlirLogicalResult result =
      agpu__upstream_run(module, agpu__text_get(&pipeline));
  if (found.exchanges)
    agpu__repair_exchanges(module);
  return result;
}

const agpu_pass agpu__pass_to_llvm = {
    .argument = "async-gpu-to-llvm",
    .summary = "Convert the bodies of functions to the LLVM dialect",
    .run = run,
};
