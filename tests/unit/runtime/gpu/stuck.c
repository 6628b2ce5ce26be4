//===- stuck.c - A process that fails while a kernel goes on and on -------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "support.h"

#include <sys/wait.h>
#include <unistd.h>

/// Awaits an error while a kernel runs for an hour.
static void fail(void) {
  agpu_stream *stream = agpu_stream_acquire(NULL);
  launch_pause(stream, agpu_alloc(stream, 8, false, NULL), 3600 * 1000);
  agpu_stream *other = agpu_stream_acquire(NULL);
  agpu_stream_fail(other, "this is why", "stuck.mlir:1:1");
  agpu_object_await(agpu_stream_record(other), "stuck.mlir:2:2");
}

int main(void) {
  int messages[2];
  CHECK(pipe(messages) == 0);
  pid_t child = fork();
  if (child == 0) {
    dup2(messages[1], STDERR_FILENO);
    fail();
    exit(0);
  }
  close(messages[1]);
  int status;
  CHECK(child > 0 && waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 1);
  char text[256] = "";
  CHECK(read(messages[0], text, sizeof text - 1) > 0);
  CHECK(strcmp(text, "stuck.mlir:1:1: error: this is why\n") == 0);
  return 0;
}
