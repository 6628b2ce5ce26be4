//===- map.h - Numbers for addresses -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A map from addresses (an op's, a block's, a value's `ptr`) to numbers.
// Addresses of what has been destroyed may come back for something new: a map
// lives no longer than what it holds.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_LOWER_MAP_H
#define ASYNC_GPU_LOWER_MAP_H

#include <stddef.h>
#include <stdint.h>

/// What agpu__map_get gives for an address that is not in the map.
#define AGPU__MAP_NONE SIZE_MAX

/// Zero-initialise; free with agpu__map_free.
typedef struct agpu__map {
  const void **keys;
  size_t *numbers;
  size_t count, capacity;
} agpu__map;

size_t agpu__map_get(const agpu__map *map, const void *key);

/// `key` is not NULL. A number that it had before is replaced.
void agpu__map_set(agpu__map *map, const void *key, size_t number);
void agpu__map_free(agpu__map *map);

#endif // ASYNC_GPU_LOWER_MAP_H
