//===- apply.c - Memory gets its place -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What was decided about one object, done. A view of an object with a buffer on
// the device gets a twin that is the same view of the buffer, after it; the
// device's ops use twins.
//
//===----------------------------------------------------------------------===//

#include "gpu/place/place.h"

#include <stdlib.h>

static const agpu__object *object_of(const agpu__touches *touches,
                                     size_t object) {
  return &touches->function->objects.data[object];
}

static bool is_static_strided(MlirType type) {
  MlirAttribute layout = mlirMemRefTypeGetLayout(type);
  if (!mlirAttributeIsAStridedLayout(layout) ||
      !mlirShapedTypeHasStaticShape(type))
    return false;
  int64_t dynamic = mlirShapedTypeGetDynamicStrideOrOffset();
  bool known = mlirStridedLayoutAttrGetOffset(layout) != dynamic;
  for (intptr_t i = 0; i < mlirStridedLayoutAttrGetNumStrides(layout); ++i)
    known &= mlirStridedLayoutAttrGetStride(layout, i) != dynamic &&
             mlirStridedLayoutAttrGetStride(layout, i) >= 0;
  return known;
}

static bool is_identity(MlirType type) {
  return mlirAffineMapIsIdentity(mlirMemRefTypeGetAffineMap(type));
}

bool agpu__can_mirror(MlirType memref) {
  return mlirTypeIsAMemRef(memref) &&
         (is_identity(memref) || is_static_strided(memref) ||
          agpu__memref_is_strided(memref));
}

//===----------------------------------------------------------------------===//
// Allocations
//===----------------------------------------------------------------------===//

MlirValue agpu__place_build_alloc(agpu__builder *at, MlirType type,
                                  const agpu__values *sizes, bool host_shared) {
  int32_t segments[] = {0, (int32_t)sizes->count, 0};
  MlirNamedAttribute attributes[2] = {agpu__segments(at->context, segments, 3)};
  size_t count = 1;
  if (host_shared)
    attributes[count++] =
        agpu__named(at->context, "hostShared", mlirUnitAttrGet(at->context));
  return agpu__result(agpu__build_op(at, "gpu.alloc", sizes->data, sizes->count,
                                     type, attributes, count),
                      0);
}

static void build_copy(agpu__builder *at, MlirValue to, MlirValue from) {
  MlirValue operands[] = {to, from};
  agpu__build_effect(at, "gpu.memcpy", operands, 2);
}

/// The memref.dealloc of what is the object or member for sure; a null op:
/// there is none, or several.
static MlirOperation release_of(const agpu__touches *touches, size_t member) {
  const agpu__ops *uses = &touches->uses[object_of(touches, member)->leader];
  MlirOperation found = {NULL};
  for (size_t i = 0; i < uses->count; ++i) {
    if (!agpu__op_is(uses->data[i], "memref.dealloc") ||
        agpu__place_of_memref(&touches->function->objects,
                              mlirOperationGetOperand(uses->data[i], 0))
                .member != member)
      continue;
    if (!mlirOperationIsNull(found))
      return (MlirOperation){NULL};
    found = uses->data[i];
  }
  return found;
}

/// Where what is made beside an object goes when the object does.
static agpu__builder builder_at_end(const agpu__touches *touches, size_t object,
                                    MlirBlock block) {
  MlirOperation release = release_of(touches, object);
  bool is_here = !mlirOperationIsNull(release) &&
                 mlirBlockEqual(mlirOperationGetBlock(release), block);
  return agpu__builder_before(is_here ? release
                                      : mlirBlockGetTerminator(block));
}

//===----------------------------------------------------------------------===//
// Mirrors
//===----------------------------------------------------------------------===//

typedef struct mirror {
  const agpu__touches *touches;
  size_t member;
  agpu__twins twins; ///< of memrefs of the host
} mirror;

/// Copies the op that makes `memref`, whose source is `source`, behind itself.
static MlirValue copy_view(mirror *self, MlirValue memref, MlirValue source) {
  MlirOperation view = mlirOpResultGetOwner(memref);
  MlirOperation made = mlirOperationClone(view);
  mlirOperationSetOperand(made, 0, source);
  agpu__builder at = agpu__builder_after(view);
  if (mlirOperationIsNull(at.before))
    mlirBlockAppendOwnedOperation(at.block, made);
  else
    mlirBlockInsertOwnedOperationBefore(at.block, at.before, made);
  MlirValue twin = agpu__result(made, mlirOpResultGetResultNumber(memref));
  agpu__twins_set(&self->twins, memref, twin);
  return twin;
}

/// The twin of a memref of the object.
static MlirValue twin_of(mirror *self, MlirValue memref) {
  AGPU__SCOPED(values) views = {0};
  MlirValue twin;
  while (twin = agpu__twins_get(&self->twins, memref), mlirValueIsNull(twin)) {
    agpu__values_push(&views, memref);
    memref = mlirOperationGetOperand(mlirOpResultGetOwner(memref), 0);
  }
  for (size_t i = views.count; i-- > 0;)
    twin = copy_view(self, views.data[i], twin);
  return twin;
}

static bool is_of(const mirror *self, MlirValue value) {
  return agpu__is_memref(value) &&
         agpu__place_of_memref(&self->touches->function->objects, value)
                 .member == self->member;
}

static MlirWalkResult use_twins(MlirOperation op, void *data) {
  mirror *self = data;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i) {
    MlirValue value = mlirOperationGetOperand(op, i);
    if (!is_of(self, value))
      continue;
    // What a launch makes inside of itself follows from what it is given.
    if (agpu__is_in_launch(value))
      continue;
    mlirOperationSetOperand(op, i, twin_of(self, value));
  }
  return MlirWalkResultAdvance;
}

MlirValue agpu__place_base(const agpu__touches *touches, size_t object,
                           agpu__builder *out_at) {
  const agpu__object *it = object_of(touches, object);
  MlirOperation function = touches->function->function;
  MlirBlock entry = agpu__entry_block(function);
  if (it->kind == AGPU__OBJECT_ALLOCATION || it->kind == AGPU__OBJECT_RESULT) {
    *out_at = agpu__builder_after(mlirOpResultGetOwner(it->value));
    out_at->location =
        mlirOperationGetLocation(mlirOpResultGetOwner(it->value));
    return it->value;
  }
  *out_at = agpu__builder_at_start(entry, mlirOperationGetLocation(function));
  if (it->kind == AGPU__OBJECT_ARGUMENT)
    return it->value;
  AGPU__SCOPED(ops) gets = {0};
  agpu__collect(function, "memref.get_global", &gets);
  MlirType type = {NULL};
  for (size_t i = 0; i < gets.count && mlirTypeIsNull(type); ++i)
    if (mlirAttributeEqual(agpu__attr(gets.data[i], "name"), it->symbol))
      type = mlirValueGetType(agpu__result(gets.data[i], 0));
  return agpu__build_with(out_at, "memref.get_global", NULL, 0, type, "name",
                          it->symbol);
}

/// The type of the buffer: that of the memref, but that what is not known of
/// its layout becomes the identity.
static MlirType mirror_type(MlirType type) {
  if (is_identity(type) || is_static_strided(type))
    return type;
  intptr_t rank = mlirShapedTypeGetRank(type);
  AGPU__OWNED int64_t *shape = agpu__allocate((size_t)rank + 1, sizeof(*shape));
  for (intptr_t i = 0; i < rank; ++i)
    shape[i] = mlirShapedTypeGetDimSize(type, i);
  return mlirMemRefTypeContiguousGet(mlirShapedTypeGetElementType(type), rank,
                                     shape, mlirMemRefTypeGetMemorySpace(type));
}

/// The sizes of `base` that its type does not say.
static agpu__values build_sizes(agpu__builder *at, MlirValue base) {
  MlirType type = mlirValueGetType(base);
  agpu__values sizes = {0};
  for (intptr_t i = 0; i < mlirShapedTypeGetRank(type); ++i)
    if (mlirShapedTypeIsDynamicDim(type, i)) {
      MlirValue operands[] = {base, agpu__index_constant(at, i)};
      agpu__values_push(&sizes,
                        agpu__build_value(at, "memref.dim", operands, 2,
                                          agpu__index_type(at->context)));
    }
  return sizes;
}

MlirValue agpu__place_build_buffer(agpu__builder *at, MlirValue base,
                                   bool host_shared) {
  MlirType type = mlirValueGetType(base), own = mirror_type(type);
  AGPU__SCOPED(values) sizes = build_sizes(at, base);
  MlirValue buffer = agpu__place_build_alloc(at, own, &sizes, host_shared);
  return mlirTypeEqual(type, own)
             ? buffer
             : agpu__build_unary(at, "memref.cast", buffer, type);
}

MlirValue agpu__place_build_host(agpu__builder *at, MlirValue base) {
  AGPU__SCOPED(values) sizes = build_sizes(at, base);
  int32_t segments[] = {(int32_t)sizes.count, 0};
  MlirNamedAttribute attribute = agpu__segments(at->context, segments, 2);
  MlirOperation op = agpu__build_op(at, "memref.alloc", sizes.data, sizes.count,
                                    mlirValueGetType(base), &attribute, 1);
  return agpu__result(op, 0);
}

void agpu__place_mirror(const agpu__touches *touches, size_t member,
                        const agpu__events *events,
                        const agpu__transfers *transfers) {
  mirror self = {.touches = touches, .member = member};
  agpu__builder at;
  MlirValue base = agpu__place_base(touches, member, &at);
  MlirValue twin = agpu__place_build_buffer(&at, base, false);
  agpu__twins_set(&self.twins, base, twin);
  // Each get_global is the same memory.
  AGPU__SCOPED(ops) gets = {0};
  if (object_of(touches, member)->kind == AGPU__OBJECT_GLOBAL)
    agpu__collect(touches->function->function, "memref.get_global", &gets);
  for (size_t i = 0; i < gets.count; ++i)
    if (is_of(&self, agpu__result(gets.data[i], 0)))
      agpu__twins_set(&self.twins, agpu__result(gets.data[i], 0), twin);
  for (size_t i = 0; i < events->count; ++i)
    if (events->data[i].on_device)
      mlirOperationWalk(events->data[i].op, use_twins, &self, MlirWalkPreOrder);
  for (size_t i = 0; i < transfers->count; ++i) {
    agpu__builder before = agpu__builder_before(transfers->data[i].before);
    bool to_device = transfers->data[i].to_device;
    build_copy(&before, to_device ? twin : base, to_device ? base : twin);
  }
  agpu__builder end = builder_at_end(touches, member, at.block);
  agpu__build_effect(&end, "gpu.dealloc", &twin, 1);
  agpu__twins_free(&self.twins);
}
