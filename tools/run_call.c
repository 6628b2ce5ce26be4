//===- run_call.c - A call with what it takes and gives -------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Arrays in memory that is laid out as the function's types ask for, with the
// descriptors that compiled code reads, and back. An argument is kept as it was
// given, so that each call begins with the same numbers.
//
//===----------------------------------------------------------------------===//

#include "run_call.h"

#include "npy.h"

#include "async_gpu/compiled/mlir_async_runtime.h"
#include "async_gpu/object.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/// Memory of arguments is aligned to a cache line, as vectors want it.
enum { ALIGNMENT = 64 };

/// A descriptor: allocated, aligned, offset, sizes, strides.
enum { ALLOCATED, ALIGNED, OFFSET, SIZES };

/// What the address of a value points at.
typedef union slot {
  uint64_t words[SIZES + 2 * AGPU_ARRAY_RANK];
  agpu_unranked_memref unranked;
  agpu_object *object;
} slot;

typedef struct argument {
  agpu__array given;
  void *memory; ///< of a memref
  size_t bytes;
  slot descriptor; ///< of an unranked memref
} argument;

struct agpu__call {
  agpu_signature *signature;
  argument *arguments;
  slot *slots; ///< of arguments, then of results
  void **values;
  bool has_run;
};

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

static bool is_memref(const agpu_type *type) {
  return type->kind == AGPU_TYPE_MEMREF ||
         type->kind == AGPU_TYPE_UNRANKED_MEMREF;
}

/// A descriptor of rank `rank`.
typedef struct view {
  char *first; ///< the first element
  const int64_t *sizes, *strides;
  int64_t rank, element_bytes;
} view;

static view view_of(const uint64_t *words, int64_t rank,
                    int64_t element_bytes) {
  const int64_t *sizes = (const int64_t *)words + SIZES;
  return (view){.first = (char *)(uintptr_t)words[ALIGNED] +
                         (int64_t)words[OFFSET] * element_bytes,
                .sizes = sizes,
                .strides = sizes + rank,
                .rank = rank,
                .element_bytes = element_bytes};
}

static bool is_dense(const view *v) {
  int64_t stride = 1;
  for (int64_t i = v->rank - 1; i >= 0; stride *= v->sizes[i--])
    if (v->sizes[i] != 1 && v->strides[i] != stride)
      return false;
  return true;
}

/// Copies elements between the view and `dense`, where they lie side by side.
/// Returns what is behind them there.
static char *copy_elements(const view *v, int64_t dimension, char *at,
                           char *dense, bool to_view) {
  size_t bytes = (size_t)v->element_bytes;
  if (dimension == v->rank) {
    memcpy(to_view ? at : dense, to_view ? dense : at, bytes);
    return dense + bytes;
  }
  for (int64_t i = 0; i < v->sizes[dimension]; ++i)
    dense = copy_elements(v, dimension + 1,
                          at + i * v->strides[dimension] * v->element_bytes,
                          dense, to_view);
  return dense;
}

static void copy(const view *v, char *dense, bool to_view) {
  size_t bytes = (size_t)v->element_bytes;
  for (int64_t i = 0; i < v->rank; ++i)
    bytes *= (size_t)v->sizes[i];
  if (!bytes)
    return;
  if (is_dense(v))
    memcpy(to_view ? v->first : dense, to_view ? dense : v->first, bytes);
  else
    (void)copy_elements(v, 0, v->first, dense, to_view);
}

/// Makes memory for `argument`, which has its array, and its descriptor.
static bool allocate(argument *self, const agpu_type *type, slot *out,
                     agpu__text *error) {
  const agpu__array *array = &self->given;
  bool is_ranked = type->kind == AGPU_TYPE_MEMREF;
  uint64_t *words = is_ranked ? out->words : self->descriptor.words;
  int64_t *sizes = (int64_t *)words + SIZES, *strides = sizes + array->rank;
  int64_t offset = is_ranked && type->offset != AGPU_DYNAMIC ? type->offset : 0;
  int64_t last = offset, natural = 1;
  for (int64_t i = array->rank - 1; i >= 0; --i) {
    sizes[i] = array->sizes[i];
    strides[i] = is_ranked && type->strides[i] != AGPU_DYNAMIC
                     ? type->strides[i]
                     : natural;
    if (strides[i] < 0 || offset < 0) {
      agpu__text_puts(error, "strides and offsets of arguments cannot be "
                             "negative");
      return false;
    }
    natural = strides[i] * sizes[i];
    last += sizes[i] ? strides[i] * (sizes[i] - 1) : 0;
  }
  self->bytes = (size_t)((last + 1) * array->element->bytes);
  size_t rounded = (self->bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  self->memory = aligned_alloc(ALIGNMENT, rounded);
  if (!self->memory) {
    agpu__text_printf(error, "no memory for %zu bytes", rounded);
    return false;
  }
  memset(self->memory, 0, rounded);
  words[ALLOCATED] = words[ALIGNED] = (uint64_t)(uintptr_t)self->memory;
  words[OFFSET] = (uint64_t)offset;
  if (!is_ranked)
    out->unranked = (agpu_unranked_memref){array->rank, words};
  return true;
}

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

static bool has_suffix(const char *text, const char *suffix) {
  size_t size = strlen(text), end = strlen(suffix);
  return size >= end && !strcmp(text + size - end, suffix);
}

/// Reads what --input says, for an argument of type `type`.
static bool read_input(const char *input, const agpu_type *type,
                       agpu__array *out, agpu__text *error) {
  if (agpu__array_is_typed(input))
    return agpu__array_parse(input, out, error);
  if (has_suffix(input, ".npy"))
    return agpu__npy_read(input, out, error);
  if (input[0] == '@')
    return agpu__npy_read(input + 1, out, error);
  // Numbers for what has a shape already.
  out->element = agpu__element_find(type->element, strlen(type->element));
  out->rank = type->rank;
  bool is_static = type->kind != AGPU_TYPE_UNRANKED_MEMREF;
  for (int64_t i = 0; i < type->rank; ++i) {
    out->sizes[i] = type->sizes[i];
    is_static &= type->sizes[i] != AGPU_DYNAMIC;
  }
  if (is_static)
    return agpu__array_allocate(out, error) &&
           agpu__array_parse_values(input, out, error);
  agpu__text_puts(error, "its sizes have to be given, as in 4x8xf32=1.5, or by "
                         "a .npy file");
  return false;
}

static bool fits(const agpu__array *array, const agpu_type *type) {
  const agpu__element *element =
      agpu__element_find(type->element, strlen(type->element));
  bool ok = !strcmp(array->element->npy, element->npy);
  if (type->kind == AGPU_TYPE_UNRANKED_MEMREF)
    return ok;
  ok &= array->rank == type->rank;
  for (int64_t i = 0; ok && i < type->rank; ++i)
    ok = type->sizes[i] == AGPU_DYNAMIC || type->sizes[i] == array->sizes[i];
  return ok;
}

static bool take_input(const agpu_signature *signature, size_t index,
                       const char *input, argument *out, slot *slot_of,
                       agpu__text *error) {
  const agpu_type *type = &signature->arguments[index];
  agpu__text reason = {0};
  bool ok = !type->is_value;
  if (!ok) {
    agpu__text_puts(&reason, "only whoever compiles against the runtime can "
                             "make such a value");
  } else if ((ok = read_input(input, type, &out->given, &reason)) &&
             !fits(&out->given, type)) {
    ok = false;
    agpu__text_puts(&reason, "this is ");
    agpu__array_print_type(&out->given, &reason);
  }
  if (ok && is_memref(type))
    ok = allocate(out, type, slot_of, &reason);
  if (!ok)
    agpu__text_printf(error, "--input=%s for argument %zu of '%s', %s: %s",
                      input, index, signature->name, type->text,
                      agpu__text_get(&reason));
  agpu__text_free(&reason);
  return ok;
}

static size_t inputs_wanted(const agpu_signature *signature) {
  size_t count = 0;
  for (size_t i = 0; i < signature->argument_count; ++i)
    count += signature->arguments[i].kind != AGPU_TYPE_TOKEN;
  return count;
}

static bool take_inputs(agpu__call *self, const char *const *inputs,
                        size_t input_count, agpu__text *error) {
  const agpu_signature *signature = self->signature;
  size_t wanted = inputs_wanted(signature);
  if (input_count != wanted) {
    agpu__text_printf(error,
                      "'%s' takes %zu argument%s, and --input gives "
                      "%zu: it is %s",
                      signature->name, wanted, wanted == 1 ? "" : "s",
                      input_count, signature->text);
    return false;
  }
  for (size_t i = 0, next = 0; i < signature->argument_count; ++i) {
    if (signature->arguments[i].kind == AGPU_TYPE_TOKEN)
      self->slots[i].object = &agpu_ready_token;
    else if (!take_input(signature, i, inputs[next++], &self->arguments[i],
                         &self->slots[i], error))
      return false;
  }
  return true;
}

agpu__call *agpu__call_create(agpu_signature *signature,
                              const char *const *inputs, size_t input_count,
                              agpu__text *error) {
  size_t count = signature->argument_count + signature->result_count;
  agpu__call *self = calloc(1, sizeof(*self));
  argument *arguments = calloc(count + 1, sizeof(*arguments));
  slot *slots = calloc(count + 1, sizeof(*slots));
  void **values = calloc(count + 1, sizeof(*values));
  if (!self || !arguments || !slots || !values)
    abort();
  *self = (agpu__call){.signature = signature,
                       .arguments = arguments,
                       .slots = slots,
                       .values = values};
  for (size_t i = 0; i < count; ++i)
    values[i] = &slots[i];
  if (take_inputs(self, inputs, input_count, error)) {
    agpu__call_prepare(self);
    return self;
  }
  agpu__call_free(self);
  return NULL;
}

const agpu_signature *agpu__call_signature(const agpu__call *call) {
  return call->signature;
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

static slot *result_slot(const agpu__call *self, size_t index) {
  return &self->slots[self->signature->argument_count + index];
}

/// What is behind a result, which is READY if it is a value.
static const slot *result_payload(const agpu__call *self, size_t index) {
  slot *found = result_slot(self, index);
  return self->signature->results[index].is_value
             ? mlirAsyncRuntimeGetValueStorage(found->object)
             : found;
}

/// Where the memory of a memref was allocated; NULL for all else.
static void *allocated_by(const slot *found, const agpu_type *type) {
  if (type->kind == AGPU_TYPE_MEMREF)
    return (void *)(uintptr_t)found->words[ALLOCATED];
  if (type->kind == AGPU_TYPE_UNRANKED_MEMREF)
    return *(void **)found->unranked.descriptor;
  return NULL;
}

/// True if result `index` has memory that is its own, and of no result before.
static bool owns_memory(const agpu__call *self, size_t index) {
  const agpu_signature *signature = self->signature;
  void *memory =
      allocated_by(result_payload(self, index), &signature->results[index]);
  if (!memory || memory == AGPU_GLOBAL_MEMORY)
    return false;
  for (size_t i = 0; i < signature->argument_count; ++i)
    if (memory == self->arguments[i].memory)
      return false;
  for (size_t i = 0; i < index; ++i)
    if (memory == allocated_by(result_payload(self, i), &signature->results[i]))
      return false;
  return true;
}

static bool is_object(const agpu_type *type) {
  return type->is_value || type->kind == AGPU_TYPE_TOKEN;
}

static void release_results(agpu__call *self) {
  size_t count = self->has_run ? self->signature->result_count : 0;
  // From the last: what the results before it have is looked at.
  while (count--) {
    const agpu_type *type = &self->signature->results[count];
    const slot *found = result_payload(self, count);
    if (is_memref(type) && owns_memory(self, count))
      free(allocated_by(found, type));
    if (type->kind == AGPU_TYPE_UNRANKED_MEMREF)
      free(found->unranked.descriptor);
    if (is_object(type))
      mlirAsyncRuntimeDropRef(result_slot(self, count)->object, 1);
  }
  self->has_run = false;
}

void agpu__call_prepare(agpu__call *self) {
  release_results(self);
  for (size_t i = 0; i < self->signature->argument_count; ++i) {
    const agpu_type *type = &self->signature->arguments[i];
    argument *from = &self->arguments[i];
    if (type->kind == AGPU_TYPE_SCALAR) {
      memcpy(&self->slots[i], from->given.data,
             (size_t)from->given.element->bytes);
    } else if (is_memref(type)) {
      bool is_ranked = type->kind == AGPU_TYPE_MEMREF;
      view v =
          view_of(is_ranked ? self->slots[i].words : from->descriptor.words,
                  from->given.rank, from->given.element->bytes);
      copy(&v, from->given.data, true);
    }
  }
}

void agpu__call_run(agpu__call *self, agpu_packed_function function) {
  function(self->values);
  for (size_t i = 0; i < self->signature->result_count; ++i)
    if (is_object(&self->signature->results[i]))
      agpu_object_await(result_slot(self, i)->object, NULL);
  self->has_run = true;
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

bool agpu__call_has_result(const agpu__call *self, size_t index) {
  return self->signature->results[index].kind != AGPU_TYPE_TOKEN;
}

/// A copy of what `type` has at `found`.
static bool copy_out(const slot *found, const agpu_type *type, agpu__array *out,
                     agpu__text *error) {
  out->element = agpu__element_find(type->element, strlen(type->element));
  out->rank = 0;
  if (!is_memref(type)) {
    if (!agpu__array_allocate(out, error))
      return false;
    memcpy(out->data, found, (size_t)out->element->bytes);
    return true;
  }
  bool is_ranked = type->kind == AGPU_TYPE_MEMREF;
  const uint64_t *words = is_ranked ? found->words : found->unranked.descriptor;
  int64_t rank = is_ranked ? type->rank : found->unranked.rank;
  if (rank > AGPU_ARRAY_RANK) {
    agpu__text_printf(error, "it has %" PRId64 " dimensions", rank);
    return false;
  }
  view v = view_of(words, rank, out->element->bytes);
  out->rank = rank;
  memcpy(out->sizes, v.sizes, (size_t)rank * sizeof(*v.sizes));
  if (!agpu__array_allocate(out, error))
    return false;
  copy(&v, out->data, false);
  return true;
}

bool agpu__call_result(const agpu__call *self, size_t index,
                       agpu__array *out_array, agpu__text *error) {
  return copy_out(result_payload(self, index), &self->signature->results[index],
                  out_array, error);
}

bool agpu__call_argument(const agpu__call *self, size_t index,
                         agpu__array *out_array, agpu__text *error) {
  return copy_out(&self->slots[index], &self->signature->arguments[index],
                  out_array, error);
}

void agpu__call_free(agpu__call *self) {
  if (!self)
    return;
  release_results(self);
  for (size_t i = 0; i < self->signature->argument_count; ++i) {
    agpu__array_free(&self->arguments[i].given);
    free(self->arguments[i].memory);
  }
  agpu_signature_release(self->signature);
  free(self->arguments);
  free(self->slots);
  free(self->values);
  free(self);
}
