//===- starts.c - Where regions start -------------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass `async-gpu-starts`: the decision. What becomes of regions that run
// where they are spawned is in run_at_spawn.c.
//
// The dialect says that a region may always run at once, where it is spawned.
// That is right for a program that could not do better with threads, so it is
// done only
//
// - for a region that takes less time than putting it on the executor would:
//   TINY ops at most, which branch forward alone;
// - for any other region that neither blocks nor loops, while the executor has
//   enough to do for the other threads, which is seen when the program runs.
//
// A region that might block keeps its thread, and one that loops might take
// long, or wait in its loop for what the spawner does next: these always start
// on the executor, and so does one that calls what the compiler does not know,
// unless the program says that it does not block. So does a region whose
// spawner puts work on a device, which should not wait for it. As in brief.c,
// ops are taken for harmless only where it is known what they do, and those of
// functions that are called count each time, which recursion does not survive.
//
//===----------------------------------------------------------------------===//

#include "host/async/async.h"
#include "host/passes.h"
#include "lower/dialect/attributes.h"
#include "lower/pass/diagnostics.h"

/// What a region that runs at its spawn may take, in ops that compute, where
/// an access to memory counts as several. Putting a region on the executor
/// takes some hundreds of instructions.
#define TINY 64

/// Ops of a region that may start in its spawner, with what it calls. A spawn
/// is next to nothing beside more.
#define FEW 200

/// What is being looked at.
typedef struct search {
  MlirSymbolTable symbols;
  MlirOperation region; ///< the async function
  bool tiny;
  bool alone; ///< awaits operands, or a token last, and does not spawn
  int left;
} search;

static bool body_is_fine(search *self, MlirOperation function);

/// The function that a call calls; a null op where it is not known or has no
/// body.
static MlirOperation callee_of(MlirSymbolTable symbols, MlirOperation call) {
  MlirOperation none = {NULL};
  MlirOperation callee = agpu__find_callee(symbols, call);
  if (mlirOperationIsNull(callee) || mlirOperationGetNumRegions(callee) == 0 ||
      agpu__is_declaration(callee))
    return none;
  return callee;
}

static bool kind_is(MlirOperation function, const char *kind) {
  return mlirStringRefEqual(agpu__get_string(function, AGPU__KIND_ATTR),
                            agpu__str(kind));
}

/// What only the region itself, or an async function that starts in its caller,
/// may have.
static bool async_op_is_fine(search *self, MlirOperation op) {
  if (agpu__op_is(op, "async.return"))
    return true;
  if (self->alone)
    return agpu__op_is(op, "async.await") &&
           (agpu__awaits_argument(op) ||
            (!self->tiny && agpu__awaits_last(op)));
  return agpu__op_is(op, "async.await") || agpu__op_is(op, "async.await_all");
}

static bool spawn_is_fine(search *self, MlirOperation call) {
  if (self->alone)
    return false;
  MlirOperation callee = callee_of(self->symbols, call);
  if (mlirOperationIsNull(callee))
    return false;
  // What starts on the executor is only put there.
  if (kind_is(callee, "host") || kind_is(callee, "mixed"))
    return true;
  return !kind_is(callee, "device") && body_is_fine(self, callee);
}

/// A function of which the program only says that it does not block. It may
/// take long, so that it is not tiny.
static bool is_said_not_to_block(const search *self, MlirOperation call) {
  MlirOperation callee = agpu__find_callee(self->symbols, call);
  return !self->tiny && !mlirOperationIsNull(callee) &&
         agpu__is_declaration(callee) &&
         agpu__has_attr(callee, AGPU__NON_BLOCKING);
}

static bool call_is_fine(search *self, MlirOperation call) {
  if (is_said_not_to_block(self, call))
    return true;
  MlirOperation callee = callee_of(self->symbols, call);
  return agpu__op_is(callee, "func.func") && body_is_fine(self, callee);
}

static int elements_of(MlirType type) {
  if (!mlirTypeIsAVector(type))
    return 0;
  int64_t count = 1;
  for (intptr_t i = 0; i < (intptr_t)mlirShapedTypeGetRank(type); ++i) {
    count *= mlirShapedTypeGetDimSize(type, i);
    if (count > FEW)
      return FEW + 1;
  }
  return (int)count;
}

/// About how many instructions `op` takes.
static int cost_of(MlirOperation op) {
  int cost = (int)agpu__row_of(op)->cost;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    cost += elements_of(mlirValueGetType(mlirOperationGetOperand(op, i)));
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i)
    cost += elements_of(mlirValueGetType(agpu__result(op, i)));
  return cost;
}

/// Whether what fails at `op` is its function's to give to the caller.
static bool gives_failure(MlirOperation op) {
  return agpu__has_attr(mlirOperationGetParentOperation(op), AGPU__FAILS_ATTR);
}

static bool op_is_fine(search *self, MlirOperation op, bool is_async) {
  self->left -= self->tiny ? cost_of(op) : 1;
  if (self->left < 0)
    return false;
  if (is_async && async_op_is_fine(self, op))
    return true;
  if (agpu__op_is(op, "cf.assert") || agpu__op_is(op, "agpu.propagate"))
    return is_async || gives_failure(op); // else it ends the program
  if (agpu__op_is(op, "func.call"))
    return call_is_fine(self, op);
  if (agpu__op_is(op, "async.call"))
    return spawn_is_fine(self, op);
  if (!self->alone &&
      (agpu__op_is_any(op, "async.create_group async.add_to_group")))
    return true;
  return agpu__only_computes(op) && agpu__only_branches_forward(op);
}

static bool body_is_fine(search *self, MlirOperation function) {
  bool is_async = agpu__op_is(function, "async.func");
  AGPU__BLOCKS_FOREACH (block, mlirOperationGetRegion(function, 0))
    AGPU__OPS_FOREACH (op, block)
      if (!op_is_fine(self, op, is_async))
        return false;
  return true;
}

//===----------------------------------------------------------------------===//
// All regions
//===----------------------------------------------------------------------===//

/// Whether a function puts work on a device by itself.
static bool has_device_ops(MlirOperation function) {
  AGPU__OPS_IN_FOREACH (op, function, NULL)
    if (agpu__op_in_dialect(op, "agpu") || agpu__op_in_dialect(op, "gpu"))
      return true;
  return false;
}

static MlirOperation function_around(MlirOperation op) {
  MlirOperation function = mlirOperationGetParentOperation(op);
  while (!mlirOperationIsNull(function) &&
         !agpu__has_attr(function, "function_type"))
    function = mlirOperationGetParentOperation(function);
  return function;
}

static void set_start(MlirOperation region, const char *start) {
  mlirOperationSetDiscardableAttributeByName(
      region, agpu__str(AGPU__START_ATTR),
      agpu__string_attr(mlirOperationGetContext(region), start));
}

static bool starts(MlirOperation region, const char *start) {
  return mlirStringRefEqual(agpu__get_string(region, AGPU__START_ATTR),
                            agpu__str(start));
}

static void decide(MlirSymbolTable symbols, MlirOperation region) {
  if (agpu__has_attr(region, AGPU__START_ATTR))
    return;
  search tiny = {symbols, region, true, true, TINY};
  search alone = {symbols, region, false, true, FEW};
  search few = {symbols, region, false, false, FEW};
  if (body_is_fine(&tiny, region))
    set_start(region, AGPU__START_SPAWNER);
  else if (body_is_fine(&alone, region))
    set_start(region, AGPU__START_READY);
  else if (body_is_fine(&few, region))
    set_start(region, AGPU__START_EITHER);
}

/// Whether a plain function takes the place of the region's coroutine, while
/// its operands are ready.
static bool is_plain(MlirOperation region) {
  return !mlirOperationIsNull(region) && (starts(region, AGPU__START_SPAWNER) ||
                                          starts(region, AGPU__START_READY));
}

static void remark(MlirOperation region) {
  MlirLocation location = mlirOperationGetLocation(region);
  if (starts(region, AGPU__START_SPAWNER))
    agpu__remark(location,
                 "this region takes less time than spawning it: it runs where "
                 "it is spawned, once its operands are ready");
  else if (starts(region, AGPU__START_EITHER) ||
           starts(region, AGPU__START_READY))
    agpu__remark(location, "this region neither blocks nor loops: it starts "
                           "where it is spawned while other threads have "
                           "enough to do");
}

static MlirLogicalResult run(MlirOperation module,
                             const agpu_pass_values *values) {
  bool upstream;
  MlirLogicalResult result = agpu__abi_option(module, values, &upstream);
  if (mlirLogicalResultIsFailure(result) || upstream)
    return result;
  AGPU__SCOPED(ops) functions = agpu__ops_in(module, "async.func");
  AGPU__SCOPED(ops) calls = agpu__ops_in(module, "async.call");
  AGPU__SCOPED(ops) plain_calls = {0};
  MlirSymbolTable symbols = mlirSymbolTableCreate(module);
  for (size_t i = 0; i < functions.count; ++i)
    if (kind_is(functions.data[i], "host"))
      decide(symbols, functions.data[i]);

  MlirOperation spawner = {NULL};
  bool on_device = false;
  for (size_t i = 0; i < calls.count; ++i) {
    MlirOperation callee = callee_of(symbols, calls.data[i]);
    if (mlirOperationIsNull(callee))
      continue;
    if (!starts(callee, AGPU__START_EITHER) &&
        !starts(callee, AGPU__START_READY))
      continue;
    MlirOperation around = function_around(calls.data[i]);
    if (!mlirOperationEqual(around, spawner)) {
      spawner = around;
      on_device = has_device_ops(spawner);
    }
    if (on_device)
      set_start(callee, AGPU__START_EXECUTOR);
  }

  bool remarks =
      agpu__pass_value_bool(values, "remarks") ||
      agpu__diagnostics_wants_remarks(mlirOperationGetContext(module));
  // The last region of a program is the first function.
  for (size_t i = functions.count; remarks && i-- > 0;)
    remark(functions.data[i]);
  for (size_t i = 0; i < calls.count; ++i)
    if (is_plain(callee_of(symbols, calls.data[i])))
      agpu__ops_push(&plain_calls, calls.data[i]);
  for (size_t i = 0; i < plain_calls.count; ++i)
    agpu__async_call_as_func_call(plain_calls.data[i]);
  for (size_t i = 0; i < functions.count; ++i)
    if (is_plain(functions.data[i]))
      agpu__run_at_spawn(symbols, functions.data[i]);
  mlirSymbolTableDestroy(symbols);
  return result;
}

static const agpu_pass_option options[] = {
    AGPU__ABI_OPTION,
    {"remarks", AGPU_OPTION_BOOL, "false",
     "Emit a remark for each region that does not always start on the "
     "executor."},
};

const agpu_pass agpu__pass_starts = {
    .argument = "async-gpu-starts",
    .summary = "Decide which regions start where they are spawned",
    AGPU__OPTIONS(options),
    .run_with = run,
};
