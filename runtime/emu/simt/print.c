//===- print.c - Printing from kernels ------------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// gpu.printf and what a failed assertion says, as text in the output of the
// block. The format is the kernel's: directives are taken apart, and each is
// given to the host's printf with the argument that it asks for.
//
//===----------------------------------------------------------------------===//

#include "async_gpu/compiled/native_thread.h"
#include "emu/simt/block.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// What a call takes in a device's buffer besides its arguments, about.
#define CALL_ROOM ((size_t)16)

// What a block has printed is handed over when there is this much of it.
#define KEEP_BYTES ((size_t)1 << 20)

static void append(agpu__emu_output *output, const void *data, size_t size) {
  if (!agpu__emu_output_append(output, data, size))
    agpu__emu_block_fail(CUDA_ERROR_OUT_OF_MEMORY, NULL,
                         "no memory for what it prints");
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
  agpu__emu_output_header call = {.room = CALL_ROOM};
  append(output, &call, sizeof call);
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
    agpu__emu_output_keep(output,
                          agpu__emu_runner_current()->launch->kernel->name);
  return (int32_t)strlen(types);
}

static void __attribute__((format(printf, 1, 2)))
print_error(const char *format, ...) {
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
  const agpu__emu_output_header line = {
      .text = length, .room = CALL_ROOM, .error = true};
  append(output, &line, sizeof line);
  append(output, text, length);
}

void agpu_native_assert_failed(const char *message, const char *file,
                               uint32_t line, const char *function,
                               const char *location, uint32_t x, uint32_t y,
                               uint32_t z) {
  agpu__emu_runner *runner = agpu__emu_runner_current();
  const uint32_t *id = runner->block.block_id;
  print_error("%s:%u: %s: block: [%u,%u,%u], thread: [%u,%u,%u] "
              "Assertion `%s` failed.\n",
              file, line, function, id[0], id[1], id[2], x, y, z, message);
  if (runner->assertion.message)
    return;
  runner->assertion.message = message;
  runner->assertion.location = location;
  runner->assertion.thread[0] = x;
  runner->assertion.thread[1] = y;
  runner->assertion.thread[2] = z;
}
