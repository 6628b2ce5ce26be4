//===- helper.c - A thread for calls that block ---------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A queue under a lock, which is open while a job runs. Programs without such
// calls have no thread for them.
//
//===----------------------------------------------------------------------===//

#include "gpu/stream/helper.h"

#include "base/memory/memory.h"
#include "base/os/thread.h"
#include "base/sync/mutex.h"
#include "base/sync/park.h"
#include "base/sync/schedule.h"

#define JOB AGPU__PARK_BIT(0)  // one came
#define STOP AGPU__PARK_BIT(1) // there will be no more

struct agpu__helper {
  agpu__parker parker; // the thread's
  agpu__mutex lock;
  STAILQ_HEAD(, agpu__job) jobs AGPU__GUARDED_BY(lock);
  bool has_thread AGPU__GUARDED_BY(lock);
  pthread_t thread;
};

static agpu__job *take(agpu__helper *self) {
  agpu__mutex_lock(&self->lock);
  agpu__job *job = STAILQ_FIRST(&self->jobs);
  if (job)
    STAILQ_REMOVE_HEAD(&self->jobs, link);
  agpu__mutex_unlock(&self->lock);
  return job;
}

static void *run_thread(void *argument) {
  agpu__helper *self = argument;
  uint32_t bits;
  do {
    bits = agpu__parker_wait(&self->parker, JOB | STOP);
    agpu__pass(AGPU__POINT_COMPLETION);
    agpu__parker_clear(&self->parker, JOB);
    for (agpu__job *job; (job = take(self));)
      job->run(job);
  } while (!(bits & STOP));
  return NULL;
}

agpu__helper *agpu__helper_create(void) {
  agpu__helper *self = agpu__memory_alloc(sizeof *self, _Alignof(agpu__helper),
                                          "a thread for calls that block");
  *self = (agpu__helper){.jobs = STAILQ_HEAD_INITIALIZER(self->jobs)};
  agpu__parker_init(&self->parker);
  agpu__mutex_init(&self->lock, AGPU__RANK_HELPER);
  return self;
}

void agpu__helper_give(agpu__helper *self, agpu__job *job) {
  agpu__mutex_lock(&self->lock);
  if (!self->has_thread) {
    self->has_thread = agpu__thread_create(&self->thread, "agpu-helper",
                                           run_thread, self) == 0;
    if (self->has_thread)
      agpu__parker_await_owner(&self->parker);
  }
  bool is_given = self->has_thread;
  if (is_given)
    STAILQ_INSERT_TAIL(&self->jobs, job, link);
  agpu__mutex_unlock(&self->lock);
  if (is_given)
    agpu__parker_signal(&self->parker, JOB);
  else
    job->run(job);
}

void agpu__helper_destroy(agpu__helper *self) {
  agpu__mutex_lock(&self->lock);
  bool has_thread = self->has_thread;
  agpu__mutex_unlock(&self->lock);
  agpu__parker_signal(&self->parker, STOP);
  if (has_thread) {
    agpu__pass_sleep(self);
    pthread_join(self->thread, NULL);
  }
  agpu__mutex_destroy(&self->lock);
  agpu__memory_free(self);
}
