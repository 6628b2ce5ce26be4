//===- self.c - The end of a thread ---------------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The one key with a destructor that the runtime asks the system for. Its value
// says only that there is something to do. What a part does at the end may need
// one behind it once more, and libraries whose destructors run later may call
// the runtime: then the value is set again, and the system calls again.
//
//===----------------------------------------------------------------------===//

#include "base/os/self.h"

#include "base/report/assert.h"

#include <pthread.h>
#include <stdatomic.h>

AGPU__HOT_THREAD_LOCAL agpu__thread_self agpu__self;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key;
static bool has_key;
static _Atomic(void (*)(void)) ends[AGPU__PARTS];

static void end_parts(void *unused) {
  (void)unused;
  while (agpu__self.parts) {
    int first = __builtin_ctz(agpu__self.parts);
    agpu__self.parts &= ~(UINT32_C(1) << first);
    atomic_load_explicit(&ends[first], memory_order_relaxed)();
  }
}

static void create_key(void) { has_key = !pthread_key_create(&key, end_parts); }

bool agpu__self_at_end(agpu__thread_part part, void (*end)(void)) {
  AGPU__ASSERT(part < AGPU__PARTS && end);
  (void)pthread_once(&once, create_key);
  // The same for all threads, and read by the one that has written it.
  atomic_store_explicit(&ends[part], end, memory_order_relaxed);
  if (!has_key || pthread_setspecific(key, &agpu__self) != 0)
    return false;
  agpu__self.parts |= UINT32_C(1) << part;
  return true;
}
