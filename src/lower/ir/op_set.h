//===- op_set.h - Sets of ops, and ops by a key -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Both keep the order in which ops came: a set that is a worklist can grow
// while it is gone through. An op that is destroyed stays in by its address.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_LOWER_OP_SET_H
#define ASYNC_GPU_LOWER_OP_SET_H

#include "lower/ir/map.h"
#include "lower/ir/ops.h"

/// Zero-initialise; free with agpu__op_set_free.
typedef struct agpu__op_set {
  agpu__ops all; ///< to be read
  agpu__map numbers;
} agpu__op_set;

bool agpu__op_set_has(const agpu__op_set *set, MlirOperation op);

/// False if it was there already.
bool agpu__op_set_add(agpu__op_set *set, MlirOperation op);
void agpu__op_set_free(agpu__op_set *set);

/// Lists of ops, each with a key. Zero-initialise; free with
/// agpu__op_lists_free.
typedef struct agpu__op_lists {
  agpu__map numbers;
  agpu__ops *lists;
  size_t count, capacity;
} agpu__op_lists;

/// Appends `op` to the list of `key`, an address that is not NULL.
void agpu__op_lists_add(agpu__op_lists *lists, const void *key,
                        MlirOperation op);

/// The list of `key`, empty where nothing has been added. Valid until more is.
agpu__ops agpu__op_lists_get(const agpu__op_lists *lists, const void *key);
void agpu__op_lists_free(agpu__op_lists *lists);

#endif // ASYNC_GPU_LOWER_OP_SET_H
