//===- random.c - The seeded schedule -------------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Random numbers of the seed, and pauses that are drawn from them, which are
// long enough now and then for everything else to overtake.
//
//===----------------------------------------------------------------------===//

#include "emu/base/random.h"

#include "emu/base/settings.h"

#include <sched.h>
#include <time.h>

// The splitmix64 generator: a counter and a mix, so that every starting state
// is as good as another.
static uint64_t mix(uint64_t value) {
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9u;
  value = (value ^ (value >> 27)) * 0x94d049bb133111ebu;
  return value ^ (value >> 31);
}

uint64_t agpu__emu_random_next(agpu__emu_random *random) {
  random->state += 0x9e3779b97f4a7c15u;
  return mix(random->state);
}

agpu__emu_random agpu__emu_random_create(uint64_t ordinal) {
  agpu__emu_random random = {.state = mix(agpu__emu_get_settings()->seed) +
                                      mix(ordinal + 1)};
  random.slowness = (unsigned)(agpu__emu_random_next(&random) % 4);
  return random;
}

void agpu__emu_delay(agpu__emu_random *random) {
  if (!agpu__emu_get_settings()->seeded)
    return;
  uint64_t draw = agpu__emu_random_next(random);
  unsigned choice = draw & 7;
  uint64_t amount = draw >> 8;
  if (choice < 3 - (random->slowness > 1))
    return;
  if (choice < 5) {
    for (uint64_t i = amount % 8; i > 0; --i)
      sched_yield();
    return;
  }
  // Mostly tens of microseconds, about what a launch takes; now and then so
  // long that everything else overtakes.
  long limit =
      choice == 7 ? 200000 << random->slowness : 20000 << random->slowness;
  struct timespec pause = {.tv_nsec = (long)(amount % (uint64_t)limit)};
  nanosleep(&pause, NULL);
}
