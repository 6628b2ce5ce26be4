//===- wait.c - Blocking waits, and tasks that wait ---------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "async/object.h"

#include "base/memory.h"
#include "exec/executor.h"

void agpu__object_await(agpu_object *object, agpu__need need) {
  if (agpu__object_satisfies(object, need)) {
    if (need == AGPU__NEED_READY)
      agpu__object_observe(object);
    return;
  }
  agpu__parker parker;
  agpu__parker_init(&parker);
  agpu__awaiter awaiter = {
      .need = (uint8_t)need,
      .target = AGPU__TARGET_THREAD,
      .as.parker = &parker,
  };
  agpu__object_add_awaiter(object, &awaiter);
  // Once it is on the list, only having been served ends the wait: that is the
  // last time anyone touches the awaiter.
  agpu__exec_wait(&parker);
}

void agpu__object_await_and_submit(agpu_object *object, agpu__need need,
                                   agpu__task task) {
  if (agpu__object_satisfies(object, need)) {
    if (need == AGPU__NEED_READY)
      agpu__object_observe(object);
    agpu__exec_submit(task);
    return;
  }
  agpu__awaiter *awaiter = agpu__memory_alloc(
      sizeof(*awaiter), _Alignof(agpu__awaiter), "an awaiter");
  awaiter->need = (uint8_t)need;
  awaiter->target = AGPU__TARGET_TASK;
  awaiter->as.task = task;
  agpu__object_add_awaiter(object, awaiter);
}
