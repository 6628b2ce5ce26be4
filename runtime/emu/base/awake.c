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
// processor as well. With one thread there may be but one processor, which the
// others need.
//
//===----------------------------------------------------------------------===//

#include "emu/base/awake.h"

#include "base/os/clock.h"
#include "emu/base/settings.h"

#include <sched.h>

int64_t agpu__emu_awake_ns(void) {
  return agpu__emu_get_settings()->threads > 1 ? 50000 : 0;
}

bool agpu__emu_stay_awake(bool (*is_done)(void *of), void *of) {
  bool done = is_done(of);
  int64_t left = done ? 0 : agpu__emu_awake_ns();
  int64_t end = left ? agpu__clock_now_ns() + left : 0;
  for (; !done && left > 0; left = end - agpu__clock_now_ns()) {
    sched_yield();
    done = is_done(of);
  }
  return done;
}
