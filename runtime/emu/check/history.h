//===- history.h - Accesses of ops to allocations --------------- -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What ops have accessed of each allocation, and in which order: an access that
// nothing orders with an older one of the same bytes is reported, unless both
// read.
//
// Under a lock, which is held while an op runs (races.c).
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_EMU_CHECK_HISTORY_H
#define ASYNC_GPU_RUNTIME_EMU_CHECK_HISTORY_H

#include "base/sync/mutex.h"
#include "emu/device/op.h"

extern agpu__mutex agpu__emu_history_lock;

/// Of a read that is taken for one because a kernel has changed nothing.
typedef struct agpu__emu_guess {
  const agpu_native_kernel *kernel; ///< NULL: the access is known
  uint32_t param;
} agpu__emu_guess;

/// The op accesses the rows, which are in one allocation and have a span.
void agpu__emu_history_access_rows(const agpu__emu_op *op,
                                   const agpu__emu_rows *rows, bool writes)
    AGPU__REQUIRES(agpu__emu_history_lock);

/// The op accesses `bytes` at `pointer`, in one allocation.
void agpu__emu_history_access(const agpu__emu_op *op, CUdeviceptr pointer,
                              size_t bytes, bool writes)
    AGPU__REQUIRES(agpu__emu_history_lock);

/// The same of the whole allocation that `pointer` lies in. `guess`: or NULL.
void agpu__emu_history_access_all(const agpu__emu_op *op, CUdeviceptr pointer,
                                  bool writes, const agpu__emu_guess *guess)
    AGPU__REQUIRES(agpu__emu_history_lock);

/// Whether the kernel was seen to write through the parameter; that it was.
bool agpu__emu_history_is_writer(const agpu_native_kernel *kernel,
                                 uint32_t param)
    AGPU__REQUIRES(agpu__emu_history_lock);
void agpu__emu_history_note_writer(const agpu_native_kernel *kernel,
                                   uint32_t param)
    AGPU__REQUIRES(agpu__emu_history_lock);

/// Writes what an op is called in messages; `what` of it is not NULL. Any
/// thread.
void agpu__emu_race_describe(const agpu__op_name *origin, char *out,
                             size_t size);

/// Frees what the allocation's record has of it.
void agpu__emu_history_drop(agpu__emu_record *record);

/// Forgets what kernels do, with the context.
void agpu__emu_history_reset(void) AGPU__REQUIRES(agpu__emu_history_lock);

#endif // ASYNC_GPU_RUNTIME_EMU_CHECK_HISTORY_H
