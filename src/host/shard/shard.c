//===- shard.c - A program on tensors is split among ranks ----------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass `async-gpu-shard`. Upstream's shard-partition takes programs in
// which each operand and result is annotated, splits sizes that can be divided
// alone, and neither loops nor windows; so that its annotations are read here,
// and the rest is done here.
//
//===----------------------------------------------------------------------===//

#include "host/passes.h"
#include "host/shard/shard_parts.h"
#include "lower/pass/diagnostics.h"

#include "mlir-c/Dialect/Func.h"

#include <stdlib.h>

/// Calls are parts of their callers. Upstream's canonicalization does not keep
/// two annotations of one value apart, and is left out.
static const char before[] = "inline{default-pipeline=},"
                             "func.func(convert-elementwise-to-linalg)";
static const char after[] = "canonicalize,cse";

/// What callers from outside give is not written to, and is no communicator.
static void mark_arguments(MlirOperation function) {
  MlirBlock block = agpu__entry_block(function);
  if (mlirStringRefEqual(agpu__get_string(function, "sym_visibility"),
                         agpu__str("private")))
    return;
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(block); ++i)
    if (mlirTypeIsATensor(mlirValueGetType(mlirBlockGetArgument(block, i))))
      mlirFuncSetArgAttr(function, i, agpu__str("llvm.noalias"),
                         mlirUnitAttrGet(mlirOperationGetContext(function)));
}

static bool partition(agpu__shard *self) {
  AGPU__SCOPED(ops) functions = agpu__ops_in(self->module, "func.func");
  bool ok = true;
  for (size_t i = 0; i < functions.count && ok; ++i) {
    MlirOperation function = functions.data[i];
    if (agpu__is_declaration(function))
      continue;
    if (!mlirBlockIsNull(
            mlirBlockGetNextInRegion(agpu__entry_block(function)))) {
      agpu__error(mlirOperationGetLocation(function),
                  "a function of several blocks cannot be split: write loops "
                  "and branches as scf.for and scf.if");
      ok = false;
      break;
    }
    agpu__shard_forget_values(self);
    agpu__shard_begin_function(self, function);
    agpu__shard_find_sizes(self, function);
    ok = agpu__shard_infer(self, function);
    if (ok)
      agpu__shard_rewrite(self, function);
    mark_arguments(function);
  }
  if (ok)
    agpu__shard_open_sites(self);
  return ok;
}

static MlirLogicalResult run(MlirOperation module,
                             const agpu_pass_values *values) {
  const char *split = agpu__pass_value_string(values, "split");
  agpu__shard self = {.module = module,
                      .context = mlirOperationGetContext(module),
                      .remarks = agpu__pass_value_bool(values, "remarks") ||
                                 agpu__diagnostics_wants_remarks(
                                     mlirOperationGetContext(module)),
                      .interior = agpu__pass_value_string(values, "interior"),
                      .pieces = agpu__pass_value_int(values, "pieces"),
                      .grid = {1, 1, 1}};
  if (self.pieces > AGPU__SHARD_MOST_PIECES)
    return agpu__error(mlirOperationGetLocation(module),
                       "async-gpu-shard: option 'pieces' is 0 to %d, not %lld",
                       AGPU__SHARD_MOST_PIECES, (long long)self.pieces);
  bool is_found = false;
  if (!agpu__shard_find_grid(&self, &is_found))
    return mlirLogicalResultFailure();
  if (!is_found && !strcmp(split, "none"))
    return agpu__error(mlirOperationGetLocation(module),
                       "nothing says how to split this program: it needs a "
                       "shard.grid and shard.shard, or --shard=batch or "
                       "--shard=rows");
  MlirLogicalResult result = agpu__upstream_run(module, before);
  if (mlirLogicalResultIsFailure(result))
    return result;
  bool ok = is_found || agpu__shard_annotate(&self, split);
  agpu__shard_fill_grid(&self, agpu__pass_value_int(values, "ranks"));
  ok = ok && partition(&self);
  for (size_t i = 0; i < self.site_count; ++i)
    free(self.sites[i].symbol);
  free(self.sites);
  free(self.values);
  free(self.groups);
  free(self.blocks);
  free(self.conversions);
  agpu__map_free(&self.numbers);
  if (!ok)
    return mlirLogicalResultFailure();
  AGPU__OPS_IN_FOREACH (grid, module, "shard.grid")
    mlirOperationDestroy(grid);
  return agpu__upstream_run(module, after);
}

static const agpu_pass_option options[] = {
    {"split", AGPU_OPTION_WORD, "none|batch|rows",
     "For a program without a shard.grid: split the first dimension of the "
     "first argument that is a tensor with a dimension (batch), or of each "
     "result (rows), among all ranks."},
    {"interior", AGPU_OPTION_WORD, "auto|always|never",
     "Compute what needs no halo while that is under way, and the rest behind "
     "it: where it takes long enough (auto), always, or never."},
    {"pieces", AGPU_OPTION_INT, "0",
     "Cut what all ranks reduce, gather, scatter or exchange between "
     "dimensions into so many pieces where the ops in front and behind work "
     "through a dimension that each rank has all of, 64 and its size at most: "
     "1 is never, 0 one for each 131,072 elements of the first message of the "
     "chain, four at most, where what is in front of it takes long enough."},
    {"ranks", AGPU_OPTION_INT, "0",
     "How many ranks the launcher will start: where the grid has an axis of "
     "size '?', parts have known sizes then, and with another number of ranks "
     "the program ends with an error. 0, or a number that is no multiple of "
     "the grid's other axes: that axis is as large as ranks are started for."},
    {"remarks", AGPU_OPTION_BOOL, "false",
     "Emit what ranks exchange, as remarks."},
};

const agpu_pass agpu__pass_shard = {
    .argument = "async-gpu-shard",
    .summary = "Split a program on tensors among ranks",
    AGPU__OPTIONS(options),
    .run_with = run,
};
