//===- task_error.c - One record for one failure ------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "async/task_error.h"

#include "base/report/status_track.h"
#include "exec/executor.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/// A thread's last record and the task it was made in.
typedef struct memo {
  agpu_status status;
  uint64_t task;
} memo;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key;

static void release_memo(void *data) {
  memo *last = data;
  agpu_status_release(last->status);
  free(last);
}

static void create_key(void) { (void)pthread_key_create(&key, release_memo); }

/// NULL where memory is out: then nothing is shared.
static memo *own_memo(void) {
  (void)pthread_once(&once, create_key);
  memo *last = pthread_getspecific(key);
  if (!last) {
    last = calloc(1, sizeof(*last));
    if (last && pthread_setspecific(key, last) != 0) {
      free(last);
      last = NULL;
    }
  }
  return last;
}

static bool can_share(const memo *last, const char *message,
                      const char *location) {
  if (!last->status || last->task != agpu__exec_task_number())
    return false;
  // All that a thread does outside tasks has one number. What has been seen
  // there belongs to an earlier failure.
  if (!agpu__exec_in_task() && agpu__status_is_observed(last->status))
    return false;
  return strcmp(agpu_status_get_message(last->status), message) == 0 &&
         strcmp(agpu_status_get_location(last->status), location) == 0;
}

agpu_status agpu__task_error(const char *message, const char *location) {
  if (!location)
    location = "";
  memo *last = own_memo();
  if (last && can_share(last, message, location))
    return agpu_status_retain(last->status);
  agpu_status status =
      agpu_status_create(AGPU_STATUS_PROGRAM, location, "%s", message);
  if (last) {
    agpu_status_release(last->status);
    last->status = agpu_status_retain(status);
    last->task = agpu__exec_task_number();
  }
  return status;
}

void agpu__task_error_forget(void) {
  memo *last = own_memo();
  if (!last)
    return;
  pthread_setspecific(key, NULL);
  release_memo(last);
}
