//===- parallel.c - Parallel loops become calls ---------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass `async-gpu-parallel`: which loops run on all threads. What they
// become is built in parallel_loop.c.
//
//===----------------------------------------------------------------------===//

#include "host/parallel/parallel.h"
#include "host/passes.h"
#include "lower/pass/diagnostics.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/// A loop of fewer iterations may leave threads idle, so that loops in it are
/// shared out as well.
#define MANY_ITERATIONS 64

typedef struct pass {
  MlirOperation module;
  MlirSymbolTable symbols;
  bool remarks;
} pass;

/// The function or region whose frame `op` runs in; a null op if it is not
/// code of the host.
static MlirOperation find_frame(MlirOperation module, MlirOperation op) {
  MlirOperation frame = {NULL};
  for (op = mlirOperationGetParentOperation(op);
       !mlirOperationEqual(op, module);
       op = mlirOperationGetParentOperation(op)) {
    bool is_frame = agpu__op_is_any(op, "func.func async.func async.execute");
    if (is_frame && mlirOperationIsNull(frame))
      frame = op;
    if (agpu__op_is_any(op, "builtin.module gpu.module gpu.launch"))
      return (MlirOperation){NULL};
  }
  return frame;
}

/// How many iterations the loop has in all; INT64_MAX if that is not known, or
/// too much to count.
static int64_t count_iterations(const agpu__loop *loop) {
  int64_t total = 1;
  for (size_t i = 0; i < loop->dimensions; ++i) {
    int64_t trips;
    if (!agpu__known_trip_count(agpu__loop_lower_bound(loop, i),
                                agpu__loop_upper_bound(loop, i),
                                agpu__loop_step(loop, i), &trips) ||
        __builtin_mul_overflow(total, trips, &total))
      return INT64_MAX;
  }
  return total;
}

/// How a loop that has been lowered runs.
static void remark_on(const agpu__loop *loop, MlirLocation location,
                      int64_t iterations) {
  if (loop->grain && iterations / loop->grain < 2) {
    agpu__remark(location,
                 "parallel loop: on one thread: its %" PRId64
                 " iterations are too short to be shared",
                 iterations);
    return;
  }
  char condition[96] = "";
  if (loop->cost_is_unknown)
    (void)snprintf(condition, sizeof(condition),
                   "; what an iteration costs is not known");
  else if (!loop->grain)
    (void)snprintf(condition, sizeof(condition),
                   "; if it is long enough when it runs");
  else if (iterations == INT64_MAX && loop->grain > 1)
    (void)snprintf(condition, sizeof(condition),
                   "; if it has %" PRId64 " iterations or more",
                   2 * loop->grain);
  agpu__remark(location,
               "parallel loop: on all threads, %zu dimension%s, %zu "
               "reduction%s%s",
               loop->dimensions, loop->dimensions == 1 ? "" : "s",
               loop->reductions, loop->reductions == 1 ? "" : "s", condition);
}

/// Why the loop cannot be lowered; NULL if it has been. The caller frees it.
static char *lower(agpu__loop *loop) {
  if (mlirOperationIsNull(loop->frame))
    return agpu__format("it is not in a function of the host");
  char *reason = agpu__loop_serial_reason(loop);
  if (!reason && !agpu__loop_lower(loop))
    reason = agpu__format("it uses or gives a value that cannot be kept in "
                          "memory");
  return reason;
}

/// Lowers the loop if that is possible. Adds the loops that then need not be.
static void visit(const pass *self, MlirOperation op, agpu__op_set *done) {
  MlirLocation location = mlirOperationGetLocation(op);
  if (agpu__op_set_has(done, op)) {
    if (self->remarks)
      agpu__remark(location, "parallel loop: in order, inside one that runs on "
                             "all threads");
    return;
  }
  agpu__loop loop = {
      .module = self->module,
      .symbols = self->symbols,
      .op = op,
      .frame = find_frame(self->module, op),
      .dimensions = (size_t)mlirBlockGetNumArguments(agpu__entry_block(op)),
      .reductions = (size_t)mlirOperationGetNumResults(op)};
  int64_t iterations = count_iterations(&loop);
  loop.shares_nested = iterations < MANY_ITERATIONS;
  AGPU__SCOPED(ops) nested = {0};
  if (!loop.shares_nested)
    agpu__collect(op, "scf.parallel", &nested);
  AGPU__OWNED char *reason = lower(&loop);
  if (!reason)
    for (size_t i = 0; i < nested.count; ++i)
      agpu__op_set_add(done, nested.data[i]);
  if (self->remarks && reason)
    agpu__remark(location, "parallel loop: on one thread, in order: %s",
                 reason);
  else if (self->remarks)
    remark_on(&loop, location, iterations);
}

/// Whether a `mapping` says which part of a GPU runs which iteration.
static bool is_mapped(MlirOperation loop) {
  MlirAttribute mapping = agpu__attr(loop, "mapping");
  if (mlirAttributeIsNull(mapping) || !mlirAttributeIsAArray(mapping))
    return false;
  for (intptr_t i = 0; i < mlirArrayAttrGetNumElements(mapping); ++i) {
    AGPU__SCOPED(text) text = {0};
    mlirAttributePrint(mlirArrayAttrGetElement(mapping, i), agpu__text_callback,
                       &text);
    const char *spelling = agpu__text_get(&text);
    bool is_gpu = strncmp(spelling, "#gpu.", 5) == 0 &&
                  !strstr(spelling, "processor = sequential");
    if (is_gpu)
      return true;
  }
  return false;
}

/// Says of a loop of the host's that it was meant for a GPU: by itself, no pass
/// of ours makes a kernel of it.
static void warn_of_mapping(MlirOperation module, MlirOperation loop) {
  if (!is_mapped(loop) || mlirOperationIsNull(find_frame(module, loop)))
    return;
  for (MlirOperation op = mlirOperationGetParentOperation(loop);
       !mlirOperationEqual(op, module);
       op = mlirOperationGetParentOperation(op))
    if (is_mapped(op))
      return;
  bool is_forall = agpu__op_is(loop, "scf.forall");
  agpu__warning(mlirOperationGetLocation(loop),
                "this loop is mapped to a GPU, but runs on the host: %s makes "
                "a kernel of it",
                is_forall ? "transform.gpu.map_forall_to_blocks"
                          : "--convert-parallel-loops-to-gpu");
}

static MlirLogicalResult run(MlirOperation module,
                             const agpu_pass_values *values) {
  bool upstream;
  if (mlirLogicalResultIsFailure(agpu__abi_option(module, values, &upstream)))
    return mlirLogicalResultFailure();
  agpu__ops found = {0};
  agpu__op_set done = {{0}, {0}};
  agpu__collect(module, "scf.forall", &found);
  agpu__collect(module, "scf.parallel", &found);
  for (size_t i = 0; i < found.count; ++i)
    warn_of_mapping(module, found.data[i]);
  agpu__ops_free(&found);
  if (upstream)
    return mlirLogicalResultSuccess();
  pass self = {.module = module,
               .symbols = mlirSymbolTableCreate(module),
               .remarks = agpu__pass_value_bool(values, "remarks") ||
                          agpu__diagnostics_wants_remarks(
                              mlirOperationGetContext(module))};
  agpu__collect(module, "scf.forall", &found);
  MlirLogicalResult result = mlirLogicalResultSuccess();
  for (size_t i = 0; i < found.count; ++i)
    if (!mlirOperationIsNull(find_frame(module, found.data[i])) &&
        mlirLogicalResultIsFailure(agpu__forall_to_parallel(found.data[i])))
      result = mlirLogicalResultFailure();
  agpu__ops_free(&found);
  agpu__collect(module, "scf.parallel", &found);
  for (size_t i = 0; i < found.count; ++i)
    visit(&self, found.data[i], &done);
  agpu__ops_free(&found);
  agpu__op_set_free(&done);
  mlirSymbolTableDestroy(self.symbols);
  return result;
}

static const agpu_pass_option options[] = {
    AGPU__ABI_OPTION,
    {"remarks", AGPU_OPTION_BOOL, "false",
     "Emit for each loop how it runs, and why, as remarks."},
};

const agpu_pass agpu__pass_parallel = {
    .argument = "async-gpu-parallel",
    .summary = "Run the iterations of scf.parallel on all threads",
    AGPU__OPTIONS(options),
    .run_with = run,
};
