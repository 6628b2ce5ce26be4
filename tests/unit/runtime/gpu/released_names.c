//===- released_names.c - Work that outlives the text of its place --------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Work fails that nobody awaits, and its code is released, with the places and
// the kernels' names in it. The end of the process tells of the failure.
//
//===----------------------------------------------------------------------===//

#include "gpu/process/devices.h"
#include "gpu/stream/pool.h"
#include "support.h"

#include <string.h>
#include <sys/mman.h>
#include <time.h>

/// What compiled code has in its data.
typedef struct code {
  agpu_module_desc module;
  agpu_kernel_desc kernel;
  char name[16], place[16];
} code;

/// Loads the code, and releases it with the work as the last on its stream.
static void run(bool with_kernel) {
  code *loaded = mmap(NULL, sizeof *loaded, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(loaded != MAP_FAILED);
  loaded->module = test_module;
  strcpy(loaded->name, "increment");
  strcpy(loaded->place, "r.mlir:3:3");
  loaded->kernel =
      (agpu_kernel_desc){.module = &loaded->module, .name = loaded->name};
  int64_t host = 0;
  agpu_stream *user = agpu_stream_acquire(loaded->place);
  agpu_stream *owner = agpu_stream_acquire(loaded->place);
  void *shared = agpu_alloc(user, 8, true, loaded->place);
  void *cell = agpu_alloc(owner, 8, false, loaded->place);
  if (with_kernel) // its first launch, which loads it, may wait
    agpu_launch(user, &loaded->kernel, 1, 1, 1, 1, 1, 1, 0, (void *[]){&shared},
                loaded->place);
  await_and_drop(agpu_stream_record(user));
  await_and_drop(agpu_stream_record(owner));
  launch_pause(user, shared, 50);
  if (with_kernel)
    agpu_memcpy(user, shared, cell, 8, loaded->place);
  else
    agpu_memcpy(user, cell, &host, 8, loaded->place);
  if (with_kernel)
    agpu_launch(user, &loaded->kernel, 1, 1, 1, 1, 1, 1, 0, (void *[]){&shared},
                loaded->place);
  agpu_dealloc(owner, cell, loaded->place);
  agpu_stream_release(user);
  agpu_stream_release(owner);
  // Code is released once its work is over.
  while (agpu__stream_pool_is_busy(agpu__devices_find(0)))
    nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
  agpu_module_release(&loaded->module);
  CHECK(munmap(loaded, sizeof *loaded) == 0);
}

int main(int argc, char **argv) {
  (void)argv;
  bool with_kernel = argc == 1;
  run(with_kernel);
  agpu_status status = agpu_runtime_shutdown();
  CHECK(status);
  // What the text says is kept where it is known to have been there.
  CHECK_STR(agpu_status_get_location(status), with_kernel ? "r.mlir:3:3" : "");
  CHECK(strstr(agpu_status_get_message(status),
               with_kernel
                   ? "work on the device up to the launch of kernel 'increment'"
                   : "work on the device up to the copy failed"));
  agpu_status_release(status);
  return 0;
}
