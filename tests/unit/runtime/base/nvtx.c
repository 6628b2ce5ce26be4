//===- nvtx.c - Ranges for NVIDIA's tools ---------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// With tests/nvtx/injection.c as the tool, whose path FAKE_NVTX_TOOL is.
//
//===----------------------------------------------------------------------===//

#include "base/trace/ranges.h"
#include "check.h"

#include <pthread.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static void *run_thread(void *unused) {
  (void)unused;
  agpu__nvtx_name_thread("other");
  agpu__nvtx_push(AGPU__NVTX_WAIT, "wait", 9);
  agpu__nvtx_pop();
  return NULL;
}

static void test_ranges(const char *log) {
  CHECK(agpu__nvtx_start());
  agpu__nvtx_push(AGPU__NVTX_REGION, "p.mlir:3 outer", 1);
  agpu__nvtx_push(AGPU__NVTX_REGION, "p.mlir:5 inner", UINT64_C(1) << 40);
  agpu__nvtx_pop();
  agpu__nvtx_pop();
  pthread_t thread;
  CHECK_EQ(pthread_create(&thread, NULL, run_thread, NULL), 0);
  CHECK_EQ(pthread_join(thread, NULL), 0);

  char text[1024] = "", expected[1024], name[32], number[32];
  FILE *file = fopen(log, "r");
  CHECK(file != NULL);
  size_t size = fread(text, 1, sizeof text - 1, file);
  (void)fclose(file);
  CHECK(size > 0);
  long self = syscall(SYS_gettid), other = 0;
  const char *named = strstr(text, "thread ");
  CHECK(named && sscanf(named, "thread %ld %31s", &other, name) == 2);
  CHECK(other != self);
  CHECK_STR(name, "other");
  (void)snprintf(number, sizeof number, "%ld", self);
  (void)snprintf(expected, sizeof expected,
                 "domain async-gpu\ncategory 1 region\ncategory 2 wait\n"
                 "push %ld 0 1 1 p.mlir:3 outer\n"
                 "push %ld 1 1 1099511627776 p.mlir:5 inner\n"
                 "pop %ld 1\npop %ld 0\n"
                 "thread %ld other\npush %ld 0 2 9 wait\npop %ld 0\n",
                 self, self, self, self, other, other, other);
  CHECK_STR(text, expected);
}

/// In a process of its own each, since a tool is loaded once.
static void run(void (*test)(const char *log), const char *log) {
  pid_t child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    test(log);
    exit(0);
  }
  int status = 0;
  CHECK_EQ(waitpid(child, &status, 0), child);
  CHECK_EQ(status, 0);
}

static void test_none(const char *log) {
  (void)log;
  CHECK(!agpu__nvtx_start());
}

int main(void) {
  const char *tool = getenv("FAKE_NVTX_TOOL");
  CHECK(tool != NULL);
  char log[] = "nvtx.XXXXXX";
  int made = mkstemp(log);
  CHECK(made >= 0);
  unsetenv("NVTX_INJECTION64_PATH");
  run(test_none, log);
  setenv("NVTX_INJECTION64_PATH", "/nowhere/libtool.so", 1);
  run(test_none, log);
  setenv("NVTX_INJECTION64_PATH", tool, 1);
  run(test_none, log); // it refuses: there is no log
  setenv("FAKE_NVTX_LOG", log, 1);
  run(test_ranges, log);
  setenv("FAKE_NVTX_REFUSE", "1", 1);
  run(test_none, log);
  (void)close(made);
  (void)unlink(log);
  return 0;
}
