//===- host.h - What executing needs of the driver -----------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_TESTS_PTX_HOST_H
#define ASYNC_GPU_TESTS_PTX_HOST_H

#include <stddef.h>
#include <stdint.h>

struct ptx_translation;

/// Changes whenever memory comes, goes or is opened to a device: translations
/// made under another version are void.
uint64_t ptx_memory_version(void);
/// The allocation that has all of the bytes, if `device` may access it; false
/// otherwise.
_Bool ptx_memory_translate(int device, uint64_t address, uint64_t bytes,
                           struct ptx_translation *out);
/// What is at an address, in words.
void ptx_memory_describe(uint64_t address, char *text, size_t size);
/// Text that a kernel prints: into the device's buffer.
void ptx_output_add(int device, const char *text, size_t length);
/// What goes to the program's standard error at once: failed assertions.
void ptx_error_add(const char *text);

/// A kernel sets a graph's condition; false: the device has none.
_Bool ptx_condition_set(int device, uint64_t handle, uint32_t value);

#endif // ASYNC_GPU_TESTS_PTX_HOST_H
