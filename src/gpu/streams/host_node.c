//===- host_node.c - Regions of the host in graphs ------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A short region of the host between work of a round becomes a region that
// enqueues a call of its code, which a graph has as a node:
//
//     async.func @f(%t, %x) {             async.func @f(%t, %x) {
//       await %t                            %s = agpu.stream_acquire
//       ... %x                              agpu.stream_wait %s, %t
//       return                              agpu.host_call %s, (%x)
//     }                                     return
//                                         }
//                                         func.func @f_node(%x) { ... %x }
//
// The driver calls it on a thread of its own, where it may not fail, block or
// call anything of the driver's; and a graph is not launched again before it is
// over. So its ops do no more than to compute and access memory, its loops have
// a known number of rounds, and it stands between work of the device: what
// could run beside that stays a task.
//
//===----------------------------------------------------------------------===//

#include "gpu/streams/streams.h"

#include "lower/dialect/dialect.h"

#include <stdlib.h>

/// Ops of such a region, at most: some microseconds, in which the driver calls
/// nothing else.
#define MOST_OPS 8192
#define MOST_DEPTH 8
/// As many as anything may be, or what must not be.
#define TOO_MANY ((int64_t)1 << 40)
/// Ops that are looked at for one region: one that takes more stays a task.
#define MOST_STEPS 65536

typedef struct search {
  MlirSymbolTable symbols;
  size_t steps; ///< that it has taken
} search;

static bool gives_up(search *self, unsigned depth) {
  return depth > MOST_DEPTH || ++self->steps > MOST_STEPS;
}

//===----------------------------------------------------------------------===//
// What the region does
//===----------------------------------------------------------------------===//

static int64_t plus(int64_t a, int64_t b) {
  return a + b < TOO_MANY ? a + b : TOO_MANY;
}

static int64_t times(int64_t a, int64_t b) {
  return !a || b <= TOO_MANY / a ? a * b : TOO_MANY;
}

static int64_t cost_of_copy(MlirOperation op) {
  MlirType type = mlirValueGetType(mlirOperationGetOperand(op, 0));
  int64_t elements = 1;
  if (!mlirTypeIsAMemRef(type) || !agpu__memref_has_static_shape(type))
    return TOO_MANY;
  for (intptr_t i = 0; i < mlirShapedTypeGetRank(type); ++i)
    elements = times(elements, mlirShapedTypeGetDimSize(type, i));
  return elements;
}

static int64_t cost_of_block(search *self, MlirBlock block, unsigned depth);

/// Of all that is in the op's regions, each of which has one block at most.
static int64_t cost_inside(search *self, MlirOperation op, unsigned depth) {
  int64_t cost = 0;
  for (intptr_t i = 0; i < mlirOperationGetNumRegions(op); ++i) {
    MlirBlock block = agpu__region_entry(op, i);
    if (mlirBlockIsNull(block))
      continue;
    cost = plus(cost, mlirBlockIsNull(mlirBlockGetNextInRegion(block))
                          ? cost_of_block(self, block, depth + 1)
                          : TOO_MANY);
  }
  return cost;
}

/// How many ops it is, or TOO_MANY where it may do what it must not.
static int64_t cost_of(search *self, MlirOperation op, unsigned depth) {
  const agpu__op_row *row = agpu__row_of(op);
  if (gives_up(self, depth) ||
      row->traits & (AGPU__OP_FAILS | AGPU__OP_TELLS | AGPU__OP_KERNEL |
                     AGPU__OP_MESSAGES | AGPU__OP_RELEASES | AGPU__OP_ENQUEUES))
    return TOO_MANY;
  switch (row->class) {
  case AGPU__OP_PURE:
  case AGPU__OP_VIEW:
  case AGPU__OP_GLOBAL: return row->cost;
  case AGPU__OP_ACCESSES:
    return agpu__op_is(op, "memref.copy") ? cost_of_copy(op)
           : row->cost == AGPU__OP_LONG   ? TOO_MANY
                                          : row->cost;
  case AGPU__OP_STRUCTURE: {
    int64_t trips = row->traits & AGPU__OP_LOOP ? agpu__graph_rounds(op) : 1;
    int64_t inside = cost_inside(self, op, depth);
    // What must not be there must not be in a loop without rounds, either.
    return trips < 0 || inside == TOO_MANY ? TOO_MANY
                                           : times(trips, plus(1, inside));
  }
  case AGPU__OP_CALL: {
    MlirOperation callee = agpu__find_callee(self->symbols, op);
    return mlirOperationIsNull(callee) || agpu__is_declaration(callee)
               ? TOO_MANY
               : cost_inside(self, callee, depth);
  }
  default: return TOO_MANY;
  }
}

static int64_t cost_of_block(search *self, MlirBlock block, unsigned depth) {
  int64_t cost = 0;
  for (MlirOperation op = mlirBlockGetFirstOperation(block);
       !mlirOperationIsNull(op) && cost < TOO_MANY;
       op = mlirOperationGetNextInBlock(op))
    cost = plus(cost, cost_of(self, op, depth));
  return cost;
}

/// An await of a token that the function is given.
static bool awaits_operand(MlirOperation op) {
  return agpu__op_is(op, "async.await") && !mlirOperationGetNumResults(op) &&
         mlirValueIsABlockArgument(mlirOperationGetOperand(op, 0));
}

/// Whether the value can be handed on as bytes, or is a token.
static bool may_be_argument(MlirValue value) {
  MlirType type = mlirValueGetType(value);
  return agpu__type_is_token(type) || mlirTypeIsAMemRef(type) ||
         (agpu__is_plain_type(type) && !mlirTypeIsAVector(type));
}

/// NULL: the code of the region may be a node.
static const char *find_fault(search *self, MlirOperation function) {
  MlirBlock block = agpu__entry_block(function);
  agpu__graph_choice choice = AGPU__GRAPH_CHOICE_AUTO;
  agpu__graph_choice_of(function, &choice);
  if (choice == AGPU__GRAPH_CHOICE_OFF)
    return "it spawns what runs on the host, and is to stay a task";
  if (mlirBlockIsNull(block) ||
      !mlirBlockIsNull(mlirBlockGetNextInRegion(block)))
    return "it spawns what runs on the host, and has branches";
  if (agpu__has_attr(function, AGPU__DEVICE_ATTR))
    return "it spawns what runs on the host, and chooses a device";
  if (mlirOperationGetNumOperands(mlirBlockGetTerminator(block)))
    return "it spawns what runs on the host, and gives more than a token";
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(block); ++i)
    if (!may_be_argument(mlirBlockGetArgument(block, i)))
      return "it spawns what runs on the host, and is given more than memrefs "
             "and numbers";
  int64_t cost = 0;
  bool has_begun = false;
  AGPU__OPS_FOREACH (op, block) {
    if ((awaits_operand(op) && !has_begun) || agpu__graph_names_device(op))
      continue;
    has_begun |= agpu__row_of(op)->class != AGPU__OP_PURE;
    cost = plus(cost, cost_of(self, op, 0));
  }
  return cost < TOO_MANY &&
                 (cost <= MOST_OPS || choice == AGPU__GRAPH_CHOICE_ON)
             ? NULL
         : cost < TOO_MANY
             ? "it spawns what runs on the host, and takes long"
             : "it spawns what runs on the host, and may block, fail, take "
               "long or be seen from outside";
}

//===----------------------------------------------------------------------===//
// Where it stands
//===----------------------------------------------------------------------===//

/// The region of the device, or of the host, that the op spawns; null: none.
static MlirOperation find_region(const search *self, MlirOperation op,
                                 bool *out_is_device) {
  MlirOperation function = {NULL};
  if (agpu__op_is(op, "async.call"))
    function = agpu__find_callee(self->symbols, op);
  *out_is_device =
      !mlirOperationIsNull(function) && agpu__graph_is_region(function);
  return function;
}

static bool is_behind_work(search *self, MlirOperation call, unsigned depth);

/// Whether the token is one of work in `block`, this time or the last.
static bool is_of_work(search *self, MlirBlock block, MlirValue token,
                       unsigned depth) {
  if (!agpu__type_is_token(mlirValueGetType(token)) || gives_up(self, depth))
    return false;
  if (mlirValueIsABlockArgument(token)) {
    MlirOperation loop = mlirBlockGetParentOperation(block);
    intptr_t number = mlirBlockArgumentGetArgNumber(token) - 1;
    return agpu__op_is(loop, "scf.for") && number >= 0 &&
           mlirBlockEqual(mlirBlockArgumentGetOwner(token), block) &&
           is_of_work(
               self, block,
               mlirOperationGetOperand(mlirBlockGetTerminator(block), number),
               depth + 1);
  }
  MlirOperation op = mlirOpResultGetOwner(token);
  if (!mlirBlockEqual(mlirOperationGetBlock(op), block))
    return false;
  if (agpu__op_is(op, "agpu.stream_record")) {
    for (op = mlirBlockGetFirstOperation(block);
         !mlirOperationEqual(op, mlirOpResultGetOwner(token));
         op = mlirOperationGetNextInBlock(op))
      if (agpu__op_has(op, AGPU__OP_DEVICE))
        return true;
    return false;
  }
  bool is_device;
  MlirOperation region = find_region(self, op, &is_device);
  return is_device ||
         (!mlirOperationIsNull(region) && is_behind_work(self, op, depth + 1));
}

static bool is_behind_work(search *self, MlirOperation call, unsigned depth) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(call); ++i)
    if (is_of_work(self, mlirOperationGetBlock(call),
                   mlirOperationGetOperand(call, i), depth))
      return true;
  return false;
}

/// Whether a region of the device waits for the token, this time or next time.
static bool is_ahead_of_work(search *self, MlirBlock block, MlirValue token,
                             unsigned depth) {
  for (MlirOpOperand use = mlirValueGetFirstUse(token);
       !mlirOpOperandIsNull(use) && !gives_up(self, depth);
       use = mlirOpOperandGetNextUse(use)) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    MlirOperation loop = mlirBlockGetParentOperation(block);
    bool is_device, is_yield = agpu__op_is(user, "scf.yield") &&
                               agpu__op_is(loop, "scf.for");
    MlirOperation region = find_region(self, user, &is_device);
    if (!mlirBlockEqual(mlirOperationGetBlock(user), block))
      continue;
    MlirValue next = {NULL};
    if (is_yield)
      next =
          mlirBlockGetArgument(block, mlirOpOperandGetOperandNumber(use) + 1);
    else if (!mlirOperationIsNull(region))
      next = agpu__result(user, 0);
    if (is_device || (!mlirValueIsNull(next) &&
                      is_ahead_of_work(self, block, next, depth + 1)))
      return true;
  }
  return false;
}

bool agpu__graph_is_host_region(MlirSymbolTable symbols, MlirOperation call,
                                const char **out_why) {
  search self = {.symbols = symbols};
  bool is_device;
  MlirOperation function = find_region(&self, call, &is_device);
  *out_why = "it spawns what runs on the host";
  if (mlirOperationIsNull(function) || is_device ||
      !mlirStringRefEqual(agpu__get_string(function, AGPU__KIND_ATTR),
                          agpu__str(AGPU__KIND_HOST)) ||
      mlirOperationGetNumResults(call) != 1)
    return false;
  *out_why = "it spawns what runs on the host, and does not stand between work "
             "of the device";
  if (!is_behind_work(&self, call, 0))
    return false;
  self.steps = 0;
  if (!is_ahead_of_work(&self, mlirOperationGetBlock(call),
                        agpu__result(call, 0), 0))
    return false;
  self.steps = 0;
  *out_why = find_fault(&self, function);
  return !*out_why;
}

//===----------------------------------------------------------------------===//
// What becomes of it
//===----------------------------------------------------------------------===//

/// The function of the code, which takes the body over; `kept` are the
/// arguments of the region that it is called with.
static MlirOperation take_code(MlirSymbolTable symbols, MlirOperation function,
                               const agpu__values *kept) {
  MlirBlock block = agpu__entry_block(function);
  MlirOperation end = mlirBlockGetTerminator(block);
  agpu__builder at = agpu__builder_before(end);
  agpu__build_effect(&at, "func.return", NULL, 0);
  mlirOperationDestroy(end);
  AGPU__OWNED MlirType *types = agpu__types_of(kept->data, kept->count);
  MlirStringRef name = agpu__get_string(function, "sym_name");
  AGPU__OWNED char *symbol = agpu__format("%.*s_node", AGPU__STR(name));
  agpu__builder before = agpu__builder_before(function);
  MlirOperation made = agpu__build_function(
      &before, &(agpu__function_spec){
                   .op = "func.func",
                   .name = symbol,
                   .type = mlirFunctionTypeGet(
                       before.context, (intptr_t)kept->count, types, 0, NULL),
                   .is_internal = true});
  mlirSymbolTableInsert(symbols, made);
  mlirRegionTakeBody(mlirOperationGetRegion(made, 0),
                     mlirOperationGetRegion(function, 0));
  for (intptr_t i = mlirBlockGetNumArguments(block); i-- > 0;)
    if (agpu__values_find(kept, mlirBlockGetArgument(block, i)) < 0)
      mlirBlockEraseArgument(block, (unsigned)i);
  return made;
}

/// What an op of the region is given, in the block that takes its place: an
/// argument, or a constant.
static MlirValue get_outer(agpu__builder *at, MlirBlock outer,
                           MlirValue inner) {
  if (mlirValueIsABlockArgument(inner))
    return mlirBlockGetArgument(outer, mlirBlockArgumentGetArgNumber(inner));
  MlirOperation copy = mlirOperationClone(mlirOpResultGetOwner(inner));
  mlirBlockAppendOwnedOperation(outer, copy);
  *at = agpu__builder_at_end(outer, at->location);
  return agpu__result(copy, 0);
}

/// Takes the ops about devices and the awaits of operands out of the code: the
/// region enters its device, and its stream waits. Returns the stream.
static MlirValue move_start(agpu__builder *at, MlirBlock outer,
                            MlirBlock block) {
  AGPU__SCOPED(ops) gone = {0}, awaits = {0};
  bool has_entered = false;
  AGPU__OPS_FOREACH (op, block) {
    bool enters = agpu__op_is(op, "agpu.enter_device") && !has_entered;
    if (enters) {
      MlirValue device = get_outer(at, outer, mlirOperationGetOperand(op, 0));
      agpu__build_effect(at, "agpu.enter_device", &device, 1);
      has_entered = true;
    }
    if (awaits_operand(op))
      agpu__ops_push(&awaits, op);
    if (awaits_operand(op) || agpu__graph_names_device(op))
      agpu__ops_push(&gone, op);
  }
  MlirValue stream = agpu__build_value(at, "agpu.stream_acquire", NULL, 0,
                                       agpu__stream_type(at->context));
  for (size_t i = 0; i < awaits.count; ++i) {
    MlirValue token =
        get_outer(at, outer, mlirOperationGetOperand(awaits.data[i], 0));
    agpu__build_effect(at, "agpu.stream_wait", (MlirValue[]){stream, token}, 2);
  }
  for (size_t i = gone.count; i-- > 0;)
    mlirOperationDestroy(gone.data[i]);
  return stream;
}

static void convert(MlirSymbolTable symbols, MlirOperation function) {
  MlirBlock block = agpu__entry_block(function);
  MlirLocation location = mlirOperationGetLocation(function);
  AGPU__SCOPED(values) kept = {0}, operands = {0};
  MlirBlock outer = mlirBlockCreate(0, NULL, NULL);
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(block); ++i)
    (void)mlirBlockAddArgument(
        outer, mlirValueGetType(mlirBlockGetArgument(block, i)), location);
  agpu__builder at = agpu__builder_at_end(outer, location);
  MlirValue stream = move_start(&at, outer, block);
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(block); ++i) {
    MlirValue inner = mlirBlockGetArgument(block, i);
    if (!mlirOpOperandIsNull(mlirValueGetFirstUse(inner))) {
      agpu__values_push(&kept, inner);
      agpu__values_push(&operands, mlirBlockGetArgument(outer, i));
    }
  }
  MlirOperation code = take_code(symbols, function, &kept);
  const MlirValue arguments[] = {stream, agpu__build_arguments(&at, &operands)};
  MlirNamedAttribute callee = agpu__named(
      at.context, "callee",
      mlirFlatSymbolRefAttrGet(at.context, agpu__get_string(code, "sym_name")));
  agpu__build_op(&at, "agpu.host_call", arguments, 2, (MlirType){NULL}, &callee,
                 1);
  agpu__build_effect(&at, "async.return", NULL, 0);
  mlirRegionAppendOwnedBlock(mlirOperationGetRegion(function, 0), outer);
  agpu__set_attr(function, AGPU__KIND_ATTR,
                 agpu__string_attr(at.context, AGPU__KIND_DEVICE));
}

void agpu__graph_take_host_regions(MlirSymbolTable symbols,
                                   MlirOperation root) {
  AGPU__SCOPED(ops) calls = agpu__ops_in(root, "async.call");
  if (agpu__op_is(root, "async.call"))
    agpu__ops_push(&calls, root);
  const char *why;
  for (size_t i = 0; i < calls.count; ++i)
    if (agpu__graph_is_host_region(symbols, calls.data[i], &why))
      convert(symbols, agpu__find_callee(symbols, calls.data[i]));
}
