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
} agpu__object_kind;

/// The numbers of the two objects that each function has.
enum { AGPU__WORLD, AGPU__ELSEWHERE };

/// On an argument, as MLIR knows it: no other pointer leads to its memory.
#define AGPU__NOALIAS_ATTR "llvm.noalias"

typedef struct agpu__object {
  agpu__object_kind kind;
  MlirValue value;      ///< of an ALLOCATION or ARGUMENT: the memref
  MlirAttribute symbol; ///< of a GLOBAL
  /// Of an ARGUMENT: its number.
  size_t argument;
  /// Its address has gone where that is not followed.
  bool escapes;
  /// Of an ARGUMENT: no other argument and no global is the same memory.
  bool apart;
} agpu__object;

/// A memref: of which object, and which part.
typedef struct agpu__place_in_memory {
  size_t object;
  agpu__box box;
  /// Dimension i of the memref is dimension i of the object, moved by
  /// `box.low[i]` where the box is not all of it.
  bool straight;
} agpu__place_in_memory;

typedef struct agpu__objects {
  agpu__object *data;
  size_t count, capacity;
  agpu__map numbers; ///< of memrefs in `places`, by the value's address
  agpu__place_in_memory *places;
  size_t place_count, place_capacity;
} agpu__objects;

/// Says whether `call`, a func.call or gpu.launch_func, keeps the address in
/// operand `number`.
typedef bool (*agpu__call_keeps)(MlirOperation call, intptr_t number,
                                 void *data);

/// Finds the objects of a function (func.func, gpu.func). `all_apart`: its
/// arguments are taken not to alias. Free with agpu__objects_free.
void agpu__objects_create(MlirOperation function, bool all_apart,
                          agpu__call_keeps keeps, void *data,
                          agpu__objects *out_objects);
void agpu__objects_free(agpu__objects *objects);

/// Where a memref points to.
agpu__place_in_memory agpu__place_of_memref(const agpu__objects *objects,
                                            MlirValue memref);

/// False only if the two objects never share memory. An object is itself.
bool agpu__objects_may_alias(const agpu__objects *objects, size_t a, size_t b);

/// True if only accesses of itself can reach the object's memory.
bool agpu__object_is_private(const agpu__objects *objects, size_t object);

#endif // ASYNC_GPU_GPU_MEMORY_OBJECTS_H
