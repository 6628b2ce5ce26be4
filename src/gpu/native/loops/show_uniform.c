//===- show_uniform.c - async-gpu-native-uniformity -----------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Shows in the IR what the analysis of uniform.c finds, which otherwise only
// the loops that are made by it tell.
//
//===----------------------------------------------------------------------===//

#include "gpu/native/loops/loops.h"

#include <stdlib.h>

static void mark_ops(const agpu__simt_uniform *uniform, MlirBlock block) {
  AGPU__OPS_FOREACH (op, block) {
    bool all = mlirOperationGetNumResults(op);
    for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i)
      all &= agpu__simt_is_uniform(uniform, agpu__result(op, i));
    if (all)
      agpu__set_attr(op, AGPU__SIMT_UNIFORM,
                     mlirUnitAttrGet(mlirOperationGetContext(op)));
  }
}

static void mark_block(const agpu__simt_uniform *uniform, MlirBlock block,
                       bool divergent) {
  mark_ops(uniform, block);
  MlirOperation end = mlirBlockGetTerminator(block);
  MlirContext context = mlirOperationGetContext(end);
  intptr_t arguments = mlirBlockGetNumArguments(block), count = 0;
  AGPU__OWNED int32_t *varying =
      agpu__allocate((size_t)arguments, sizeof(*varying));
  for (intptr_t i = 0; i < arguments; ++i)
    if (!agpu__simt_is_uniform(uniform, mlirBlockGetArgument(block, i)))
      varying[count++] = (int32_t)i;
  if (count)
    agpu__set_attr(end, AGPU__SIMT_VARYING,
                   mlirDenseI32ArrayGet(context, count, varying));
  if (divergent)
    agpu__set_attr(end, AGPU__SIMT_DIVERGENT, mlirUnitAttrGet(context));
}

/// A function with blocks that the analysis does not know stays as it is.
static void show(MlirOperation kernel, const MlirValue *context) {
  agpu__simt_normalize(kernel);
  agpu__simt_graph graph;
  if (!agpu__simt_graph_create(agpu__entry_block(kernel), &graph))
    return;
  agpu__simt_uniform uniform;
  agpu__simt_uniform_create(&graph, context + 3 * AGPU__SIMT_TID, 3, &uniform);
  for (size_t b = 0; b < graph.count; ++b)
    mark_block(&uniform, graph.blocks[b], uniform.divergent[b]);
  agpu__simt_uniform_free(&uniform);
  agpu__simt_graph_free(&graph);
}

static MlirLogicalResult run(MlirOperation gpu_module) {
  if (!agpu__simt_is_meant(gpu_module))
    return mlirLogicalResultSuccess();
  MlirLogicalResult result = mlirLogicalResultSuccess();
  AGPU__SCOPED(ops) kernels = {0};
  agpu__simt_functions(gpu_module, true, &kernels);
  for (size_t i = 0; i < kernels.count; ++i) {
    MlirValue context[AGPU__SIMT_CONTEXT_COUNT];
    if (mlirLogicalResultIsFailure(
            agpu__simt_context(kernels.data[i], context)))
      result = mlirLogicalResultFailure();
    else
      show(kernels.data[i], context);
  }
  return result;
}

const agpu_pass agpu__pass_native_uniformity = {
    .argument = AGPU__SIMT_PASS("uniformity"),
    .anchor = "gpu.module",
    .summary = "Show which values are the same in all threads of a block",
    .run = run,
};
