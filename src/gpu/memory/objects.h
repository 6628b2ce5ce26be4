//===- objects.h - Whose memory a memref is of -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Memory of a function by the op or argument that it comes from. Each memref of
// the function is of one object, or of AGPU__ELSEWHERE where that is not known.
// A memref that control flow hands on may be of several: where that is
// followed, those are one object with several members.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_GPU_MEMORY_OBJECTS_H
#define ASYNC_GPU_GPU_MEMORY_OBJECTS_H

#include "gpu/memory/access.h"
#include "lower/ir/map.h"
#include "lower/ir/ops.h"

typedef enum agpu__object_kind {
  AGPU__OBJECT_WORLD,      ///< what is seen from outside of the program
  AGPU__OBJECT_ELSEWHERE,  ///< all memory that is known to somebody else
  AGPU__OBJECT_ALLOCATION, ///< of an op in the function
  AGPU__OBJECT_ARGUMENT,   ///< of an argument of the function
  AGPU__OBJECT_GLOBAL,     ///< of a symbol
  AGPU__OBJECT_RESULT,     ///< of a call, or of an op that is not known
  AGPU__OBJECT_FLOW,       ///< none yet: of a value that control flow gives
} agpu__object_kind;

/// What an object may be the same memory as, beside itself, as bits. 0: no
/// other object, unless its address escapes.
enum {
  AGPU__REACH_GLOBAL = 1,   ///< an argument
  AGPU__REACH_ARGUMENT = 2, ///< a global, or another argument
  AGPU__REACH_ANY = 4,      ///< all that is not private
};

/// The numbers of the two objects that each function has.
enum { AGPU__WORLD, AGPU__ELSEWHERE };

/// On an argument, as MLIR knows it, or on memref.get_global: no other pointer
/// leads to its memory.
#define AGPU__NOALIAS_ATTR "llvm.noalias"

typedef struct agpu__object {
  agpu__object_kind kind;
  MlirValue value;      ///< of an ALLOCATION, ARGUMENT or RESULT: the memref
  MlirAttribute symbol; ///< of a GLOBAL
  /// Of an ARGUMENT: its number.
  size_t argument;
  /// Where control flow is followed, objects that one memref may be of are one,
  /// by the name of their leader; what stands below is the leader's, for all.
  size_t leader;
  size_t next; ///< member of the same, or 0
  bool flows;  ///< there are memrefs of it that control flow hands on
  /// Its address has gone where that is not followed.
  bool escapes;
  /// Of an ARGUMENT: no other argument and no global is the same memory. Of a
  /// RESULT: the call has allocated it. Of a GLOBAL: no other memref is.
  bool noalias;
  unsigned reach; ///< AGPU__REACH_ bits, of all members
} agpu__object;

/// A memref: of which object, and which part.
typedef struct agpu__place_in_memory {
  size_t object;
  size_t member; ///< of it; of kind FLOW where control flow gives the memref
  agpu__box box;
  /// Dimension i of the memref is dimension i of the object, moved by
  /// `box.low[i]` where the box is not all of it.
  bool is_identity;
} agpu__place_in_memory;

typedef struct agpu__objects {
  agpu__object *data;
  size_t count, capacity;
  agpu__map numbers; ///< of memrefs in `places`, by the value's address
  agpu__place_in_memory *places;
  size_t place_count, place_capacity;
} agpu__objects;

/// What objects.c has to know of other functions, and how it looks at this one.
typedef struct agpu__object_rules {
  /// Whether `call`, a func.call or gpu.launch_func, keeps the address in
  /// operand `number`.
  bool (*captures)(MlirOperation call, intptr_t number, void *data);
  /// Whether result `number` of a func.call is memory that the callee has
  /// allocated, and that nobody else knows.
  bool (*is_own)(MlirOperation call, intptr_t number, void *data);
  /// Whether a result of a func.call is what it is given, and may be operand
  /// `number`.
  bool (*gives)(MlirOperation call, intptr_t result, intptr_t number,
                void *data);
  void *data;
  bool all_noalias; ///< arguments are taken not to alias
  bool follow;      ///< control flow that hands memrefs on
} agpu__object_rules;

/// Finds the objects of a function (func.func, gpu.func). Free with
/// agpu__objects_free.
void agpu__objects_create(MlirOperation function,
                          const agpu__object_rules *rules,
                          agpu__objects *out_objects);
void agpu__objects_free(agpu__objects *objects);

/// Where a memref points to.
agpu__place_in_memory agpu__place_of_memref(const agpu__objects *objects,
                                            MlirValue memref);

/// False only if the two objects never share memory. An object is itself.
bool agpu__objects_may_alias(const agpu__objects *objects, size_t a, size_t b);

/// True if `value` is made in a gpu.launch.
bool agpu__is_in_launch(MlirValue value);

/// A loop over all objects that go by the name of a leader.
#define AGPU__EACH_MEMBER(member, objects, object)                             \
  for (size_t member = (object); member; member = (objects)->data[member].next)

/// The same of two members, of one object or of two.
bool agpu__members_may_meet(const agpu__objects *objects, size_t a, size_t b);

/// True if only accesses of itself can reach the object's memory.
bool agpu__object_is_private(const agpu__objects *objects, size_t object);

#endif // ASYNC_GPU_GPU_MEMORY_OBJECTS_H
