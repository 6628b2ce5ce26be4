//===- inline_runtime.c - A runtime that does nothing ---------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Upstream's async ABI with one thread, no queue and no atomics: what is
// spawned runs at once, inside the call that spawns it. What compiled
// coroutines cost on it is a floor for any runtime. Programs that await what
// has not run yet (a gated chain) end with a message.
//
//===----------------------------------------------------------------------===//

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/// A token or value; `left` is a group's number of members to come.
typedef struct object {
  int64_t references;
  int64_t left;
  bool ready, failed;
  _Alignas(16) char storage[];
} object;

static object *create(int64_t references, int64_t bytes) {
  object *o = malloc(sizeof(*o) + (size_t)bytes);
  if (!o)
    abort();
  o->references = references;
  o->left = 0;
  o->ready = o->failed = false;
  return o;
}

static void expect_ready(const object *o) {
  if (o->ready)
    return;
  fputs("the inline runtime cannot wait\n", stderr);
  exit(1);
}

void mlirAsyncRuntimeAddRef(object *o, int64_t n) { o->references += n; }

void mlirAsyncRuntimeDropRef(object *o, int64_t n) {
  o->references -= n;
  if (o->references == 0)
    free(o);
}

static void complete(object *o, bool failed) {
  o->ready = true;
  o->failed = failed;
  mlirAsyncRuntimeDropRef(o, 1);
}

object *mlirAsyncRuntimeCreateToken(void) { return create(2, 0); }
object *mlirAsyncRuntimeCreateValue(int64_t size) { return create(2, size); }

object *mlirAsyncRuntimeCreateGroup(int64_t members) {
  object *group = create(1, 0);
  group->left = members;
  group->ready = members == 0;
  return group;
}

int64_t mlirAsyncRuntimeAddTokenToGroup(object *token, object *group) {
  expect_ready(token);
  group->failed |= token->failed;
  group->ready = --group->left == 0;
  return 0; // no program here asks for the rank
}

void mlirAsyncRuntimeEmplaceToken(object *o) { complete(o, false); }
void mlirAsyncRuntimeEmplaceValue(object *o) { complete(o, false); }
void mlirAsyncRuntimeSetTokenError(object *o) { complete(o, true); }
void mlirAsyncRuntimeSetValueError(object *o) { complete(o, true); }
bool mlirAsyncRuntimeIsTokenError(object *o) { return o->failed; }
bool mlirAsyncRuntimeIsValueError(object *o) { return o->failed; }
bool mlirAsyncRuntimeIsGroupError(object *o) { return o->failed; }
void mlirAsyncRuntimeAwaitToken(object *o) { expect_ready(o); }
void mlirAsyncRuntimeAwaitValue(object *o) { expect_ready(o); }
void mlirAsyncRuntimeAwaitAllInGroup(object *o) { expect_ready(o); }
void *mlirAsyncRuntimeGetValueStorage(object *o) { return o->storage; }

typedef void (*resume_fn)(void *frame);

// pooled_stacks.c has another one.
#ifndef BENCH_SPAWN
#define BENCH_SPAWN(frame, resume) resume(frame)
#endif

void mlirAsyncRuntimeExecute(void *frame, resume_fn resume) {
  BENCH_SPAWN(frame, resume);
}

static void await_and_execute(object *o, void *frame, resume_fn resume) {
  expect_ready(o);
  BENCH_SPAWN(frame, resume);
}

void mlirAsyncRuntimeAwaitTokenAndExecute(object *o, void *f, resume_fn r) {
  await_and_execute(o, f, r);
}
void mlirAsyncRuntimeAwaitValueAndExecute(object *o, void *f, resume_fn r) {
  await_and_execute(o, f, r);
}
void mlirAsyncRuntimeAwaitAllInGroupAndExecute(object *o, void *f,
                                               resume_fn r) {
  await_and_execute(o, f, r);
}
int64_t mlirAsyncRuntimGetNumWorkerThreads(void) { return 1; }
