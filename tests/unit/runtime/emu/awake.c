//===- awake.c - Waiters poll before they sleep ---------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A device with several threads is looked at until what is waited for has come,
// or for a while; one with a single thread once.
//
//===----------------------------------------------------------------------===//

#include "emu/base/awake.h"
#include "check.h"
#include "emu/base/settings.h"

static unsigned looks, needed;

static bool has_come(void *unused) {
  (void)unused;
  return ++looks >= needed;
}

static bool look(const char *threads, unsigned most) {
  setenv("ASYNC_GPU_EMU_THREADS", threads, 1);
  CHECK(!agpu__emu_settings_load());
  looks = 0;
  needed = most;
  return agpu__emu_stay_awake(has_come, NULL);
}

int main(void) {
  CHECK(look("2", 1));
  CHECK_EQ(looks, 1);
  CHECK(!look("2", UINT32_MAX));
  CHECK(looks > 1);
  CHECK(look("1", 1));
  CHECK(!look("1", 2));
  CHECK_EQ(looks, 1);
  return 0;
}
