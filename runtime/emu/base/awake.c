//===- awake.c - Waiting without sleep, for a while -----------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// About what it takes to wake a thread whose processor has gone to sleep,
// which, in a virtual machine, means to have left it to others. The thread
// yields to any other meanwhile, so that the program's next step finds an awake
// processor as well. A yield that takes long was to someone who needs the
// processor: then the thread sleeps. With one thread there may be but one
// processor, which the others need.
//
//===----------------------------------------------------------------------===//

#include "emu/base/awake.h"

#include "base/os/clock.h"
#include "emu/base/settings.h"

#include <sched.h>

#define AWAKE_NS 50000
#define LONG_YIELD_NS 20000

agpu__emu_spin agpu__emu_spin_begin(void) {
  bool pays = agpu__emu_get_settings()->threads > 1;
  int64_t now = pays ? agpu__clock_machine_ns() : 0;
  return (agpu__emu_spin){.now = now, .end = pays ? now + AWAKE_NS : 0};
}

bool agpu__emu_spin_continue(agpu__emu_spin *spin) {
  if (spin->now >= spin->end)
    return false;
  sched_yield();
  int64_t before = spin->now;
  spin->now = agpu__clock_machine_ns();
  if (spin->now - before > LONG_YIELD_NS)
    spin->end = 0;
  return true;
}

bool agpu__emu_stay_awake(bool (*is_done)(void *of), void *of) {
  agpu__emu_spin spin = agpu__emu_spin_begin();
  bool done;
  do
    done = is_done(of);
  while (!done && agpu__emu_spin_continue(&spin));
  return done;
}
