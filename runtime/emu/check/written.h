//===- written.h - Bytes that something has been written to -------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// ASYNC_GPU_EMU_CHECK=memory: an allocation has a bit for each byte, which is
// set once a kernel, a copy or a fill has written it. Kernels that do not check
// their accesses do not say what they write, so that reads are no longer judged
// once there was one (guard.h).
//
// Bits may be set and looked at by several threads at once; they order nothing.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_EMU_CHECK_WRITTEN_H
#define ASYNC_GPU_RUNTIME_EMU_CHECK_WRITTEN_H

#include "emu/base/hooks.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

typedef atomic_uchar agpu__emu_written;

/// Bits for so many bytes, none set; NULL: out of memory. free() frees them.
agpu__emu_written *agpu__emu_written_create(size_t bytes);

/// NULL stands for bits that are all set, and stay so.
void agpu__emu_written_set(agpu__emu_written *bits, size_t from, size_t count);
bool agpu__emu_written_is_set(const agpu__emu_written *bits, size_t from,
                              size_t count);

/// The target's bytes are what the source's are, now.
void agpu__emu_written_copy(agpu__emu_written *target, size_t to,
                            const agpu__emu_written *source, size_t from,
                            size_t count);

/// The hooks of that name, and the end of a record. A copy's `source` may be
/// any memory.
void agpu__emu_written_allocated(agpu__emu_record *record, size_t bytes);
void agpu__emu_written_filled(CUdeviceptr target, size_t bytes);
void agpu__emu_written_copied(CUdeviceptr target, CUdeviceptr source,
                              size_t bytes);
void agpu__emu_written_drop(agpu__emu_record *record);

#endif // ASYNC_GPU_RUNTIME_EMU_CHECK_WRITTEN_H
