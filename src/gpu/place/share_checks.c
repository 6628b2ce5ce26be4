//===- share_checks.c - Whether memory can be one for host and device -*- C
//-*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is to be known of an object before share.c changes anything: what the
// host does to it, and what stands in the way of a buffer that takes its place.
//
//===----------------------------------------------------------------------===//

#include "gpu/place/place.h"

/// Each of the host's reads copies the whole buffer: if there are more, it is
/// shared.
#define MOST_READS 4

const agpu__object *agpu__sharing_object(const agpu__sharing *self,
                                         size_t member) {
  return &self->touches->function->objects.data[member];
}

static size_t number_of(const agpu__sharing *self, MlirValue memref) {
  return agpu__place_of_memref(&self->touches->function->objects, memref)
      .object;
}

bool agpu__sharing_has(const agpu__sharing *self, MlirValue value) {
  return agpu__is_memref(value) && number_of(self, value) == self->object;
}

bool agpu__sharing_places(const agpu__sharing *self, size_t member) {
  return agpu__space_of_member(self->spaces, self->touches->function, member) &
         AGPU__SPACE_HOST;
}

bool agpu__is_host_allocation(const agpu__object *it) {
  return it->kind == AGPU__OBJECT_ALLOCATION &&
         agpu__op_is(mlirOpResultGetOwner(it->value), "memref.alloc");
}

bool agpu__is_frame_allocation(const agpu__object *it) {
  return it->kind == AGPU__OBJECT_ALLOCATION && !agpu__is_host_allocation(it);
}

bool agpu__sharing_is_used_by(const agpu__sharing *self, const char *name) {
  const agpu__ops *uses = &self->touches->uses[self->object];
  for (size_t i = 0; i < uses->count; ++i)
    if (agpu__op_is(uses->data[i], name))
      return true;
  return false;
}

//===----------------------------------------------------------------------===//
// What the host does
//===----------------------------------------------------------------------===//

/// The allocation that `memref` is a view of, by way of views alone.
static MlirOperation allocation_of(MlirValue memref) {
  MlirValue source = agpu__view_source(memref);
  MlirOperation op = agpu__maker_of(source);
  return agpu__row_of(op)->class == AGPU__OP_ALLOCATES ? op
                                                       : (MlirOperation){NULL};
}

/// True if `value` is there whenever `op` begins.
static bool is_before(MlirValue value, MlirOperation op) {
  bool is_argument = mlirValueIsABlockArgument(value);
  MlirBlock block = is_argument
                        ? mlirBlockArgumentGetOwner(value)
                        : mlirOperationGetBlock(mlirOpResultGetOwner(value));
  op = agpu__find_in_block(op, block);
  return !mlirOperationIsNull(op) &&
         (is_argument ||
          mlirOperationIsBeforeInBlock(mlirOpResultGetOwner(value), op));
}

/// True if `memref` has been allocated when `other` was there already.
static bool is_newer(MlirValue memref, MlirValue other) {
  MlirOperation allocation = allocation_of(memref);
  return !mlirOperationIsNull(allocation) && is_before(other, allocation);
}

/// True for a memref.copy that the device can do.
bool agpu__sharing_copies_on_device(const agpu__sharing *self,
                                    MlirOperation op) {
  MlirValue from = mlirOperationGetOperand(op, 0);
  MlirValue to = mlirOperationGetOperand(op, 1);
  return agpu__can_mirror(mlirValueGetType(from)) &&
         agpu__can_mirror(mlirValueGetType(to)) &&
         (!agpu__objects_may_alias(&self->touches->function->objects,
                                   number_of(self, from),
                                   number_of(self, to)) ||
          is_newer(from, to) || is_newer(to, from));
}

/// True for ranked memrefs without a layout.
static bool is_plain(MlirType type) {
  return mlirTypeIsAMemRef(type) &&
         mlirAffineMapIsIdentity(mlirMemRefTypeGetAffineMap(type));
}

bool agpu__sharing_reads_once(const agpu__sharing *self, MlirOperation op) {
  agpu__op_memory memory = agpu__memory_of_op(op);
  if (memory.class != AGPU__OP_ACCESSES || memory.writes)
    return false;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i) {
    MlirValue value = mlirOperationGetOperand(op, i);
    if (agpu__sharing_has(self, value) && !is_plain(mlirValueGetType(value)))
      return false;
  }
  MlirOperation in = mlirOperationGetParentOperation(op);
  while (agpu__op_is(in, "scf.if"))
    in = mlirOperationGetParentOperation(in);
  // No blocks that may be a loop.
  return agpu__op_is(in, "func.func") &&
         mlirBlockIsNull(mlirBlockGetNextInRegion(agpu__entry_block(in)));
}

/// True if ranks are sent the object, from the device.
static bool is_sent(const agpu__sharing *self, MlirOperation op) {
  return agpu__op_has(op, AGPU__OP_MESSAGES) &&
         !agpu__sharing_has(self, mlirOperationGetOperand(op, 1));
}

static bool is_harmless(const agpu__sharing *self, MlirOperation op) {
  const agpu__op_row *row = agpu__row_of(op);
  bool frees = row->traits & AGPU__OP_RELEASES && row->traits & AGPU__OP_COVERS;
  return row->class == AGPU__OP_VIEW || row->class == AGPU__OP_PURE ||
         row->class == AGPU__OP_STRUCTURE || frees ||
         row->traits & AGPU__OP_DEVICE || is_sent(self, op) ||
         agpu__sharing_reads_once(self, op) ||
         (agpu__op_is(op, "memref.copy") &&
          agpu__sharing_copies_on_device(self, op));
}

bool agpu__share_is_for_device(const agpu__sharing *self) {
  const agpu__events *events = &self->touches->of[self->object];
  const agpu__ops *uses = &self->touches->uses[self->object];
  for (size_t i = 0; i < events->count; ++i)
    if (events->data[i].by_other_name)
      return false;
  size_t reads = 0;
  for (size_t i = 0; i < uses->count; ++i) {
    if (!is_harmless(self, uses->data[i]))
      return false;
    reads += agpu__sharing_reads_once(self, uses->data[i]);
  }
  return reads <= MOST_READS;
}

/// True if the op writes to the memref in operand `number`.
static bool writes_operand(const agpu__sharing *self, MlirOperation op,
                           intptr_t number) {
  agpu__summaries *summaries = self->touches->summaries;
  switch (agpu__row_of(op)->class) {
  case AGPU__OP_CALL:
  case AGPU__OP_LAUNCH: return agpu__call_writes(summaries, op, number);
  case AGPU__OP_UNKNOWN: return true;
  default:
    return agpu__writes_operand(op, number) &&
           !agpu__op_is(op, "memref.dealloc");
  }
}

/// True if one of the ops, which have operands of the object, writes to what
/// may be the member.
static bool any_writes(const agpu__sharing *self, const agpu__ops *ops,
                       size_t member) {
  const agpu__objects *objects = &self->touches->function->objects;
  for (size_t i = 0; i < ops->count; ++i)
    for (intptr_t k = 0; k < mlirOperationGetNumOperands(ops->data[i]); ++k) {
      MlirValue value = mlirOperationGetOperand(ops->data[i], k);
      if (!agpu__sharing_has(self, value))
        continue;
      size_t of = agpu__place_of_memref(objects, value).member;
      if ((of == member || objects->data[of].kind == AGPU__OBJECT_FLOW) &&
          writes_operand(self, ops->data[i], k))
        return true;
    }
  return false;
}

bool agpu__sharing_writes(const agpu__sharing *self, size_t member) {
  return any_writes(self, &self->touches->uses[self->object], member) ||
         any_writes(self, &self->touches->inner[self->object], member);
}

//===----------------------------------------------------------------------===//
// What cannot be done
//===----------------------------------------------------------------------===//

static bool calls_touch(const agpu__sharing *self, MlirAttribute symbol) {
  agpu__ops calls =
      agpu__ops_in(self->touches->function->function, "func.call");
  bool found = false;
  for (size_t i = 0; i < calls.count && !found; ++i) {
    MlirOperation callee =
        agpu__callee_of(self->touches->summaries, calls.data[i]);
    if (mlirOperationIsNull(callee))
      continue;
    const agpu__summary *of =
        agpu__summary_of(self->touches->summaries, callee);
    for (size_t o = 0; o < of->objects.count; ++o)
      found |= of->objects.data[o].kind == AGPU__OBJECT_GLOBAL &&
               mlirAttributeEqual(of->objects.data[o].symbol, symbol);
  }
  agpu__ops_free(&calls);
  return found;
}

/// True if what lives in a block, and is not allocated, ends with the block.
bool agpu__sharing_ends_with_block(const agpu__sharing *self,
                                   MlirOperation op) {
  MlirBlock block = mlirOperationGetBlock(op);
  MlirOperation end = mlirBlockGetTerminator(block);
  if (mlirOperationGetNumSuccessors(end))
    return false;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(end); ++i)
    if (agpu__sharing_has(self, mlirOperationGetOperand(end, i)))
      return false;
  return true;
}

/// Calls `holds` for the types that the function returns it as; true if it says
/// so of any.
static bool any_returned(const agpu__sharing *self,
                         bool (*holds)(MlirType type, const void *data),
                         const void *data) {
  const agpu__ops *uses = &self->touches->uses[self->object];
  for (size_t i = 0; i < uses->count; ++i)
    for (intptr_t k = 0; agpu__op_is(uses->data[i], "func.return") &&
                         k < mlirOperationGetNumOperands(uses->data[i]);
         ++k) {
      MlirValue value = mlirOperationGetOperand(uses->data[i], k);
      if (agpu__sharing_has(self, value) &&
          holds(mlirValueGetType(value), data))
        return true;
    }
  return false;
}

static bool has_layout(MlirType type, const void *data) {
  (void)data;
  return !is_plain(type);
}

static bool is_other(MlirType type, const void *data) {
  const MlirType *than = data;
  return !mlirTypeEqual(type, *than);
}

static bool returns_other_type(const agpu__sharing *self,
                               const agpu__object *member) {
  MlirType type = {NULL};
  if (member->kind != AGPU__OBJECT_GLOBAL)
    type = mlirValueGetType(member->value);
  return any_returned(self, is_other, &type);
}

static char *obstacle_of(const agpu__sharing *self, size_t member) {
  const agpu__object *it = agpu__sharing_object(self, member);
  if (it->kind != AGPU__OBJECT_GLOBAL &&
      !agpu__can_mirror(mlirValueGetType(it->value)))
    return agpu__format("it has no rank, or its layout is not strided");
  if (agpu__is_host_allocation(it))
    return is_plain(mlirValueGetType(it->value))
               ? NULL
               : agpu__format("control flow passes it on, and it has a layout");
  bool owned = it->kind == AGPU__OBJECT_RESULT && it->noalias;
  if (!owned && returns_other_type(self, it))
    return agpu__format("the function returns what may be this memory, as "
                        "another type");
  if (it->kind == AGPU__OBJECT_RESULT && !owned &&
      agpu__sharing_is_used_by(self, "memref.dealloc"))
    return agpu__format("the function frees what may be this memory");
  if (it->kind == AGPU__OBJECT_GLOBAL && calls_touch(self, it->symbol))
    return agpu__format("functions that are called use it, too");
  if ((agpu__is_frame_allocation(it) ||
       (it->kind == AGPU__OBJECT_RESULT && !owned)) &&
      !agpu__sharing_ends_with_block(self, mlirOpResultGetOwner(it->value)))
    return agpu__format("its address leaves the block that it lives in");
  return NULL;
}

char *agpu__share_obstacle(const agpu__sharing *self) {
  const agpu__events *events = &self->touches->of[self->object];
  char *why = any_returned(self, has_layout, NULL)
                  ? agpu__format("the function returns it with a layout")
                  : NULL;
  bool allocated = true;
  AGPU__EACH_MEMBER(member, &self->touches->function->objects, self->object) {
    if (!agpu__sharing_places(self, member))
      continue;
    allocated &=
        agpu__sharing_object(self, member)->kind == AGPU__OBJECT_ALLOCATION;
    if (!why)
      why = obstacle_of(self, member);
  }
  for (size_t i = 0; i < events->count && !why && !allocated; ++i)
    if (events->data[i].by_other_name)
      why = agpu__format(
          "control flow passes it on, and line %d may use it by another name",
          agpu__place_of(mlirOperationGetLocation(events->data[i].op)).line);
  return why;
}

char *agpu__share_registration_obstacle(const agpu__sharing *self) {
  bool ends = agpu__sharing_is_used_by(self, "memref.dealloc") ||
              agpu__sharing_is_used_by(self, "func.return");
  AGPU__EACH_MEMBER(member, &self->touches->function->objects, self->object) {
    const agpu__object *it = agpu__sharing_object(self, member);
    if (!agpu__sharing_places(self, member) || !agpu__is_host_allocation(it) ||
        (!ends &&
         !agpu__sharing_ends_with_block(self, mlirOpResultGetOwner(it->value))))
      return agpu__format("its address goes where it is not followed");
  }
  return NULL;
}
