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

struct agpu__helper {
  agpu__mutex lock;
  agpu__condition changed; // a job came, or there will be no more
  agpu__job *first AGPU__GUARDED_BY(lock), **last AGPU__GUARDED_BY(lock);
  bool has_thread AGPU__GUARDED_BY(lock), stops AGPU__GUARDED_BY(lock);
  pthread_t thread;
};

static void *run_thread(void *argument) {
  agpu__helper *self = argument;
  agpu__mutex_lock(&self->lock);
  while (self->first || !self->stops) {
    agpu__job *job = self->first;
    if (!job) {
      agpu__condition_wait(&self->changed, &self->lock);
      continue;
    }
    self->first = job->next;
    if (!self->first)
      self->last = &self->first;
    agpu__mutex_unlock(&self->lock);
    job->run(job);
    agpu__mutex_lock(&self->lock);
  }
  agpu__mutex_unlock(&self->lock);
  return NULL;
}

agpu__helper *agpu__helper_create(void) {
  agpu__helper *self = agpu__memory_alloc(sizeof *self, _Alignof(agpu__helper),
                                          "a thread for calls that block");
  *self = (agpu__helper){.last = &self->first};
  agpu__mutex_init(&self->lock, AGPU__RANK_HELPER);
  agpu__condition_init(&self->changed);
  return self;
}

void agpu__helper_give(agpu__helper *self, agpu__job *job) {
  job->next = NULL;
  agpu__mutex_lock(&self->lock);
  if (!self->has_thread)
    self->has_thread = agpu__thread_create(&self->thread, "agpu-helper",
                                           run_thread, self) == 0;
  bool is_given = self->has_thread;
  if (is_given) {
    *self->last = job;
    self->last = &job->next;
    agpu__condition_signal(&self->changed);
  }
  agpu__mutex_unlock(&self->lock);
  if (!is_given)
    job->run(job);
}

void agpu__helper_destroy(agpu__helper *self) {
  agpu__mutex_lock(&self->lock);
  self->stops = true;
  bool has_thread = self->has_thread;
  agpu__condition_signal(&self->changed);
  agpu__mutex_unlock(&self->lock);
  if (has_thread)
    pthread_join(self->thread, NULL);
  agpu__condition_destroy(&self->changed);
  agpu__mutex_destroy(&self->lock);
  agpu__memory_free(self);
}
