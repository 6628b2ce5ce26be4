//===- diagnostics.h - Diagnostics as text ----------------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Turns a context's diagnostics into what compilers print,
//
//     file:line:col: error: message
//     the source line
//        ^
//
// and hands it to a sink: a tool prints it, an embedder keeps it. Not thread
// safe: for contexts without threads.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_LOWER_DIAGNOSTICS_H
#define ASYNC_GPU_LOWER_DIAGNOSTICS_H

#include "mlir-c/Diagnostics.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct agpu__diagnostics agpu__diagnostics;

/// Receives one diagnostic's text, which ends in a newline.
typedef void (*agpu__diagnostics_sink)(const char *text, size_t size,
                                       void *data);

typedef enum agpu__verify_mode {
  AGPU_VERIFY_NONE,
  AGPU_VERIFY_ALL,           ///< every diagnostic must be expected
  AGPU_VERIFY_ONLY_EXPECTED, ///< what is expected must come
} agpu__verify_mode;

/// Attaches to `context`. The caller gives the object to
/// agpu__diagnostics_detach before it destroys the context.
agpu__diagnostics *agpu__diagnostics_attach(MlirContext context,
                                            agpu__diagnostics_sink sink,
                                            void *data);

/// Says what the text of the file `name` is; both must live until the next
/// call or the detachment. The parser's own diagnostics, which have no file
/// name, are taken to be in it. In a verifying mode the diagnostics are
/// compared with the expectations in the text instead of going to the sink.
void agpu__diagnostics_set_source(agpu__diagnostics *diagnostics,
                                  const char *name, const char *text,
                                  size_t size, agpu__verify_mode mode);

/// In a verifying mode: true if since agpu__diagnostics_set_source all that
/// was expected has come and, by mode, nothing else. What is wrong goes to the
/// sink.
bool agpu__diagnostics_verify(agpu__diagnostics *diagnostics);

void agpu__diagnostics_detach(agpu__diagnostics *diagnostics);

/// Passes that only remark on what they do when they are asked to, do so.
void agpu__diagnostics_want_remarks(agpu__diagnostics *diagnostics);

/// True if the diagnostics that are attached to `context` want remarks.
bool agpu__diagnostics_wants_remarks(MlirContext context);

/// Emits `remark: ...` at a location, in printf form: to the diagnostics that
/// are attached to its context, as MLIR's C API emits nothing but errors;
/// without any, to stderr.
void agpu__remark(MlirLocation location, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/// The same for `warning: ...`.
void agpu__warning(MlirLocation location, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif // ASYNC_GPU_LOWER_DIAGNOSTICS_H
