//===- label.h - What a region is called ------------------------ -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_BASE_TRACE_LABEL_H
#define ASYNC_GPU_RUNTIME_BASE_TRACE_LABEL_H

#include "async_gpu/compiled/trace.h"

#define AGPU__LABEL 256

/// "file:line name" of a region, or, where `name` is NULL, the `symbol` of its
/// code, or the address `code`, into `label` of AGPU__LABEL bytes, which is
/// returned. Each may be NULL. Signal-safe.
const char *agpu__trace_label(char *label, const agpu_trace_name *name,
                              const char *symbol, const void *code);

#endif // ASYNC_GPU_RUNTIME_BASE_TRACE_LABEL_H
