//===- host_access.h - The host's accesses of device memory -------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// ASYNC_GPU_EMU_CHECK=memory: a host thread that loads or stores device memory
// ends the process with what it touched and where it stands. Compiled programs
// that check their accesses say so before the access (agpu_check_host_access)
// and are told of their own source; of other code, which runs into closed
// addresses (guard.h), the function is told as far as the dynamic linker knows
// it, and the last call that a checked program made on that thread.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_EMU_CHECK_HOST_ACCESS_H
#define ASYNC_GPU_RUNTIME_EMU_CHECK_HOST_ACCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// The hooks `map` and `faulted`: closed addresses (guard.h), whose accesses
/// are explained from then on.
uintptr_t agpu__emu_host_access_map(size_t bytes, ptrdiff_t *out_distance);
bool agpu__emu_host_access_faulted(uintptr_t address, void (**out_next)(void));

#endif // ASYNC_GPU_RUNTIME_EMU_CHECK_HOST_ACCESS_H
