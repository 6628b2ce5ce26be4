//===- plain_error.c - Errors that say nothing --------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "async/plain_error.h"

#include "exec/executor.h"

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

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

agpu_status agpu__plain_error(void) {
  memo *last = own_memo();
  uint64_t task = agpu__exec_task_number();
  if (last && last->status && last->task == task)
    return agpu_status_retain(last->status);
  agpu_status status = agpu_status_create(AGPU_STATUS_PROGRAM, NULL,
                                          "an asynchronous operation failed");
  if (last) {
    agpu_status_release(last->status);
    last->status = agpu_status_retain(status);
    last->task = task;
  }
  return status;
}

void agpu__plain_error_forget(void) {
  memo *last = own_memo();
  if (!last)
    return;
  pthread_setspecific(key, NULL);
  release_memo(last);
}
