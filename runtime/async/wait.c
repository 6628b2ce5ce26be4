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
//===----------------------------------------------------------------------===//

#include "async/awaiter.h"
#include "base/os/thread.h"
#include "exec/executor.h"

void agpu__object_await(agpu_object *object, agpu__need need,
                        const char *location) {
  if (agpu__object_satisfies(object, need)) {
    if (need == AGPU__NEED_READY)
      agpu__object_observe(object);
    return;
  }
  agpu__parker parker;
  agpu__parker_init(&parker);
  agpu__awaiter *awaiter = agpu__awaiter_create(object);
  awaiter->need = (uint8_t)need;
  awaiter->target = AGPU__TARGET_THREAD;
  awaiter->in_task = agpu__exec_in_task();
  awaiter->is_main = agpu__thread_is_main();
  awaiter->as.parker = &parker;
  awaiter->location = location;
  agpu__object_add_awaiter(object, awaiter);
  // Once it is on the list, only having been served ends the wait: that is the
  // last time anyone touches the awaiter.
  agpu__wanted wanted = {.name = object->number};
  agpu__exec_wait(&parker, object->kind == AGPU__GROUP
                               ? agpu__group_get_wanted(object)
                               : wanted);
  agpu__awaiter_release(awaiter);
}

void agpu__object_await_and_submit(agpu_object *object, agpu__need need,
                                   agpu__task task, const char *location) {
  if (agpu__object_satisfies(object, need)) {
    agpu__exec_submit(task);
    return;
  }
  agpu__awaiter *awaiter = agpu__awaiter_create(object);
  awaiter->need = (uint8_t)need;
  awaiter->target = AGPU__TARGET_TASK;
  awaiter->as.task = task;
  awaiter->location = location;
  agpu__exec_announce();
  agpu__object_add_awaiter(object, awaiter);
}
