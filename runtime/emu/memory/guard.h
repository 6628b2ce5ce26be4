//===- guard.h - Device memory that the host cannot touch ---------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// As on hardware, the addresses of device memory mean nothing to the host. They
// are reserved and closed; the memory itself is mapped a second time,
// elsewhere, where copies and kernels find it: the addresses that a launch is
// given are moved there (simt/launch.c), or those of each access where kernels
// are checked (check/access.c). A kernel that touches a closed address, which
// it has found in memory, opens all around it until the launches that run have
// ended; on any other thread the process ends with a message
// (check/host_access.c).
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_EMU_MEMORY_GUARD_H
#define ASYNC_GPU_RUNTIME_EMU_MEMORY_GUARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// False where the process may not make files of any size (RLIMIT_FSIZE), as of
/// now: device memory that it gets is then open to the host.
bool agpu__emu_guard_is_available(void);

/// Reserves `bytes` (whole pages) of closed addresses, or of managed memory
/// that host and devices have in turn. The memory is `*out_distance` bytes
/// above them, and closed at first: who gives it to a program opens it. 0: out
/// of memory.
uintptr_t agpu__emu_guard_map(size_t bytes, bool is_managed,
                              ptrdiff_t *out_distance);
void agpu__emu_guard_unmap(uintptr_t address, size_t bytes, ptrdiff_t distance);

/// Whether the address is closed to the host. Any thread, also in a signal
/// handler of an access.
bool agpu__emu_guard_holds(uintptr_t address);

/// A launch begins, and ends.
void agpu__emu_guard_begin_launch(void);
void agpu__emu_guard_end_launch(void);

/// Whether a kernel has ever touched closed addresses of the memory that there
/// is: what it writes there is not known. Any thread.
bool agpu__emu_guard_was_opened(void);

/// Opens the addresses around `address` for the launches that run.
void agpu__emu_guard_open(uintptr_t address);

// Managed memory that host and devices have in turn (ASYNC_GPU_EMU_MANAGED) is
// the devices' once a kernel has been launched. "Unified Memory uses logical
// activity to determine whether the GPU is idle": it is the host's again once
// it has waited, and no kernel is left. (CUDA C++ Programming Guide, explicit
// synchronization and logical GPU activity)

/// A kernel is launched; it has ended, or will not run.
void agpu__emu_guard_launched(void);
void agpu__emu_guard_ended(void);

/// The host has waited for work.
void agpu__emu_guard_synchronized(void);

#endif // ASYNC_GPU_RUNTIME_EMU_MEMORY_GUARD_H
