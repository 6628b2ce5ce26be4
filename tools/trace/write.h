//===- write.h - Writing a trace ----------------------------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What has been recorded, as the file that docs/formats.md describes.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_TOOLS_TRACE_WRITE_H
#define ASYNC_GPU_TOOLS_TRACE_WRITE_H

#include "trace/array.h"
#include "trace/emit.h"
#include "trace/ranks.h"

#include <stdbool.h>

/// Writes a trace of what the dumps of `ranks` have, which are one at least.
/// `critical` is a bool for each slice, in the order in which agpu__trace_tell
/// tells them, or empty. What fails, agpu__trace_output_close says; false where
/// memory was out, and parts are missing. Signal-safe.
bool agpu__trace_write(agpu__trace_output *to, const agpu__ranks *ranks,
                       const agpu__trace_array *critical);

/// Tells `listener` what would be written. False where memory was out, and
/// parts are missing. Likewise.
bool agpu__trace_tell(agpu__emit_listener *listener, const agpu__ranks *ranks);

#endif // ASYNC_GPU_TOOLS_TRACE_WRITE_H
