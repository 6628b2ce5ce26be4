//===- names.h - What code and regions are called -----------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tasks are known by the address of the code they run; the tables of the
// programs that are loaded say which region that is.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_BASE_TRACE_NAMES_H
#define ASYNC_GPU_RUNTIME_BASE_TRACE_NAMES_H

#include "async_gpu/compiled/trace.h"
#include "base/os/fork.h"

#include <stdbool.h>
#include <stddef.h>

/// The code that a task runs: what the first word of its handle points to where
/// `resume` is known to go by that, else `resume`. Any thread.
const void *agpu__trace_code(void *handle, void (*resume)(void *handle));

/// `resume` is a function of the runtime that calls what the first word of its
/// handle points to. Any thread.
void agpu__trace_know_resume(void (*resume)(void *handle));

/// Takes a table off the list.
void agpu__trace_forget_names(const agpu_trace_names *table);

/// Who `code` is, or NULL. Signal-safe; after agpu__trace_stop.
const agpu_trace_name *agpu__trace_name_of(const void *code);

/// The same for as long as the process lives; NULL where memory is out.
const agpu_trace_name *agpu__trace_keep_name(const void *code);

/// A copy of `name` that lasts as long. NULL for NULL, and as above.
const agpu_trace_name *agpu__trace_copy_name(const agpu_trace_name *name);

/// At a fork.
void agpu__trace_names_fork(agpu__fork_step step);

//===----------------------------------------------------------------------===//
// What a region is called
//===----------------------------------------------------------------------===//

#define AGPU__LABEL 256

/// "file:line name" of a region, or, where `name` is NULL, the `symbol` of its
/// code, or the address `code`, into `label` of AGPU__LABEL bytes, which is
/// returned. Each may be NULL. Signal-safe.
const char *agpu__trace_label(char *label, const agpu_trace_name *name,
                              const char *symbol, const void *code);

#endif // ASYNC_GPU_RUNTIME_BASE_TRACE_NAMES_H
