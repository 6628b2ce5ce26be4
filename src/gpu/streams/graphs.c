//===- graphs.c - Parts that become graphs -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass `async-gpu-graphs`: finds, in code that runs again and again,
// stretches that only enqueue work, and puts their beginning and end into the
// IR. What a stretch may hold is a list: all else ends it. Nothing moves, and
// what becomes of a stretch is decided when it runs.
//
//===----------------------------------------------------------------------===//

#include "gpu/plan/async_ops.h"
#include "gpu/plan/bodies.h"
#include "gpu/streams/graph_part.h"
#include "lower/dialect/attributes.h"
#include "lower/ir/constants.h"
#include "lower/ir/ir.h"
#include "lower/ir/location.h"
#include "lower/pass/diagnostics.h"
#include "lower/pass/pass.h"

#include <stdlib.h>
#include <string.h>

/// Work of a part, at least, and at most; where the runtime decides, and where
/// a graph is asked for.
#define LEAST_WORK_AUTO 3
#define MOST_WORK 4096
/// Rounds below which a loop is not worth a graph.
#define LEAST_ROUNDS_AUTO 16
#define LEAST_ROUNDS_ON 2
/// Rounds of an inner loop that a graph takes as a whole.
#define MOST_INNER_ROUNDS 256

typedef struct finder {
  MlirSymbolTable symbols;
  bool remarks;
  size_t parts;         ///< so far
  agpu__ops loop_calls; ///< each func.call in a loop
  // Of the function that is looked at.
  MlirOperation function;
  agpu__graph_choice choice;
} finder;

/// Ends a stretch: what stands in the way, or null.
typedef struct obstacle {
  MlirOperation op;
  const char *why;
} obstacle;

//===----------------------------------------------------------------------===//
// What a part may hold
//===----------------------------------------------------------------------===//

/// Constant rounds of an scf.for; -1: they are not known.
static int64_t count_rounds(MlirOperation loop) {
  int64_t rounds;
  return agpu__op_is(loop, "scf.for") &&
                 agpu__known_trip_count(mlirOperationGetOperand(loop, 0),
                                        mlirOperationGetOperand(loop, 1),
                                        mlirOperationGetOperand(loop, 2),
                                        &rounds)
             ? rounds
             : -1;
}

static bool is_loop(MlirOperation op) {
  static const char *const loops[] = {"scf.for", "scf.while"};
  return agpu__op_is_any(op, loops, 2);
}

/// What neither enqueues nor waits.
static bool is_harmless(MlirOperation op) {
  static const char *const dialects[] = {"arith",  "math",   "index",  "ub",
                                         "memref", "vector", "complex"};
  static const char *const ops[] = {"builtin.unrealized_conversion_cast",
                                    "scf.yield",
                                    "scf.condition",
                                    "agpu.stream_record",
                                    "func.return",
                                    "async.return"};
  for (size_t i = 0; i < sizeof dialects / sizeof *dialects; ++i)
    if (agpu__op_in_dialect(op, dialects[i]))
      return true;
  return agpu__op_is_any(op, ops, sizeof ops / sizeof *ops);
}

static int64_t count_region(finder *self, MlirOperation function, obstacle *out,
                            unsigned depth);

/// How much work the op enqueues; negative: it cannot be part of a graph, and
/// `*out` says what in it cannot.
static int64_t count_work(finder *self, MlirOperation op, obstacle *out,
                          unsigned depth);

static int64_t count_block(finder *self, MlirBlock block, obstacle *out,
                           unsigned depth) {
  int64_t work = 0;
  for (MlirOperation op = mlirBlockGetFirstOperation(block);
       !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op)) {
    int64_t more = count_work(self, op, out, depth);
    if (more < 0)
      return -1;
    work += more;
  }
  return work;
}

static int64_t count_inner(finder *self, MlirOperation op, obstacle *out,
                           unsigned depth) {
  int64_t work = 0;
  for (intptr_t i = 0; i < mlirOperationGetNumRegions(op); ++i)
    for (MlirBlock block =
             mlirRegionGetFirstBlock(mlirOperationGetRegion(op, i));
         !mlirBlockIsNull(block); block = mlirBlockGetNextInRegion(block)) {
      int64_t more = count_block(self, block, out, depth);
      if (more < 0)
        return -1;
      work += more;
    }
  return work;
}

static int64_t refuse(obstacle *out, MlirOperation op, const char *why) {
  *out = (obstacle){op, why};
  return -1;
}

static int64_t count_call(finder *self, MlirOperation op, obstacle *out,
                          unsigned depth) {
  MlirAttribute callee = agpu__attr(op, "callee");
  MlirOperation function = mlirSymbolTableLookup(
      self->symbols, mlirFlatSymbolRefAttrGetValue(callee));
  MlirStringRef kind = mlirOperationIsNull(function)
                           ? mlirStringRefCreate(NULL, 0)
                           : agpu__get_string(function, AGPU__KIND_ATTR);
  if (!mlirStringRefEqual(kind, agpu__str("device")))
    return refuse(out, op, "it spawns what runs on the host");
  return count_region(self, function, out, depth + 1);
}

static int64_t count_work(finder *self, MlirOperation op, obstacle *out,
                          unsigned depth) {
  static const char *const work[] = {"agpu.launch", "agpu.memcpy",
                                     "agpu.memset"};
  static const char *const memory[] = {"agpu.alloc", "agpu.dealloc"};
  if (depth > 8)
    return refuse(out, op, "regions are nested too deep");
  if (agpu__op_is_any(op, work, 3))
    return 1;
  if (agpu__op_is_any(op, memory, 2))
    return 0;
  if (agpu__op_is(op, "async.call"))
    return count_call(self, op, out, depth);
  if (is_loop(op)) {
    int64_t rounds = count_rounds(op);
    int64_t inner = count_inner(self, op, out, depth);
    if (inner <= 0)
      return inner;
    if (rounds < 0 || rounds > MOST_INNER_ROUNDS || inner * rounds > MOST_WORK)
      return refuse(out, op,
                    rounds < 0 ? "it runs as often as is computed"
                               : "it has too much work for one graph");
    return inner * rounds;
  }
  if (agpu__op_is(op, "scf.if"))
    return count_inner(self, op, out, depth);
  if (is_harmless(op))
    return 0;
  return refuse(
      out, op,
      "the host may observe what was done, or what it does is not known");
}

/// Of a region's function, which may wait, on its stream, for what comes in.
static int64_t count_region(finder *self, MlirOperation function, obstacle *out,
                            unsigned depth) {
  static const char *const own[] = {"agpu.stream_acquire", "agpu.stream_wait",
                                    "agpu.stream_release"};
  MlirBlock entry = agpu__entry_block(function);
  int64_t work = 0;
  if (mlirBlockIsNull(entry))
    return refuse(out, function, "it is not known");
  for (MlirOperation op = mlirBlockGetFirstOperation(entry);
       !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op)) {
    if (agpu__op_is_any(op, own, 3))
      continue;
    int64_t more = count_work(self, op, out, depth);
    if (more < 0)
      return -1;
    work += more;
  }
  return work;
}

//===----------------------------------------------------------------------===//
// Parts
//===----------------------------------------------------------------------===//

/// The stream of the function; null: it has none.
static MlirValue find_stream(MlirOperation function) {
  MlirValue none = {NULL};
  MlirBlock entry = agpu__entry_block(function);
  for (MlirOperation op = mlirBlockGetFirstOperation(entry);
       !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op))
    if (agpu__op_is(op, "agpu.stream_acquire"))
      return agpu__result(op, 0);
  return none;
}

/// Regions that `root` spawns take streams of its graph.
static void mark_regions(finder *self, MlirOperation root) {
  agpu__ops ops = {0};
  agpu__ops_push(&ops, root);
  agpu__collect(root, NULL, &ops);
  for (size_t i = 0; i < ops.count; ++i) {
    if (!agpu__op_is(ops.data[i], "async.call"))
      continue;
    MlirAttribute callee = agpu__attr(ops.data[i], "callee");
    MlirOperation function = mlirSymbolTableLookup(
        self->symbols, mlirFlatSymbolRefAttrGetValue(callee));
    MlirValue stream = find_stream(function);
    if (!mlirValueIsNull(stream))
      agpu__set_attr(mlirOpResultGetOwner(stream), AGPU__GRAPH_ATTR,
                     mlirUnitAttrGet(mlirOperationGetContext(function)));
    mark_regions(self, function);
  }
  agpu__ops_free(&ops);
}

/// The first kernel that `root` launches, in regions, too; null: none.
static MlirAttribute find_kernel(finder *self, MlirOperation root) {
  MlirAttribute found = {NULL};
  agpu__ops ops = {0};
  agpu__ops_push(&ops, root);
  agpu__collect(root, NULL, &ops);
  for (size_t i = 0; i < ops.count && mlirAttributeIsNull(found); ++i) {
    if (agpu__op_is(ops.data[i], "agpu.launch")) {
      found = agpu__attr(ops.data[i], "kernel");
    } else if (agpu__op_is(ops.data[i], "async.call")) {
      MlirAttribute callee = agpu__attr(ops.data[i], "callee");
      found = find_kernel(
          self, mlirSymbolTableLookup(self->symbols,
                                      mlirFlatSymbolRefAttrGetValue(callee)));
    }
  }
  agpu__ops_free(&ops);
  return found;
}

/// From `first` to `last` of one block.
static void make_part(finder *self, MlirOperation first, MlirOperation last,
                      int64_t work) {
  MlirAttribute kernel = {NULL};
  for (MlirOperation op = first;; op = mlirOperationGetNextInBlock(op)) {
    if (mlirAttributeIsNull(kernel))
      kernel = find_kernel(self, op);
    mark_regions(self, op);
    if (mlirOperationEqual(op, last))
      break;
  }
  agpu__graph_part_build(first, last, find_stream(self->function), kernel,
                         self->choice, self->parts);
  if (self->remarks)
    agpu__remark(mlirOperationGetLocation(first),
                 "part %zu: %lld pieces of work a round, a graph %s",
                 self->parts, (long long)work,
                 self->choice == AGPU__GRAPH_CHOICE_ON
                     ? "from the second round on"
                     : "once it has run often enough");
  ++self->parts;
}

static void say_no(finder *self, MlirOperation op, const char *why) {
  if (self->remarks)
    agpu__remark(mlirOperationGetLocation(op), "no graph: %s", why);
}

static void look_into(finder *self, MlirOperation op, bool repeats);

/// What costs a call of the driver outside of a part, and none inside.
static bool is_on_stream(MlirOperation op) {
  static const char *const ops[] = {"agpu.stream_record", "agpu.dealloc"};
  return agpu__op_is_any(op, ops, 2);
}

/// A stretch of a block in the making.
typedef struct stretch {
  MlirOperation first, last; ///< those that enqueue; null: none so far
  int64_t work;
} stretch;

static void end_stretch(finder *self, stretch *of, MlirOperation obstacle_op,
                        const char *why) {
  int64_t least = self->choice == AGPU__GRAPH_CHOICE_ON ? 1 : LEAST_WORK_AUTO;
  if (of->work >= least && of->work <= MOST_WORK)
    make_part(self, of->first, of->last, of->work);
  else if (of->work > MOST_WORK)
    say_no(self, of->first, "it has too much work for one graph");
  else if (of->work > 0)
    say_no(self, of->first, "it has too little work for one");
  if (of->work > 0 && why)
    say_no(self, obstacle_op, why);
  *of = (stretch){.work = 0};
}

/// Finds the stretches of a block; `repeats`: it runs more than once.
static void look_at_block(finder *self, MlirBlock block, bool repeats) {
  stretch of = {.work = 0};
  MlirOperation next, none = {NULL};
  for (MlirOperation op = mlirBlockGetFirstOperation(block);
       !mlirOperationIsNull(op); op = next) {
    next = mlirOperationGetNextInBlock(op);
    obstacle in_way = {none, NULL};
    int64_t work = repeats ? count_work(self, op, &in_way, 0) : -1;
    if (work > 0 || (work == 0 && is_on_stream(op))) {
      if (mlirOperationIsNull(of.first))
        of.first = op;
      of.last = op;
      of.work += work;
    } else if (work < 0) {
      end_stretch(self, &of, in_way.op, in_way.why);
      look_into(self, op, repeats);
    }
  }
  end_stretch(self, &of, none, NULL);
}

/// The blocks of an op that is no part as a whole.
static void look_into(finder *self, MlirOperation op, bool repeats) {
  agpu__graph_choice outer = self->choice;
  if (!agpu__graph_choice_of(op, &self->choice))
    return;
  if (is_loop(op)) {
    int64_t rounds = count_rounds(op);
    int64_t least = self->choice == AGPU__GRAPH_CHOICE_ON ? LEAST_ROUNDS_ON
                                                          : LEAST_ROUNDS_AUTO;
    repeats |= rounds < 0 || rounds >= least;
    obstacle in_way;
    if (!repeats && count_inner(self, op, &in_way, 0) > 0)
      say_no(self, op, "it has too few rounds");
  }
  if (self->choice != AGPU__GRAPH_CHOICE_OFF)
    for (intptr_t i = 0; i < mlirOperationGetNumRegions(op); ++i)
      for (MlirBlock block =
               mlirRegionGetFirstBlock(mlirOperationGetRegion(op, i));
           !mlirBlockIsNull(block); block = mlirBlockGetNextInRegion(block))
        look_at_block(self, block, repeats);
  self->choice = outer;
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

/// Keeps those of `calls` that stand in a loop.
static void keep_loop_calls(agpu__ops *calls) {
  size_t kept = 0;
  for (size_t i = 0; i < calls->count; ++i) {
    MlirOperation call = calls->data[i];
    if (!mlirOperationIsNull(agpu__parent_of(call, "scf.for")) ||
        !mlirOperationIsNull(agpu__parent_of(call, "scf.while")))
      calls->data[kept++] = call;
  }
  calls->count = kept;
}

/// Whether a loop of the module calls the function, or the user says that it
/// is called often.
static bool is_called_often(const finder *self, MlirOperation function) {
  MlirStringRef name = mlirStringAttrGetValue(agpu__attr(function, "sym_name"));
  bool found = agpu__has_attr(function, AGPU__GRAPHS_ATTR);
  for (size_t i = 0; i < self->loop_calls.count && !found; ++i)
    found = mlirStringRefEqual(mlirFlatSymbolRefAttrGetValue(agpu__attr(
                                   self->loop_calls.data[i], "callee")),
                               name);
  return found;
}

static MlirLogicalResult run(MlirOperation module,
                             const agpu_pass_values *values) {
  finder self = {.remarks = agpu__pass_value_bool(values, "remarks")};
  const char *word = agpu__pass_value_string(values, "graphs");
  if (!agpu__graph_choice_read(word, &self.choice))
    return agpu__error(mlirOperationGetLocation(module),
                       "option graphs='%s' is neither off, on nor auto", word);
  agpu__graph_choice choice = self.choice;
  if (mlirLogicalResultIsFailure(agpu__graph_check_choices(module)))
    return mlirLogicalResultFailure();
  self.symbols = mlirSymbolTableCreate(module);
  self.loop_calls = agpu__ops_in(module, "func.call");
  keep_loop_calls(&self.loop_calls);
  MlirBlock body = agpu__module_body(module);
  for (MlirOperation op = mlirBlockGetFirstOperation(body);
       !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op)) {
    if (!agpu__is_body(op) || mlirBlockIsNull(agpu__entry_block(op)))
      continue;
    self.function = op;
    self.choice = choice;
    look_into(&self, op, is_called_often(&self, op));
  }
  agpu__ops_free(&self.loop_calls);
  mlirSymbolTableDestroy(self.symbols);
  agpu__graph_forget_choices(module);
  return mlirLogicalResultSuccess();
}

static const agpu_pass_option options[] = {
    {"graphs", AGPU_OPTION_STRING, "off",
     "Whether device work that repeats itself becomes CUDA graphs: off, on, or "
     "auto, where it pays."},
    {"remarks", AGPU_OPTION_BOOL, "false",
     "Emit what becomes of each part that repeats itself, and why not, as "
     "remarks."},
};

const agpu_pass agpu__pass_graphs = {
    .argument = "async-gpu-graphs",
    .summary = "Find device work that repeats itself",
    .options = options,
    .option_count = sizeof(options) / sizeof(*options),
    .run = run,
};
