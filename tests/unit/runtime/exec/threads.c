//===- threads.c - The number of workers --------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "base/os/cpus.h"
#include "base/report/status_track.h"
#include "child.h"
#include "exec/executor.h"

#include <sched.h>

static void use_what_is_usable(void) {
  unsetenv("ASYNC_GPU_NUM_THREADS");
  CHECK_EQ(agpu__exec_worker_count(), agpu__cpus_get().usable);
}

static void use_reduced_affinity(void) {
  unsetenv("ASYNC_GPU_NUM_THREADS");
  cpu_set_t set;
  CHECK(sched_getaffinity(0, sizeof(set), &set) == 0);
  size_t first = 0;
  while (!CPU_ISSET(first, &set))
    ++first;
  CPU_ZERO(&set);
  CPU_SET(first, &set);
  CHECK(sched_setaffinity(0, sizeof(set), &set) == 0);
  CHECK_EQ(agpu__exec_worker_count(), 1);
}

static void use_setting(void) {
  setenv("ASYNC_GPU_NUM_THREADS", "7", 1);
  CHECK_EQ(agpu__exec_worker_count(), 7);
}

static void refuse_setting(void) {
  setenv("ASYNC_GPU_NUM_THREADS", "0", 1);
  CHECK_EQ(agpu__exec_worker_count(), agpu__cpus_get().usable);
  agpu_status status = agpu__status_take_reported();
  CHECK_STR(
      agpu_status_get_message(status),
      "ASYNC_GPU_NUM_THREADS is \"0\"; expected an integer from 1 to 1024");
  agpu_status_release(status);
}

int main(void) {
  CHECK_EQ(child_exit(use_what_is_usable, NULL, 0), 0);
  CHECK_EQ(child_exit(use_reduced_affinity, NULL, 0), 0);
  CHECK_EQ(child_exit(use_setting, NULL, 0), 0);
  CHECK_EQ(child_exit(refuse_setting, NULL, 0), 0);
  return 0;
}
