//===- submit.c - Submitting tasks ----------------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A task counts as alive from when it is announced (base/memory/counter.h) to
// when it has run. Where nothing has been submitted before, the executor
// starts.
//
//===----------------------------------------------------------------------===//

#include "exec/census.h"
#include "exec/executor.h"

void agpu__exec_submit(agpu__task task) {
  agpu__exec_announce();
  agpu__exec_submit_announced(task);
}

void agpu__exec_submit_announced(agpu__task task) {
  if (!agpu__exec_has_started())
    agpu__exec_start();
  agpu__exec_queue(task);
}
