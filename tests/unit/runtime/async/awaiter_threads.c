//===- awaiter_threads.c - Awaiters that short-lived threads release ------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a thread has released is there for others when the thread has ended,
// however little it was: so a program whose tokens are made ready by threads
// that come and go needs no more awaiters than wait at a time.
//
//===----------------------------------------------------------------------===//

#include "async/awaiter.h"

#include "check.h"

#include <pthread.h>
#include <stddef.h>

enum { THREADS = 600, MOST = 300 };

static void *release(void *awaiter) {
  agpu__awaiter_release(awaiter);
  return NULL;
}

// The end of the runtime's own cache may come before a thread's last release.
static pthread_key_t late_key;

static void *release_late(void *awaiter) {
  CHECK(!pthread_setspecific(late_key, awaiter));
  return NULL;
}

static void at_end(void *awaiter) { agpu__awaiter_release(awaiter); }

static void count_awaiters(agpu_object *token, void *(*run)(void *)) {
  static const agpu__awaiter *seen[THREADS];
  size_t count = 0;
  for (int i = 0; i < THREADS; ++i) {
    agpu__awaiter *awaiter = agpu__awaiter_create(token);
    size_t known = 0;
    while (known < count && seen[known] != awaiter)
      ++known;
    if (known == count)
      seen[count++] = awaiter;
    pthread_t thread;
    CHECK(!pthread_create(&thread, NULL, run, awaiter));
    CHECK(!pthread_join(thread, NULL));
  }
  CHECK(count <= MOST);
}

int main(void) {
  agpu_object *token = agpu__object_create(AGPU__TOKEN, 0, 1);
  CHECK(!pthread_key_create(&late_key, at_end));
  count_awaiters(token, release);
  count_awaiters(token, release_late);
  agpu__object_release(token, 1);
  return 0;
}
