//===- awake.h - Waiting without sleep, for a while --------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_EMU_BASE_AWAKE_H
#define ASYNC_GPU_RUNTIME_EMU_BASE_AWAKE_H

#include <stdbool.h>
#include <stdint.h>

/// Of a thread that waits for the device, or one of the device's that has run
/// out of work, and looks for more before it sleeps.
typedef struct agpu__emu_spin {
  int64_t now, end; ///< of the clock, in nanoseconds
} agpu__emu_spin;

agpu__emu_spin agpu__emu_spin_begin(void);

/// Yields, and says whether to look once more. It ends after a moment; at once
/// where the device has one thread, or others need the processor.
bool agpu__emu_spin_continue(agpu__emu_spin *spin);

/// Whether is_done(of) comes true in that time; looks once at least. Who goes
/// on to sleep has to look again.
bool agpu__emu_stay_awake(bool (*is_done)(void *of), void *of);

#endif // ASYNC_GPU_RUNTIME_EMU_BASE_AWAKE_H
