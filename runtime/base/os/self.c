//===- self.c - The end of a thread ---------------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The one key with a destructor that the runtime asks the system for. Its value
// says only that there is something to do: parts to end, and after them the
// block itself to free. What a part does at the end may need one after it once
// more, and libraries whose destructors run later may call the runtime: then
// the value is set again, and the system calls again.
//
//===----------------------------------------------------------------------===//

#include "base/os/self.h"

#include "base/os/write.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

AGPU__HOT_THREAD_LOCAL agpu__thread_self *agpu__self_known;

static struct {
  pthread_once_t once;
  pthread_key_t key;
  bool has_key;
  _Atomic(void (*)(void)) of_part[AGPU__PARTS];
} ends = {.once = PTHREAD_ONCE_INIT};

_Static_assert(AGPU__PARTS <= 32, "a bit for each");

static void end_parts(void *unused) {
  (void)unused;
  while (agpu__self_known && agpu__self_known->parts) {
    int first = __builtin_ctz(agpu__self_known->parts);
    agpu__self_known->parts &= ~(UINT32_C(1) << first);
    atomic_load_explicit(&ends.of_part[first], memory_order_relaxed)();
  }
  free(agpu__self_known);
  agpu__self_known = NULL;
}

static void create_key(void) {
  ends.has_key = !pthread_key_create(&ends.key, end_parts);
}

agpu__thread_self *agpu__self_begin(void) {
  agpu__thread_self *block = calloc(1, sizeof *block);
  if (!block) {
    static const char message[] = "error: out of host memory: cannot allocate "
                                  "what a thread has of the runtime\n";
    agpu__write_stderr(message, sizeof message - 1);
    _exit(EXIT_FAILURE);
  }
  agpu__self_known = block;
  (void)pthread_once(&ends.once, create_key);
  // Without memory for it the block stays.
  if (ends.has_key)
    (void)pthread_setspecific(ends.key, &ends);
  return block;
}

bool agpu__self_at_end(agpu__thread_part part, void (*end)(void)) {
  (void)pthread_once(&ends.once, create_key);
  // The same for all threads, and read by the one that has written it.
  atomic_store_explicit(&ends.of_part[part], end, memory_order_relaxed);
  if (!ends.has_key || pthread_setspecific(ends.key, &ends) != 0)
    return false;
  agpu__self.parts |= UINT32_C(1) << part;
  return true;
}
