//===- loop_condition.c - Kernels that end a loop -------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the host computes a loop's condition with, as a kernel of one thread: it
// loads from the memory that the host has a copy of, and ends with a call of
// the device's cudaGraphSetConditional, which the driver defines. It also
// computes what the loop carries (loop_state.c). Another kernel writes that for
// the first round.
//
//     %v = memref.load %host[%c0]          gpu.func @k(%h: i64, %dev) kernel {
//     %go = arith.cmpi ne, %v, %zero  ->     %v = memref.load %dev[%c0]
//     scf.condition(%go)                     ...
//                                            call @cudaGraphSetConditional(%h,
//
//===----------------------------------------------------------------------===//

#include "gpu/streams/streams.h"

#include <stdlib.h>

/// What some values are computed of.
typedef struct slice {
  const agpu__device_loop *loop;
  MlirOperation await, end; ///< it may load between these; null: nowhere
  MlirOperation copy;       ///< to the host, of what is loaded; null: none
  bool is_kept;             ///< the device has a copy of what the host has
  agpu__ops ops;            ///< in an order in which they may stand
  agpu__values *inputs;     ///< from outside of the loop
  const char *why;
} slice;

static bool is_input_type(MlirType type) {
  return mlirTypeIsAIndex(type) || mlirTypeIsAInteger(type) ||
         mlirTypeIsAFloat(type) || mlirTypeIsAMemRef(type);
}

static void add_input(slice *self, MlirValue value) {
  if (agpu__values_find(self->inputs, value) >= 0)
    return;
  if (!is_input_type(mlirValueGetType(value)))
    self->why = "no kernel takes what its condition is computed of";
  agpu__values_push(self->inputs, value);
}

static bool has_op(const agpu__ops *ops, MlirOperation op) {
  for (size_t i = 0; i < ops->count; ++i)
    if (mlirOperationEqual(ops->data[i], op))
      return true;
  return false;
}

/// What the kernel is given where the host loads from `memref`; null: nothing.
static MlirValue find_memory(const slice *self, MlirValue memref) {
  MlirValue none = {NULL};
  if (!mlirOperationIsNull(self->copy)) {
    if (!mlirValueEqual(memref, mlirOperationGetOperand(self->copy, 1)))
      return none;
    return mlirOperationGetOperand(self->copy, self->is_kept ? 1 : 2);
  }
  return agpu__op_is(agpu__maker_of(memref), "agpu.alloc") ? memref : none;
}

/// Whether the host loads just before it computes what is asked for.
static bool may_load(const slice *self, MlirOperation load) {
  if (mlirOperationIsNull(self->await))
    return false;
  MlirOperation op = self->await;
  while (!mlirOperationEqual(op, self->end) && !mlirOperationEqual(op, load))
    op = mlirOperationGetNextInBlock(op);
  return mlirOperationEqual(op, load);
}

static void add_value(slice *self, MlirValue value);

static void add_load(slice *self, MlirOperation load) {
  MlirValue host = mlirOperationGetOperand(load, 0);
  MlirValue memory = find_memory(self, host);
  if (mlirValueIsNull(memory) || !may_load(self, load) ||
      !mlirTypeEqual(mlirValueGetType(memory), mlirValueGetType(host))) {
    self->why = "its condition is not computed of the device's memory alone";
    return;
  }
  add_input(self, memory);
  for (intptr_t i = 1; i < mlirOperationGetNumOperands(load); ++i)
    add_value(self, mlirOperationGetOperand(load, i));
}

/// An op of the loop, or a constant.
static void add_op(slice *self, MlirOperation op) {
  if (has_op(&self->ops, op) || self->why)
    return;
  if (agpu__op_is(op, "memref.load"))
    add_load(self, op);
  else if (!agpu__op_in_dialect(op, "arith"))
    self->why = "its condition, or what it carries, is more than arithmetic";
  else
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
      add_value(self, mlirOperationGetOperand(op, i));
  agpu__ops_push(&self->ops, op);
}

/// What the round is given is no input: it has a slot.
static void add_value(slice *self, MlirValue value) {
  value = agpu__loop_state_resolve(self->loop, value);
  bool is_inside = agpu__defined_inside(value, self->loop->loop);
  if (mlirValueIsABlockArgument(value)) {
    if (!is_inside ||
        (self->loop->is_round &&
         mlirBlockEqual(mlirBlockArgumentGetOwner(value), self->loop->after)))
      add_input(self, value);
    else if (!mlirBlockEqual(mlirBlockArgumentGetOwner(value),
                             self->loop->after))
      self->why = "its condition is computed in another loop";
    return;
  }
  MlirOperation op = mlirOpResultGetOwner(value);
  if (agpu__op_is(op, "arith.constant") ||
      (is_inside && !agpu__device_round_is_ahead(self->loop, op)))
    add_op(self, op);
  else
    add_input(self, value);
}

/// A module for the kernel alone: drivers that lack the function which it calls
/// cannot load it.
static MlirOperation build_module(MlirOperation module, const char *name,
                                  MlirLocation location) {
  agpu__builder at =
      agpu__builder_at_start(agpu__module_body(module), location);
  MlirRegion region = mlirRegionCreate();
  mlirRegionAppendOwnedBlock(region, mlirBlockCreate(0, NULL, NULL));
  MlirNamedAttribute attribute =
      agpu__named(at.context, "sym_name", agpu__string_attr(at.context, name));
  return agpu__build(&at, &(agpu__op_spec){.name = "gpu.module",
                                           .attributes = &attribute,
                                           .attribute_count = 1,
                                           .regions = &region,
                                           .region_count = 1});
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

/// A kernel in the making.
typedef struct kernel {
  MlirAttribute name;
  MlirOperation module;
  MlirBlock block;
} kernel;

/// One in a module of its own, with an empty body: its parameters are of the
/// `first` types, and then of those of the inputs.
static kernel build_kernel(MlirOperation module, const char *name,
                           MlirLocation location, const MlirType *first,
                           size_t first_count, const agpu__values *inputs) {
  size_t total = first_count + inputs->count;
  AGPU__OWNED MlirType *types = agpu__allocate(total + 1, sizeof *types);
  for (size_t i = 0; i < total; ++i)
    types[i] = i < first_count
                   ? first[i]
                   : mlirValueGetType(inputs->data[i - first_count]);
  kernel made = {.module = build_module(module, name, location)};
  agpu__builder at =
      agpu__builder_at_start(agpu__module_body(made.module), location);
  AGPU__OWNED MlirLocation *places = agpu__allocate(total + 1, sizeof *places);
  for (size_t i = 0; i < total; ++i)
    places[i] = location;
  intptr_t count = (intptr_t)total;
  MlirRegion region = mlirRegionCreate();
  made.block = mlirBlockCreate(count, types, places);
  mlirRegionAppendOwnedBlock(region, made.block);
  MlirNamedAttribute attributes[] = {
      agpu__named(at.context, "sym_name", agpu__string_attr(at.context, name)),
      agpu__named(at.context, "function_type",
                  mlirTypeAttrGet(
                      mlirFunctionTypeGet(at.context, count, types, 0, NULL))),
      agpu__named(at.context, "gpu.kernel", mlirUnitAttrGet(at.context))};
  agpu__build(&at, &(agpu__op_spec){.name = "gpu.func",
                                    .attributes = attributes,
                                    .attribute_count = 3,
                                    .regions = &region,
                                    .region_count = 1});
  MlirAttribute inner = mlirFlatSymbolRefAttrGet(at.context, agpu__str(name));
  made.name = mlirSymbolRefAttrGet(at.context, agpu__str(name), 1, &inner);
  return made;
}

/// What stands for `value` of a round.
static MlirValue get(const agpu__device_loop *loop, agpu__twins *copies,
                     MlirValue value) {
  return agpu__twin_or_self(copies, agpu__loop_state_resolve(loop, value));
}

static void copy_ops(const slice *self, MlirBlock block, agpu__twins *copies) {
  const agpu__device_loop *loop = self->loop;
  for (size_t i = 0; i < self->ops.count; ++i) {
    MlirOperation op = self->ops.data[i];
    for (intptr_t k = 0; k < mlirOperationGetNumOperands(op); ++k) {
      MlirValue value = mlirOperationGetOperand(op, k);
      agpu__twins_set(copies, value, get(loop, copies, value));
    }
    agpu__append_copy(copies, op, block);
    if (!agpu__op_is(op, "memref.load"))
      continue;
    // In a kernel it is of the device's memory.
    MlirValue memory = find_memory(self, mlirOperationGetOperand(op, 0));
    MlirOperation made =
        mlirOpResultGetOwner(agpu__twin_or_self(copies, agpu__result(op, 0)));
    mlirOperationSetOperand(made, 0, agpu__twin_or_self(copies, memory));
  }
}

static void set_inputs(const agpu__values *inputs, MlirBlock block,
                       intptr_t first, agpu__twins *copies) {
  for (size_t i = 0; i < inputs->count; ++i)
    agpu__twins_set(copies, inputs->data[i],
                    mlirBlockGetArgument(block, first + (intptr_t)i));
}

/// Writes the slots; the arguments of `after` are in the copies.
static void write_slots(const slice *next, MlirBlock block, MlirValue memory,
                        agpu__twins *copies) {
  const agpu__device_loop *loop = next->loop;
  copy_ops(next, block, copies);
  agpu__builder at =
      agpu__builder_at_end(block, mlirOperationGetLocation(loop->loop));
  for (size_t i = 0; i < loop->slots.count; ++i)
    agpu__loop_state_write(&at, memory, i,
                           get(loop, copies, loop->slots.data[i]));
}

/// The arguments of `after`, of the memory.
static void read_slots(const agpu__device_loop *loop, agpu__builder *at,
                       MlirValue memory, agpu__twins *copies) {
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(loop->after); ++i) {
    MlirValue value = mlirBlockGetArgument(loop->after, i);
    agpu__twins_set(
        copies, value,
        agpu__loop_state_read(at, memory, (size_t)i, mlirValueGetType(value)));
  }
}

/// Ends a kernel whose first argument is a handle.
static void build_set(agpu__builder *at, const kernel *of, MlirValue word) {
  agpu__call_runtime(at, of->module, "cudaGraphSetConditional",
                     (MlirValue[]){mlirBlockGetArgument(of->block, 0), word}, 2,
                     (MlirType){NULL});
  agpu__build_effect(at, "gpu.return", NULL, 0);
}

/// The kernel that computes the condition, and what the loop carries.
static void build_condition(MlirOperation module, const slice *round,
                            const slice *next, size_t number,
                            agpu__loop_kernels *out) {
  const agpu__device_loop *loop = round->loop;
  MlirOperation end = mlirBlockGetTerminator(loop->before);
  MlirLocation location = mlirOperationGetLocation(loop->loop);
  MlirContext context = mlirOperationGetContext(module);
  intptr_t carried = mlirBlockGetNumArguments(loop->after);
  bool has_state = loop->slots.count != 0;
  const MlirType types[] = {agpu__i64_type(context),
                            agpu__loop_state_type(loop)};
  AGPU__OWNED char *name = agpu__format("agpu_loop_condition_%zu", number);
  kernel made = build_kernel(module, name, location, types, 1 + has_state,
                             &out->condition_inputs);
  out->condition = made.name;
  AGPU__SCOPED(twins) copies = {0}, later = {0};
  set_inputs(&out->condition_inputs, made.block, 1 + has_state, &copies);
  set_inputs(&out->condition_inputs, made.block, 1 + has_state, &later);
  agpu__builder at = agpu__builder_at_end(made.block, location);
  MlirValue memory = {NULL};
  if (has_state)
    memory = mlirBlockGetArgument(made.block, 1);
  for (intptr_t i = 0; i < carried; ++i) {
    MlirValue value = mlirBlockGetArgument(loop->after, i);
    agpu__twins_set(
        &copies, value,
        agpu__loop_state_read(&at, memory, (size_t)i, mlirValueGetType(value)));
  }
  copy_ops(round, made.block, &copies);
  for (intptr_t i = 0; i < carried; ++i)
    agpu__twins_set(&later, mlirBlockGetArgument(loop->after, i),
                    get(loop, &copies, mlirOperationGetOperand(end, i + 1)));
  write_slots(next, made.block, memory, &later);
  build_set(
      &at, &made,
      agpu__build_unary(&at, "arith.extui",
                        get(loop, &copies, mlirOperationGetOperand(end, 0)),
                        agpu__i32_type(context)));
}

/// The kernel of a branch's condition.
static void build_branch(MlirOperation module, const slice *round,
                         MlirValue condition, const char *name,
                         const agpu__values *inputs, MlirAttribute *out) {
  const agpu__device_loop *loop = round->loop;
  MlirLocation location = mlirOperationGetLocation(loop->loop);
  MlirContext context = mlirOperationGetContext(module);
  MlirType i32 = agpu__i32_type(context);
  bool has_state = loop->slots.count != 0;
  const MlirType types[] = {agpu__i64_type(context), i32,
                            agpu__loop_state_type(loop)};
  kernel made =
      build_kernel(module, name, location, types, 2 + has_state, inputs);
  *out = made.name;
  AGPU__SCOPED(twins) copies = {0};
  set_inputs(inputs, made.block, 2 + has_state, &copies);
  agpu__builder at = agpu__builder_at_end(made.block, location);
  if (has_state)
    read_slots(loop, &at, mlirBlockGetArgument(made.block, 2), &copies);
  copy_ops(round, made.block, &copies);
  MlirValue word =
      agpu__build_unary(&at, "arith.extui", get(loop, &copies, condition), i32);
  build_set(&at, &made,
            agpu__build_binary(&at, "arith.xori", word,
                               mlirBlockGetArgument(made.block, 1)));
}

/// The kernel that writes the slots for the first round.
static void build_start(MlirOperation module, const slice *next, size_t number,
                        agpu__loop_kernels *out) {
  const agpu__device_loop *loop = next->loop;
  MlirLocation location = mlirOperationGetLocation(loop->loop);
  intptr_t carried = mlirBlockGetNumArguments(loop->after);
  AGPU__OWNED MlirType *types =
      agpu__allocate((size_t)carried + 1, sizeof *types);
  types[0] = agpu__loop_state_type(loop);
  for (intptr_t i = 0; i < carried; ++i)
    types[i + 1] = mlirValueGetType(mlirBlockGetArgument(loop->after, i));
  AGPU__OWNED char *name = agpu__format("agpu_loop_start_%zu", number);
  kernel made = build_kernel(module, name, location, types, (size_t)carried + 1,
                             &out->start_inputs);
  out->start = made.name;
  AGPU__SCOPED(twins) copies = {0};
  for (intptr_t i = 0; i < carried; ++i)
    agpu__twins_set(&copies, mlirBlockGetArgument(loop->after, i),
                    mlirBlockGetArgument(made.block, i + 1));
  set_inputs(&out->start_inputs, made.block, carried + 1, &copies);
  write_slots(next, made.block, mlirBlockGetArgument(made.block, 0), &copies);
  agpu__builder at = agpu__builder_at_end(made.block, location);
  agpu__build_effect(&at, "gpu.return", NULL, 0);
}

static slice slice_of_branch(const agpu__device_loop *of, size_t number,
                             agpu__loop_kernels *out) {
  const agpu__device_branch *branch = &of->branches[number];
  slice made = {.loop = of,
                .await = branch->await,
                .end = branch->user,
                .copy = branch->copy,
                .is_kept = true,
                .inputs = &out->branch_inputs[number]};
  add_value(&made, mlirOperationGetOperand(branch->user, 0));
  return made;
}

/// The kernels of the loop itself.
static void build_loop(MlirOperation module, agpu__device_loop *of,
                       size_t number, agpu__loop_kernels *out) {
  MlirOperation end = mlirBlockGetTerminator(of->before);
  slice round = {.loop = of,
                 .await = of->await,
                 .end = end,
                 .copy = of->copy,
                 .inputs = &out->condition_inputs};
  slice next = {.loop = of, .inputs = &out->start_inputs};
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(end); ++i)
    add_value(&round, mlirOperationGetOperand(end, i));
  for (size_t i = 0; i < of->slots.count; ++i)
    add_value(&next, of->slots.data[i]);
  for (size_t i = 0; i < out->start_inputs.count; ++i)
    add_input(&round, out->start_inputs.data[i]);
  of->why = round.why ? round.why : next.why;
  if (!of->why) {
    build_condition(module, &round, &next, number, out);
    if (of->slots.count)
      build_start(module, &next, number, out);
  }
  agpu__ops_free(&round.ops);
  agpu__ops_free(&next.ops);
}

bool agpu__loop_kernels_build(MlirOperation module, agpu__device_loop *of,
                              size_t number, agpu__loop_kernels *out) {
  *out = (agpu__loop_kernels){.condition = {NULL}};
  slice branches[AGPU__DEVICE_MOST_BRANCHES];
  for (size_t i = 0; i < of->branch_count; ++i) {
    branches[i] = slice_of_branch(of, i, out);
    if (branches[i].why)
      of->why = branches[i].why;
  }
  if (!of->why && !of->is_round)
    build_loop(module, of, number, out);
  for (size_t i = 0; i < of->branch_count; ++i) {
    AGPU__OWNED char *name =
        agpu__format("agpu_loop_branch_%zu_%zu", number, i);
    if (!of->why)
      build_branch(module, &branches[i],
                   mlirOperationGetOperand(of->branches[i].user, 0), name,
                   &out->branch_inputs[i], &out->branches[i]);
    agpu__ops_free(&branches[i].ops);
  }
  return !of->why;
}

void agpu__loop_kernels_free(agpu__loop_kernels *of) {
  agpu__values_free(&of->condition_inputs);
  agpu__values_free(&of->start_inputs);
  for (size_t i = 0; i < AGPU__DEVICE_MOST_BRANCHES; ++i)
    agpu__values_free(&of->branch_inputs[i]);
}
