//===- park.c - Signals are not lost ------------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "base/sync/park.h"
#include "base/os/clock.h"
#include "check.h"

#include <pthread.h>

#define ROUNDS 20000
#define PING AGPU__PARK_BIT(0)
#define PONG AGPU__PARK_BIT(1)

static agpu__parker there, back;
static int shared; // handed to and fro by the signals alone

static void *answer(void *unused) {
  (void)unused;
  for (int i = 0; i < ROUNDS; ++i) {
    agpu__parker_wait(&there, PING);
    agpu__parker_clear(&there, PING);
    ++shared;
    agpu__parker_signal(&back, PONG);
  }
  return NULL;
}

static void test_ping_pong(void) {
  agpu__parker_init(&there);
  agpu__parker_init(&back);
  pthread_t thread;
  CHECK(pthread_create(&thread, NULL, answer, NULL) == 0);
  for (int i = 0; i < ROUNDS; ++i) {
    CHECK_EQ(shared, i);
    agpu__parker_signal(&there, PING);
    agpu__parker_wait(&back, PONG);
    agpu__parker_clear(&back, PONG);
  }
  pthread_join(thread, NULL);
  CHECK_EQ(shared, ROUNDS);
}

static void test_signal_before_the_wait_stays(void) {
  agpu__parker parker;
  agpu__parker_init(&parker);
  agpu__parker_signal(&parker, PONG);
  CHECK_EQ(agpu__parker_wait(&parker, PING | PONG), PONG);
  CHECK_EQ(agpu__parker_poll(&parker), PONG);
  agpu__parker_clear(&parker, PONG);
  CHECK_EQ(agpu__parker_poll(&parker), 0);
}

static void test_time_limit(void) {
  agpu__parker parker;
  agpu__parker_init(&parker);
  int64_t start = agpu__clock_now_ns();
  CHECK_EQ(agpu__parker_wait_for(&parker, PING, 20000000), 0);
  CHECK(agpu__clock_now_ns() - start >= 20000000);
  agpu__parker_signal(&parker, PONG);
  CHECK_EQ(agpu__parker_wait_for(&parker, PING, 1000000), PONG);
  CHECK_EQ(agpu__parker_wait_for(&parker, PONG, -5), PONG);
}

int main(void) {
  test_ping_pong();
  test_signal_before_the_wait_stays();
  test_time_limit();
  return 0;
}
