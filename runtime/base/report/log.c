//===- log.c - What ASYNC_GPU_LOG asks for ------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which categories are wanted is read once. A line is put together on the stack
// and written by one system call.
//
//===----------------------------------------------------------------------===//

#include "base/report/log.h"

#include "base/os/write.h"
#include "base/report/settings.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

static struct {
  pthread_once_t once;
  uint32_t mask; ///< a bit for each category
} wanted = {.once = PTHREAD_ONCE_INIT};

static void read_setting(void) {
  // What is wrong with it is said when the runtime starts.
  agpu_status_release(agpu__setting_words(AGPU__SETTING_LOG, &wanted.mask));
}

bool agpu__log_enabled(agpu__log_category category) {
  (void)pthread_once(&wanted.once, read_setting);
  return (wanted.mask >> category) & 1;
}

void agpu__log(agpu__log_category category, const char *format, ...) {
  if (!agpu__log_enabled(category))
    return;

  char line[4096];
  int prefix =
      snprintf(line, sizeof(line),
               "%s: ", agpu__setting_word_at(AGPU__SETTING_LOG, (int)category));
  size_t used = (size_t)prefix;
  size_t room = 4000;

  va_list arguments;
  va_start(arguments, format);
  int length = vsnprintf(line + used, room, format, arguments);
  va_end(arguments);
  if (length > 0)
    used += (size_t)length < room ? (size_t)length : room - 1;
  line[used++] = '\n';
  agpu__write_stderr(line, used);
}
