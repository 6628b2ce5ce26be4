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
// IR. What a stretch may hold is a list (graph_work.c): all else ends it.
// Nothing moves, and what becomes of a stretch is decided when it runs.
//
//===----------------------------------------------------------------------===//

#include "gpu/plan/picture.h"
#include "gpu/streams/streams.h"
#include "lower/pass/diagnostics.h"
#include "lower/pass/pass.h"

#include <stdlib.h>

/// Work of a part, at least, where the runtime decides.
#define LEAST_WORK_AUTO 3
/// Rounds below which a loop is not worth a graph.
#define LEAST_ROUNDS_AUTO 16
#define LEAST_ROUNDS_ON 2

typedef struct finder {
  MlirOperation module;
  MlirSymbolTable symbols;
  bool remarks;
  size_t parts;         ///< so far
  agpu__ops loop_calls; ///< each func.call in a loop
  // Of the function that is looked at.
  MlirOperation function;
  agpu__graph_choice choice;
} finder;

//===----------------------------------------------------------------------===//
// Parts
//===----------------------------------------------------------------------===//

/// The stream of the function; null: it has none.
static MlirValue find_stream(MlirOperation function) {
  MlirValue none = {NULL};
  MlirBlock entry = agpu__entry_block(function);
  AGPU__OPS_FOREACH (op, entry)
    if (agpu__op_is(op, "agpu.stream_acquire"))
      return agpu__result(op, 0);
  return none;
}

/// What `root` runs takes streams of its graph, and adds tokens to groups as is
/// right inside of one.
static void mark(finder *self, MlirOperation root) {
  agpu__graph_take_host_regions(self->symbols, root);
  AGPU__SCOPED(ops) ops = agpu__graph_ops(self->symbols, root);
  for (size_t i = 0; i < ops.count; ++i)
    if (agpu__op_is_any(ops.data[i], "agpu.stream_acquire async.add_to_group"))
      agpu__set_attr(ops.data[i], AGPU__GRAPH_ATTR,
                     mlirUnitAttrGet(mlirOperationGetContext(root)));
}

/// The first kernel that `root` launches, in what it runs, too; null: none.
static MlirAttribute find_kernel(finder *self, MlirOperation root) {
  MlirAttribute found = {NULL};
  AGPU__SCOPED(ops) ops = agpu__graph_ops(self->symbols, root);
  for (size_t i = 0; i < ops.count && mlirAttributeIsNull(found); ++i)
    if (agpu__op_is_any(ops.data[i], "agpu.launch agpu.launch_with"))
      found = agpu__attr(ops.data[i], "kernel");
  return found;
}

static void say_part(const finder *self, const agpu__graph_part *part,
                     int64_t work) {
  MlirLocation location = mlirOperationGetLocation(part->first);
  const agpu__picture_part picture = {
      .number = part->number,
      .work = work,
      .rounds = part->rounds ? part->rounds : 1,
      .is_fixed = part->is_fixed,
      .is_certain = part->choice == AGPU__GRAPH_CHOICE_ON,
      .place = agpu__place_of(location),
      .region = agpu__get_int(self->function, AGPU__REGION_ATTR, -1)};
  agpu__picture_tell_part(&picture);
  if (!self->remarks)
    return;
  AGPU__OWNED char *text = agpu__picture_part_text(&picture);
  agpu__remark(location, "part %zu: %s, %s", part->number, text,
               picture.is_certain ? "a graph from the second round on"
                                  : "a graph once it has run often enough");
}

/// From `first` to `last` of one block; with `rounds`, a loop.
static void make_part(finder *self, MlirOperation first, MlirOperation last,
                      int64_t work, int64_t rounds) {
  agpu__graph_part part = {.first = first,
                           .last = last,
                           .stream = find_stream(self->function),
                           .choice = self->choice,
                           .number = self->parts++,
                           .rounds = rounds};
  for (MlirOperation op = first;; op = mlirOperationGetNextInBlock(op)) {
    if (mlirAttributeIsNull(part.kernel))
      part.kernel = find_kernel(self, op);
    mark(self, op);
    if (mlirOperationEqual(op, last))
      break;
  }
  part.is_independent = mlirValueIsNull(part.stream) &&
                        agpu__graph_loop_is_independent(
                            rounds ? first : agpu__parent_of(first, "scf.for"));
  if (rounds) {
    part.is_fixed = agpu__graph_loop_is_fixed(self->symbols, first);
    agpu__graph_loop_build(&part);
  } else {
    agpu__graph_part_build(&part);
  }
  say_part(self, &part, work);
}

static void say_no(finder *self, MlirOperation op, const char *why) {
  if (self->remarks)
    agpu__remark(mlirOperationGetLocation(op), "no graph: %s", why);
}

static void look_into(finder *self, MlirOperation op, bool repeats);

/// What costs a call of the driver outside of a part, and none inside.
static bool is_on_stream(MlirOperation op) {
  return agpu__op_is_any(op, "agpu.stream_record agpu.dealloc");
}

/// A stretch of a block in the making.
typedef struct stretch {
  MlirOperation first, last; ///< those that enqueue; null: none so far
  int64_t work;
  int64_t host; ///< regions of the host behind `last`, which may be nodes
} stretch;

static void end_stretch(finder *self, stretch *of, MlirOperation obstacle_op,
                        const char *why) {
  int64_t least = self->choice == AGPU__GRAPH_CHOICE_ON ? 1 : LEAST_WORK_AUTO;
  if (of->work >= least && of->work <= AGPU__GRAPH_MOST_WORK)
    make_part(self, of->first, of->last, of->work, 0);
  else if (of->work > AGPU__GRAPH_MOST_WORK)
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
    agpu__graph_obstacle in_way = {none, NULL};
    int64_t work = repeats && self->choice != AGPU__GRAPH_CHOICE_OFF
                       ? agpu__graph_work(self->symbols, op, &in_way)
                       : -1;
    const char *why;
    if (work > 0 && agpu__graph_is_host_region(self->symbols, op, &why)) {
      of.host += !mlirOperationIsNull(of.first);
    } else if (work > 0 || (work == 0 && is_on_stream(op))) {
      if (mlirOperationIsNull(of.first))
        of.first = op;
      of.last = op;
      of.work += work + of.host;
      of.host = 0;
    } else if (work < 0) {
      end_stretch(self, &of, in_way.op, in_way.why);
      look_into(self, op, repeats);
    }
  }
  end_stretch(self, &of, none, NULL);
}

/// Makes a part of a loop all of whose body may be one. False: it may not.
static bool take_loop(finder *self, MlirOperation loop, int64_t trips) {
  agpu__graph_obstacle in_way;
  int64_t work = agpu__op_is(loop, "scf.for")
                     ? agpu__graph_work_in(self->symbols, loop, &in_way)
                     : -1;
  if (work <= 0 || work > AGPU__GRAPH_MOST_WORK)
    return false;
  int64_t rounds = agpu__graph_loop_rounds(work, trips);
  if (self->choice != AGPU__GRAPH_CHOICE_ON && work * rounds < LEAST_WORK_AUTO)
    return false;
  make_part(self, loop, loop, work, rounds);
  return true;
}

/// Has the device end a loop, an scf.while, or take the branches of a loop's
/// rounds, an scf.for, where that can be. False: it cannot.
static bool use_conditions(finder *self, MlirOperation op) {
  bool is_round = agpu__op_is(op, "scf.for");
  agpu__device_loop loop;
  bool is_one = (is_round ? agpu__device_round_match : agpu__device_loop_match)(
      self->module, self->symbols, op, find_stream(self->function), &loop);
  const agpu__graph_part part = {.first = op,
                                 .last = op,
                                 .stream = loop.stream,
                                 .kernel = loop.kernel,
                                 .choice = self->choice,
                                 .number = self->parts,
                                 .is_loop = !is_round,
                                 .is_branches = is_round};
  MlirLocation location = mlirOperationGetLocation(op);
  is_one = is_one &&
           (is_round ? agpu__device_round_build
                     : agpu__device_loop_build)(self->module, &loop, &part);
  self->parts += is_one;
  if (self->remarks && is_one && is_round)
    agpu__remark(location, "part %zu: rounds whose branches the device takes",
                 part.number);
  else if (self->remarks && is_one)
    agpu__remark(location,
                 "part %zu: a loop on the device, whose kernel "
                 "'agpu_loop_condition_%zu' ends it",
                 part.number, part.number);
  else if (self->remarks && loop.why)
    agpu__remark(location, "no %s on the device: %s",
                 is_round ? "branches" : "loop", loop.why);
  agpu__device_loop_free(&loop);
  return is_one;
}

/// A loop, or the blocks of an op that is no part as a whole. Where graphs are
/// off, loops in it may ask for them.
static void look_into(finder *self, MlirOperation op, bool repeats) {
  agpu__graph_choice outer = self->choice;
  agpu__graph_choice_of(op, &self->choice);
  bool is_off = self->choice == AGPU__GRAPH_CHOICE_OFF, is_done = false;
  if (!is_off && agpu__op_is(op, "scf.while"))
    (void)use_conditions(self, op);
  if (agpu__graph_is_loop(op) && !is_off) {
    int64_t trips = agpu__graph_rounds(op);
    int64_t least = self->choice == AGPU__GRAPH_CHOICE_ON ? LEAST_ROUNDS_ON
                                                          : LEAST_ROUNDS_AUTO;
    repeats |= trips < 0 || trips >= least;
    agpu__graph_obstacle in_way;
    if (!repeats && agpu__graph_work_in(self->symbols, op, &in_way) > 0)
      say_no(self, op, "it has too few rounds");
    is_done =
        repeats && (take_loop(self, op, trips) ||
                    (agpu__op_is(op, "scf.for") && use_conditions(self, op)));
  }
  if (!is_done)
    for (intptr_t i = 0; i < mlirOperationGetNumRegions(op); ++i)
      AGPU__BLOCKS_FOREACH (block, mlirOperationGetRegion(op, i))
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

/// Whether a part spawns the region: it runs as a piece of that.
static bool is_in_part(MlirOperation function) {
  MlirValue stream = find_stream(function);
  return !mlirValueIsNull(stream) &&
         agpu__has_attr(mlirOpResultGetOwner(stream), AGPU__GRAPH_ATTR);
}

static MlirLogicalResult run(MlirOperation module,
                             const agpu_pass_values *values) {
  finder self = {.module = module,
                 .remarks = agpu__pass_value_bool(values, "remarks")};
  const char *word = agpu__pass_value_string(values, "graphs");
  if (!agpu__graph_choice_read(word, &self.choice))
    return agpu__error(mlirOperationGetLocation(module),
                       "option graphs='%s' is neither off, on nor auto", word);
  agpu__graph_choice choice = self.choice;
  self.symbols = mlirSymbolTableCreate(module);
  self.loop_calls = agpu__ops_in(module, "func.call");
  keep_loop_calls(&self.loop_calls);
  for (int regions = 0; regions < 2; ++regions)
    AGPU__OPS_FOREACH (op, agpu__module_body(module)) {
      if (!agpu__is_body(op) || mlirBlockIsNull(agpu__entry_block(op)) ||
          agpu__graph_is_region(op) != regions || is_in_part(op))
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
    AGPU__OPTIONS(options),
    .run_with = run,
};
