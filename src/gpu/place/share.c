//===- share.c - Memory that is one for host and device -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A memref.alloc becomes a gpu.alloc, and what frees it a gpu.dealloc. Memory
// that is not the function's own (arguments, globals), or of its frame, is
// copied into a buffer that takes its place in all of the function, and back at
// the end: nothing else may touch it in between. A result is copied to memory
// of the host, which the caller frees.
//
//===----------------------------------------------------------------------===//

#include "gpu/place/place.h"

#include <stdlib.h>

static bool is_dead(const agpu__sharing *self, MlirOperation op) {
  for (size_t i = self->dead->count; i-- > 0;)
    if (mlirOperationEqual(self->dead->data[i], op))
      return true;
  return false;
}

/// Calls `visit` for the ops of that name, or all, with an operand of the
/// object.
static void each_use(const agpu__sharing *self, const char *name,
                     void (*visit)(const agpu__sharing *self,
                                   MlirOperation op)) {
  const agpu__ops *uses = &self->touches->uses[self->object];
  for (size_t i = 0; i < uses->count; ++i)
    if ((!name || agpu__op_is(uses->data[i], name)) &&
        !is_dead(self, uses->data[i]))
      visit(self, uses->data[i]);
}

//===----------------------------------------------------------------------===//
// Members
//===----------------------------------------------------------------------===//

static void build_copy(agpu__builder *at, MlirValue to, MlirValue from) {
  MlirValue operands[] = {to, from};
  agpu__build_effect(at, "gpu.memcpy", operands, 2);
}

static void replace_allocation(const agpu__sharing *self, MlirValue value,
                               bool host_shared) {
  MlirOperation op = mlirOpResultGetOwner(value);
  agpu__builder at = agpu__builder_before(op);
  AGPU__SCOPED(values) sizes = agpu__operands(op, 0);
  MlirValue buffer = agpu__place_build_alloc(&at, mlirValueGetType(value),
                                             &sizes, host_shared);
  mlirValueReplaceAllUsesOfWith(value, buffer);
  agpu__ops_push(self->dead, op);
}

/// Buffers that have taken the place of memory that is not the function's own.
typedef struct stand_ins {
  agpu__values bases, buffers;
} stand_ins;

/// Copies back, and frees: in front of `end`.
static void end_stand_in(MlirOperation end, MlirValue buffer, MlirValue back) {
  agpu__builder at = agpu__builder_before(end);
  if (!mlirValueIsNull(back))
    build_copy(&at, back, buffer);
  agpu__build_effect(&at, "gpu.dealloc", &buffer, 1);
}

/// A buffer takes the place of `base`, everywhere but in what fills it.
static MlirValue build_stand_in(agpu__builder *at, MlirValue base, bool fill,
                                bool host_shared) {
  AGPU__SCOPED(ops) made = {0};
  MlirOperation before = at->before;
  MlirOperation last = agpu__maker_of(base);
  MlirValue buffer = agpu__place_build_buffer(at, base, host_shared);
  if (fill)
    build_copy(at, buffer, base);
  for (MlirOperation op = mlirOperationIsNull(last)
                              ? mlirBlockGetFirstOperation(at->block)
                              : mlirOperationGetNextInBlock(last);
       !mlirOperationIsNull(op) && !mlirOperationEqual(op, before);
       op = mlirOperationGetNextInBlock(op))
    agpu__ops_push(&made, op);
  mlirValueReplaceAllUsesExcept(base, buffer, (intptr_t)made.count, made.data);
  return buffer;
}

/// Where the function returns: at the ends of its own blocks.
static agpu__ops returns_of(MlirOperation function) {
  agpu__ops returns = {0};
  AGPU__BLOCKS_FOREACH (block, mlirOperationGetRegion(function, 0)) {
    MlirOperation end = mlirBlockGetTerminator(block);
    if (agpu__op_is(end, "func.return"))
      agpu__ops_push(&returns, end);
  }
  return returns;
}

/// An argument or global, from the function's beginning to its ends.
static void replace_given(const agpu__sharing *self, size_t member,
                          bool host_shared, stand_ins *all) {
  MlirOperation function = self->touches->function->function;
  bool writes = agpu__sharing_writes(self, member);
  agpu__builder at;
  MlirValue base = agpu__place_base(self->touches, member, &at);
  const agpu__object *it = agpu__sharing_object(self, member);
  if (it->kind == AGPU__OBJECT_GLOBAL) {
    // Each get_global is the same memory.
    AGPU__OPS_IN_FOREACH (get, function, "memref.get_global")
      if (mlirAttributeEqual(agpu__attr(get, "name"), it->symbol) &&
          !mlirValueEqual(agpu__result(get, 0), base))
        mlirValueReplaceAllUsesOfWith(agpu__result(get, 0), base);
  }
  MlirValue buffer = build_stand_in(&at, base, true, host_shared);
  agpu__values_push(&all->bases, base);
  agpu__values_push(&all->buffers, buffer);
  AGPU__SCOPED(ops) ends = returns_of(function);
  for (size_t i = 0; i < ends.count; ++i)
    end_stand_in(ends.data[i], buffer, writes ? base : (MlirValue){NULL});
}

/// Memory of the frame, or that a call has given.
static void replace_local(const agpu__sharing *self, size_t member,
                          bool host_shared, stand_ins *all) {
  const agpu__object *it = agpu__sharing_object(self, member);
  MlirOperation op = mlirOpResultGetOwner(it->value);
  agpu__builder at = agpu__builder_after(op);
  at.location = mlirOperationGetLocation(op);
  bool in_frame = agpu__is_frame_allocation(it);
  bool writes = !in_frame && agpu__sharing_writes(self, member);
  MlirValue buffer = build_stand_in(&at, it->value, !in_frame, host_shared);
  if (it->kind == AGPU__OBJECT_RESULT && it->noalias) {
    // What frees it frees the buffer.
    agpu__build_effect(&at, "memref.dealloc", &it->value, 1);
    return;
  }
  agpu__values_push(&all->bases, it->value);
  agpu__values_push(&all->buffers, buffer);
  end_stand_in(mlirBlockGetTerminator(mlirOperationGetBlock(op)), buffer,
               writes ? it->value : (MlirValue){NULL});
}

//===----------------------------------------------------------------------===//
// Uses
//===----------------------------------------------------------------------===//

static void replace_dealloc(const agpu__sharing *self, MlirOperation op) {
  agpu__builder at = agpu__builder_before(op);
  MlirValue value = mlirOperationGetOperand(op, 0);
  agpu__build_effect(&at, "gpu.dealloc", &value, 1);
  agpu__ops_push(self->dead, op);
}

static void replace_copy(const agpu__sharing *self, MlirOperation op) {
  if (!agpu__sharing_copies_on_device(self, op))
    return;
  agpu__builder at = agpu__builder_before(op);
  build_copy(&at, mlirOperationGetOperand(op, 1),
             mlirOperationGetOperand(op, 0));
  agpu__ops_push(self->dead, op);
}

/// The host reads a copy.
static void replace_read(const agpu__sharing *self, MlirOperation op) {
  if (!agpu__sharing_reads_once(self, op))
    return;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i) {
    MlirValue value = mlirOperationGetOperand(op, i);
    if (!agpu__sharing_has(self, value))
      continue;
    agpu__builder at = agpu__builder_before(op);
    MlirValue own = agpu__place_build_host(&at, value);
    build_copy(&at, own, value);
    mlirOperationSetOperand(op, i, own);
    at = agpu__builder_after(op);
    agpu__build_effect(&at, "memref.dealloc", &own, 1);
  }
}

static MlirValue build_address(agpu__builder *at, MlirValue memref) {
  return agpu__build_unary(at, AGPU__POINTER_OP, memref,
                           agpu__index_type(at->context));
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

/// A result that is a buffer of the function's own.
typedef struct result {
  MlirValue value, address;
  MlirValue is_given; ///< it has taken the place of memory that is not; or null
} result;

/// Memory of the host with what is in the buffer; or, where the buffer stands
/// for other memory, that.
static MlirValue build_result(const stand_ins *all, agpu__builder *at,
                              result *it) {
  MlirType type = mlirValueGetType(it->value);
  it->address = build_address(at, it->value);
  MlirValue chosen = {NULL};
  for (size_t i = 0; i < all->bases.count; ++i) {
    MlirValue is_it =
        agpu__build_compare(at, "arith.cmpi", AGPU__EQUAL, it->address,
                            build_address(at, all->buffers.data[i]));
    chosen = i ? agpu__build_select(at, "arith.select", is_it,
                                    all->bases.data[i], chosen)
               : all->bases.data[i];
    it->is_given =
        i ? agpu__build_binary(at, "arith.ori", it->is_given, is_it) : is_it;
  }
  if (!all->bases.count) {
    MlirValue own = agpu__place_build_host(at, it->value);
    build_copy(at, own, it->value);
    return own;
  }
  agpu__if made = agpu__build_if(at, it->is_given, &type, 1);
  agpu__build_yield(made.yes, at->location, &chosen, 1);
  agpu__builder in = agpu__builder_at_end(made.no, at->location);
  MlirValue own = agpu__place_build_host(&in, it->value);
  build_copy(&in, own, it->value);
  agpu__build_yield(made.no, at->location, &own, 1);
  return agpu__result(made.op, 0);
}

/// Frees the last of the results, unless it stands for other memory or is freed
/// as one of the others.
static void build_free(agpu__builder *at, const result *results, size_t count) {
  const result *it = &results[count - 1];
  MlirValue frees = {NULL};
  if (!mlirValueIsNull(it->is_given))
    frees = agpu__build_binary(
        at, "arith.xori", it->is_given,
        agpu__build_constant(at, agpu__i1_type(at->context), 1));
  for (size_t i = 0; i + 1 < count; ++i) {
    MlirValue differs = agpu__build_compare(at, "arith.cmpi", AGPU__NOT_EQUAL,
                                            it->address, results[i].address);
    frees = mlirValueIsNull(frees)
                ? differs
                : agpu__build_binary(at, "arith.andi", frees, differs);
  }
  if (mlirValueIsNull(frees)) {
    agpu__build_effect(at, "gpu.dealloc", &it->value, 1);
    return;
  }
  agpu__if made = agpu__build_if(at, frees, NULL, 0);
  agpu__builder in = agpu__builder_at_end(made.yes, at->location);
  agpu__build_effect(&in, "gpu.dealloc", &it->value, 1);
  agpu__build_yield(made.yes, at->location, NULL, 0);
  mlirBlockDetach(made.no); // there is nothing else to do
  mlirBlockDestroy(made.no);
}

/// Results are the caller's, on the host. `numbers`: the operands of the
/// func.return that are of the object.
static void replace_results(const stand_ins *all, MlirOperation op,
                            const bool *is_it) {
  agpu__builder at = agpu__builder_before(op);
  intptr_t operands = mlirOperationGetNumOperands(op);
  AGPU__OWNED result *results =
      agpu__allocate((size_t)operands + 1, sizeof(*results));
  AGPU__SCOPED(values) given = {0}, made = {0};
  for (intptr_t i = 0; i < operands; ++i) {
    if (!is_it[i])
      continue;
    MlirValue value = mlirOperationGetOperand(op, i);
    intptr_t known = agpu__values_find(&given, value);
    if (known < 0) {
      known = (intptr_t)given.count;
      results[known].value = value;
      agpu__values_push(&made, build_result(all, &at, &results[known]));
      agpu__values_push(&given, value);
    }
    mlirOperationSetOperand(op, i, made.data[known]);
  }
  for (size_t i = 0; i < given.count; ++i)
    build_free(&at, results, i + 1);
}

/// Which operands of the func.return are of the object; free it.
static bool *find_results(const agpu__sharing *self, MlirOperation op) {
  intptr_t count = mlirOperationGetNumOperands(op);
  bool *is_it = agpu__allocate((size_t)count + 1, sizeof(*is_it));
  for (intptr_t i = 0; i < count; ++i)
    is_it[i] = agpu__sharing_has(self, mlirOperationGetOperand(op, i));
  return is_it;
}

void agpu__share(const agpu__sharing *self, bool host_shared) {
  // What uses are of is known only as long as the memrefs are there.
  AGPU__SCOPED(ops) ends = returns_of(self->touches->function->function);
  AGPU__OWNED bool **results = agpu__allocate(ends.count + 1, sizeof(*results));
  for (size_t i = 0; i < ends.count; ++i)
    results[i] = find_results(self, ends.data[i]);
  each_use(self, "memref.dealloc", replace_dealloc);
  if (!host_shared) {
    each_use(self, "memref.copy", replace_copy);
    each_use(self, NULL, replace_read);
  }
  stand_ins all = {{0}, {0}};
  AGPU__EACH_MEMBER(member, &self->touches->function->objects, self->object) {
    const agpu__object *it = agpu__sharing_object(self, member);
    if (!agpu__sharing_places(self, member))
      continue;
    if (agpu__is_host_allocation(it))
      replace_allocation(self, it->value, host_shared);
    else if (agpu__is_frame_allocation(it) || it->kind == AGPU__OBJECT_RESULT)
      replace_local(self, member, host_shared, &all);
    else
      replace_given(self, member, host_shared, &all);
  }
  for (size_t i = 0; i < ends.count; ++i) {
    replace_results(&all, ends.data[i], results[i]);
    free(results[i]);
  }
  agpu__values_free(&all.bases);
  agpu__values_free(&all.buffers);
}

//===----------------------------------------------------------------------===//
// Registration
//===----------------------------------------------------------------------===//

static void build_registering(agpu__builder *at, MlirValue value,
                              const char *name) {
  MlirType type = mlirValueGetType(value);
  MlirValue any = value;
  if (mlirTypeIsAMemRef(type))
    any = agpu__build_unary(
        at, "memref.cast", value,
        mlirUnrankedMemRefTypeGet(mlirShapedTypeGetElementType(type),
                                  mlirMemRefTypeGetMemorySpace(type)));
  agpu__build_effect(at, name, &any, 1);
}

static void unregister_operands(const agpu__sharing *self, MlirOperation op) {
  agpu__builder at = agpu__builder_before(op);
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    if (agpu__sharing_has(self, mlirOperationGetOperand(op, i)))
      build_registering(&at, mlirOperationGetOperand(op, i),
                        "gpu.host_unregister");
}

/// The op in the block of the allocation that holds the last work of the device
/// on it, if nothing up to there ends it; a null op otherwise.
static MlirOperation find_last_work(const agpu__sharing *self,
                                    MlirOperation allocation) {
  const agpu__events *events = &self->touches->of[self->object];
  const agpu__ops *uses = &self->touches->uses[self->object];
  MlirBlock block = mlirOperationGetBlock(allocation);
  MlirOperation last = {NULL}, none = {NULL};
  for (size_t i = 0; i < events->count; ++i)
    if (events->data[i].on_device)
      last = agpu__find_in_block(events->data[i].op, block);
  for (size_t i = 0; i < uses->count && !mlirOperationIsNull(last); ++i) {
    if (!agpu__op_is(uses->data[i], "memref.dealloc") &&
        !agpu__op_is(uses->data[i], "func.return"))
      continue;
    MlirOperation end = agpu__find_in_block(uses->data[i], block);
    if (mlirOperationIsNull(end) || mlirOperationEqual(end, last) ||
        mlirOperationIsBeforeInBlock(end, last))
      return none;
  }
  return last;
}

void agpu__share_register(const agpu__sharing *self) {
  const agpu__object *it = agpu__sharing_object(self, self->object);
  MlirOperation last = {NULL};
  if (!it->next && !it->flows)
    last = find_last_work(self, mlirOpResultGetOwner(it->value));
  bool ends = agpu__sharing_is_used_by(self, "memref.dealloc") ||
              agpu__sharing_is_used_by(self, "func.return");
  if (mlirOperationIsNull(last)) {
    each_use(self, "memref.dealloc", unregister_operands);
    each_use(self, "func.return", unregister_operands);
  }
  AGPU__EACH_MEMBER(member, &self->touches->function->objects, self->object) {
    MlirValue value = agpu__sharing_object(self, member)->value;
    MlirOperation op = mlirOpResultGetOwner(value);
    agpu__builder at = agpu__builder_after(op);
    at.location = mlirOperationGetLocation(op);
    build_registering(&at, value, "gpu.host_register");
    if (ends && mlirOperationIsNull(last))
      continue;
    at = mlirOperationIsNull(last)
             ? agpu__builder_before(
                   mlirBlockGetTerminator(mlirOperationGetBlock(op)))
             : agpu__builder_after(last);
    build_registering(&at, value, "gpu.host_unregister");
  }
}
