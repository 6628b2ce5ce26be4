//===- decide.c - Which place memory gets -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For each object of the host's memory that a launch is given: a buffer of its
// own and copies, where it is known which memref is which; one place for all
// that control flow hands on, where it is not; or an error.
//
//===----------------------------------------------------------------------===//

#include "gpu/place/place.h"
#include "lower/pass/diagnostics.h"

#include <stdlib.h>

/// What is no larger is shared rather than copied in each round of a loop: a
/// card fetches it over the bus in the time that a copy takes to begin.
#define SHARED_BYTES 4096

//===----------------------------------------------------------------------===//
// What is known of an object
//===----------------------------------------------------------------------===//

static MlirType type_of(const agpu__placing *self, size_t object) {
  MlirValue value = self->function->objects.data[object].value;
  if (!mlirValueIsNull(value))
    return mlirValueGetType(value);
  AGPU__SCOPED(ops) gets = {0};
  agpu__collect(self->function->function, "memref.get_global", &gets);
  MlirType type = {NULL};
  for (size_t i = 0; i < gets.count; ++i)
    if (agpu__place_of_memref(&self->function->objects,
                              agpu__result(gets.data[i], 0))
            .member == object)
      type = mlirValueGetType(agpu__result(gets.data[i], 0));
  return type;
}

/// True if the object is no larger than what is shared.
static bool is_small(MlirType type) {
  if (!mlirTypeIsAMemRef(type) || !mlirShapedTypeHasStaticShape(type))
    return false;
  MlirType element = agpu__payload_type(mlirShapedTypeGetElementType(type));
  if (mlirTypeIsNull(element))
    return false;
  uint64_t alignment, bytes = agpu__type_size(element, &alignment);
  for (intptr_t i = 0; i < mlirShapedTypeGetRank(type); ++i)
    if (__builtin_mul_overflow(
            bytes, (uint64_t)mlirShapedTypeGetDimSize(type, i), &bytes))
      return false;
  return bytes <= SHARED_BYTES;
}

static bool is_plain(MlirType type) {
  return mlirAffineMapIsIdentity(mlirMemRefTypeGetAffineMap(type));
}

/// True if the host does nothing but free it.
static bool is_for_device_alone(const agpu__placing *self, size_t object) {
  const agpu__events *events = &self->touches->of[object];
  for (size_t i = 0; i < events->count; ++i)
    if (!events->data[i].on_device &&
        !agpu__op_is(events->data[i].op, "memref.dealloc"))
      return false;
  return true;
}

/// True if the host does nothing but receive a halo there, which the device
/// reads once.
static bool is_halo(const agpu__placing *self, size_t object) {
  const agpu__events *events = &self->touches->of[object];
  bool found = false;
  for (size_t i = 0; i < events->count; ++i) {
    const agpu__event *it = &events->data[i];
    found |= agpu__is_halo(it->op);
    if (it->on_device
            ? it->writes
            : !agpu__is_halo(it->op) && !agpu__op_is(it->op, "memref.dealloc"))
      return false;
  }
  return found;
}

/// True if ranks are sent it, from the device.
static bool is_sent(const agpu__placing *self, size_t object) {
  const agpu__events *events = &self->touches->of[object];
  for (size_t i = 0; i < events->count; ++i)
    if (events->data[i].on_device &&
        agpu__op_has(events->data[i].op, AGPU__OP_MESSAGES))
      return true;
  return false;
}

static bool writes_on_device(const agpu__placing *self, size_t object) {
  const agpu__events *events = &self->touches->of[object];
  for (size_t i = 0; i < events->count; ++i)
    if (events->data[i].on_device && events->data[i].writes)
      return true;
  return false;
}

/// The same of one member: what is written through what control flow gives may
/// be any.
static bool writes_member(const agpu__placing *self, size_t member) {
  const agpu__object *it = &self->function->objects.data[member];
  size_t leader = it->leader;
  const agpu__object *first = &self->function->objects.data[leader];
  agpu__sharing sharing = {self->spaces, self->touches, leader, self->dead};
  return writes_on_device(self, leader) &&
         ((!first->next && !first->flows) ||
          agpu__sharing_writes(&sharing, member));
}

/// A constant that gpu.launch alone uses becomes one of the kernel
/// (async-gpu-host-memory).
static bool goes_into_kernels(const agpu__placing *self, size_t object) {
  const agpu__object *it = &self->function->objects.data[object];
  if (it->kind != AGPU__OBJECT_GLOBAL || it->flows || it->next)
    return false;
  MlirOperation global =
      mlirSymbolTableLookup(self->touches->summaries->symbols,
                            mlirFlatSymbolRefAttrGetValue(it->symbol));
  bool constant =
      !mlirOperationIsNull(global) && agpu__has_attr(global, "constant");
  const agpu__events *events = &self->touches->of[object];
  for (size_t i = 0; i < events->count; ++i)
    constant &= !agpu__op_is(events->data[i].op, "gpu.launch_func");
  return constant;
}

/// Another object that kernels are given and that may be the same memory as the
/// member, or as any of them, where a copy of each would let them part; 0:
/// there is none.
static size_t find_rival(const agpu__placing *self, size_t object, bool any) {
  const agpu__objects *objects = &self->function->objects;
  size_t leader = objects->data[object].leader;
  if (agpu__object_is_private(objects, leader))
    return 0;
  for (size_t o = AGPU__ELSEWHERE + 1; o < objects->count; ++o) {
    if (objects->data[o].leader != o || o == leader ||
        agpu__object_is_private(objects, o) ||
        mlirOperationIsNull(agpu__placing_launch(self, o)) ||
        !(writes_on_device(self, o) || writes_on_device(self, leader)))
      continue;
    AGPU__EACH_MEMBER(member, objects, o)
    for (size_t own = any ? leader : object; own;
         own = any ? objects->data[own].next : 0)
      if (agpu__members_may_meet(objects, own, member) &&
          (writes_member(self, own) || writes_member(self, member)))
        return member;
  }
  return 0;
}

//===----------------------------------------------------------------------===//
// Decisions
//===----------------------------------------------------------------------===//

static void mirror(agpu__placing *self, size_t member,
                   const agpu__events *events,
                   const agpu__transfers *transfers) {
  AGPU__OWNED char *text =
      agpu__format("has a buffer on the device: %zu %s%s", transfers->count,
                   transfers->count == 1 ? "copy" : "copies",
                   transfers->in_loops ? ", in a loop" : "");
  agpu__placing_remark(self, member, text);
  agpu__place_mirror(self->touches, member, events, transfers);
}

static void register_all(agpu__placing *self, size_t object) {
  agpu__sharing sharing = {self->spaces, self->touches, object, self->dead};
  AGPU__OWNED char *why = agpu__share_registration_obstacle(&sharing);
  if (why) {
    agpu__placing_fail(self, object, why, AGPU__PLACING_FIX);
  } else {
    AGPU__EACH_MEMBER(member, &self->function->objects, object)
    agpu__placing_remark(
        self, member,
        "is registered: its address goes where it is not followed");
    agpu__share_register(&sharing);
  }
}

static void share(agpu__placing *self, size_t object, bool host_shared,
                  const char *reason) {
  agpu__sharing sharing = {self->spaces, self->touches, object, self->dead};
  AGPU__EACH_MEMBER(member, &self->function->objects, object)
  if (agpu__space_of_member(self->spaces, self->function, member) &
      AGPU__SPACE_HOST)
    agpu__placing_remark(self, member, reason);
  agpu__share(&sharing, host_shared);
}

/// False, after an error, if another object may be the same memory.
static bool check_rivals(agpu__placing *self, size_t object, bool any) {
  size_t rival = find_rival(self, object, any);
  if (!rival)
    return true;
  AGPU__OWNED char *name = agpu__placing_name(self, rival);
  AGPU__OWNED char *why =
      agpu__format("it may be the same memory as %s, and a kernel "
                   "writes to one of them",
                   name);
  agpu__placing_fail(
      self, object, why,
      "give the argument llvm.noalias, or all of them by "
      "noalias-arguments=true, where that is so, or " AGPU__PLACING_FIX);
  return false;
}

/// True if the function has allocated all members.
static bool is_allocated(const agpu__objects *objects, size_t object) {
  bool allocated = true;
  AGPU__EACH_MEMBER(member, objects, object)
  allocated &= objects->data[member].kind == AGPU__OBJECT_ALLOCATION;
  return allocated;
}

/// Where all members are the device's, or both's.
static void place_together(agpu__placing *self, size_t object) {
  agpu__sharing sharing = {self->spaces, self->touches, object, self->dead};
  if (self->function->objects.data[object].escapes &&
      is_allocated(&self->function->objects, object)) {
    register_all(self, object);
    return;
  }
  AGPU__OWNED char *why = agpu__share_obstacle(&sharing);
  if (why)
    agpu__placing_fail(self, object, why, AGPU__PLACING_FIX);
  else if (check_rivals(self, object, true))
    share(self, object, !agpu__share_is_for_device(&sharing),
          agpu__share_is_for_device(&sharing)
              ? "is on the device: the host only hands it on, frees, returns "
                "or reads it"
              : "is shared by host and device: control flow passes it on");
}

/// Where the copies of a member of an object go; the host sees it wherever it
/// sees the object.
static void find_transfers(const agpu__placing *self, size_t member,
                           const agpu__events *events,
                           agpu__transfers *out_transfers) {
  const agpu__object *it = &self->function->objects.data[member];
  const agpu__object *leader = &self->function->objects.data[it->leader];
  bool is_given =
      it->kind == AGPU__OBJECT_ARGUMENT || it->kind == AGPU__OBJECT_GLOBAL;
  MlirBlock block =
      is_given ? agpu__entry_block(self->function->function)
               : mlirOperationGetBlock(mlirOpResultGetOwner(it->value));
  // Each time that it is allocated is another one.
  bool allocated = it->kind == AGPU__OBJECT_ALLOCATION;
  bool ends = allocated || (it->kind == AGPU__OBJECT_RESULT && it->noalias &&
                            !leader->escapes);
  MlirOperation last = mlirBlockGetTerminator(block);
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(last); ++i) {
    MlirValue value = mlirOperationGetOperand(last, i);
    ends &= !agpu__is_memref(value) ||
            agpu__place_of_memref(&self->function->objects, value).object !=
                it->leader;
  }
  agpu__transfers_find(block, events, allocated ? AGPU__ON_BOTH : AGPU__ON_HOST,
                       ends ? 0 : AGPU__ON_HOST, out_transfers);
}

/// A member of an object, and where its copies would go.
typedef struct part {
  size_t member;
  agpu__events events;
  agpu__transfers transfers;
} part;

/// True if kernels are given members as they are, none of which is another one,
/// so that each may have a buffer of its own.
static bool can_part(const agpu__placing *self, const part *parts,
                     size_t count) {
  bool small = true, in_loops = false;
  for (size_t i = 0; i < count; ++i) {
    const agpu__object *it = &self->function->objects.data[parts[i].member];
    MlirType type = type_of(self, parts[i].member);
    if (parts[i].transfers.fails || !agpu__can_mirror(type))
      return false;
    in_loops |= parts[i].transfers.in_loops > 0;
    small &= it->kind == AGPU__OBJECT_ALLOCATION && is_small(type);
    for (size_t k = 0; k < i; ++k)
      if (agpu__members_may_meet(&self->function->objects, parts[i].member,
                                 parts[k].member))
        return false;
  }
  return !(small && in_loops);
}

/// Memory that control flow hands on: which it is, is known only when the
/// program runs.
static void place_flowing(agpu__placing *self, size_t object) {
  const agpu__objects *objects = &self->function->objects;
  agpu__sharing sharing = {self->spaces, self->touches, object, self->dead};
  bool allocated = is_allocated(objects, object);
  bool direct = !allocated || (!objects->data[object].escapes &&
                               !agpu__share_is_for_device(&sharing));
  size_t count = 0, all = 0;
  bool rivals = false;
  AGPU__EACH_MEMBER(member, objects, object)
  ++all;
  AGPU__OWNED part *parts = agpu__allocate(all, sizeof(*parts));
  AGPU__EACH_MEMBER(member, objects, object) {
    part *it = &parts[count];
    it->member = member;
    direct &= agpu__touches_of_member(self->touches, member, &it->events);
    bool used = false;
    for (size_t i = 0; i < it->events.count; ++i)
      used |= it->events.data[i].on_device;
    if (!direct)
      break;
    if (!used || !(agpu__space_of_member(self->spaces, self->function, member) &
                   AGPU__SPACE_HOST)) {
      free(it->events.data);
      it->events.data = NULL;
      continue;
    }
    find_transfers(self, member, &it->events, &it->transfers);
    ++count;
  }
  direct = direct && can_part(self, parts, count);
  for (size_t i = 0; direct && i < count; ++i)
    if (!check_rivals(self, parts[i].member, false)) {
      rivals = true;
      direct = false;
    }
  for (size_t i = 0; i < all; ++i) {
    if (direct && i < count)
      mirror(self, parts[i].member, &parts[i].events, &parts[i].transfers);
    free(parts[i].events.data);
    agpu__transfers_free(&parts[i].transfers);
  }
  if (!direct && !rivals)
    place_together(self, object);
}

static void place_allocation(agpu__placing *self, size_t object) {
  const agpu__object *it = &self->function->objects.data[object];
  MlirType type = mlirValueGetType(it->value);
  bool in_frame = agpu__op_is(mlirOpResultGetOwner(it->value), "memref.alloca");
  bool plain = is_plain(type);
  agpu__transfers transfers;
  find_transfers(self, object, &self->touches->of[object], &transfers);
  if (it->escapes)
    register_all(self, object);
  else if (!agpu__can_mirror(type))
    agpu__placing_fail(self, object, "its layout is not strided",
                       AGPU__PLACING_FIX);
  else if (!in_frame && plain && is_for_device_alone(self, object))
    share(self, object, false,
          "is allocated on the device: the host never touches it");
  else if (transfers.fails)
    place_together(self, object);
  else if (!in_frame && plain && transfers.in_loops && is_small(type))
    share(self, object, true,
          "is shared by host and device: it is small, and would be copied in "
          "a loop");
  else if (!in_frame && plain && is_halo(self, object))
    share(self, object, true,
          "is shared by host and device: ranks send what the device reads "
          "once");
  else
    mirror(self, object, &self->touches->of[object], &transfers);
  agpu__transfers_free(&transfers);
}

static void place_given(agpu__placing *self, size_t object) {
  if (!check_rivals(self, object, false))
    return;
  agpu__transfers transfers;
  find_transfers(self, object, &self->touches->of[object], &transfers);
  if (!agpu__can_mirror(type_of(self, object)))
    agpu__placing_fail(self, object,
                       "it has no rank, or its layout is not strided",
                       AGPU__PLACING_FIX);
  else if (transfers.fails)
    place_together(self, object);
  else
    mirror(self, object, &self->touches->of[object], &transfers);
  agpu__transfers_free(&transfers);
}

/// Where the device reaches all memory. What it alone uses is allocated and
/// freed in the order of its work, and the rest is the host's.
static void place_unified(agpu__placing *self, size_t object) {
  const agpu__object *it = &self->function->objects.data[object];
  bool allocated = !it->flows && !it->next && !it->escapes &&
                   agpu__is_host_allocation(it) &&
                   is_plain(mlirValueGetType(it->value));
  if (allocated && is_for_device_alone(self, object) &&
      !is_sent(self, object)) {
    share(self, object, false,
          "is allocated on the device: the host never touches it");
    return;
  }
  AGPU__EACH_MEMBER(member, &self->function->objects, object)
  if (agpu__space_of_member(self->spaces, self->function, member) &
      AGPU__SPACE_HOST)
    agpu__placing_remark(self, member,
                         "stays where it is: the device reaches it");
}

void agpu__place_object(agpu__placing *self, size_t object) {
  const agpu__object *it = &self->function->objects.data[object];
  if (it->leader != object || it->kind == AGPU__OBJECT_FLOW ||
      mlirOperationIsNull(agpu__placing_launch(self, object)) ||
      goes_into_kernels(self, object))
    return;
  // What is of the device in some calls alone is copied in all of them: from
  // one place of the device to another.
  if (!(agpu__space_of(self->spaces, self->function, object) &
        AGPU__SPACE_HOST))
    return;
  if (self->is_unified)
    place_unified(self, object);
  else if (it->flows || it->next)
    place_flowing(self, object);
  else if (it->kind == AGPU__OBJECT_ALLOCATION)
    place_allocation(self, object);
  else
    place_given(self, object);
}

//===----------------------------------------------------------------------===//
// What is said of data that is placed
//
// The names of what is placed, and remarks and errors that begin with them: a
// remark stands where the memory is from, an error at the launch that is given
// it.
//===----------------------------------------------------------------------===//

char *agpu__placing_name(const agpu__placing *self, size_t number) {
  const agpu__object *object = &self->function->objects.data[number];
  if (object->kind == AGPU__OBJECT_ARGUMENT)
    return agpu__format("argument %zu", object->argument);
  if (object->kind == AGPU__OBJECT_GLOBAL) {
    MlirStringRef name = mlirFlatSymbolRefAttrGetValue(object->symbol);
    return agpu__format("global @%.*s", AGPU__STR(name));
  }
  MlirOperation op = mlirOpResultGetOwner(object->value);
  MlirStringRef name = agpu__op_name(op);
  return agpu__format("the %.*s in line %d", AGPU__STR(name),
                      agpu__place_of(mlirOperationGetLocation(op)).line);
}

MlirOperation agpu__placing_launch(const agpu__placing *self, size_t object) {
  const agpu__events *events = &self->touches->of[object];
  for (size_t i = 0; i < events->count; ++i)
    if (agpu__is_launch(events->data[i].op))
      return events->data[i].op;
  return (MlirOperation){NULL};
}

void agpu__placing_remark(const agpu__placing *self, size_t object,
                          const char *text) {
  if (!self->remarks)
    return;
  AGPU__OWNED char *name = agpu__placing_name(self, object);
  MlirValue value = self->function->objects.data[object].value;
  MlirLocation location =
      !mlirValueIsNull(value) && mlirValueIsAOpResult(value)
          ? mlirOperationGetLocation(mlirOpResultGetOwner(value))
          : mlirOperationGetLocation(self->function->function);
  agpu__remark(location, "%s %s", name, text);
}

void agpu__placing_fail(agpu__placing *self, size_t object, const char *reason,
                        const char *fix) {
  AGPU__OWNED char *name = agpu__placing_name(self, object);
  size_t leader = self->function->objects.data[object].leader;
  agpu__error(mlirOperationGetLocation(agpu__placing_launch(self, leader)),
              "the kernel is given memory of the host, %s, which cannot be "
              "placed: %s; %s",
              name, reason, fix);
  self->result = mlirLogicalResultFailure();
}
