//===- slots.c - Values from one loop over threads to the next -------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A value that differs between threads, and is used in a part that does not
// define it, is computed again where that takes few integer ops of thread ids
// and uniform values: so LLVM sees what addresses the threads of a row access.
// Any other is kept in a slot, an array with an element for each thread: stored
// where it is defined, and loaded where a thread enters a part that uses it.
// An argument of a part's first block is stored by the predecessor that passes
// it on.
//
//===----------------------------------------------------------------------===//

#include "gpu/native/loops/loops.h"

#include "mlir-c/Dialect/LLVM.h"

#include <stdlib.h>

/// Integer ops that are cheaper than a load, and keep addresses simple.
#define MAX_RECOMPUTED 16

//===----------------------------------------------------------------------===//
// Slots
//===----------------------------------------------------------------------===//

static MlirType byte_type(const agpu__simt_loops *self) {
  return mlirIntegerTypeGet(self->context, 8);
}

static bool is_bit(MlirType type) {
  return mlirTypeIsAInteger(type) && mlirIntegerTypeGetWidth(type) == 1;
}

/// The number of a new slot with elements of the given type.
static size_t add_slot(agpu__simt_loops *self, MlirType element) {
  agpu__builder at = agpu__builder_at_end(self->setup, self->location);
  uint64_t alignment;
  MlirValue bytes =
      agpu__llvm_i64(&at, (int64_t)agpu__type_size(element, &alignment));
  MlirValue base =
      agpu__call_runtime(&at, self->gpu_module, "agpu_native_memory", &bytes, 1,
                         agpu__ptr_type(self->context));
  mlirOperationSetAttributeByName(
      agpu__lookup(self->gpu_module, "agpu_native_memory"),
      agpu__str("res_attrs"),
      agpu__parse_attr(self->context, "[{llvm.noalias}]"));
  AGPU__GROW(self->slots, self->slot_count, self->slot_capacity);
  self->slots[self->slot_count] = (agpu__simt_slot){base, element};
  return self->slot_count++;
}

static MlirValue element_address(agpu__builder *at, const agpu__simt_slot *slot,
                                 MlirValue number) {
  MlirValue operands[] = {slot->base, number};
  int32_t dynamic = INT32_MIN; // the index is the operand
  MlirNamedAttribute attributes[] = {
      agpu__named(at->context, "elem_type", mlirTypeAttrGet(slot->element)),
      agpu__named(at->context, "rawConstantIndices",
                  mlirDenseI32ArrayGet(at->context, 1, &dynamic))};
  return agpu__result(agpu__build_op(at, "llvm.getelementptr", operands, 2,
                                     agpu__ptr_type(at->context), attributes,
                                     2),
                      0);
}

static size_t attributes_of(const agpu__simt_part *part,
                            MlirNamedAttribute *out) {
  if (!part || mlirAttributeIsNull(part->access_groups))
    return 0;
  *out = agpu__named(mlirAttributeGetContext(part->access_groups),
                     "access_groups", part->access_groups);
  return 1;
}

static MlirValue load_element(const agpu__simt_part *part, agpu__builder *at,
                              MlirType element, MlirValue address) {
  MlirNamedAttribute attribute;
  size_t count = attributes_of(part, &attribute);
  return agpu__result(
      agpu__build_op(at, "llvm.load", &address, 1, element, &attribute, count),
      0);
}

/// The slot of `value`. A new one is filled where the value is defined.
static size_t slot_of(agpu__simt_loops *self, MlirValue value) {
  size_t slot = agpu__map_get(&self->slot_of, value.ptr);
  if (slot != AGPU__MAP_NONE)
    return slot;
  MlirType type = mlirValueGetType(value);
  slot = add_slot(self, is_bit(type) ? byte_type(self) : type);
  agpu__map_set(&self->slot_of, value.ptr, slot);
  size_t block = agpu__simt_definition(&self->graph, value);
  size_t part = self->division.part[block];
  bool argument = mlirValueIsABlockArgument(value);
  if (argument && part == block)
    return slot; // the predecessors fill it
  agpu__builder at =
      argument
          ? agpu__builder_at_start(self->graph.blocks[block], self->location)
          : agpu__builder_after(mlirOpResultGetOwner(value));
  agpu__simt_store_slot(self, &self->parts[part], &at, value, value);
  return slot;
}

void agpu__simt_store_slot(agpu__simt_loops *self, const agpu__simt_part *part,
                           agpu__builder *at, MlirValue value,
                           MlirValue slot_value) {
  size_t number = slot_of(self, slot_value); // may move the slots
  const agpu__simt_slot *slot = &self->slots[number];
  // Arrays of bits are none that LLVM vectorises.
  if (is_bit(mlirValueGetType(value)))
    value = agpu__build_unary(at, "llvm.zext", value, byte_type(self));
  MlirValue operands[] = {value, element_address(at, slot, part->number)};
  MlirNamedAttribute attribute;
  size_t count = attributes_of(part, &attribute);
  agpu__build_op(at, "llvm.store", operands, 2, (MlirType){NULL}, &attribute,
                 count);
}

static MlirValue load_slot(agpu__simt_loops *self, const agpu__simt_part *part,
                           agpu__builder *at, MlirValue number,
                           MlirValue value) {
  size_t index = slot_of(self, value); // may move the slots
  const agpu__simt_slot *slot = &self->slots[index];
  MlirValue loaded =
      load_element(part, at, slot->element, element_address(at, slot, number));
  MlirType type = mlirValueGetType(value);
  return is_bit(type) ? agpu__build_unary(at, "llvm.trunc", loaded, type)
                      : loaded;
}

MlirValue agpu__simt_load_first(agpu__simt_loops *self, agpu__builder *at,
                                MlirValue value) {
  return load_slot(self, NULL, at, agpu__llvm_i64(at, 0), value);
}

//===----------------------------------------------------------------------===//
// Values of other parts
//===----------------------------------------------------------------------===//

/// The dimension that `value` is the thread's id of, or -1.
static int id_dimension(const agpu__simt_loops *self, MlirValue value) {
  for (int d = 0; d < 3; ++d)
    if (mlirValueEqual(value, self->ids[3 * AGPU__SIMT_TID + d]))
      return d;
  return -1;
}

/// Integers, addresses, and descriptors of memory.
static bool is_simple(MlirType type) {
  return mlirTypeIsAInteger(type) || mlirTypeIsALLVMPointerType(type) ||
         mlirTypeIsALLVMStructType(type);
}

/// Ops that are none for the machine.
static bool takes_apart(MlirOperation op) {
  return agpu__op_is_any(op, "llvm.insertvalue llvm.extractvalue");
}

/// True if `value` can be computed again anywhere, with `budget` ops.
static bool can_recompute(const agpu__simt_loops *self, MlirValue value,
                          int *budget) {
  if (agpu__simt_definition(&self->graph, value) == AGPU__MAP_NONE ||
      agpu__simt_in_skeleton(self, value) ||
      agpu__map_get(&self->privates, value.ptr) != AGPU__MAP_NONE)
    return true;
  if (mlirValueIsABlockArgument(value) || !is_simple(mlirValueGetType(value)))
    return false;
  MlirOperation op = mlirOpResultGetOwner(value);
  *budget -= !takes_apart(op);
  if (*budget < 0 || agpu__simt_purity_of(op) != AGPU__SIMT_ANYWHERE)
    return false;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    if (!can_recompute(self, mlirOperationGetOperand(op, i), budget))
      return false;
  return true;
}

/// Puts a copy of the op that defines `value` into ^threads.
static MlirValue recompute(agpu__simt_loops *self, agpu__simt_part *part,
                           MlirValue value) {
  MlirOperation op = mlirOperationClone(mlirOpResultGetOwner(value));
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    mlirOperationSetOperand(
        op, i, agpu__simt_local(self, part, mlirOperationGetOperand(op, i)));
  mlirBlockAppendOwnedOperation(part->threads, op);
  return mlirOperationGetResult(op, mlirOpResultGetResultNumber(value));
}

MlirValue agpu__simt_local(agpu__simt_loops *self, agpu__simt_part *part,
                           MlirValue value) {
  int dimension = id_dimension(self, value);
  if (dimension >= 0)
    return part->ids[dimension];
  size_t block = agpu__simt_definition(&self->graph, value);
  if (block == AGPU__MAP_NONE || agpu__simt_in_skeleton(self, value))
    return value;
  size_t own = agpu__map_get(&self->privates, value.ptr);
  bool handed_on =
      mlirValueIsABlockArgument(value) && self->division.part[block] == block;
  if (own == AGPU__MAP_NONE && !handed_on &&
      &self->parts[self->division.part[block]] == part)
    return value;
  size_t known = agpu__map_get(&part->locals, value.ptr);
  if (known != AGPU__MAP_NONE)
    return self->local_values.data[known];
  agpu__builder at = agpu__builder_at_end(part->threads, self->location);
  int budget = MAX_RECOMPUTED;
  MlirValue local;
  if (own != AGPU__MAP_NONE)
    local = element_address(&at, &self->slots[own], part->number);
  else if (can_recompute(self, value, &budget))
    local = recompute(self, part, value);
  else
    local = load_slot(self, part, &at, part->number, value);
  agpu__map_set(&part->locals, value.ptr, self->local_values.count);
  agpu__values_push(&self->local_values, local);
  return local;
}

//===----------------------------------------------------------------------===//
// Memory of a thread's own
//===----------------------------------------------------------------------===//

/// The part that has all uses of memory at `address`, which no one keeps;
/// AGPU__MAP_NONE if there is none.
static size_t part_of_uses(const agpu__simt_loops *self, MlirValue address) {
  AGPU__SCOPED(values) addresses = {0};
  agpu__values_push(&addresses, address);
  size_t part = AGPU__MAP_NONE;
  bool one = true;
  for (size_t i = 0; i < addresses.count && one; ++i)
    for (MlirOpOperand use = mlirValueGetFirstUse(addresses.data[i]);
         !mlirOpOperandIsNull(use) && one; use = mlirOpOperandGetNextUse(use)) {
      MlirOperation op = mlirOpOperandGetOwner(use);
      size_t here = self->division.part[agpu__simt_block_of(&self->graph, op)];
      one = part == AGPU__MAP_NONE || part == here;
      part = here;
      if (agpu__op_is(op, "llvm.getelementptr") || takes_apart(op)) {
        MlirValue result = mlirOperationGetResult(op, 0);
        if (!mlirTypeIsAInteger(mlirValueGetType(result)))
          agpu__values_push(&addresses, result);
      } else {
        one &= agpu__op_is(op, "llvm.load") ||
               (agpu__op_is(op, "llvm.store") &&
                mlirOpOperandGetOperandNumber(use) == 1);
      }
    }
  return one ? part : AGPU__MAP_NONE;
}

/// The type of what `alloca` allocates.
static MlirType allocated_type(MlirOperation alloca) {
  MlirType element = mlirTypeAttrGetValue(agpu__attr(alloca, "elem_type"));
  MlirAttribute count = mlirOperationGetAttributeByName(
      mlirOpResultGetOwner(mlirOperationGetOperand(alloca, 0)),
      agpu__str("value"));
  MlirType type = mlirLLVMArrayTypeGet(
      element, (unsigned)mlirIntegerAttrGetValueInt(count));
  MlirAttribute asked = agpu__attr(alloca, "alignment");
  uint64_t alignment, size = agpu__type_size(type, &alignment);
  uint64_t step = mlirAttributeIsNull(asked)
                      ? 1
                      : (uint64_t)mlirIntegerAttrGetValueInt(asked);
  if (step <= alignment)
    return type;
  return mlirLLVMArrayTypeGet(
      mlirIntegerTypeGet(mlirOperationGetContext(alloca), 8),
      (unsigned)((size + step - 1) / step * step));
}

/// All allocas stand in the first block.
static agpu__ops find_allocas(const agpu__simt_loops *self) {
  agpu__ops allocas = {0};
  AGPU__OPS_FOREACH (op, self->graph.blocks[0])
    if (agpu__op_is(op, "llvm.alloca"))
      agpu__ops_push(&allocas, op);
  return allocas;
}

void agpu__simt_drop_allocas(agpu__simt_loops *self) {
  AGPU__SCOPED(ops) allocas = find_allocas(self);
  for (size_t i = 0; i < allocas.count; ++i)
    mlirOperationDestroy(allocas.data[i]);
}

void agpu__simt_place_allocas(agpu__simt_loops *self) {
  AGPU__SCOPED(ops) allocas = find_allocas(self);
  AGPU__OWNED size_t *cycles = agpu__simt_cycles(&self->graph);
  for (size_t i = 0; i < allocas.count; ++i) {
    MlirOperation op = allocas.data[i];
    MlirValue address = mlirOperationGetResult(op, 0);
    size_t part = part_of_uses(self, address);
    // What is in a cycle can run again.
    if (part == AGPU__MAP_NONE || cycles[part] != AGPU__MAP_NONE) {
      agpu__map_set(&self->privates, address.ptr,
                    add_slot(self, allocated_type(op)));
      continue;
    }
    // Its size, a constant, is in the skeleton.
    MlirOperation size = mlirOperationClone(
        mlirOpResultGetOwner(mlirOperationGetOperand(op, 0)));
    mlirBlockAppendOwnedOperation(self->setup, size);
    mlirOperationSetOperand(op, 0, mlirOperationGetResult(size, 0));
    mlirOperationRemoveFromParent(op);
    mlirBlockAppendOwnedOperation(self->setup, op);
  }
}

void agpu__simt_slots_free(agpu__simt_loops *self) {
  agpu__map_free(&self->slot_of);
  agpu__map_free(&self->privates);
  agpu__values_free(&self->local_values);
  free(self->slots);
}
