//===- strided.c - Copies and fills of strided memory ---------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What they do, compared with loops on the host, and how few calls of the
// driver they take: with "rows", of one that has none for several rows.
//
//===----------------------------------------------------------------------===//

#include "support.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 1 << 16, RANK = 4 };

static bool has_boxes;

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

static int count_copies(void) {
  return log_count("cuMemcpyAsync(") + log_count("cuMemcpy3DAsync(");
}

static void expect_copies(agpu_stream *stream, const char *what, char *target,
                          const char *source, int64_t rank,
                          const int64_t *sizes, const int64_t *to,
                          const int64_t *from, int calls, int rows) {
  int before = count_copies();
  agpu_memcpy_strided(stream, target, source, rank, sizes, to, sizes, from, 4,
                      NULL);
  await_and_drop(agpu_stream_record(stream));
  int expected = has_boxes ? calls : rows;
  if (count_copies() - before == expected)
    return;
  fprintf(stderr, "%s: %d calls, not %d\n", what, count_copies() - before,
          expected);
  exit(1);
}

static void expect_fills(agpu_stream *stream, const char *what, char *target,
                         uint64_t pattern, int64_t bytes, int64_t rank,
                         const int64_t *sizes, const int64_t *strides,
                         int calls, int rows) {
  int before = log_count("cuMemsetD");
  agpu_memset_strided(stream, target, pattern, rank, sizes, strides, bytes,
                      NULL);
  int expected = has_boxes ? calls : rows;
  if (log_count("cuMemsetD") - before == expected)
    return;
  fprintf(stderr, "%s: %d calls, not %d\n", what,
          log_count("cuMemsetD") - before, expected);
  exit(1);
}

static void check_calls(void) {
  agpu_stream *stream = agpu_stream_acquire(NULL);
  char *a = agpu_alloc(stream, 1 << 20, false, NULL);
  char *b = agpu_alloc(stream, 1 << 20, false, NULL);
  const int64_t rows[] = {512, 100};
  expect_copies(stream, "rows of a matrix", b, a, 2, rows, (int64_t[]){128, 1},
                (int64_t[]){100, 1}, 1, 512);
  const int64_t box[] = {4, 5, 6};
  expect_copies(stream, "a box", b, a, 3, box, (int64_t[]){800, 40, 1},
                (int64_t[]){30, 6, 1}, 1, 20);
  expect_copies(stream, "a box that goes down", b + 800, a + 120, 3, box,
                (int64_t[]){800, -40, 1}, (int64_t[]){30, -6, 1}, 1, 20);
  expect_copies(stream, "planes that are no number of rows", b, a, 3, box,
                (int64_t[]){801, 40, 1}, (int64_t[]){60, 6, 1}, 4, 20);
  const int64_t four[] = {2, 3, 4, 5};
  expect_copies(stream, "four dimensions", b, a, 4, four,
                (int64_t[]){5000, 1000, 100, 1}, (int64_t[]){960, 240, 20, 1},
                2, 24);
  const int64_t square[] = {8, 9};
  expect_copies(stream, "a transposition", b, a, 2, square, (int64_t[]){9, 1},
                (int64_t[]){1, 8}, 8, 72);
  expect_copies(stream, "a row for all", b, a, 2, square, (int64_t[]){9, 1},
                (int64_t[]){0, 1}, 8, 8);
  // Of memory that the driver does not know: by way of a buffer.
  static char here[1 << 20];
  expect_copies(stream, "rows of the host", b, here, 2, rows,
                (int64_t[]){128, 1}, (int64_t[]){200, 1}, 1, 512);
  expect_copies(stream, "rows to the host", here, b, 2, rows,
                (int64_t[]){128, 1}, (int64_t[]){200, 1}, 1, 512);

  const int64_t wide[] = {64, 512};
  expect_fills(stream, "every second element", b, 7, 1, 2, wide,
               (int64_t[]){1024, 2}, 1, 64 * 512);
  expect_fills(stream, "every second element of rows", b, 7, 1, 2, wide,
               (int64_t[]){2048, 2}, 64, 64 * 512);
  expect_fills(stream, "rows of bytes", b, 7, 1, 2, wide, (int64_t[]){1024, 1},
               1, 64);
  expect_fills(stream, "rows of two bytes", b, 7, 2, 2, wide,
               (int64_t[]){1024, 1}, 1, 64);
  expect_fills(stream, "rows of four bytes", b, 7, 4, 2, wide,
               (int64_t[]){1024, 1}, 1, 1);
  expect_fills(stream, "rows of eight bytes that are twice four", b,
               0x700000007, 8, 2, wide, (int64_t[]){1024, 1}, 1, 1);
  expect_fills(stream, "rows of eight bytes", b, 7, 8, 2, wide,
               (int64_t[]){1024, 1}, 128, 128);
  expect_fills(stream, "one element of eight bytes a row", b, 7, 8, 1, wide,
               (int64_t[]){16}, 2, 2);
  agpu_dealloc(stream, a, NULL);
  agpu_dealloc(stream, b, NULL);
  await_and_drop(agpu_stream_record(stream));
  agpu_stream_release(stream);
}

//===----------------------------------------------------------------------===//
// Bytes
//===----------------------------------------------------------------------===//

static uint64_t state = 1;

static int64_t draw(int64_t below) {
  state = state * 6364136223846793005u + 1442695040888963407u;
  return (int64_t)((state >> 33) % (uint64_t)below);
}

/// Strides, in elements, of a view of `sizes` in MOST elements: its dimensions
/// in any order, with gaps, up or down. Returns where the first element is.
static int64_t draw_view(int rank, const int64_t *sizes, int64_t *strides) {
  int order[RANK];
  for (int i = 0; i < rank; ++i) {
    int at = (int)draw(i + 1);
    order[i] = order[at];
    order[at] = i;
  }
  int64_t reach = 1, offset = draw(7);
  for (int i = 0; i < rank; ++i) {
    int64_t gap = draw(2) ? 0 : draw(4);
    strides[order[i]] = reach + gap;
    reach = (reach + gap) * sizes[order[i]];
    if (draw(4) == 0) {
      offset += strides[order[i]] * (sizes[order[i]] - 1);
      strides[order[i]] = -strides[order[i]];
    }
  }
  return offset;
}

/// The number of element `n` of a view.
static int64_t find(int rank, const int64_t *sizes, const int64_t *strides,
                    int64_t n) {
  int64_t at = 0;
  for (int i = rank; i-- > 0; n /= sizes[i])
    at += n % sizes[i] * strides[i];
  return at;
}

static unsigned char source[8 * MOST], target[8 * MOST], model[8 * MOST];

/// A random fill and a copy behind it; with `staged` of memory that the driver
/// does not know.
static void check_bytes(bool staged) {
  int rank = (int)draw(RANK + 1);
  int64_t sizes[RANK], to[RANK], from[RANK], fill[RANK], count = 1;
  for (int i = 0; i < rank; ++i)
    count *= sizes[i] = 1 + draw(6);
  int64_t to_first = draw_view(rank, sizes, to);
  int64_t from_first = draw_view(rank, sizes, from);
  int64_t fill_first = draw_view(rank, sizes, fill);
  size_t bytes = (size_t)1 << draw(4);
  uint64_t pattern = (uint64_t)draw(1 << 30) << 32 | (uint64_t)draw(1 << 30);
  if (draw(3) == 0)
    pattern = (pattern & 0xffffffff) * 0x100000001;
  size_t all = bytes * MOST;
  for (size_t i = 0; i < all; ++i) {
    source[i] = (unsigned char)(i * 7 + i / 256);
    model[i] = target[i] = 0xee;
  }
  for (int64_t n = 0; n < count; ++n)
    memcpy(model + (size_t)(fill_first + find(rank, sizes, fill, n)) * bytes,
           &pattern, bytes);
  for (int64_t n = 0; n < count; ++n)
    memcpy(model + (size_t)(to_first + find(rank, sizes, to, n)) * bytes,
           source + (size_t)(from_first + find(rank, sizes, from, n)) * bytes,
           bytes);
  agpu_stream *stream = agpu_stream_acquire(NULL);
  char *a = agpu_alloc(stream, (int64_t)all, false, NULL);
  char *b = agpu_alloc(stream, (int64_t)all, false, NULL);
  agpu_memcpy(stream, a, source, (int64_t)all, NULL);
  agpu_memcpy(stream, b, target, (int64_t)all, NULL);
  agpu_memset_strided(stream, b + (size_t)fill_first * bytes, pattern, rank,
                      sizes, fill, (int64_t)bytes, NULL);
  agpu_memcpy_strided(stream, b + (size_t)to_first * bytes,
                      (staged ? (char *)source : a) +
                          (size_t)from_first * bytes,
                      rank, sizes, to, sizes, from, (int64_t)bytes, NULL);
  agpu_memcpy(stream, target, b, (int64_t)all, NULL);
  agpu_dealloc(stream, a, NULL);
  agpu_dealloc(stream, b, NULL);
  await_and_drop(agpu_stream_record(stream));
  agpu_stream_release(stream);
  CHECK(memcmp(target, model, all) == 0);
}

int main(int argc, char **argv) {
  (void)argv;
  has_boxes = argc == 1;
  log_begin();
  check_calls();
  for (int i = 0; i < 200; ++i)
    check_bytes(i % 2);
  check_end();
  return 0;
}
