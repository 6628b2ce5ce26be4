//===- file_limit.c - Device memory of processes that may write little ----===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A process may limit the size of its files at any time, also after the
// emulated device has begun to keep memory in files without a name. Memory that
// it allocates then works, and no signal ends the process.
//
//===----------------------------------------------------------------------===//

#include "support.h"

#include <sys/resource.h>

/// Small ones, and one with a range of its own.
static const int64_t sizes[] = {64, 4096, 100000, 16 << 20};

static void use_memory(void) {
  for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); ++i) {
    agpu_stream *stream = agpu_stream_acquire(NULL);
    char *memory = agpu_alloc(stream, sizes[i], false, NULL), seen = 0;
    agpu_memset(stream, memory, 42, 1, sizes[i], NULL);
    agpu_memcpy(stream, &seen, memory + sizes[i] - 1, 1, NULL);
    agpu_dealloc(stream, memory, NULL);
    await_and_drop(agpu_stream_record(stream));
    agpu_stream_release(stream);
    CHECK_EQ(seen, 42);
  }
}

int main(void) {
  agpu_stream *stream = agpu_stream_acquire(NULL);
  void *first = agpu_alloc(stream, 64, false, NULL);
  CHECK(setrlimit(RLIMIT_FSIZE, &(struct rlimit){4096, 4096}) == 0);
  use_memory();
  agpu_dealloc(stream, first, NULL);
  await_and_drop(agpu_stream_record(stream));
  agpu_stream_release(stream);
  check_end();
  return 0;
}
