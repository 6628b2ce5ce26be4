//===- pageable_copies.c - Copies of memory that the driver does not know -===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Copies to and from memory of malloc's hold up no thread, whatever their size
// and shape, and happen where the stream gets to them.
//
//===----------------------------------------------------------------------===//

#include "support.h"

#include <stdlib.h>
#include <string.h>

#define SMALL ((int64_t)64 << 10)
#define LARGE ((int64_t)4 << 20)

static void fill(unsigned char *bytes, int64_t count, unsigned seed) {
  for (int64_t i = 0; i < count; ++i)
    bytes[i] = (unsigned char)((uint64_t)i * 31u + (uint64_t)i / 255u + seed);
}

/// There and back by way of a second buffer of the device.
static void check_size(int64_t size) {
  unsigned char *there = malloc((size_t)size), *back = calloc(1, (size_t)size);
  CHECK(there && back);
  fill(there, size, (unsigned)size);
  agpu_stream *stream = agpu_stream_acquire(NULL);
  void *one = agpu_alloc(stream, size, false, NULL);
  void *other = agpu_alloc(stream, size, false, NULL);
  agpu_memcpy(stream, one, there, size, NULL);
  agpu_memcpy(stream, other, one, size, NULL);
  agpu_memcpy(stream, back, other, size, NULL);
  agpu_dealloc(stream, one, NULL);
  agpu_dealloc(stream, other, NULL);
  await_and_drop(agpu_stream_record(stream));
  agpu_stream_release(stream);
  CHECK(memcmp(there, back, (size_t)size) == 0);
  free(there);
  free(back);
}

/// Every other element of `rows` rows of `width`, of more rows than one host
/// function moves.
static void check_rows(int64_t rows, int64_t width) {
  size_t count = (size_t)(rows * width);
  unsigned char *there = malloc(2 * count), *back = calloc(2, count);
  CHECK(there && back);
  fill(there, (int64_t)(2 * count), 7);
  agpu_stream *stream = agpu_stream_acquire(NULL);
  void *memory = agpu_alloc(stream, (int64_t)count, false, NULL);
  const int64_t sizes[] = {rows, width};
  const int64_t strided[] = {2 * width, 1}, dense[] = {width, 1};
  agpu_memcpy_strided(stream, memory, there, 2, sizes, dense, sizes, strided, 1,
                      NULL);
  agpu_memcpy_strided(stream, back, memory, 2, sizes, strided, sizes, dense, 1,
                      NULL);
  agpu_dealloc(stream, memory, NULL);
  await_and_drop(agpu_stream_record(stream));
  agpu_stream_release(stream);
  for (size_t i = 0; i < 2 * count; ++i)
    CHECK(back[i] ==
          (i / (size_t)width % 2 ? 0 : there[i])); // gaps are as they were
  free(there);
  free(back);
}

/// What is behind work that has not ended does not run ahead of it, and holds
/// up no one: the calls return before.
static void check_order(void) {
  int64_t seen = 0, passed = 0, copied = 0, want = 41;
  agpu_stream *stream = agpu_stream_acquire(NULL);
  int64_t *cell = agpu_alloc(stream, 8, false, NULL);
  int64_t *other = agpu_alloc(stream, 8, false, NULL);
  agpu_memcpy(stream, cell, &want, 8, NULL);
  launch_pause(stream, cell, 200);
  agpu_memcpy(stream, &passed, cell, 8, NULL);    // from the device,
  agpu_memcpy(stream, &copied, &passed, 8, NULL); // on the host,
  agpu_memcpy(stream, other, &copied, 8, NULL);   // to the device,
  agpu_memcpy(stream, &seen, other, 8, NULL);     // and back
  agpu_object *token = agpu_stream_record(stream);
  CHECK(!agpu_object_is_ready(token));
  await_and_drop(token);
  CHECK(passed == 42 && copied == 42 && seen == 42);
  agpu_dealloc(stream, cell, NULL);
  agpu_dealloc(stream, other, NULL);
  await_and_drop(agpu_stream_record(stream));
  agpu_stream_release(stream);
}

int main(void) {
  log_begin();
  check_order();
  int synchronised = log_count("cuStreamSynchronize");
  int functions = log_count("cuLaunchHostFunc");
  CHECK(synchronised == 0);
  // Registered memory needs no buffer.
  int64_t value = 3, seen = 0;
  agpu_stream *stream = agpu_stream_acquire(NULL);
  int64_t *cell = agpu_alloc(stream, 8, false, NULL);
  agpu_host_register(stream, &value, 8, NULL);
  agpu_memcpy(stream, cell, &value, 8, NULL);
  CHECK(log_count("cuLaunchHostFunc") == functions);
  agpu_memcpy(stream, &seen, cell, 8, NULL);
  agpu_host_unregister(stream, &value, NULL);
  agpu_dealloc(stream, cell, NULL);
  await_and_drop(agpu_stream_record(stream));
  agpu_stream_release(stream);
  CHECK(seen == 3);
  static const int64_t sizes[] = {
      1, SMALL - 1, SMALL, SMALL + 1, LARGE - 1, LARGE, 2 * LARGE + 13};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i)
    check_size(sizes[i]);
  check_rows(3, 5);
  check_rows(3000, 3);
  check_rows(1500, 4001);
  check_end();
  return 0;
}
