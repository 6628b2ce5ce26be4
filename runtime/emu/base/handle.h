//===- handle.h - Handles of what a program creates ------------- -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Streams, events, modules, functions, graphs and conditions are known to
// programs by handles, which are no addresses: a number and how often that has
// been given before. So a handle that was destroyed, or was never one, differs
// from all others, whatever else has been created since.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_EMU_BASE_HANDLE_H
#define ASYNC_GPU_RUNTIME_EMU_BASE_HANDLE_H

#include <stdint.h>

typedef enum agpu__emu_handle_kind {
  AGPU__EMU_STREAM,
  AGPU__EMU_EVENT,
  AGPU__EMU_MODULE,
  AGPU__EMU_FUNCTION,
  AGPU__EMU_GRAPH,
  AGPU__EMU_NODE,
  AGPU__EMU_EXEC,
  AGPU__EMU_CONDITION,
} agpu__emu_handle_kind;

/// A handle of `object`, a multiple of 16; NULL: out of memory. Any thread.
void *agpu__emu_handle_create(agpu__emu_handle_kind kind, void *object);

/// The object of a handle of that kind; NULL: there is no such handle, or
/// no longer. Takes no lock.
void *agpu__emu_handle_find(agpu__emu_handle_kind kind, const void *handle);

/// The same, and the handle becomes invalid. Of two threads one gets the
/// object.
void *agpu__emu_handle_take(agpu__emu_handle_kind kind, const void *handle);

#endif // ASYNC_GPU_RUNTIME_EMU_BASE_HANDLE_H
