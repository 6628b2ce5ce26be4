//===- output.c - What kernels print --------------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A buffer for each context, under one lock. Blocks hand over what they have
// printed in one piece; the buffer is written at the calls that synchronise,
// and loses its oldest lines where it is full, as on hardware.
//
//===----------------------------------------------------------------------===//

#include "emu/simt/output.h"

#include "base/report/assert.h"
#include "base/sync/mutex.h"
#include "emu/base/client.h"
#include "emu/base/context.h"
#include "emu/base/settings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static agpu__mutex lock = AGPU__MUTEX_INIT(AGPU__RANK_EMU_OUTPUT);

/// A context's buffer: the oldest makes room for the newest, as on hardware.
typedef struct buffer {
  char *data AGPU__GUARDED_BY(lock);
  // Headers and texts in [first, end).
  size_t first AGPU__GUARDED_BY(lock), end AGPU__GUARDED_BY(lock);
  size_t capacity AGPU__GUARDED_BY(lock);
  size_t room AGPU__GUARDED_BY(lock); // of all in it
  bool lost AGPU__GUARDED_BY(lock);   // something has been; said once
  bool used AGPU__GUARDED_BY(lock);
  size_t limit AGPU__GUARDED_BY(lock); // of `room`; 0: the setting's
} buffer;

static buffer buffers[AGPU__EMU_MAX_CONTEXTS] AGPU__GUARDED_BY(lock);

/// The current context's.
static buffer *own_buffer(void) AGPU__REQUIRES(lock) {
  return &buffers[agpu__emu_context_number(agpu__emu_get_context())];
}

static agpu__emu_output_header first_header(const buffer *of)
    AGPU__REQUIRES(lock) {
  agpu__emu_output_header found;
  memcpy(&found, of->data + of->first, sizeof found);
  return found;
}

static size_t get_limit(const buffer *of) AGPU__REQUIRES(lock) {
  return of->limit ? of->limit : agpu__emu_get_settings()->print_bytes;
}

size_t agpu__emu_output_get_limit(void) {
  agpu__mutex_lock(&lock);
  size_t limit = get_limit(own_buffer());
  agpu__mutex_unlock(&lock);
  return limit;
}

bool agpu__emu_output_set_limit(size_t bytes) {
  agpu__mutex_lock(&lock);
  buffer *of = own_buffer();
  bool unused = !of->used;
  if (unused)
    of->limit = bytes;
  agpu__mutex_unlock(&lock);
  return unused;
}

/// A kernel has printed more than a device keeps. Nothing would tell on one.
static void report_loss(buffer *of, const char *kernel, size_t limit)
    AGPU__REQUIRES(lock) {
  if (of->lost)
    return;
  of->lost = true;
  agpu__emu_report_error(agpu_status_create(
      AGPU_STATUS_PROGRAM, NULL,
      "kernel '%s' prints more than the %zu bytes that a device keeps until "
      "the host waits for it: the oldest lines are lost, as on a GPU",
      kernel, limit));
}

/// Makes room for `size` bytes at the end. False: no memory.
static bool grow(buffer *of, size_t size) AGPU__REQUIRES(lock) {
  if (size <= of->capacity - of->end)
    return true;
  if (of->first) {
    memmove(of->data, of->data + of->first, of->end - of->first);
    of->end -= of->first;
    of->first = 0;
  }
  if (size <= (of->capacity - of->end) / 2)
    return true;
  size_t capacity = 2 * (of->end + size);
  char *larger = realloc(of->data, capacity);
  if (!larger)
    return size <= of->capacity - of->end;
  of->data = larger;
  of->capacity = capacity;
  return true;
}

void agpu__emu_output_keep(agpu__emu_output *output, const char *kernel) {
  agpu__mutex_lock(&lock);
  buffer *to = own_buffer();
  size_t limit = get_limit(to);
  to->used = true;
  bool kept = grow(to, output->size);
  if (kept) {
    memcpy(to->data + to->end, output->data, output->size);
    to->end += output->size;
    for (size_t at = 0; at < output->size;) {
      agpu__emu_output_header next;
      memcpy(&next, output->data + at, sizeof next);
      to->room += next.room;
      at += sizeof next + next.text;
    }
  }
  bool lost = to->room > limit;
  while (to->room > limit) {
    agpu__emu_output_header oldest = first_header(to);
    to->room -= oldest.room;
    to->first += sizeof oldest + oldest.text;
    AGPU__ASSERT(to->first <= to->end);
  }
  if (lost || !kept)
    report_loss(to, kernel, limit);
  agpu__mutex_unlock(&lock);
  output->size = 0;
}

/// A process that fails may end without writing what its streams hold.
static void write_all(buffer *of) AGPU__REQUIRES(lock) {
  bool any = of->first < of->end;
  while (of->first < of->end) {
    agpu__emu_output_header next = first_header(of);
    (void)fwrite(of->data + of->first + sizeof next, 1, next.text,
                 next.error ? stderr : stdout);
    of->first += sizeof next + next.text;
  }
  of->first = of->end = of->room = 0;
  if (any)
    (void)fflush(stdout);
}

void agpu__emu_print_flush(void) {
  CUcontext context = agpu__emu_get_context();
  if (!context)
    return;
  agpu__mutex_lock(&lock);
  write_all(&buffers[agpu__emu_context_number(context)]);
  agpu__mutex_unlock(&lock);
}

void agpu__emu_print_end(CUcontext context) {
  agpu__mutex_lock(&lock);
  buffer *ended = &buffers[agpu__emu_context_number(context)];
  write_all(ended);
  free(ended->data);
  *ended = (buffer){.data = NULL};
  agpu__mutex_unlock(&lock);
}

//===----------------------------------------------------------------------===//
// Of one block
//===----------------------------------------------------------------------===//

bool agpu__emu_output_append(agpu__emu_output *output, const void *data,
                             size_t size) {
  if (size > output->capacity - output->size) {
    size_t capacity = 2 * (output->size + size);
    char *larger = realloc(output->data, capacity);
    if (!larger)
      return false;
    output->data = larger;
    output->capacity = capacity;
  }
  memcpy(output->data + output->size, data, size);
  output->size += size;
  return true;
}

void agpu__emu_output_free(agpu__emu_output *output) { free(output->data); }
