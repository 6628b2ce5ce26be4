//===- text.h - A growing string --------------------------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What MLIR's printing callbacks write into, and what messages are put
// together in. Not thread safe. Where memory is out the process ends, as it
// does in MLIR itself.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_LOWER_TEXT_H
#define ASYNC_GPU_LOWER_TEXT_H

#include "lower/ir/scoped.h"

#include "mlir-c/Support.h"

#include <stdarg.h>
#include <stddef.h>

/// True if `word` is one of `words`, with spaces between.
bool agpu__has_word(const char *words, MlirStringRef word);

/// Zero-initialise; free with agpu__text_free. `data` is NULL while nothing
/// was appended, afterwards NUL-terminated.
typedef struct agpu__text {
  char *data;
  size_t size; ///< bytes without the final NUL
  size_t capacity;
} agpu__text;

void agpu__text_append(agpu__text *text, const char *data, size_t size);
void agpu__text_puts(agpu__text *text, const char *string);
void agpu__text_printf(agpu__text *text, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void agpu__text_vprintf(agpu__text *text, const char *format, va_list args)
    __attribute__((format(printf, 2, 0)));

/// Appends a string as JSON writes it, with the quotes. Bytes that are not
/// UTF-8 become U+FFFD.
void agpu__text_json(agpu__text *text, const char *data, size_t size);

/// printf into a new string that the caller frees.
char *agpu__format(const char *format, ...)
    __attribute__((format(printf, 1, 2)));

/// An MlirStringCallback whose user data is an agpu__text.
void agpu__text_callback(MlirStringRef chunk, void *text);

/// The contents, "" where there are none. Lives until the next append.
const char *agpu__text_get(const agpu__text *text);

/// Hands the contents over as a string that the caller frees, never NULL, and
/// leaves `text` empty.
char *agpu__text_take(agpu__text *text);

/// Empties `text` and gives its memory back.
void agpu__text_free(agpu__text *text);

#endif // ASYNC_GPU_LOWER_TEXT_H
