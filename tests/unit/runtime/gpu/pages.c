//===- pages.c - Memory of the host on shared pages -----------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A driver pins pages, each once ("CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED");
// programs register memory that begins anywhere. With "others", a device whose
// addresses for it are not the host's.
//
//===----------------------------------------------------------------------===//

#include "driver_api/values.h"
#include "support.h"

#include <string.h>
#include <sys/mman.h>

/// The largest there is, on 64-bit ARM: a multiple of all others.
enum { PAGE = 65536, PAGES = 8 };

static _Alignas(PAGE) char memory[PAGES * PAGE];

static int count_calls(void) { return log_count("cuMemHostRegister("); }
static int count_ends(void) { return log_count("cuMemHostUnregister("); }

static void await_all(agpu_stream *stream) {
  await_and_drop(agpu_stream_record(stream));
}

/// Two cells of one page: the page is registered until neither is.
static void check_one_page(void) {
  agpu_stream *stream = agpu_stream_acquire(NULL);
  int64_t *cells = (int64_t *)(void *)(memory + 64);
  int calls = count_calls(), ends = count_ends();
  agpu_host_register(stream, &cells[0], 8, NULL);
  agpu_host_register(stream, &cells[1], 8, NULL);
  CHECK_EQ(count_calls(), calls + 1);
  launch_increment(stream, &cells[0]);
  launch_increment(stream, &cells[1]);
  agpu_host_unregister(stream, &cells[0], NULL);
  await_all(stream);
  CHECK_EQ(count_ends(), ends);
  launch_increment(stream, &cells[1]);
  agpu_host_unregister(stream, &cells[1], NULL);
  await_all(stream);
  CHECK(cells[0] == 1 && cells[1] == 2);
  CHECK_EQ(count_ends(), ends + 1);
  agpu_stream_release(stream);
}

/// Ranges that end where others begin, in the middle of pages, in any order:
/// what is registered once, and copies over several of its parts.
static void check_neighbours(void) {
  static char seen[PAGES * PAGE];
  static const int orders[][3] = {{0, 1, 2}, {2, 0, 1}, {0, 2, 1}, {1, 2, 0}};
  const int64_t ends[] = {0, 2 * PAGE + 100, 4 * PAGE + 8, PAGES * PAGE};
  for (size_t i = 0; i < sizeof memory; ++i)
    memory[i] = (char)(i * 7 + i / 256);
  for (size_t o = 0; o < sizeof orders / sizeof *orders; ++o) {
    agpu_stream *stream = agpu_stream_acquire(NULL);
    int calls = count_calls(), undone = count_ends();
    for (int k = 0; k < 3; ++k) {
      int at = orders[o][k];
      agpu_host_register(stream, memory + ends[at], ends[at + 1] - ends[at],
                         NULL);
    }
    CHECK_EQ(count_calls(), calls + 3);
    char *there = agpu_alloc(stream, sizeof memory, false, NULL);
    memset(seen, 0, sizeof seen);
    for (int k = 0; k < 3; ++k)
      agpu_memcpy(stream, there + ends[k], memory + ends[k],
                  ends[k + 1] - ends[k], NULL);
    agpu_memcpy(stream, seen, there, sizeof seen, NULL);
    agpu_dealloc(stream, there, NULL);
    for (int k = 0; k < 3; ++k)
      agpu_host_unregister(stream, memory + ends[orders[o][k]], NULL);
    await_all(stream);
    CHECK(memcmp(seen, memory, sizeof seen) == 0);
    CHECK_EQ(count_ends(), undone + 3);
    agpu_stream_release(stream);
  }
}

/// Rows of a range that the driver was told of in two parts: the first is in
/// one of them, and a later one lies across where they meet. They go through a
/// buffer, which one host function fills.
static void check_rows(void) {
  enum { ROWS = 12, BYTES = 512, PITCH = 700, FROM = 3 * PAGE - 3996 };
  static char seen[ROWS * BYTES];
  const int64_t sizes[] = {ROWS, BYTES}, apart[] = {PITCH, 1};
  const int64_t close[] = {BYTES, 1};
  for (size_t i = 0; i < sizeof memory; ++i)
    memory[i] = (char)(i * 5 + i / 256);
  agpu_stream *stream = agpu_stream_acquire(NULL);
  agpu_host_register(stream, memory, FROM, NULL);
  agpu_host_register(stream, memory + FROM, (int64_t)sizeof memory - FROM,
                     NULL);
  char *there = agpu_alloc(stream, sizeof seen, false, NULL);
  int moves = log_count("cuLaunchHostFunc(");
  agpu_memcpy_strided(stream, there, memory + FROM, 2, sizes, close, sizes,
                      apart, 1, NULL);
  CHECK_EQ(log_count("cuLaunchHostFunc("), moves + 1);
  agpu_memcpy(stream, seen, there, sizeof seen, NULL);
  agpu_dealloc(stream, there, NULL);
  agpu_host_unregister(stream, memory, NULL);
  agpu_host_unregister(stream, memory + FROM, NULL);
  await_all(stream);
  for (int i = 0; i < ROWS; ++i)
    CHECK(memcmp(&seen[i * BYTES], &memory[FROM + i * PITCH], BYTES) == 0);
  agpu_stream_release(stream);
}

/// A fill of a range in two parts, and of rows of it.
static void check_fills(void) {
  enum { FROM = 2 * PAGE + 104, WORDS = 3 * PAGE / 8 };
  memset(memory, 1, sizeof memory);
  agpu_stream *stream = agpu_stream_acquire(NULL);
  agpu_host_register(stream, memory, FROM, NULL);
  agpu_host_register(stream, memory + FROM, (int64_t)sizeof memory - FROM,
                     NULL);
  const uint64_t pattern = 0x0102030405060708u;
  agpu_memset(stream, memory + FROM, pattern, 8, WORDS, NULL);
  const int64_t sizes[] = {PAGES - 3, 16}, apart[] = {PAGE, 1};
  agpu_memset_strided(stream, memory + FROM + 8, 0, 2, sizes, apart, 1, NULL);
  agpu_host_unregister(stream, memory, NULL);
  agpu_host_unregister(stream, memory + FROM, NULL);
  await_all(stream);
  agpu_stream_release(stream);
  for (int i = 0; i < PAGES * PAGE; ++i) {
    int at = i - FROM;
    bool is_in_row =
        at >= 8 && (at - 8) % PAGE < 16 && (at - 8) / PAGE < PAGES - 3;
    CHECK_EQ(memory[i], is_in_row                   ? 0
                        : at >= 0 && at < 8 * WORDS ? 8 - at % 8
                                                    : 1);
  }
}

/// Memory that is not registered, of which a page is for its neighbour's sake.
static void check_unregistered_neighbour(void) {
  static char seen[PAGES * PAGE];
  for (size_t i = 0; i < sizeof memory; ++i)
    memory[i] = (char)(i * 3 + i / 256);
  agpu_stream *stream = agpu_stream_acquire(NULL);
  agpu_host_register(stream, memory, 100, NULL);
  char *there = agpu_alloc(stream, sizeof memory, false, NULL);
  agpu_memcpy(stream, there, memory + 104, (int64_t)sizeof memory - 104, NULL);
  agpu_memcpy(stream, seen, there, (int64_t)sizeof memory - 104, NULL);
  agpu_dealloc(stream, there, NULL);
  agpu_host_unregister(stream, memory, NULL);
  await_all(stream);
  agpu_stream_release(stream);
  CHECK(memcmp(seen, memory + 104, sizeof seen - 104) == 0);
}

/// Memory that the process may only read, as a constant is.
static void check_constant(void) {
  char *page = mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(page != MAP_FAILED);
  int64_t seen = 1;
  agpu_stream *stream = agpu_stream_acquire(NULL);
  agpu_host_register(stream, page + 8, 8, NULL);
  int64_t *cell = agpu_alloc(stream, 8, false, NULL);
  agpu_memcpy(stream, cell, page + 8, 8, NULL);
  agpu_memcpy(stream, &seen, cell, 8, NULL);
  agpu_dealloc(stream, cell, NULL);
  agpu_host_unregister(stream, page + 8, NULL);
  await_all(stream);
  CHECK_EQ(seen, 0);
  agpu_stream_release(stream);
  munmap(page, PAGE);
}

static void check_other_addresses(void) {
  agpu_stream *stream = agpu_stream_acquire(NULL);
  agpu_host_register(stream, memory, 8, "r.mlir:1:1");
  agpu_object *token = agpu_stream_record(stream);
  agpu_stream_release(stream);
  const char *error = get_error_and_drop(token);
  CHECK(strstr(error, "other addresses") && strstr(error, "host_shared"));
  CHECK_EQ(count_calls(), 0);
}

int main(int argc, char **argv) {
  (void)argv;
  log_begin();
  if (argc > 1) {
    check_other_addresses();
    return 0;
  }
  check_one_page();
  check_neighbours();
  check_rows();
  check_fills();
  check_unregistered_neighbour();
  check_constant();
  check_end();
  return 0;
}
