//===- dump.c - Dumps that are whole, cut off, and damaged ----------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A dump of every kind of record is put together by hand. Whole, it gives what
// is written there; cut off anywhere it gives what stands before; with any of
// its bytes changed it is refused or gives something else, and nothing breaks.
//
//===----------------------------------------------------------------------===//

#include "base/trace/dump_format.h"
#include "check.h"
#include "trace/convert.h"

#include <sys/mman.h>
#include <unistd.h>

/// Addresses, as a process could have them.
enum { FILE_TEXT = 0x1000, NAME_TEXT = 0x1010, PLACE = 0x1020, NAME = 0x1030 };
enum { CODE = 0x2000, SYMBOL_CODE = 0x2010, KERNEL_TEXT = 0x2020 };

static char dump[1 << 15];
static size_t size;

static void put(const void *data, size_t bytes) {
  CHECK(size + bytes <= sizeof dump);
  if (bytes)
    memcpy(dump + size, data, bytes);
  size += bytes;
}

static void put_record(agpu__dump_kind kind, uint32_t number, const void *data,
                       size_t bytes, const char *first, const char *second) {
  size_t first_bytes = first ? strlen(first) + 1 : 0;
  size_t second_bytes = second ? strlen(second) + 1 : 0;
  agpu__dump_record head = {.kind = kind,
                            .number = number,
                            .bytes = bytes + first_bytes + second_bytes};
  put(&head, sizeof head);
  put(data, bytes);
  put(first, first_bytes);
  put(second, second_bytes);
  put((const char[8]){0}, -size % 8);
}

static void put_text(uint64_t address, const char *text) {
  put_record(AGPU__DUMP_TEXT, 0, &address, sizeof address, text, NULL);
}

static void put_events(const agpu__trace_event *events, size_t count) {
  put_record(AGPU__DUMP_EVENTS, 0, events, count * sizeof *events, NULL, NULL);
}

static const void *pointer(uintptr_t address) { return (const void *)address; }

static void make_dump(void) {
  agpu__dump_header header = {.order = AGPU__DUMP_ORDER,
                              .version = AGPU__DUMP_VERSION,
                              .event_bytes = sizeof(agpu__trace_event),
                              .process = 77};
  memcpy(header.magic, AGPU__DUMP_MAGIC, sizeof header.magic);
  put(&header, sizeof header);
  put_record(AGPU__DUMP_TRACK, 1, NULL, 0, "device 0: card", "stream 0");
  uint64_t dropped = 5;
  put_record(AGPU__DUMP_THREAD, 77, &dropped, sizeof dropped, "main", NULL);
  put_text(FILE_TEXT, "here/a.mlir");
  put_text(NAME_TEXT, "squares");
  put_text(PLACE, "a.mlir:3:4");
  put_text(KERNEL_TEXT, "increment");
  agpu__dump_name name = {NAME, NAME_TEXT, FILE_TEXT, 12, 3, 4, 2};
  put_record(AGPU__DUMP_NAME, 0, &name, sizeof name, NULL, NULL);
  agpu__dump_code code = {CODE, NAME};
  put_record(AGPU__DUMP_CODE, 0, &code, sizeof code, "", NULL);
  agpu__dump_code other = {SYMBOL_CODE, 0};
  put_record(AGPU__DUMP_CODE, 0, &other, sizeof other, "some_symbol", NULL);
  const agpu__trace_event tasks[] = {
      {.time = 1000, .kind = AGPU__TRACE_QUEUE, .id = 1, .name = pointer(CODE)},
      {.time = 2000, .kind = AGPU__TRACE_RUN, .id = 1, .name = pointer(CODE)},
      {.time = 2500,
       .kind = AGPU__TRACE_QUEUE,
       .id = 2,
       .name = pointer(SYMBOL_CODE)},
      {.time = 3000, .kind = AGPU__TRACE_RAN},
      {.time = 3500,
       .kind = AGPU__TRACE_RUN,
       .id = 2,
       .name = pointer(SYMBOL_CODE)},
      {.time = 4000, .kind = AGPU__TRACE_RAN}};
  put_events(tasks, sizeof tasks / sizeof *tasks);
  put_record(AGPU__DUMP_THREAD, 78, &dropped, sizeof dropped, "agpu-0", NULL);
  const agpu__trace_event work[] = {
      {.time = 5000,
       .kind = AGPU__TRACE_QUEUE,
       .flags = AGPU__TRACE_SETTLED,
       .id = 3,
       .name = pointer(NAME)},
      {.time = 6000,
       .kind = AGPU__TRACE_ENQUEUE,
       .id = 9,
       .flow = 18,
       .name = pointer(KERNEL_TEXT),
       .args = {100, PLACE, 1}},
      {.time = 7000,
       .kind = AGPU__TRACE_KERNEL,
       .track = 1,
       .id = 9,
       .flow = 18,
       .name = pointer(KERNEL_TEXT),
       .args = {500}},
      {.time = 7000, .kind = 999}}; // of a later version
  put_events(work, sizeof work / sizeof *work);
  put_record(999, 0, NULL, 0, "of a later version", NULL);
  put_record(AGPU__DUMP_NOTE, 0, NULL, 0, "device clock", "CUPTI");
  agpu__dump_end end = {.dropped = 7, .unix_seconds = 1};
  put_record(AGPU__DUMP_END, 0, &end, sizeof end, "exit", NULL);
}

/// What the first `bytes` of the dump become, or NULL with `*out_error`. The
/// caller frees it.
static char *convert(size_t bytes, const char **out_error) {
  static agpu__trace_output trace, profile;
  agpu__dump read;
  *out_error = agpu__dump_parse(&read, dump, bytes);
  char *text = NULL;
  if (!*out_error) {
    int file = memfd_create("trace", MFD_CLOEXEC);
    int other = memfd_create("profile", MFD_CLOEXEC);
    CHECK(file > 0 && other > 0);
    agpu__trace_output_open(&trace, NULL, file);
    agpu__trace_output_open(&profile, NULL, other);
    agpu__trace_converted made =
        agpu__trace_convert(&read, 1, &trace, &profile, AGPU__PROFILE_TEXT);
    CHECK(!made.error && !made.note[0]);
    CHECK_EQ(agpu__trace_output_close(&trace), 0);
    CHECK_EQ(agpu__trace_output_close(&profile), 0);
    off_t length = lseek(file, 0, SEEK_END);
    CHECK(length > 0 && lseek(other, 0, SEEK_END) > 0);
    text = calloc(1, (size_t)length + 1);
    CHECK(text && pread(file, text, (size_t)length, 0) == length);
    (void)close(file);
    (void)close(other);
  }
  agpu__dump_free(&read);
  return text;
}

static void check_has(const char *text, const char *part) {
  if (!strstr(text, part))
    fprintf(stderr, "not there: %s in\n%s\n", part, text);
  CHECK(strstr(text, part));
}

static void test_whole(void) {
  const char *error;
  char *text = convert(size, &error);
  CHECK(text);
  static const char *const parts[] = {
      "\"tid\":77,\"name\":\"thread_name\",\"args\":{\"name\":\"main thread\"}",
      "\"name\":\"thread_name\",\"args\":{\"name\":\"agpu-0\"}",
      "{\"name\":\"device 0: card\"}",
      "\"ts\":1,\"dur\":1,\"cat\":\"region\",\"name\":\"a.mlir:12 squares\"",
      "\"args\":{\"run\":1,\"part\":1,\"region\":4,\"stream\":2,"
      "\"file\":\"here/a.mlir\",\"line\":12,\"column\":3",
      "\"name\":\"some_symbol\",\"args\":{\"run\":2,\"part\":1,"
      "\"spawned_by\":1,",
      "\"cat\":\"enqueue\",\"name\":\"increment\",\"args\":{\"id\":9,"
      "\"at\":\"a.mlir:3:4\",\"track\":1}",
      "\"ts\":6,\"dur\":0.500,\"cat\":\"kernel\",\"name\":\"increment\"",
      "\"process\":77,\n\"ended\":\"exit\"",
      "\"written_at_unix_seconds\":1,\n\"events\":9,\n\"dropped\":17,",
      "\"device clock\":\"CUPTI\""};
  for (size_t i = 0; i < sizeof parts / sizeof *parts; ++i)
    check_has(text, parts[i]);
  CHECK(!strstr(text, "incomplete"));
  free(text);
}

static void test_cut_off(void) {
  for (size_t bytes = 0; bytes < size; ++bytes) {
    const char *error;
    char *text = convert(bytes, &error);
    CHECK(!text == (bytes < sizeof(agpu__dump_header)));
    if (text) {
      check_has(text, "\"ended\":\"unknown\"");
      check_has(text, "\"incomplete\":\"the dump is cut off\"");
    }
    free(text);
  }
}

static void test_damaged(void) {
  static const unsigned char changes[] = {0x01, 0x80, 0xff};
  for (size_t at = 0; at < size; ++at)
    for (size_t i = 0; i < sizeof changes; ++i) {
      const char *error;
      dump[at] = (char)(dump[at] ^ changes[i]);
      char *text = convert(size, &error);
      CHECK(text || *error);
      free(text);
      dump[at] = (char)(dump[at] ^ changes[i]);
    }
}

static void check_refused(const char *part) {
  const char *error;
  CHECK(!convert(size, &error));
  check_has(error, part);
}

static void test_of_others(void) {
  agpu__dump_header *header = (void *)dump;
  header->order = 0x04030201;
  check_refused("byte order");
  header->order = AGPU__DUMP_ORDER;
  header->version = AGPU__DUMP_VERSION + 1;
  check_refused("version");
  header->version = AGPU__DUMP_VERSION;
  dump[0] = '{';
  check_refused("no dump");
  dump[0] = AGPU__DUMP_MAGIC[0];
}

/// More threads with one number than there are numbers for them.
static void test_same_threads(void) {
  const char *error;
  uint64_t dropped = 0;
  size = 0;
  make_dump();
  for (int i = 0; i < 600; ++i)
    put_record(AGPU__DUMP_THREAD, 80, &dropped, sizeof dropped, "thread", NULL);
  char *text = convert(size, &error);
  CHECK(text);
  free(text);
}

int main(void) {
  make_dump();
  test_whole();
  test_cut_off();
  test_damaged();
  test_of_others();
  test_same_threads();
  return 0;
}
