//===- host_access.h - The host's accesses of device memory -------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A host thread that loads or stores device memory ends the process with what
// it touched and where it stands. Programs that are compiled for it
// (ASYNC_GPU_EMU_CHECK) say so before the access (agpu_check_host_access), and
// the message has the place in their source; other code runs into closed
// addresses (memory/guard.h), and the message has the function, as far as the
// dynamic linker knows it, and the last call that a checked program made on
// that thread.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_EMU_CHECK_HOST_ACCESS_H
#define ASYNC_GPU_RUNTIME_EMU_CHECK_HOST_ACCESS_H

#include <stdbool.h>
#include <stdint.h>

/// The hook `faulted`, of closed addresses.
bool agpu__emu_host_access_faulted(uintptr_t address, void (**out_next)(void));

/// Of agpu_check_host_access (async_gpu/compiled/host_access.h), for bytes that
/// are some.
void agpu__emu_check_host_access(const void *address, uint64_t size,
                                 uint32_t flags, const char *location);

#endif // ASYNC_GPU_RUNTIME_EMU_CHECK_HOST_ACCESS_H
