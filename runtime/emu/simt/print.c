//===- print.c - Printing from kernels ------------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "emu/simt/block.h"

#include "base/report/status_track.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

//===----------------------------------------------------------------------===//
// What is kept until the host synchronises
//===----------------------------------------------------------------------===//

/// Before the text of each call.
typedef struct header {
  size_t text;
  size_t room; ///< that it takes in the buffer of a device of CUDA
  bool error;  ///< goes to stderr
} header;

// What a call takes there besides its arguments, about.
#define CALL_ROOM ((size_t)16)

/// A device's buffer: the oldest makes room for the newest, as on hardware.
typedef struct buffer {
  char *data;
  size_t first, end, capacity; // headers and texts in [first, end)
  size_t room;                 // of all in it
  bool lost;                   // something has been; said once
} buffer;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static buffer buffers[AGPU__EMU_MAX_DEVICES]; // under the lock

static header first_header(const buffer *of) {
  header found;
  memcpy(&found, of->data + of->first, sizeof found);
  return found;
}

/// A kernel has printed more than a device keeps. Nothing would tell on one.
static void report_loss(buffer *of, const char *kernel, size_t limit) {
  if (of->lost)
    return;
  of->lost = true;
  agpu__status_report(agpu_status_create(
      AGPU_STATUS_PROGRAM, NULL,
      "kernel '%s' prints more than the %zu bytes that a device keeps until "
      "the host waits for it: the oldest lines are lost, as on a GPU",
      kernel, limit));
}

/// Under the lock: makes room for `size` bytes at the end. False: no memory.
static bool grow(buffer *of, size_t size) {
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

void agpu__emu_output_keep(agpu__emu_output *output) {
  size_t limit = agpu__emu_get_settings()->print_bytes;
  const char *kernel = agpu__emu_runner_current()->op->launch.kernel->name;
  CUcontext context = agpu__emu_get_context();
  pthread_mutex_lock(&lock);
  buffer *to = &buffers[agpu__emu_context_device(context)];
  bool kept = grow(to, output->size);
  if (kept) {
    memcpy(to->data + to->end, output->data, output->size);
    to->end += output->size;
    for (size_t at = 0; at < output->size;) {
      header next;
      memcpy(&next, output->data + at, sizeof next);
      to->room += next.room;
      at += sizeof next + next.text;
    }
  }
  bool lost = to->room > limit;
  while (to->room > limit) {
    header oldest = first_header(to);
    to->room -= oldest.room;
    to->first += sizeof oldest + oldest.text;
  }
  if (lost || !kept)
    report_loss(to, kernel, limit);
  pthread_mutex_unlock(&lock);
  output->size = 0;
}

/// Under the lock. A process that fails may end without writing what its
/// streams hold.
static void write_all(buffer *of) {
  bool any = of->first < of->end;
  while (of->first < of->end) {
    header next = first_header(of);
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
  pthread_mutex_lock(&lock);
  write_all(&buffers[agpu__emu_context_device(context)]);
  pthread_mutex_unlock(&lock);
}

void agpu__emu_print_end(CUcontext context) {
  pthread_mutex_lock(&lock);
  buffer *ended = &buffers[agpu__emu_context_device(context)];
  write_all(ended);
  free(ended->data);
  *ended = (buffer){.data = NULL};
  pthread_mutex_unlock(&lock);
}

//===----------------------------------------------------------------------===//
// One block
//===----------------------------------------------------------------------===//

// What a block has printed is handed over when there is this much of it.
#define KEEP_BYTES ((size_t)1 << 20)

void agpu__emu_output_free(agpu__emu_output *output) { free(output->data); }

static void append(agpu__emu_output *output, const char *text, size_t size) {
  if (size > output->capacity - output->size) {
    size_t capacity = 2 * (output->size + size);
    char *larger = realloc(output->data, capacity);
    if (!larger)
      agpu__emu_block_fail(CUDA_ERROR_OUT_OF_MEMORY, NULL,
                           "no memory for what it prints");
    output->data = larger;
    output->capacity = capacity;
  }
  memcpy(output->data + output->size, text, size);
  output->size += size;
}

void agpu__emu_print_assertion(const char *format, ...) {
  agpu__emu_output *output = &agpu__emu_runner_current()->output;
  char text[1024];
  va_list arguments;
  va_start(arguments, format);
  int size = vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  size_t length = size < 0 ? 0 : (size_t)size;
  if (length >= sizeof text) { // of a long message, the beginning
    length = sizeof text - 1;
    text[length - 1] = '\n';
  }
  const header line = {.text = length, .room = CALL_ROOM, .error = true};
  append(output, (const char *)&line, sizeof line);
  append(output, text, length);
}

/// The next argument: its bytes, sign-extended if it is an integer.
typedef struct argument {
  char type; ///< 0: there is none
  int64_t integer;
  uint64_t natural; ///< zero-extended
  double number;
  const char *pointer;
} argument;

/// Where the reader of the arguments is.
typedef struct reader {
  const char *types;
  const char *data;
  size_t offset;
} reader;

static argument next(reader *from) {
  argument read = {.type = *from->types};
  static const struct {
    char type;
    size_t bytes;
  } sizes[] = {{'b', 1}, {'h', 2}, {'w', 4}, {'l', 8},
               {'f', 4}, {'d', 8}, {'p', 8}};
  if (!read.type)
    return read;
  size_t bytes = 8;
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i)
    if (sizes[i].type == read.type)
      bytes = sizes[i].bytes;
  from->offset = (from->offset + bytes - 1) & ~(bytes - 1);
  const char *place = from->data + from->offset;
  memcpy(&read.natural, place, bytes); // little endian
  read.integer = (int64_t)read.natural;
  unsigned spare = (unsigned)(64 - 8 * bytes);
  read.integer = (int64_t)(read.natural << spare) >> spare;
  if (read.type == 'f') {
    float number;
    memcpy(&number, place, sizeof number);
    read.number = (double)number;
  } else if (read.type == 'd') {
    memcpy(&read.number, place, sizeof read.number);
  } else if (read.type == 'p') {
    memcpy(&read.pointer, place, sizeof read.pointer);
  }
  from->offset += bytes;
  ++from->types;
  return read;
}

static bool is_float(const argument *value) {
  return value->type == 'f' || value->type == 'd';
}

/// Prints one conversion. `directive` is "%", flags, width and precision,
/// without a length, and room for more; `letter` the conversion.
static void convert(agpu__emu_output *output, char *directive, char letter,
                    const argument *value) {
  char text[512];
  size_t length = strlen(directive);
  int size = 0;
  // The format is the kernel's: its directives were taken apart above.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
  switch (letter) {
  case 'd':
  case 'i':
    memcpy(directive + length, "lld", 4);
    size = snprintf(text, sizeof text, directive,
                    is_float(value) ? (long long)value->number
                                    : (long long)value->integer);
    break;
  case 'u':
  case 'o':
  case 'x':
  case 'X':
    memcpy(directive + length, "ll", 2);
    directive[length + 2] = letter;
    directive[length + 3] = '\0';
    size = snprintf(text, sizeof text, directive,
                    is_float(value) ? (unsigned long long)value->number
                                    : (unsigned long long)value->natural);
    break;
  case 'c':
    memcpy(directive + length, "c", 2);
    size = snprintf(text, sizeof text, directive, (int)value->integer);
    break;
  case 'p':
    memcpy(directive + length, "p", 2);
    size = snprintf(text, sizeof text, directive,
                    (void *)(uintptr_t)value->natural);
    break;
  case 's': {
    const char *string = value->type == 'p' && value->pointer
                             ? value->pointer
                             : "(not a string)";
    memcpy(directive + length, "s", 2);
    size = snprintf(NULL, 0, directive, string);
    char *all = size < 0 ? NULL : malloc((size_t)size + 1);
    if (all)
      append(output, all,
             (size_t)snprintf(all, (size_t)size + 1, directive, string));
    free(all);
    return;
  }
  default: // a, e, f, g and their capitals
    directive[length] = letter;
    directive[length + 1] = '\0';
    size = snprintf(text, sizeof text, directive,
                    is_float(value) ? value->number : (double)value->integer);
    break;
  }
#pragma GCC diagnostic pop
  if (size > 0)
    append(output, text,
           (size_t)size < sizeof text ? (size_t)size : sizeof text - 1);
}

int32_t agpu_native_print(const char *format, const char *types,
                          const void *arguments) {
  agpu__emu_output *output = &agpu__emu_runner_current()->output;
  reader from = {types, arguments, 0};
  size_t begin = output->size;
  header call = {.room = CALL_ROOM};
  append(output, (const char *)&call, sizeof call);
  for (const char *rest = format; *rest;) {
    size_t plain = strcspn(rest, "%");
    append(output, rest, plain);
    rest += plain;
    if (!*rest)
      break;
    size_t flags = strspn(rest + 1, "-+ #0");
    size_t shape = strspn(rest + 1 + flags, "0123456789.*");
    size_t sizes = strspn(rest + 1 + flags + shape, "hlLqjzt");
    const char *letter = rest + 1 + flags + shape + sizes;
    const char *known = *letter ? strchr("diuoxXcpsaAeEfFgG", *letter) : NULL;
    if (*letter == '%') {
      append(output, "%", 1);
      rest = letter + 1;
      continue;
    }
    // What no conversion is, or has no argument, is printed as it is.
    char directive[48];
    argument value = {0};
    const char *star = memchr(rest, '*', 1 + flags + shape);
    argument width = {0};
    if (known && 1 + flags + shape + 15 < sizeof directive) {
      if (star)
        width = next(&from);
      value = next(&from);
    }
    if (!value.type) {
      append(output, rest, 1);
      ++rest;
      continue;
    }
    if (star)
      snprintf(directive, sizeof directive, "%.*s%d%.*s", (int)(star - rest),
               rest, (int)width.integer,
               (int)(rest + 1 + flags + shape - (star + 1)), star + 1);
    else
      snprintf(directive, sizeof directive, "%.*s", (int)(1 + flags + shape),
               rest);
    convert(output, directive, *letter, &value);
    rest = letter + 1;
  }
  call.text = output->size - begin - sizeof call;
  call.room += (from.offset + 7) / 8 * 8;
  memcpy(output->data + begin, &call, sizeof call);
  if (output->size >= KEEP_BYTES)
    agpu__emu_output_keep(output);
  return (int32_t)strlen(types);
}
