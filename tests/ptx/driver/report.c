//===- report.c - What is said of a program's faults ---------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "driver/state.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static _Atomic(bool) has_violation;

/// Among the last things the process does, since the driver starts early:
/// whatever its status was, it did something undefined.
static void end_process(void) {
  if (!has_violation)
    return;
  fflush(NULL);
  _exit(PTX_VIOLATION_STATUS);
}

void ptx_report_start(void) { atexit(end_process); }

__attribute__((nonnull, format(printf, 2, 0))) static void
write_line(const char *prefix, const char *format, va_list arguments) {
  pthread_mutex_lock(&lock);
  const char *name = ptx_get_settings()->log;
  FILE *file = name && *name ? fopen(name, "a") : stderr;
  if (!file)
    file = stderr;
  fprintf(file, "ptx-device: %s", prefix);
  vfprintf(file, format, arguments);
  fputc('\n', file);
  if (file != stderr)
    fclose(file);
  pthread_mutex_unlock(&lock);
}

void ptx_log(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  write_line("", format, arguments);
  va_end(arguments);
}

void ptx_violation(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  write_line("violation: ", format, arguments);
  va_end(arguments);
  has_violation = true;
}
