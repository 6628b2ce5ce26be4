//===- origins.c - Where results of functions come from -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A result is the caller's alone if it comes from an allocation of the host, or
// from a call that gives such, and its address goes nowhere else. Otherwise it
// may be one of the arguments, or anything.
//
//===----------------------------------------------------------------------===//

#include "gpu/memory/accesses.h"

#include <stdlib.h>

static bool is_own_member(const agpu__object *it) {
  return it->kind == AGPU__OBJECT_ALLOCATION
             ? mlirValueIsAOpResult(it->value) &&
                   agpu__op_is(mlirOpResultGetOwner(it->value), "memref.alloc")
             : it->kind == AGPU__OBJECT_RESULT && it->noalias;
}

/// One more memref that the function returns as that result.
static void add_returned(const agpu__objects *objects, MlirValue value,
                         bool is_first, agpu__origin *origin) {
  size_t object = agpu__is_memref(value)
                      ? agpu__place_of_memref(objects, value).object
                      : AGPU__ELSEWHERE;
  bool own = object != AGPU__ELSEWHERE && !objects->data[object].escapes;
  AGPU__EACH_MEMBER(member, objects, object) {
    const agpu__object *it = &objects->data[member];
    own &= is_own_member(it);
    if (it->kind == AGPU__OBJECT_ARGUMENT)
      origin->arguments[it->argument] = true;
    else
      origin->is_given = false;
  }
  if (is_first)
    origin->own = own ? object : 0;
  else if (!own || origin->own != object)
    origin->own = 0;
}

void agpu__origins_create(MlirOperation function, const agpu__objects *objects,
                          agpu__origins *out_origins) {
  MlirType type = agpu__function_type(function);
  size_t results = (size_t)mlirFunctionTypeGetNumResults(type);
  size_t inputs = (size_t)mlirFunctionTypeGetNumInputs(type);
  *out_origins = (agpu__origins){
      .data = agpu__allocate(results, sizeof(*out_origins->data)),
      .count = results};
  for (size_t i = 0; i < results; ++i) {
    out_origins->data[i].arguments = agpu__allocate(inputs, sizeof(bool));
    out_origins->data[i].is_given = true;
  }
  bool is_first = true;
  AGPU__BLOCKS_FOREACH (block, mlirOperationGetRegion(function, 0)) {
    MlirOperation end = mlirBlockGetTerminator(block);
    if (!agpu__op_is(end, "func.return"))
      continue;
    for (size_t i = 0; i < results; ++i)
      add_returned(objects, mlirOperationGetOperand(end, (intptr_t)i), is_first,
                   &out_origins->data[i]);
    is_first = false;
  }
}

void agpu__origins_free(agpu__origins *origins) {
  for (size_t i = 0; i < origins->count; ++i)
    free(origins->data[i].arguments);
  free(origins->data);
  memset(origins, 0, sizeof(*origins));
}

/// True if the caller frees what the call gives, where it calls.
static bool is_freed(MlirOperation call, intptr_t number) {
  AGPU__USES_FOREACH (use, agpu__result(call, number)) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    if (agpu__op_is(user, "memref.dealloc") &&
        mlirBlockEqual(mlirOperationGetBlock(user),
                       mlirOperationGetBlock(call)))
      return true;
  }
  return false;
}

bool agpu__owns_result(const agpu__origins *origins, MlirOperation call,
                       intptr_t number) {
  size_t own = origins->data[number].own;
  bool is_alone = true, all_freed = true;
  for (size_t i = 0; own && i < origins->count; ++i) {
    if (origins->data[i].own != own)
      continue;
    // The same memory is not freed twice.
    is_alone &= (intptr_t)i == number;
    all_freed &= is_freed(call, (intptr_t)i);
  }
  return own && (is_alone || all_freed);
}
