//===- array.c - Arrays of who reads a trace ------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// They double, and move: no pointer into one lasts beyond the next call. Memory
// that is out is the result false or NULL.
//
//===----------------------------------------------------------------------===//

#include "trace/array.h"

#include <string.h>

bool agpu__trace_array_reserve(agpu__trace_array *array, size_t size,
                               size_t more) {
  size_t needed = array->count + more;
  if (needed <= array->capacity)
    return true;
  size_t capacity = array->capacity ? array->capacity : 256;
  while (capacity < needed)
    capacity *= 2;
  void *data = agpu__trace_map(capacity * size);
  if (!data)
    return false;
  if (array->count)
    memcpy(data, array->data, array->count * size);
  agpu__trace_unmap(array->data, array->capacity * size);
  array->data = data;
  array->capacity = capacity;
  return true;
}

void *agpu__trace_array_add(agpu__trace_array *array, size_t size) {
  if (!agpu__trace_array_reserve(array, size, 1))
    return NULL;
  void *element = (char *)array->data + array->count++ * size;
  memset(element, 0, size);
  return element;
}

void agpu__trace_array_free(agpu__trace_array *array, size_t size) {
  agpu__trace_unmap(array->data, array->capacity * size);
  *array = (agpu__trace_array){0};
}
