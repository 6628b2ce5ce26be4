//===- random.h - The seeded schedule --------------------------- -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// ASYNC_GPU_EMU_SEED: what may happen in several orders happens in one that the
// seed draws.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_EMU_BASE_RANDOM_H
#define ASYNC_GPU_RUNTIME_EMU_BASE_RANDOM_H

#include <stdint.h>

/// A source of random numbers for one thread at a time.
typedef struct agpu__emu_random {
  uint64_t state;
  unsigned slowness; ///< 0 to 3: how far delays stretch
} agpu__emu_random;

/// The `ordinal`-th source of the seed. Equal seeds give equal sources.
agpu__emu_random agpu__emu_random_create(uint64_t ordinal);
uint64_t agpu__emu_random_next(agpu__emu_random *random);

/// With a seed: waits, or not, for a random time. Takes no lock, so that it
/// orders nothing that the program does not order (a race stays visible to the
/// thread sanitizer).
void agpu__emu_delay(agpu__emu_random *random);

#endif // ASYNC_GPU_RUNTIME_EMU_BASE_RANDOM_H
