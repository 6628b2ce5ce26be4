//===- form_regions.c - Regions from sequential code -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass `async-gpu-form-regions`: each block of a function that says nothing
// of order itself becomes a graph of regions. What holds of the order is in
// order.c, what becomes a region in decide.c.
//
//===----------------------------------------------------------------------===//

#include "gpu/form/form.h"
#include "gpu/plan/plan.h"
#include "lower/pass/diagnostics.h"
#include "lower/pass/pass.h"

#include <stdlib.h>

/// The first op that gives or takes a token: a program with tokens has said
/// what the order is.
typedef struct token_search {
  MlirOperation found;
} token_search;

static MlirWalkResult find_token(MlirOperation op, void *data) {
  bool has_token = agpu__op_in_dialect(op, "async");
  if (agpu__op_in_dialect(op, "gpu"))
    has_token |= !mlirValueIsNull(agpu__async_token_of(op)) ||
                 agpu__async_dependency_count(op) > 0;
  if (!has_token)
    return MlirWalkResultAdvance;
  ((token_search *)data)->found = op;
  return MlirWalkResultInterrupt;
}

static bool is_sequential(MlirOperation function) {
  token_search search = {{NULL}};
  mlirOperationWalk(function, find_token, &search, MlirWalkPreOrder);
  return mlirOperationIsNull(search.found);
}

/// Numbers regions from `number`. Returns what follows the last one.
static size_t form(agpu__summaries *summaries, const agpu__summary *function,
                   MlirBlock block, agpu__region_costs costs, size_t number,
                   bool remarks) {
  agpu__task_graph graph;
  agpu__task_graph_create(summaries, function, block, costs, &graph);
  agpu__decide_tasks(&graph);
  agpu__share_rounds(&graph);
  agpu__drop_implied_orders(&graph);
  number = agpu__number_regions(&graph, number);
  if (remarks)
    agpu__form_remark(&graph);
  agpu__emit_tasks(&graph);
  agpu__task_graph_free(&graph);
  return number;
}

/// Looks at all functions, as none may be changed before that.
static void look_at(agpu__summaries *summaries, MlirOperation module,
                    const agpu__ops *functions, bool all_apart) {
  agpu__summaries_create(module, all_apart, false, summaries);
  for (size_t i = 0; i < functions->count; ++i)
    agpu__summary_of(summaries, functions->data[i]);
}

/// How many numbers are for `op` and what is in it, as the plan's order is.
static size_t count_bodies(MlirOperation op) {
  if (agpu__op_is(op, "gpu.module"))
    return 0;
  size_t count = agpu__is_body(op);
  AGPU__OPS_IN_FOREACH (nested, op, NULL)
    count += agpu__is_body(nested);
  return count;
}

/// Gives rounds of loops memory of their own. True if anything has changed.
static bool rename_buffers(agpu__summaries *summaries, MlirOperation function,
                           agpu__region_costs costs, bool remarks) {
  MlirBlock block = agpu__entry_block(function);
  if (!mlirBlockIsNull(mlirBlockGetNextInRegion(block)))
    return false;
  agpu__task_graph graph;
  agpu__task_graph_create(summaries, agpu__summary_of(summaries, function),
                          block, costs, &graph);
  bool changed = agpu__rename_buffers(&graph, remarks);
  agpu__task_graph_free(&graph);
  return changed;
}

/// The same for all `functions`, until nothing changes. What a function does to
/// memory that others see stays the same, so all are looked at again at once.
static void rename_all(agpu__summaries *summaries, MlirOperation module,
                       const agpu__ops *all, const agpu__ops *functions,
                       agpu__region_costs costs, bool noalias, bool remarks) {
  AGPU__OWNED bool *settled =
      agpu__allocate(functions->count + 1, sizeof(*settled));
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t i = 0; i < functions->count; ++i) {
      settled[i] = settled[i] || !rename_buffers(summaries, functions->data[i],
                                                 costs, remarks);
      changed |= !settled[i];
    }
    if (changed) {
      agpu__summaries_free(summaries);
      look_at(summaries, module, all, noalias);
    }
  }
}

static MlirLogicalResult run(MlirOperation module,
                             const agpu_pass_values *values) {
  bool remarks =
      agpu__pass_value_bool(values, "remarks") ||
      agpu__diagnostics_wants_remarks(mlirOperationGetContext(module));
  bool noalias = agpu__pass_value_bool(values, "noalias-arguments");
  agpu__region_costs costs = {
      .host = agpu__pass_value_int(values, "host-region-ops"),
      .device = agpu__pass_value_int(values, "device-region-ops"),
      .is_emulated = !strcmp(agpu__pass_value_string(values, "device"), "emu")};
  // Work goes to the device that is the default where it stands.
  bool chooses = agpu__sets_default_device(module);
  AGPU__SCOPED(ops) all = {0}, functions = {0};
  AGPU__OPS_FOREACH (op, agpu__module_body(module))
    if (agpu__op_is(op, "func.func") && !agpu__is_declaration(op)) {
      agpu__ops_push(&all, op);
      if (chooses) {
        if (remarks)
          agpu__remark(mlirOperationGetLocation(op),
                       "the program sets the default device as it runs: left "
                       "as it is written");
      } else if (is_sequential(op))
        agpu__ops_push(&functions, op);
      else if (remarks)
        agpu__remark(mlirOperationGetLocation(op),
                     "has tokens of its own: left as it is written");
    }
  agpu__summaries summaries;
  look_at(&summaries, module, &all, noalias);
  rename_all(&summaries, module, &all, &functions, costs, noalias, remarks);
  size_t number = 0, formed = 0;
  AGPU__OPS_FOREACH (op, agpu__module_body(module)) {
    number += count_bodies(op);
    if (formed == functions.count ||
        !mlirOperationEqual(op, functions.data[formed]))
      continue;
    ++formed;
    AGPU__BLOCKS_FOREACH (block, mlirOperationGetRegion(op, 0))
      number = form(&summaries, agpu__summary_of(&summaries, op), block, costs,
                    number, remarks);
  }
  agpu__summaries_free(&summaries);
  return mlirLogicalResultSuccess();
}

static const agpu_pass_option options[] = {
    {"noalias-arguments", AGPU_OPTION_BOOL, "false",
     "Take it that no two memref arguments of a function are the same memory, "
     "nor a global."},
    {"host-region-ops", AGPU_OPTION_INT, "100000",
     "How many ops of the host a region has to hold to be worth one."},
    {"device-region-ops", AGPU_OPTION_INT, "500000",
     "The same of a kernel, in ops of all its threads; on a GPU, unless ranks "
     "exchange messages, in an eighth of them, and of 32,768 threads where it "
     "has fewer."},
    {"device", AGPU_OPTION_WORD, "gpu|emu",
     "What regions are for: gpu, or emu for the emulated device, where kernels "
     "that each fill all CPUs form none to run beside each other."},
    {"remarks", AGPU_OPTION_BOOL, "false",
     "Emit the regions that are formed, what each depends on and why, and each "
     "wait, as remarks."},
};

const agpu_pass agpu__pass_form_regions = {
    .argument = "async-gpu-form-regions",
    .summary = "Form regions of sequential code, from what it reads and writes",
    AGPU__OPTIONS(options),
    .run_with = run,
};
