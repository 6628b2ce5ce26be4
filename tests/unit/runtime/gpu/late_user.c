//===- late_user.c - A program that uses the driver after the runtime -----===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The program, or a library that it is linked with (driver_name.c), names
// libcuda. It opens that when the runtime has, and waits for a token that a
// host function of its own makes ready on the driver's thread, after longer
// than it takes to find that nothing else goes on. That is no standstill.
//
//===----------------------------------------------------------------------===//

#include "driver_api/functions.h"
#include "support.h"

#include <dlfcn.h>
#include <time.h>
#include <unistd.h>

const char *driver_name(void);

/// As a sanitizer's, which ends a program that has it look through the bytes
/// between variables.
__attribute__((visibility("default"))) void *
memmem(const void *bytes, size_t size, const void *text, size_t length) {
  (void)bytes, (void)size, (void)text, (void)length;
  (void)fputs("memmem is called\n", stderr);
  _exit(1);
}

static void *find(void *library, const char *name) {
  void *found = dlsym(library, name);
  CHECK(found);
  return found;
}

static void make_ready(void *token) {
  nanosleep(&(struct timespec){.tv_sec = 2}, NULL);
  mlirAsyncRuntimeEmplaceToken(token);
}

int main(void) {
  agpu_stream *stream = agpu_stream_acquire(NULL);
  void *cell = agpu_alloc(stream, 8, false, NULL);
  agpu_dealloc(stream, cell, NULL);
  await_and_drop(agpu_stream_record(stream));
  agpu_stream_release(stream);

  char name[32];
  snprintf(name, sizeof name, "%s.1", driver_name());
  void *library = dlopen(name, RTLD_NOW);
  CHECK(library);
  CUresult (*create)(CUstream *stream, unsigned flags);
  CUresult (*destroy)(CUstream stream);
  CUresult (*launch)(CUstream stream, CUhostFn function, void *argument);
  *(void **)&create = find(library, "cuStreamCreate");
  *(void **)&destroy = find(library, "cuStreamDestroy_v2");
  *(void **)&launch = find(library, "cuLaunchHostFunc");
  CUstream own;
  CHECK(!create(&own, CU_STREAM_NON_BLOCKING));
  agpu_object *token = mlirAsyncRuntimeCreateToken();
  CHECK(!launch(own, make_ready, token));
  mlirAsyncRuntimeAwaitToken(token);
  mlirAsyncRuntimeDropRef(token, 1);
  CHECK(!destroy(own));
  check_end();
  return 0;
}
