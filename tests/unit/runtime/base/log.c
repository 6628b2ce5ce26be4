//===- log.c - Records are whole lines ----------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "base/report/log.h"
#include "async_gpu/runtime.h"
#include "base/report/status_track.h"
#include "check.h"

#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

#define THREADS 4
#define LINES 500

static void *write_lines(void *unused) {
  (void)unused;
  for (int i = 0; i < LINES; ++i)
    agpu__log(AGPU__LOG_DRIVER, "cuThing(%d) = %s", 42, "CUDA_SUCCESS");
  return NULL;
}

int main(void) {
  // One category is known; the other is an error, and logs nothing.
  setenv("ASYNC_GPU_LOG", "driver,nothing", 1);
  char name[] = "log-test-XXXXXX";
  int file = mkstemp(name);
  CHECK(file >= 0);
  unlink(name);
  int standard_error = dup(STDERR_FILENO);
  // As a terminal or a pipe, each write goes to the end.
  CHECK(fcntl(file, F_SETFL, O_APPEND) == 0);
  dup2(file, STDERR_FILENO);

  CHECK(agpu__log_enabled(AGPU__LOG_DRIVER));
  CHECK(!agpu__log_enabled(AGPU__LOG_EXEC));
  agpu__log(AGPU__LOG_EXEC, "not wanted");
  pthread_t threads[THREADS];
  for (int i = 0; i < THREADS; ++i)
    CHECK(pthread_create(&threads[i], NULL, write_lines, NULL) == 0);
  for (int i = 0; i < THREADS; ++i)
    pthread_join(threads[i], NULL);
  char *longest = malloc(10000);
  CHECK(longest);
  memset(longest, 'x', 9999);
  longest[9999] = '\0';
  agpu__log(AGPU__LOG_DRIVER, "%s", longest);
  free(longest);

  dup2(standard_error, STDERR_FILENO);
  lseek(file, 0, SEEK_SET);
  FILE *lines = fdopen(file, "r");
  CHECK(lines);
  char line[8192];
  for (int i = 0; i < THREADS * LINES; ++i) {
    CHECK(fgets(line, sizeof(line), lines));
    CHECK_STR(line, "driver: cuThing(42) = CUDA_SUCCESS\n");
  }
  CHECK(fgets(line, sizeof(line), lines));
  CHECK(line[strlen(line) - 1] == '\n');
  CHECK(strlen(line) > 3900 && strlen(line) < 4100);
  CHECK(!fgets(line, sizeof(line), lines));
  fclose(lines);

  // What nothing has started with is no error yet.
  CHECK(!agpu__status_take_reported());
  agpu_status status = agpu_runtime_check_settings();
  CHECK_STR(agpu_status_get_message(status),
            "ASYNC_GPU_LOG is \"driver,nothing\"; expected a comma-separated "
            "list of driver, device, exec or async");
  agpu_status_release(status);
  return 0;
}
