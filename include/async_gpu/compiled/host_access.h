//===- host_access.h - Checked accesses of host code ------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What programs call that were compiled with check-accesses=true
// (docs/environment.md, ASYNC_GPU_EMU_CHECK). All cost next to nothing where
// the device is not the emulated one or memory is not checked. Any thread.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_COMPILED_HOST_ACCESS_H
#define ASYNC_GPU_COMPILED_HOST_ACCESS_H

#include "async_gpu/status.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The host is about to access `size` bytes; `flags` of agpu_native_access
/// (async_gpu/compiled/native_thread.h). Does not return where they are device
/// memory: the program ends with an error at `location`. Where work of the
/// device uses them that nothing orders before this
/// (ASYNC_GPU_EMU_CHECK=races), that is an error of the program when it ends.
AGPU_EXPORT void agpu_check_host_access(const void *address, uint64_t size,
                                        uint32_t flags, const char *location);

/// The host is about to free memory of its own. Does not return where a copy
/// uses it that nothing orders before that (ASYNC_GPU_EMU_CHECK=races): the
/// program ends with an error at `location`.
AGPU_EXPORT void agpu_check_host_free(void *memory, const char *location);

/// The calling thread is about to call a function that does not say what it
/// accesses. `location` is kept, until the next call.
AGPU_EXPORT void agpu_note_host_call(const char *location);

/// The host is about to divide; `fault` of agpu_native_division
/// (async_gpu/compiled/native_thread.h). Does not return where there is one,
/// which MLIR leaves undefined: the program ends with an error at `location`.
AGPU_EXPORT void agpu_check_host_division(uint32_t fault, const char *location);

#ifdef __cplusplus
}
#endif

#endif // ASYNC_GPU_COMPILED_HOST_ACCESS_H
