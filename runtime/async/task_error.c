//===- task_error.c - One record for one failure ------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The block of each thread remembers its last record and the task that it was
// made in; the next failure of the same task that says the same gets that
// record.
//
//===----------------------------------------------------------------------===//

#include "async/task_error.h"

#include "base/os/self.h"
#include "base/report/status_track.h"
#include "exec/executor.h"

#include <stdbool.h>
#include <string.h>

static bool can_share(agpu_status last, const char *message,
                      const char *location) {
  if (!last || agpu__self.async.error_task != agpu__exec_task_number())
    return false;
  // All that a thread does outside tasks has one number. What has been seen
  // there belongs to an earlier failure.
  if (!agpu__exec_in_task() && agpu__status_is_observed(last))
    return false;
  return strcmp(agpu_status_get_message(last), message) == 0 &&
         strcmp(agpu_status_get_location(last), location) == 0;
}

agpu_status agpu__task_error(const char *message, const char *location) {
  if (!location)
    location = "";
  agpu_status last = agpu__self.async.error;
  if (can_share(last, message, location))
    return agpu_status_retain(last);
  agpu_status status =
      agpu_status_create(AGPU_STATUS_PROGRAM, location, "%s", message);
  agpu__task_error_forget();
  // Without the end of the thread to forget it, nothing is shared.
  if (agpu__self_at_end(AGPU__PART_TASK_ERROR, agpu__task_error_forget)) {
    agpu__self.async.error = agpu_status_retain(status);
    agpu__self.async.error_task = agpu__exec_task_number();
  }
  return status;
}

void agpu__task_error_forget(void) {
  agpu_status last = agpu__self.async.error;
  agpu__self.async.error = NULL;
  agpu_status_release(last);
}
