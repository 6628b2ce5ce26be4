//===- settings.h - Settings of the emulated device ------------- -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Read from the environment (base/report/settings.h) when the emulated device
// is chosen, before its first call; constant from then on.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_EMU_BASE_SETTINGS_H
#define ASYNC_GPU_RUNTIME_EMU_BASE_SETTINGS_H

#include "async_gpu/status.h"
#include "base/report/settings.h"
#include "driver_api/functions.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define AGPU__EMU_MAX_THREADS_PER_BLOCK 1024u
#define AGPU__EMU_MAX_BLOCK_Z 64u
#define AGPU__EMU_MAX_GRID_X 0x7fffffffu
#define AGPU__EMU_MAX_GRID_YZ 65535u
#define AGPU__EMU_MAX_SHARED_BYTES (48u * 1024u)
#define AGPU__EMU_MAX_PITCH 0x7fffffffu
#define AGPU__EMU_MAX_PARAMETER_BYTES 32764u // as of CUDA 12.1 and sm_70
#define AGPU__EMU_MAX_CLUSTER 8u             // blocks, without asking
#define AGPU__EMU_MAX_LARGE_CLUSTER 16u      // and with it
#define AGPU__EMU_MAX_CONNECTIONS 32u

/// The call that fails.
typedef struct agpu__emu_fault {
  const char *function; ///< whose calls are counted; NULL: all functions'
  uint64_t call;        ///< its number, from 1; 0: none fails
  CUresult result;      ///< what it returns
} agpu__emu_fault;

typedef struct agpu__emu_settings {
  bool seeded;
  uint64_t seed;
  unsigned devices;
  unsigned threads;     ///< that run blocks, the launching stream's included
  unsigned queue;       ///< entries of a stream's; 0: without limit
  unsigned connections; ///< of a context, which its streams share
  bool memory_pools;
  bool lazy_loading;   ///< of each kernel, when it is used first
  size_t memory_bytes; ///< of a device; 0: see capacity.c
  /// What ASYNC_GPU_EMU_CHECK asks for. For check/checks.c and the driver's
  /// table: everyone else calls hooks.h.
  bool check_races, check_memory, check_arithmetic, check_lanes;
  /// What ASYNC_GPU_EMU_TOLERATE lets pass: mbarriers that are initialised
  /// twice; lanes that are not in their mask.
  bool tolerate_mbarriers, tolerate_masks;
  unsigned kernel_seconds; ///< that a kernel may run for; 0: no limit
  size_t print_bytes;      ///< of what kernels print, kept until it is written
  /// Of memory of the host that the driver knows nothing of: whether
  /// ASYNC_GPU_EMU_MEMORY lets kernels reach it; whether programs are best
  /// compiled for that, which is so unless accesses are checked: nobody knows
  /// the bounds of such memory.
  bool can_be_unified, wants_unified;
  bool exclusive_managed; ///< memory, which is the device's while it works
  bool pageable_async;    ///< copies of such memory do not hold up their caller
  agpu__emu_fault fault;
} agpu__emu_settings;

/// Reads the environment. INVALID_ARGUMENT names the malformed variable.
agpu_status agpu__emu_settings_load(void);
const agpu__emu_settings *agpu__emu_get_settings(void);

/// Whether kernels reach all memory of the host: where
/// ASYNC_GPU_EMU_MEMORY=unified says so, or a program that is compiled for that
/// has been loaded and `discrete` is not asked for. Any thread.
bool agpu__emu_is_unified(void);
void agpu__emu_become_unified(void);

/// What finds the thread and the place of a wrong access.
#define AGPU__EMU_CHECK_MEMORY_ADVICE                                          \
  " (async-gpu-runner --check=memory or ASYNC_GPU_EMU_CHECK=memory says "      \
  "where)"

/// Whether kernels that are compiled for it have each access checked, and moved
/// to where the memory is (check/access.c).
bool agpu__emu_checks_accesses(void);

#endif // ASYNC_GPU_RUNTIME_EMU_BASE_SETTINGS_H
