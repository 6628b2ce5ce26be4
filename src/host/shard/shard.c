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

#include "host/shard/shard.h"
#include "host/passes.h"
#include "lower/pass/diagnostics.h"
#include "lower/pass/upstream.h"

#include "mlir-c/BuiltinAttributes.h"

#include <stdlib.h>
#include <string.h>

/// What is called from one place is a part of that.
static const char before[] = "inline,func.func(convert-elementwise-to-linalg)";
static const char after[] = "canonicalize,cse";

static void drop(MlirOperation module, const char *name) {
  agpu__ops ops = agpu__ops_in(module, name);
  for (size_t i = 0; i < ops.count; ++i)
    mlirOperationDestroy(ops.data[i]);
  agpu__ops_free(&ops);
}

static bool partition(agpu__shard *self) {
  agpu__ops functions = agpu__ops_in(self->module, "func.func");
  bool ok = true;
  for (size_t i = 0; i < functions.count && ok; ++i)
    ok = agpu__is_declaration(functions.data[i]) ||
         agpu__shard_infer(self, functions.data[i]);
  for (size_t i = 0; i < functions.count && ok; ++i)
    if (!agpu__is_declaration(functions.data[i]))
      agpu__shard_rewrite(self, functions.data[i]);
  agpu__ops_free(&functions);
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
                      .grid = {1, 1, 1}};
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
  bool ok =
      (is_found || agpu__shard_annotate(&self, split)) && partition(&self);
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
  drop(module, "shard.grid");
  return agpu__upstream_run(module, after);
}

static const agpu_pass_option options[] = {
    {"split", AGPU_OPTION_WORD, "none|batch|rows",
     "For a program without a shard.grid: split the first dimension of the "
     "first argument (batch), or of each result (rows), among all ranks."},
    {"remarks", AGPU_OPTION_BOOL, "false",
     "Emit what ranks exchange, as remarks."},
};

const agpu_pass agpu__pass_shard = {
    .argument = "async-gpu-shard",
    .summary = "Split a program on tensors among ranks",
    .options = options,
    .option_count = sizeof(options) / sizeof(*options),
    .run = run,
};
