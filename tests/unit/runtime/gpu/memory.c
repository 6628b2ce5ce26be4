//===- memory.c - Memory through streams ----------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Run on a device with memory pools and on one without: the results are the
// same.
//
//===----------------------------------------------------------------------===//

#include "support.h"

#include <stdbool.h>

static void check_fills(void) {
  static const struct {
    int64_t width;
    uint64_t pattern;
  } fills[] = {{1, 0xab},
               {2, 0xabcd},
               {4, 0x12345678},
               {8, 0x1122334455667788},
               {8, 0x7777777777777777}};
  enum { COUNT = 37 };
  for (size_t f = 0; f < sizeof fills / sizeof *fills; ++f) {
    unsigned char bytes[COUNT * 8 + 8];
    memset(bytes, 0x5a, sizeof bytes);
    int64_t size = COUNT * fills[f].width;
    agpu_stream *stream = agpu_stream_acquire(NULL);
    void *memory = agpu_alloc(stream, size, false, NULL);
    agpu_memset(stream, memory, fills[f].pattern, fills[f].width, COUNT, NULL);
    agpu_memcpy(stream, bytes, memory, size, NULL);
    agpu_dealloc(stream, memory, NULL);
    await_and_drop(agpu_stream_record(stream));
    agpu_stream_release(stream);
    for (int i = 0; i < COUNT; ++i)
      CHECK(memcmp(bytes + i * fills[f].width, &fills[f].pattern,
                   (size_t)fills[f].width) == 0);
    CHECK(bytes[size] == 0x5a);
  }
}

/// A region allocates, another uses, a third frees; again and again, so that
/// memory is used again.
static void check_many_rounds(bool host_shared) {
  static const int64_t sizes[] = {0, 1, 8, 300, 70000, 3 << 20};
  for (int i = 0; i < 300; ++i) {
    int64_t size = sizes[i % 6], seen = 0, want = i;
    agpu_stream *owner = agpu_stream_acquire(NULL);
    agpu_stream *user = agpu_stream_acquire(NULL);
    void *memory = agpu_alloc(owner, size, host_shared, NULL);
    CHECK(memory);
    agpu_object *allocated = agpu_stream_record(owner);
    agpu_stream_wait(user, allocated);
    if (size >= 8) {
      agpu_memcpy(user, memory, &want, 8, NULL);
      launch_increment(user, memory);
      agpu_memcpy(user, &seen, memory, 8, NULL);
    }
    agpu_object *used = agpu_stream_record(user);
    agpu_stream_wait(owner, used);
    agpu_dealloc(owner, memory, NULL);
    mlirAsyncRuntimeDropRef(allocated, 1);
    await_and_drop(used);
    await_and_drop(agpu_stream_record(owner));
    CHECK(size < 8 || seen == want + 1);
    agpu_stream_release(owner);
    agpu_stream_release(user);
  }
}

/// Shared memory that work still uses is not handed to a host that would
/// write it at once.
static void check_shared_memory_is_not_reused_early(void) {
  int64_t seen = 0;
  agpu_stream *stream = agpu_stream_acquire(NULL);
  int64_t *first = agpu_alloc(stream, 8, true, NULL);
  int64_t *other = agpu_alloc(stream, 8, true, NULL);
  CHECK(first && other && first != other);
  *first = 1;
  *other = 0;
  launch_pause(stream, other, 50);
  agpu_memcpy(stream, &seen, first, 8, NULL);
  agpu_dealloc(stream, first, NULL);
  int64_t *second = agpu_alloc(stream, 8, true, NULL);
  *second = 2; // now, while the stream pauses
  agpu_dealloc(stream, second, NULL);
  agpu_dealloc(stream, other, NULL);
  await_and_drop(agpu_stream_record(stream));
  CHECK_EQ(seen, 1);
  agpu_stream_release(stream);
}

/// Memory stays registered while work before the unregistering runs, and is
/// unregistered when a token behind it is complete.
static void check_registration(void) {
  for (int i = 0; i < 100; ++i) {
    int64_t *host = calloc(512, 8);
    CHECK(host);
    agpu_stream *stream = agpu_stream_acquire(NULL);
    agpu_host_register(stream, host, 4096, NULL);
    launch_increment(stream, host);
    agpu_host_unregister(stream, host, NULL);
    if (i % 3 == 0) {
      agpu_host_register(stream, host, 4096, NULL); // stays
      launch_increment(stream, host);
      agpu_host_unregister(stream, host, NULL);
    }
    agpu_object *done = agpu_stream_record(stream);
    agpu_stream_release(stream);
    await_and_drop(done);
    CHECK_EQ(*host, i % 3 == 0 ? 2 : 1);
    // Were it still registered, this would fail.
    stream = agpu_stream_acquire(NULL);
    agpu_host_register(stream, host, 8, NULL);
    agpu_host_unregister(stream, host, NULL);
    await_and_drop(agpu_stream_record(stream));
    agpu_stream_release(stream);
    free(host);
  }
}

int main(void) {
  check_fills();
  check_many_rounds(false);
  check_many_rounds(true);
  check_shared_memory_is_not_reused_early();
  check_registration();
  check_end();
  return 0;
}
