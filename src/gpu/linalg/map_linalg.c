//===- map_linalg.c - Kernels for ops of linalg ---------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass `async-gpu-map-linalg`: each structured op of the host on memrefs
// becomes a gpu.launch, of the first kind of kernel that takes it. Ops that
// none takes, and those in kernels, stay, and become loops where they are.
//
//===----------------------------------------------------------------------===//

#include "gpu/linalg/linalg.h"
#include "lower/dialect/attributes.h"
#include "lower/ir/template.h"
#include "lower/pass/diagnostics.h"
#include "lower/pass/pass.h"

#include <inttypes.h>
#include <stdlib.h>

static bool is_in_kernel(MlirOperation op) {
  return !mlirOperationIsNull(agpu__parent_of(op, "gpu.launch")) ||
         !mlirOperationIsNull(agpu__parent_of(op, "gpu.func"));
}

/// Nothing to do: a loop has no iterations.
static bool is_empty(const agpu__linalg_op *op) {
  for (intptr_t i = 0; i < op->loop_count; ++i)
    if (op->sizes[i] == 0)
      return true;
  return false;
}

static MlirLogicalResult map(const agpu__linalg_op *op, bool for_emu,
                             int64_t blocks, bool remarks) {
  static MlirLogicalResult (*const kinds[])(const agpu__linalg_op *, bool,
                                            agpu__linalg_kernel *) = {
      agpu__linalg_reduction, agpu__linalg_pointwise};
  MlirLocation location = mlirOperationGetLocation(op->op);
  agpu__linalg_kernel made;
  MlirLogicalResult result =
      agpu__linalg_contraction(op, for_emu, blocks, &made);
  for (size_t i = 0; i < AGPU__COUNT(kinds) && !made.made &&
                     mlirLogicalResultIsSuccess(result);
       ++i)
    result = kinds[i](op, for_emu, &made);
  if (remarks && made.made && made.tile_rows)
    agpu__remark(location,
                 "a kernel with %s: %" PRId64 " by %" PRId64
                 " elements of the result a block",
                 made.how, made.tile_rows, made.tile_columns);
  else if (remarks && made.made)
    agpu__remark(location, "a kernel with %s", made.how);
  return result;
}

/// True if the op combines what it has with what it reads.
static bool reduces(const agpu__linalg_op *op) {
  for (intptr_t i = 0; i < op->loop_count; ++i)
    if (op->is_reduction[i])
      return true;
  return false;
}

/// Makes a kernel of all[index], a reduction, and the ops around it that are
/// over the same rows, if there are some. They are added to `fused`.
static MlirLogicalResult map_rows(const agpu__linalg_op *all, size_t index,
                                  bool for_emu, bool remarks,
                                  agpu__map *fused) {
  agpu__row_chain chain;
  MlirLogicalResult result = mlirLogicalResultSuccess();
  MlirLocation location = mlirOperationGetLocation(all[index].op);
  agpu__linalg_find_rows(all, index, for_emu, fused, &chain);
  for (intptr_t i = 0; i < chain.count; ++i) {
    const agpu__linalg_op *op = &chain.ops[i].op;
    agpu__map_set(fused, op->op.ptr, AGPU__ROW_GONE);
    if (!mlirOperationIsNull(op->start_ops[op->input_count]))
      agpu__map_set(fused, op->start_ops[op->input_count].ptr, AGPU__ROW_GONE);
  }
  if (chain.count)
    result = agpu__linalg_map_rows(&chain, for_emu);
  if (chain.count && remarks && mlirLogicalResultIsSuccess(result))
    agpu__remark(location, "a kernel with %s, for %d ops",
                 for_emu ? "rows as vectors" : "a block for each row",
                 (int)chain.count);
  free(chain.ops);
  return result;
}

/// Makes kernels of all `ops`, but of those that become part of another's.
static MlirLogicalResult map_all(const agpu__ops *ops, bool for_emu,
                                 int64_t blocks, bool remarks) {
  AGPU__OWNED agpu__linalg_op *all = agpu__allocate(ops->count, sizeof(*all));
  AGPU__SCOPED(map) fused = {0};
  size_t count = 0;
  for (size_t i = 0; i < ops->count; ++i)
    if (!is_in_kernel(ops->data[i]) &&
        agpu__linalg_read(ops->data[i], &all[count]))
      ++count;
  MlirLogicalResult result = mlirLogicalResultSuccess();
  // What products end with is theirs first.
  for (size_t i = 0; i < count; ++i)
    if (!is_empty(&all[i]) && agpu__linalg_is_contraction(&all[i], for_emu))
      agpu__linalg_fuse(&all[i], true, &fused);
  for (size_t i = 0; i < count && mlirLogicalResultIsSuccess(result); ++i)
    if (!agpu__linalg_is_fused(&fused, all[i].op) && !is_empty(&all[i]) &&
        reduces(&all[i]) && !agpu__linalg_is_contraction(&all[i], for_emu))
      result = map_rows(all, i, for_emu, remarks, &fused);
  for (size_t i = 0; i < count; ++i)
    if (!agpu__linalg_is_fused(&fused, all[i].op) && !is_empty(&all[i]) &&
        !agpu__linalg_is_contraction(&all[i], for_emu))
      agpu__linalg_fuse(&all[i], false, &fused);
  for (size_t i = 0; i < count && mlirLogicalResultIsSuccess(result); ++i) {
    if (agpu__linalg_is_fused(&fused, all[i].op))
      continue; // it goes with that one
    if (is_empty(&all[i]))
      mlirOperationDestroy(all[i].op);
    else
      result = map(&all[i], for_emu, blocks, remarks);
  }
  return result;
}

static bool is_strided(MlirValue memref) {
  return !mlirAffineMapIsIdentity(
      mlirMemRefTypeGetAffineMap(mlirValueGetType(memref)));
}

/// True for a copy of the host that is of parts of memory, as paddings are:
/// drivers copy what lies side by side.
static bool is_copy_of_parts(MlirOperation op) {
  for (intptr_t i = 0; i < 2; ++i) {
    MlirType type = mlirValueGetType(mlirOperationGetOperand(op, i));
    if (!mlirTypeIsAMemRef(type) || !mlirShapedTypeGetRank(type) ||
        !mlirAttributeIsNull(mlirMemRefTypeGetMemorySpace(type)))
      return false;
  }
  return !is_in_kernel(op) && (is_strided(mlirOperationGetOperand(op, 0)) ||
                               is_strided(mlirOperationGetOperand(op, 1)));
}

/// Makes ops of linalg of copies of parts of memory.
static MlirLogicalResult take_copies(MlirOperation module) {
  AGPU__SCOPED(ops) copies = agpu__ops_in(module, "memref.copy");
  MlirLogicalResult result = mlirLogicalResultSuccess();
  for (size_t i = 0; i < copies.count && mlirLogicalResultIsSuccess(result);
       ++i) {
    if (!is_copy_of_parts(copies.data[i]))
      continue;
    char *types[2];
    for (intptr_t k = 0; k < 2; ++k)
      types[k] = agpu__type_text(
          mlirValueGetType(mlirOperationGetOperand(copies.data[i], k)));
    AGPU__OWNED char *text =
        agpu__format("func.func @copy(%%from: %s, %%to: %s) {\n"
                     "linalg.copy ins(%%from : %s) outs(%%to : %s)\n"
                     "return\n}\n",
                     types[0], types[1], types[0], types[1]);
    agpu__template template = {
        .file = "linalg", .function = "copy", .text = text};
    result = agpu__template_replace(copies.data[i], &template, NULL, 0);
    free(types[1]);
    free(types[0]);
  }
  return result;
}

static MlirWalkResult note_linalg(MlirOperation op, void *data) {
  if (agpu__op_in_dialect(op, "linalg"))
    *(bool *)data = true;
  return *(bool *)data ? MlirWalkResultInterrupt : MlirWalkResultAdvance;
}

static MlirLogicalResult run(MlirOperation module,
                             const agpu_pass_values *values) {
  bool has_linalg = false;
  mlirOperationWalk(module, note_linalg, &has_linalg, MlirWalkPreOrder);
  if (!has_linalg)
    return mlirLogicalResultSuccess();
  MlirLogicalResult result = take_copies(module);
  // One op for all that is structured.
  if (mlirLogicalResultIsSuccess(result))
    result = agpu__upstream_run(module, "linalg-generalize-named-ops");
  bool remarks =
      agpu__pass_value_bool(values, "remarks") ||
      agpu__diagnostics_wants_remarks(mlirOperationGetContext(module));
  bool for_emu =
      !strcmp(agpu__pass_value_string(values, "device"), AGPU__DEVICE_EMU);
  if (mlirLogicalResultIsSuccess(result))
    result = agpu__linalg_spread_fills(module);
  AGPU__SCOPED(ops) ops = agpu__ops_in(module, "linalg.generic");
  if (ops.count)
    agpu__set_attr(module, AGPU__ALIKE_ATTR,
                   mlirUnitAttrGet(mlirOperationGetContext(module)));
  if (mlirLogicalResultIsSuccess(result))
    result =
        map_all(&ops, for_emu, agpu__pass_value_int(values, "blocks"), remarks);
  return result;
}

static const agpu_pass_option options[] = {
    AGPU__DEVICE_OPTION,
    AGPU__BLOCKS_OPTION,
    {"remarks", AGPU_OPTION_BOOL, "false",
     "Say of each op what kernel it becomes, as remarks."},
};

const agpu_pass agpu__pass_map_linalg = {
    .argument = "async-gpu-map-linalg",
    .summary = "Kernels for ops of linalg on memrefs",
    AGPU__OPTIONS(options),
    .run_with = run,
};
