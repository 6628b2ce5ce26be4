//===- loop_state.c - What a loop on the device carries -------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The parameters of a graph's nodes are the same in each round. So numbers that
// rounds pass on, and what is computed of them for kernels, are slots of 64
// bits in device memory. The kernel that computes the condition writes them,
// and kernels that are given any are copied, to read them:
//
//     gpu.func @k(%n: i32)  ->  gpu.func @k_of_loop(%state: memref<2xi64>)
//
//===----------------------------------------------------------------------===//

#include "gpu/streams/streams.h"

#include <stdlib.h>

/// The operand of a launch that holds all of its kernel's arguments.
#define ARGUMENTS 8

static bool is_number(MlirType type) {
  if (mlirTypeIsAIndex(type))
    return true;
  if (mlirTypeIsAInteger(type))
    return mlirIntegerTypeGetWidth(type) <= 64;
  return mlirTypeIsAFloat(type) && mlirFloatTypeGetWidth(type) >= 16 &&
         mlirFloatTypeGetWidth(type) <= 64;
}

MlirValue agpu__loop_state_resolve(const agpu__device_loop *of,
                                   MlirValue value) {
  if (mlirValueIsABlockArgument(value) &&
      mlirBlockEqual(mlirBlockArgumentGetOwner(value), of->before))
    return mlirOperationGetOperand(mlirBlockGetTerminator(of->after),
                                   mlirBlockArgumentGetArgNumber(value));
  return value;
}

//===----------------------------------------------------------------------===//
// Branches
//===----------------------------------------------------------------------===//

const agpu__device_branch *agpu__device_branch_of(const agpu__device_loop *of,
                                                  MlirOperation op) {
  for (size_t i = 0; i < of->branch_count; ++i) {
    const agpu__device_branch *at = &of->branches[i];
    if (mlirOperationEqual(op, at->op) || mlirOperationEqual(op, at->copy) ||
        mlirOperationEqual(op, at->record) || mlirOperationEqual(op, at->await))
      return at;
  }
  return NULL;
}

bool agpu__device_branch_add(agpu__device_loop *of,
                             const agpu__device_branch *branch) {
  if (of->branch_count == AGPU__DEVICE_MOST_BRANCHES) {
    of->why = "it has too many branches";
    return false;
  }
  of->branches[of->branch_count++] = *branch;
  return true;
}

//===----------------------------------------------------------------------===//
// What stays
//===----------------------------------------------------------------------===//

/// Values that differ from round to round, with whether they are computed of
/// memory.
typedef struct finder {
  MlirOperation module;
  agpu__device_loop *of;
  agpu__map varying;
} finder;

static bool varies(const finder *self, MlirValue value) {
  return agpu__map_get(&self->varying, value.ptr) != AGPU__MAP_NONE;
}

static bool is_read(const finder *self, MlirValue value) {
  return agpu__map_get(&self->varying, value.ptr) == 1;
}

static void mark(finder *self, MlirValue value, bool is_read) {
  agpu__map_set(&self->varying, value.ptr, is_read);
}

static bool is_round(const agpu__device_loop *of, MlirBlock block) {
  return mlirBlockEqual(block, of->before) || mlirBlockEqual(block, of->after);
}

/// Whether it is a value of a round, and not of a loop or branch in it.
static bool is_of_round(const agpu__device_loop *of, MlirValue value) {
  return is_round(of, mlirValueIsABlockArgument(value)
                          ? mlirBlockArgumentGetOwner(value)
                          : mlirOperationGetBlock(mlirOpResultGetOwner(value)));
}

/// Whether an scf.if stands in the round, or in branches of it alone.
static bool may_branch(const agpu__device_loop *of, MlirOperation op) {
  while (!is_round(of, mlirOperationGetBlock(op))) {
    op = mlirOperationGetParentOperation(op);
    if (!agpu__device_branch_of(of, op))
      return false;
  }
  return true;
}

static MlirOperation find_in(MlirOperation module, MlirStringRef name) {
  AGPU__OWNED char *symbol = agpu__format("%.*s", AGPU__STR(name));
  return agpu__lookup(module, symbol);
}

/// The kernel of "@NAME::@KERNEL"; null: there is none.
static MlirOperation find_kernel(MlirOperation module, MlirAttribute name) {
  MlirOperation found =
      find_in(module, mlirSymbolRefAttrGetRootReference(name));
  return !agpu__op_is(found, "gpu.module")
             ? (MlirOperation){NULL}
             : find_in(found, mlirSymbolRefAttrGetLeafReference(name));
}

static bool is_function(MlirOperation module, MlirAttribute kernel) {
  MlirOperation found = find_kernel(module, kernel);
  return agpu__op_is(found, "gpu.func");
}

/// Gives a slot to what the launch is given.
static void look_at_launch(finder *self, MlirOperation launch) {
  agpu__device_loop *of = self->of;
  MlirOperation given =
      mlirOpResultGetOwner(mlirOperationGetOperand(launch, ARGUMENTS));
  if (!is_function(self->module, agpu__attr(launch, "kernel")))
    of->why = "a kernel that is given what the loop carries is none of this "
              "module's";
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(given); ++i) {
    MlirValue value = mlirOperationGetOperand(given, i);
    if (!varies(self, value))
      continue;
    if (is_read(self, value))
      of->why = "a kernel is given what the host has read";
    if (!is_number(mlirValueGetType(value)) || !is_of_round(of, value))
      of->why = "a kernel is given more of what the loop carries than numbers";
    value = agpu__loop_state_resolve(of, value);
    if (agpu__values_find(&of->slots, value) < 0)
      agpu__values_push(&of->slots, value);
  }
}

static void look_at_op(finder *self, MlirOperation op) {
  intptr_t first = -1, count = mlirOperationGetNumOperands(op);
  bool reads = agpu__op_is(op, "memref.load");
  for (intptr_t i = count; i-- > 0;)
    if (varies(self, mlirOperationGetOperand(op, i))) {
      first = i;
      reads |= is_read(self, mlirOperationGetOperand(op, i));
    }
  if ((first < 0 && !reads) || agpu__device_branch_of(self->of, op))
    return;
  if (agpu__op_is(op, "agpu.launch") && first == ARGUMENTS)
    look_at_launch(self, op);
  else if (agpu__op_is(op, "scf.if") && !mlirOperationGetNumResults(op) &&
           may_branch(self->of, op))
    (void)agpu__device_branch_add(self->of,
                                  &(agpu__device_branch){.op = op, .user = op});
  else if (agpu__computes(op) && !agpu__op_is(op, "scf.yield"))
    for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i)
      mark(self, agpu__result(op, i), reads);
  else
    self->of->why = "what its work is depends on what it carries";
}

/// The ops of a block up to `end`, with what is in them.
static void look_until(finder *self, MlirBlock block, MlirOperation end) {
  for (MlirOperation op = mlirBlockGetFirstOperation(block);
       !mlirOperationEqual(op, end) && !self->of->why;
       op = mlirOperationGetNextInBlock(op)) {
    look_at_op(self, op);
    AGPU__OPS_IN_FOREACH (nested, op, NULL)
      look_at_op(self, nested);
  }
}

/// What a loop carries is numbers, in slots.
static void look_at_arguments(finder *self) {
  agpu__device_loop *of = self->of;
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(of->before); ++i)
    mark(self, mlirBlockGetArgument(of->before, i), false);
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(of->after); ++i) {
    MlirValue value = mlirBlockGetArgument(of->after, i);
    mark(self, value, false);
    agpu__values_push(&of->slots, value);
  }
  for (size_t i = 0; i < of->slots.count; ++i)
    if (!is_number(mlirValueGetType(of->slots.data[i])))
      of->why = "it carries more than numbers from round to round";
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(of->before); ++i)
    if (!is_number(mlirValueGetType(mlirBlockGetArgument(of->before, i))))
      of->why = "it carries more than numbers from round to round";
}

bool agpu__loop_state_find(MlirOperation module, agpu__device_loop *of,
                           MlirOperation end) {
  finder self = {.module = module, .of = of};
  if (!of->is_round)
    look_at_arguments(&self);
  if ((self.varying.count || of->branch_count) && !of->why) {
    look_until(&self, of->after, mlirBlockGetTerminator(of->after));
    if (!of->is_round)
      look_until(&self, of->before, end);
  }
  agpu__map_free(&self.varying);
  return !of->why;
}

//===----------------------------------------------------------------------===//
// Slots
//===----------------------------------------------------------------------===//

MlirType agpu__loop_state_type(const agpu__device_loop *of) {
  MlirContext context = mlirOperationGetContext(of->loop);
  int64_t count = (int64_t)of->slots.count;
  MlirAttribute none = {NULL};
  return mlirMemRefTypeContiguousGet(agpu__i64_type(context), 1, &count, none);
}

static MlirValue place_of(agpu__builder *at, size_t slot) {
  return agpu__index_constant(at, (int64_t)slot);
}

MlirValue agpu__loop_state_read(agpu__builder *at, MlirValue memory,
                                size_t slot, MlirType type) {
  MlirType i64 = agpu__i64_type(at->context);
  MlirValue word = agpu__build_value(
      at, "memref.load", (MlirValue[]){memory, place_of(at, slot)}, 2, i64);
  if (mlirTypeIsAIndex(type))
    return agpu__build_unary(at, "arith.index_cast", word, type);
  unsigned width = mlirTypeIsAFloat(type) ? mlirFloatTypeGetWidth(type)
                                          : mlirIntegerTypeGetWidth(type);
  if (width < 64)
    word = agpu__build_unary(at, "arith.trunci", word,
                             mlirIntegerTypeGet(at->context, width));
  return mlirTypeIsAFloat(type)
             ? agpu__build_unary(at, "arith.bitcast", word, type)
             : word;
}

void agpu__loop_state_write(agpu__builder *at, MlirValue memory, size_t slot,
                            MlirValue value) {
  MlirType type = mlirValueGetType(value), i64 = agpu__i64_type(at->context);
  if (mlirTypeIsAIndex(type)) {
    value = agpu__build_unary(at, "arith.index_cast", value, i64);
  } else {
    unsigned width = mlirTypeIsAFloat(type) ? mlirFloatTypeGetWidth(type)
                                            : mlirIntegerTypeGetWidth(type);
    if (mlirTypeIsAFloat(type))
      value = agpu__build_unary(at, "arith.bitcast", value,
                                mlirIntegerTypeGet(at->context, width));
    if (width < 64)
      value = agpu__build_unary(at, "arith.extui", value, i64);
  }
  agpu__build_effect(at, "memref.store",
                     (MlirValue[]){value, memory, place_of(at, slot)}, 3);
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

/// Argument `i` of the kernel is the memory, of which it reads the slot.
static void read_argument(MlirOperation kernel, intptr_t i, size_t slot,
                          MlirType memory) {
  MlirBlock entry = agpu__entry_block(kernel);
  MlirLocation location = mlirOperationGetLocation(kernel);
  MlirValue before = mlirBlockGetArgument(entry, i);
  MlirValue state = mlirBlockInsertArgument(entry, i, memory, location);
  agpu__builder at = agpu__builder_at_start(entry, location);
  MlirValue read =
      agpu__loop_state_read(&at, state, slot, mlirValueGetType(before));
  mlirValueReplaceAllUsesOfWith(before, read);
  mlirBlockEraseArgument(entry, (unsigned)(i + 1));
}

/// The kernel's type, and no attributes of arguments that are others now.
static void update_type(MlirOperation kernel, const agpu__values *given,
                        const intptr_t *slots, MlirType memory) {
  MlirContext context = mlirOperationGetContext(kernel);
  MlirAttribute attributes = agpu__attr(kernel, "arg_attrs");
  intptr_t count = (intptr_t)given->count;
  MlirType before = agpu__function_type(kernel);
  AGPU__OWNED MlirType *types = agpu__allocate(given->count + 1, sizeof *types);
  AGPU__OWNED MlirAttribute *each =
      agpu__allocate(given->count + 1, sizeof *each);
  for (intptr_t i = 0; i < count; ++i) {
    types[i] = slots[i] < 0 ? mlirFunctionTypeGetInput(before, i) : memory;
    each[i] = slots[i] < 0 && !mlirAttributeIsNull(attributes)
                  ? mlirArrayAttrGetElement(attributes, i)
                  : mlirDictionaryAttrGet(context, 0, NULL);
  }
  agpu__set_attr(
      kernel, "function_type",
      mlirTypeAttrGet(mlirFunctionTypeGet(context, count, types, 0, NULL)));
  if (!mlirAttributeIsNull(attributes))
    agpu__set_attr(kernel, "arg_attrs", mlirArrayAttrGet(context, count, each));
}

/// A copy of the kernel, beside it, that reads arguments with a slot (others
/// have -1).
static MlirAttribute copy_kernel(MlirOperation module, MlirAttribute name,
                                 const agpu__values *given,
                                 const intptr_t *slots, MlirType memory) {
  MlirOperation kernel = find_kernel(module, name);
  MlirOperation copy = mlirOperationClone(kernel);
  MlirContext context = mlirOperationGetContext(module);
  MlirOperation inside = mlirOperationGetParentOperation(kernel);
  MlirStringRef old = mlirStringAttrGetValue(agpu__attr(kernel, "sym_name"));
  AGPU__OWNED char *base = agpu__format("%.*s_of_loop", AGPU__STR(old));
  AGPU__OWNED char *symbol = agpu__unique_symbol(inside, base);
  agpu__set_attr(copy, "sym_name", agpu__string_attr(context, symbol));
  mlirBlockInsertOwnedOperationAfter(mlirOperationGetBlock(kernel), kernel,
                                     copy);
  for (size_t i = 0; i < given->count; ++i)
    if (slots[i] >= 0)
      read_argument(copy, (intptr_t)i, (size_t)slots[i], memory);
  update_type(copy, given, slots, memory);
  MlirAttribute inner = mlirFlatSymbolRefAttrGet(context, agpu__str(symbol));
  return mlirSymbolRefAttrGet(context, mlirSymbolRefAttrGetRootReference(name),
                              1, &inner);
}

static void use_in_launch(MlirOperation module, const agpu__device_loop *of,
                          MlirOperation launch, MlirOperation copy,
                          MlirValue memory) {
  AGPU__SCOPED(values) given = agpu__operands(
      mlirOpResultGetOwner(mlirOperationGetOperand(launch, ARGUMENTS)), 0);
  AGPU__SCOPED(values) now = agpu__operands(
      mlirOpResultGetOwner(mlirOperationGetOperand(copy, ARGUMENTS)), 0);
  AGPU__OWNED intptr_t *slots = agpu__allocate(given.count + 1, sizeof *slots);
  bool any = false;
  for (size_t i = 0; i < given.count; ++i) {
    slots[i] = agpu__values_find(&of->slots,
                                 agpu__loop_state_resolve(of, given.data[i]));
    if (slots[i] >= 0)
      now.data[i] = memory;
    any |= slots[i] >= 0;
  }
  if (any) {
    agpu__builder at = agpu__builder_before(copy);
    MlirValue arguments = agpu__build_arguments(&at, &now);
    mlirOperationSetOperand(copy, ARGUMENTS, arguments);
    agpu__set_attr(copy, "kernel",
                   copy_kernel(module, agpu__attr(launch, "kernel"), &given,
                               slots, mlirValueGetType(memory)));
  }
}

void agpu__loop_state_use(MlirOperation module, const agpu__device_loop *of,
                          MlirOperation op, MlirOperation copy,
                          MlirValue memory) {
  AGPU__SCOPED(ops) launches = agpu__ops_in(op, "agpu.launch");
  AGPU__SCOPED(ops) copies = agpu__ops_in(copy, "agpu.launch");
  if (agpu__op_is(op, "agpu.launch"))
    use_in_launch(module, of, op, copy, memory);
  for (size_t i = 0; i < launches.count; ++i)
    use_in_launch(module, of, launches.data[i], copies.data[i], memory);
}
