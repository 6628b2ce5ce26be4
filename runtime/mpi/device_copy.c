//===- device_copy.c - Elements between devices and the host --------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Copies of views to and from memory of the host where their elements lie side
// by side. All of it is work on a stream that the caller has; no thread waits
// for a copy: what comes after it is a task.
//
//===----------------------------------------------------------------------===//

#include "mpi/internal.h"

#include "async/object.h"
#include "base/memory/memory.h"

static void copy(agpu_stream *stream, const agpu__mpi_view *view, void *packed,
                 bool out, const char *location) {
  int64_t rank = view->rank + 1;
  int64_t *numbers = agpu__memory_alloc(3 * rank * (int64_t)sizeof(int64_t),
                                        _Alignof(int64_t), "a copy");
  int64_t *sizes = numbers, *strides = numbers + rank;
  int64_t *dense = numbers + 2 * rank;
  for (int64_t i = 0; i < view->rank; ++i) {
    sizes[i] = view->dims[i].size;
    strides[i] = view->dims[i].stride / view->value_bytes;
  }
  sizes[view->rank] = view->run;
  strides[view->rank] = 1;
  int64_t below = 1;
  for (int64_t i = rank; i-- > 0; below *= sizes[i])
    dense[i] = below;
  if (out)
    agpu_memcpy_strided(stream, packed, view->pointer, rank, sizes, dense,
                        sizes, strides, view->value_bytes, location);
  else
    agpu_memcpy_strided(stream, view->pointer, packed, rank, sizes, strides,
                        sizes, dense, view->value_bytes, location);
  agpu__memory_free(numbers);
}

/// Enqueues copies of the first `*left` values at `packed` to dimensions from
/// `dim` on, of which the first is at `pointer`.
static const char *copy_some(agpu_stream *stream, const agpu__mpi_view *view,
                             int64_t dim, char *pointer, const char *packed,
                             int64_t *left, const char *location) {
  if (dim == view->rank) {
    int64_t count = *left < view->run ? *left : view->run;
    agpu_memcpy(stream, pointer, packed, count * view->value_bytes, location);
    *left -= count;
    return packed + count * view->value_bytes;
  }
  for (int64_t i = 0; i < view->dims[dim].size && *left; ++i)
    packed =
        copy_some(stream, view, dim + 1, pointer + i * view->dims[dim].stride,
                  packed, left, location);
  return packed;
}

void agpu__mpi_copy_out(agpu_stream *stream, const agpu__mpi_view *view,
                        void *packed, const char *location) {
  copy(stream, view, packed, true, location);
}

void agpu__mpi_copy_in(agpu_stream *stream, const agpu__mpi_view *view,
                       const void *packed, int64_t values,
                       const char *location) {
  if (values < view->count)
    (void)copy_some(stream, view, 0, view->pointer, packed, &values, location);
  else
    copy(stream, view, (void *)packed, false, location);
}

typedef struct following {
  agpu_object *token; // one reference
  void (*then)(void *argument, agpu_status status);
  void *argument;
} following;

static void go_on(void *argument) {
  following self = *(following *)argument;
  agpu__memory_free(argument);
  agpu_status status = agpu_object_get_status(self.token);
  agpu__object_release(self.token, 1);
  self.then(self.argument, status);
}

void agpu__mpi_follow(agpu_stream *stream,
                      void (*then)(void *argument, agpu_status status),
                      void *argument, const char *location) {
  following *self =
      agpu__memory_alloc(sizeof *self, _Alignof(following), "a copy");
  *self = (following){agpu_stream_record(stream), then, argument};
  agpu__object_await_and_submit(self->token, AGPU__NEED_READY,
                                (agpu__task){self, go_on}, location);
}
