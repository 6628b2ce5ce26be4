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

/// Looks at one diagnostic in place of the sink. `line` is that of the source's
/// text; 0: it is elsewhere. False if it is not to be there, which is an error.
typedef bool (*agpu__diagnostics_filter)(MlirDiagnosticSeverity severity,
                                         size_t line, const char *message,
                                         void *data);

/// Attaches to `context`. The caller gives the object to
/// agpu__diagnostics_detach before it destroys the context.
agpu__diagnostics *agpu__diagnostics_attach(MlirContext context,
                                            agpu__diagnostics_sink sink,
                                            void *data);

/// Says what the text of the file `name` is; both must live until the next
/// call or the detachment. The parser's own diagnostics, which have no file
/// name, are taken to be in it.
void agpu__diagnostics_set_source(agpu__diagnostics *diagnostics,
                                  const char *name, const char *text,
                                  size_t size);

/// From now on `filter` looks at each diagnostic (NULL: none does).
void agpu__diagnostics_set_filter(agpu__diagnostics *diagnostics,
                                  agpu__diagnostics_filter filter, void *data);

/// Gives the sink an error at the beginning of a line of the source.
void agpu__diagnostics_report(agpu__diagnostics *diagnostics, size_t line,
                              const char *message);

void agpu__diagnostics_detach(agpu__diagnostics *diagnostics);

/// Whether passes that only remark on what they do when they are asked to, do
/// so: at first they do not.
void agpu__diagnostics_want_remarks(agpu__diagnostics *diagnostics, bool want);

/// From now on `on_remark` is told of each remark, ours or MLIR's, and the sink
/// is not (NULL: it is).
void agpu__diagnostics_on_remark(agpu__diagnostics *diagnostics,
                                 void (*on_remark)(MlirLocation location,
                                                   const char *message,
                                                   void *data),
                                 void *data);

/// True if the diagnostics that are attached to `context` want remarks.
bool agpu__diagnostics_wants_remarks(MlirContext context);

/// "error", "warning", "note" or "remark".
const char *agpu__severity_name(MlirDiagnosticSeverity severity);

/// Emits `remark: ...` at a location, in printf form: to the diagnostics that
/// are attached to its context, as MLIR's C API emits nothing but errors;
/// without any, to stderr.
void agpu__remark(MlirLocation location, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/// The same for `note: ...`, after an error that it explains.
void agpu__note(MlirLocation location, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/// The same for `warning: ...`.
void agpu__warning(MlirLocation location, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif // ASYNC_GPU_LOWER_DIAGNOSTICS_H
