//===- loops.c - Parallel loops -------------------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What include/async_gpu/parallel.h promises. A piece of a loop that can fail
// gives a token. Of all errors the one of the first piece is kept: a piece runs
// its iterations in order and ends with the first that fails, so that this is
// the first of the loop. The others are dropped, and count as observed.
//
//===----------------------------------------------------------------------===//

#include "async_gpu/parallel.h"

#include "async/lifecycle.h"
#include "async/object.h"
#include "async/work.h"
#include "base/sync/mutex.h"
#include "exec/loop/parallel.h"

#include <stdatomic.h>

void agpu_parallel_for(int64_t count, int64_t grain, agpu_loop_body body,
                       void *context) {
  agpu__lifecycle_start();
  agpu__exec_parallel_for(count, grain, body, context);
}

void agpu_parallel_reduce(int64_t count, int64_t grain, agpu_reduce_body body,
                          agpu_reduce_combine combine, void *context,
                          void *result, int64_t size) {
  agpu__lifecycle_start();
  agpu__exec_parallel_reduce(count, grain, body, combine, context, result,
                             size);
}

/// A loop that can fail. Pieces after the first one that has failed so far are
/// left out: those before it are not, so that the first of all is found.
typedef struct attempt {
  agpu_try_body body; ///< or
  agpu_try_reduce_body reduce;
  agpu_reduce_combine combine;
  void *context;
  agpu__mutex lock;
  _Atomic(int64_t) first;                    ///< of that piece
  agpu_object *error AGPU__GUARDED_BY(lock); ///< of that piece
} attempt;

/// Keeps the error if it is the first so far. Returns what is dropped for it.
static agpu_object *keep_error(attempt *self, int64_t begin,
                               agpu_object *error) {
  agpu_object *dropped = error;
  agpu__mutex_lock(&self->lock);
  if (begin < atomic_load_explicit(&self->first, memory_order_relaxed)) {
    atomic_store_explicit(&self->first, begin, memory_order_relaxed);
    dropped = self->error;
    self->error = error;
  }
  agpu__mutex_unlock(&self->lock);
  // In order, it would not have come to this.
  if (dropped)
    agpu__object_observe(dropped);
  return dropped;
}

/// Takes over the reference to what a piece has given.
static void end_piece(attempt *self, int64_t begin, agpu_object *token) {
  if (agpu__object_has_failed(token))
    token = keep_error(self, begin, token);
  if (token)
    agpu__object_release(token, 1);
}

static bool is_behind_error(attempt *self, int64_t begin) {
  return begin > atomic_load_explicit(&self->first, memory_order_relaxed);
}

static void try_piece(void *data, int64_t begin, int64_t end) {
  attempt *self = data;
  if (!is_behind_error(self, begin))
    end_piece(self, begin, self->body(self->context, begin, end));
}

static void try_reduce_piece(void *data, int64_t begin, int64_t end,
                             void *out_partial) {
  attempt *self = data;
  if (!is_behind_error(self, begin))
    end_piece(self, begin,
              self->reduce(self->context, begin, end, out_partial));
}

/// Of a loop that has failed there is nothing to combine.
static void try_combine(void *data, void *into, const void *partial) {
  attempt *self = data;
  if (atomic_load_explicit(&self->first, memory_order_relaxed) == INT64_MAX)
    self->combine(self->context, into, partial);
}

static agpu_object *end_attempt(attempt *self) {
  agpu__mutex_lock(&self->lock);
  agpu_object *error = self->error;
  agpu__mutex_unlock(&self->lock);
  return error ? error : agpu__token_create_ready();
}

agpu_object *agpu_parallel_try(int64_t count, int64_t grain, agpu_try_body body,
                               void *context) {
  attempt self = {.body = body,
                  .context = context,
                  .lock = AGPU__MUTEX_INIT(AGPU__RANK_LOOP_ERROR),
                  .first = INT64_MAX};
  agpu_parallel_for(count, grain, try_piece, &self);
  return end_attempt(&self);
}

agpu_object *agpu_parallel_try_reduce(int64_t count, int64_t grain,
                                      agpu_try_reduce_body body,
                                      agpu_reduce_combine combine,
                                      void *context, void *result,
                                      int64_t size) {
  attempt self = {.reduce = body,
                  .combine = combine,
                  .context = context,
                  .lock = AGPU__MUTEX_INIT(AGPU__RANK_LOOP_ERROR),
                  .first = INT64_MAX};
  agpu_parallel_reduce(count, grain, try_reduce_piece, try_combine, &self,
                       result, size);
  return end_attempt(&self);
}
