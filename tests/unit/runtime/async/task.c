//===- task.c - What a task takes of memory, and its awaits ---------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "async/awaiter.h"
#include "helpers.h"

static void *frame_of(agpu_object *task) { return task->frame; }

/// So many bytes of a payload, of a frame, and its alignment: in one block and
/// beside each other, and at the bounds in between.
static void test_payload_and_frame_are_apart(void) {
  static const int64_t payloads[] = {0, 1, 8, 64, 100, 256, 384, 385, 9000};
  static const int64_t frames[] = {16,  40,  64,  112, 128,
                                   129, 368, 384, 385, 9000};
  for (size_t p = 0; p < sizeof(payloads) / sizeof(*payloads); ++p)
    for (size_t f = 0; f < sizeof(frames) / sizeof(*frames); ++f)
      for (int64_t alignment = 8; alignment <= 128; alignment *= 2) {
        int64_t payload = payloads[p], size = frames[f];
        agpu_object *task = agpu_task_create_value(payload, size, alignment);
        unsigned char *storage = mlirAsyncRuntimeGetValueStorage(task);
        unsigned char *frame = frame_of(task);
        CHECK_EQ((uintptr_t)storage % 64, 0);
        CHECK_EQ((uintptr_t)frame % (uintptr_t)alignment, 0);
        memset(storage, 1, (size_t)payload);
        memset(frame, 2, (size_t)size);
        agpu_object_emplace_last(task);
        agpu_task_free_frame(task);
        // The object outlives the frame.
        CHECK(agpu_object_is_ready(task));
        for (int64_t i = 0; i < payload; ++i)
          CHECK_EQ(storage[i], 1);
        mlirAsyncRuntimeDropRef(task, 1);
      }
}

/// A coroutine by hand: awaits its objects one after the other.
typedef struct coroutine {
  agpu_object *task, *awaited[3];
  int next;
  char more[]; ///< for a frame that lies in no block
} coroutine;

static atomic_int ended;

static void resume(void *handle) {
  coroutine *self = handle;
  while (self->next < 3) {
    agpu_object *awaited = self->awaited[self->next];
    if (!agpu_object_is_ready(awaited)) {
      agpu_task_await(self->task, awaited, self, resume, "a.mlir:1:1");
      return;
    }
    ++self->next;
  }
  agpu_object *task = self->task;
  atomic_fetch_add(&ended, 1);
  agpu_object_emplace_last(task);
  agpu_task_free_frame(task);
}

static agpu_object *start(agpu_object *a, agpu_object *b, agpu_object *c,
                          size_t more) {
  agpu_object *task = agpu_task_create_token(
      (int64_t)(sizeof(coroutine) + more), _Alignof(coroutine));
  coroutine *self = frame_of(task);
  *self = (coroutine){task, {a, b, c}, 0};
  agpu_task_start_after(task, a, self, resume, false, "a.mlir:2:2");
  return task;
}

/// Many tasks, of every size, each behind two tokens of the program's and the
/// task before it.
static void test_awaits(void) {
  enum { TASKS = 2000 };
  static agpu_object *tasks[TASKS];
  agpu_object *first = mlirAsyncRuntimeCreateToken();
  agpu_object *second = mlirAsyncRuntimeCreateToken();
  ended = 0;
  for (int i = 0; i < TASKS; ++i)
    tasks[i] = start(first, second, i == 0 ? &agpu_ready_token : tasks[i - 1],
                     (size_t)(i % 6) * 100);
  CHECK_EQ(ended, 0);
  mlirAsyncRuntimeEmplaceToken(first);
  mlirAsyncRuntimeEmplaceToken(second);
  mlirAsyncRuntimeAwaitToken(tasks[TASKS - 1]);
  CHECK_EQ(ended, TASKS);
  for (int i = 0; i < TASKS; ++i)
    mlirAsyncRuntimeDropRef(tasks[i], 1);
  mlirAsyncRuntimeDropRef(first, 1);
  mlirAsyncRuntimeDropRef(second, 1);
}

static void test_errors_go_through(void) {
  agpu_object *failed = mlirAsyncRuntimeCreateToken();
  agpu_object_set_error(failed, "why", "a.mlir:3:3");
  agpu_object *task = agpu_task_create_token(40, 8);
  agpu_object_forward_error(task, failed);
  agpu_task_free_frame(task);
  CHECK(agpu_object_is_error(task));
  mlirAsyncRuntimeDropRef(task, 1);
  mlirAsyncRuntimeDropRef(failed, 1);
}

typedef struct waits {
  agpu_object *object;
  int count;
} waits;

static void count_waits(const agpu__awaiter *awaiter, void *argument) {
  waits *self = argument;
  self->count += atomic_load(&awaiter->object) == self->object &&
                 strcmp(awaiter->location, "a.mlir:2:2") == 0;
}

/// What a program that has come to rest waits for can be listed, wherever the
/// awaiter lies.
static void test_waits_are_listed(void) {
  waits seen = {.object = mlirAsyncRuntimeCreateToken()};
  agpu_object *tasks[6];
  for (int i = 0; i < 6; ++i)
    tasks[i] = start(seen.object, &agpu_ready_token, &agpu_ready_token,
                     (size_t)i * 100);
  agpu__awaiter_visit(count_waits, &seen);
  CHECK_EQ(seen.count, 6);
  mlirAsyncRuntimeEmplaceToken(seen.object);
  for (int i = 0; i < 6; ++i) {
    mlirAsyncRuntimeAwaitToken(tasks[i]);
    mlirAsyncRuntimeDropRef(tasks[i], 1);
  }
  seen.count = 0;
  agpu__awaiter_visit(count_waits, &seen);
  CHECK_EQ(seen.count, 0);
  mlirAsyncRuntimeDropRef(seen.object, 1);
}

int main(void) {
  test_payload_and_frame_are_apart();
  test_awaits();
  test_errors_go_through();
  test_waits_are_listed();
  check_end(NULL);
  return 0;
}
