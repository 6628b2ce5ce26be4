//===- wait.c - Blocking waits, and tasks that wait ---------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A wait is an awaiter on the object: of a thread, with a parker on its stack,
// or of a task, which is submitted when the object has got there.
//
// A thread outside of tasks first runs those that give the object, if it has
// submitted them itself and none has begun (exec/wait.c). That is no
// wait yet. Should such a task wait in turn, the thread below it does too, and
// has an awaiter for those who look at them, which nobody serves. Then, if the
// object is device work, it waits in the driver: that takes no other thread.
//
//===----------------------------------------------------------------------===//

#include "async/awaiter.h"
#include "base/os/self.h"
#include "base/os/thread.h"
#include "base/trace/trace.h"
#include "exec/executor.h"

/// A wait of a thread that helps.
typedef struct agpu__helping_wait {
  agpu_object *object;
  agpu__need need;
  const char *location;
} agpu__helping_wait;

static agpu__awaiter *create_awaiter(const agpu__helping_wait *wait,
                                     bool in_task) {
  agpu__awaiter *awaiter = agpu__awaiter_create(wait->object);
  awaiter->need = (uint8_t)wait->need;
  awaiter->target = AGPU__TARGET_THREAD;
  awaiter->in_task = in_task;
  awaiter->is_main = agpu__thread_is_main();
  awaiter->as.parker = NULL;
  awaiter->location = wait->location;
  return awaiter;
}

static agpu__wanted get_wanted(agpu_object *object) {
  return object->kind == AGPU__GROUP ? agpu__group_get_wanted(object)
                                     : (agpu__wanted){.name = object->number};
}

static __attribute__((noinline)) void rest(const agpu__helping_wait *wait) {
  const agpu__helping_wait *below = agpu__self.async.helping;
  agpu__awaiter *shown = below ? create_awaiter(below, false) : NULL;
  agpu__parker parker;
  agpu__parker_init(&parker);
  agpu__awaiter *awaiter = create_awaiter(wait, agpu__exec_in_task());
  awaiter->as.parker = &parker;
  agpu__object_add_awaiter(wait->object, awaiter);
  // Once it is on the list, only having been served ends the wait: that is the
  // last time anyone touches the awaiter.
  agpu__exec_wait(&parker, get_wanted(wait->object));
  agpu__awaiter_release(awaiter);
  if (shown)
    agpu__awaiter_release(shown);
}

/// Runs tasks that give the object until it has got there, or there are none.
static bool help(agpu__helping_wait *wait) {
  bool done = false;
  agpu__self.async.helping = wait;
  while (!done && agpu__exec_help(get_wanted(wait->object)))
    done = agpu__object_satisfies(wait->object, wait->need);
  agpu__self.async.helping = NULL;
  return done;
}

/// Waits for work of a device where the thread has nothing else to do, without
/// the completion thread. False where others complete the object.
static bool wait_in_driver(const agpu__helping_wait *wait) {
  if (agpu__hooks_on() || agpu__self.async.helping)
    return false;
  agpu__awaiter *shown = create_awaiter(wait, false);
  bool done = agpu__object_complete_here(wait->object);
  agpu__awaiter_release(shown);
  return done;
}

void agpu__object_await(agpu_object *object, agpu__need need,
                        const char *location) {
  agpu__helping_wait wait = {object, need, location};
  bool in_task = agpu__exec_in_task();
  // While waits are recorded, one that helps is a wait from its beginning.
  bool is_there = agpu__object_satisfies(object, need);
  if (!is_there) // tasks that run here meanwhile are not captured
    agpu__self.gpu.capturing = NULL;
  if (is_there || (!in_task && !agpu__trace_on() && help(&wait)) ||
      (!in_task && need == AGPU__NEED_READY && wait_in_driver(&wait))) {
    if (need == AGPU__NEED_READY)
      agpu__object_observe(object);
    return;
  }
  rest(&wait);
}

void agpu__object_await_and_submit(agpu_object *object, agpu__need need,
                                   agpu__task task, const char *location) {
  if (agpu__object_satisfies(object, need))
    agpu__exec_submit(task);
  else
    agpu__object_await_with(agpu__awaiter_create(object), object, need, task,
                            location);
}
