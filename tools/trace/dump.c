//===- dump.c - A dump, read ----------------------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads the file as a whole, and goes through its records several times: first
// through all, for what is wrong with them, then for texts, for what refers to
// those, and for events, in which addresses of the process become our own.
//
//===----------------------------------------------------------------------===//

#include "trace/dump.h"

#include "base/trace/dump_format.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

static const char memory_out[] = "memory is out";
static const char damaged[] = "it is damaged";

/// A record of the file.
typedef struct record {
  agpu__dump_record head;
  char *data;
  size_t end; ///< where the next one begins
} record;

/// The record at `*at`, which moves behind it. False where no whole one is
/// left.
static bool next(const agpu__dump *dump, size_t *at, record *out) {
  size_t left = dump->data.count - *at;
  char *data = (char *)dump->data.data + *at;
  if (left < sizeof out->head)
    return false;
  memcpy(&out->head, data, sizeof out->head);
  left -= sizeof out->head;
  if (out->head.bytes > left || -out->head.bytes % 8 > left - out->head.bytes)
    return false;
  out->data = data + sizeof out->head;
  *at += sizeof out->head + out->head.bytes + -out->head.bytes % 8;
  return true;
}

/// The text behind the first `offset` bytes; NULL where none ends there.
static const char *text_at(const record *of, size_t offset) {
  if (offset >= of->head.bytes ||
      !memchr(of->data + offset, '\0', of->head.bytes - offset))
    return NULL;
  return of->data + offset;
}

/// The second of two texts, or NULL.
static const char *second_text(const record *of) {
  const char *first = text_at(of, 0);
  return first ? text_at(of, strlen(first) + 1) : NULL;
}

static uint64_t number_at(const record *of) {
  uint64_t number;
  memcpy(&number, of->data, sizeof number);
  return number;
}

/// Whether the record is as its kind wants it.
static bool is_valid(const record *of, bool has_thread) {
  switch ((agpu__dump_kind)of->head.kind) {
  case AGPU__DUMP_END: return text_at(of, sizeof(agpu__dump_end)) != NULL;
  case AGPU__DUMP_TEXT: return text_at(of, sizeof(uint64_t)) != NULL;
  case AGPU__DUMP_NAME: return of->head.bytes >= sizeof(agpu__dump_name);
  case AGPU__DUMP_CODE: return text_at(of, sizeof(agpu__dump_code)) != NULL;
  case AGPU__DUMP_TRACK: return of->head.number && second_text(of);
  case AGPU__DUMP_NOTE: return second_text(of) != NULL;
  case AGPU__DUMP_THREAD: return text_at(of, sizeof(uint64_t)) != NULL;
  case AGPU__DUMP_EVENTS:
    return has_thread && of->head.bytes % sizeof(agpu__trace_event) == 0;
  }
  return true; // of a later writer
}

//===----------------------------------------------------------------------===//
// Texts, and what refers to them
//===----------------------------------------------------------------------===//

static bool store(agpu__trace_table *table, uint64_t address,
                  const void *pointer) {
  uint64_t *place = address ? agpu__trace_table_add(table, address) : NULL;
  if (place)
    *place = (uintptr_t)pointer;
  return place || !address;
}

static const void *find(const agpu__trace_table *table, uint64_t address) {
  const uint64_t *found =
      address ? agpu__trace_table_find(table, address) : NULL;
  return found ? (const void *)(uintptr_t)*found : NULL;
}

static bool read_name(agpu__dump *dump, const record *of) {
  agpu__dump_name name;
  memcpy(&name, of->data, sizeof name);
  agpu_trace_name *added = agpu__trace_array_add(&dump->names, sizeof *added);
  if (!added)
    return false;
  *added = (agpu_trace_name){.name = find(&dump->by_text, name.name),
                             .file = find(&dump->by_text, name.file),
                             .line = name.line,
                             .column = name.column,
                             .region = name.region,
                             .stream = name.stream};
  if (!added->name)
    added->name = "";
  return store(&dump->by_name, name.address, added);
}

static bool read_code(agpu__dump *dump, const record *of) {
  agpu__dump_code code;
  memcpy(&code, of->data, sizeof code);
  const char *symbol = text_at(of, sizeof code);
  agpu__code *added = agpu__trace_array_add(&dump->codes, sizeof *added);
  if (!added)
    return false;
  *added = (agpu__code){.address = code.address,
                        .name = find(&dump->by_name, code.name),
                        .symbol = *symbol ? symbol : NULL};
  return store(&dump->by_code, code.address, added);
}

//===----------------------------------------------------------------------===//
// Events
//===----------------------------------------------------------------------===//

/// The code of an event that has kept its name.
static const agpu__code *settled_code(agpu__dump *dump, uint64_t address) {
  agpu__code *added = agpu__trace_array_add(&dump->codes, sizeof *added);
  if (added)
    added->name = find(&dump->by_name, address);
  return added;
}

static void point_to_texts(agpu__dump *dump, agpu__trace_event *event) {
  const agpu__trace_kind_row *row = &agpu__trace_kinds[event->kind];
  uint64_t name = (uintptr_t)event->name;
  if (row->shape != AGPU__TRACE_SHAPE_TASK)
    event->name = find(&dump->by_text, name);
  else if (!name || !(event->flags & AGPU__TRACE_SETTLED))
    event->name = find(&dump->by_code, name);
  else
    event->name = settled_code(dump, name);
  for (int i = 0; i < 3; ++i)
    if (row->args[i].format == AGPU__TRACE_FORMAT_NAME)
      event->args[i] = (uintptr_t)find(&dump->by_name, event->args[i]);
    else if (row->args[i].format == AGPU__TRACE_FORMAT_PLACE)
      event->args[i] = (uintptr_t)find(&dump->by_text, event->args[i]);
}

/// Within a thousand years, so that sums of times are numbers.
static bool is_plausible(const agpu__trace_event *event) {
  const int64_t most = INT64_C(1) << 55;
  return event->time >= -most && event->time <= most &&
         (agpu__trace_kinds[event->kind].shape != AGPU__TRACE_SHAPE_SLICE ||
          event->args[0] <= (uint64_t)most);
}

/// Events of kinds that we do not know are left out.
static bool read_events(agpu__dump *dump, const record *of, size_t thread) {
  agpu__trace_event *events = (void *)of->data;
  size_t count = of->head.bytes / sizeof *events;
  agpu__dump_piece *added = agpu__trace_array_add(&dump->pieces, sizeof *added);
  if (!added)
    return false;
  *added = (agpu__dump_piece){.events = events, .thread = thread};
  for (size_t i = 0; i < count; ++i) {
    if (events[i].kind >= AGPU__TRACE_KIND_COUNT || !is_plausible(&events[i]))
      continue;
    events[added->count] = events[i];
    point_to_texts(dump, &events[added->count++]);
  }
  return true;
}

//===----------------------------------------------------------------------===//
// The file
//===----------------------------------------------------------------------===//

/// What each kind has; `*thread` is how many threads are left to come.
static bool read_record(agpu__dump *dump, const record *of, size_t *thread) {
  switch ((agpu__dump_kind)of->head.kind) {
  case AGPU__DUMP_THREAD:
    ((agpu__dump_thread *)dump->threads.data)[--*thread] = (agpu__dump_thread){
        .number = of->head.number, .name = text_at(of, sizeof(uint64_t))};
    dump->dropped += number_at(of);
    return true;
  case AGPU__DUMP_EVENTS: return read_events(dump, of, *thread);
  case AGPU__DUMP_TRACK: // they have the numbers from 1 to their count
    if (of->head.number <= dump->tracks.count)
      ((agpu__dump_track *)dump->tracks.data)[of->head.number - 1] =
          (agpu__dump_track){text_at(of, 0), second_text(of)};
    return true;
  case AGPU__DUMP_NOTE: {
    agpu__dump_note *added = agpu__trace_array_add(&dump->notes, sizeof *added);
    if (added)
      *added = (agpu__dump_note){text_at(of, 0), second_text(of)};
    return added;
  }
  case AGPU__DUMP_END: {
    agpu__dump_end end;
    memcpy(&end, of->data, sizeof end);
    dump->ended = text_at(of, sizeof end);
    dump->dropped += end.dropped;
    dump->unix_seconds = end.unix_seconds;
    return true;
  }
  default: return true;
  }
}

static size_t count_kind(const agpu__dump *dump, agpu__dump_kind kind) {
  size_t count = 0, at = sizeof(agpu__dump_header);
  for (record of; next(dump, &at, &of);)
    count += of.head.kind == kind;
  return count;
}

/// Room that does not move: others point to the elements.
static bool reserve(agpu__dump *dump) {
  size_t threads = count_kind(dump, AGPU__DUMP_THREAD);
  size_t tracks = count_kind(dump, AGPU__DUMP_TRACK);
  size_t names = count_kind(dump, AGPU__DUMP_NAME);
  size_t codes = count_kind(dump, AGPU__DUMP_CODE);
  // An event that has kept its name has a code of its own.
  size_t at = sizeof(agpu__dump_header);
  for (record of; next(dump, &at, &of);)
    for (size_t i = 0; of.head.kind == AGPU__DUMP_EVENTS &&
                       i < of.head.bytes / sizeof(agpu__trace_event);
         ++i)
      codes += ((const agpu__trace_event *)(const void *)of.data)[i].flags &
                       AGPU__TRACE_SETTLED
                   ? 1
                   : 0;
  if (!agpu__trace_array_reserve(&dump->threads, sizeof(agpu__dump_thread),
                                 threads) ||
      !agpu__trace_array_reserve(&dump->tracks, sizeof(agpu__dump_track),
                                 tracks) ||
      !agpu__trace_array_reserve(&dump->names, sizeof(agpu_trace_name),
                                 names) ||
      !agpu__trace_array_reserve(&dump->codes, sizeof(agpu__code), codes))
    return false;
  dump->threads.count = threads;
  dump->tracks.count = tracks;
  return true;
}

/// Whether the thread tells of itself, not of streams alone.
static bool has_own_events(const agpu__dump *dump, size_t thread) {
  const agpu__dump_piece *pieces = dump->pieces.data;
  for (size_t i = 0; i < dump->pieces.count; ++i)
    for (size_t k = 0; pieces[i].thread == thread && k < pieces[i].count; ++k)
      if (pieces[i].events[k].track == 0)
        return true;
  return false;
}

/// Where times are modelled, nothing else is to differ between two runs: the
/// main thread has the first number, and the others follow by their names,
/// those last of which nothing is shown.
static void note_model(agpu__dump *dump) {
  static const char begin[] = "the modelled time of ";
  const agpu__dump_note *notes = dump->notes.data;
  for (size_t i = 0; i < dump->notes.count; ++i)
    if (strncmp(notes[i].text, begin, sizeof begin - 1) == 0)
      dump->modelled = notes[i].text;
  if (!dump->modelled)
    return;
  dump->unix_seconds = 0;
  agpu__dump_thread *threads = dump->threads.data;
  size_t count = dump->threads.count;
  const uint32_t main_thread = dump->process;
  for (size_t i = 0; i < count; ++i) {
    uint32_t number = 2;
    bool is_own = has_own_events(dump, i);
    for (size_t k = 0; k < count; ++k) {
      int order = (int)is_own - (int)has_own_events(dump, k);
      if (!order)
        order = strcmp(threads[k].name, threads[i].name);
      number += order < 0 || (!order && k < i);
    }
    threads[i].order = threads[i].number == main_thread ? 1 : number;
  }
  for (size_t i = 0; i < count; ++i)
    threads[i].number = threads[i].order;
  dump->process = 1;
}

static const char *read_records(agpu__dump *dump) {
  size_t at = sizeof(agpu__dump_header);
  bool has_thread = false;
  for (record of; next(dump, &at, &of);) {
    has_thread |= of.head.kind == AGPU__DUMP_THREAD;
    if (!is_valid(&of, has_thread))
      return damaged;
  }
  if (!reserve(dump))
    return memory_out;
  bool ok = true;
  at = sizeof(agpu__dump_header);
  for (record of; ok && next(dump, &at, &of);)
    if (of.head.kind == AGPU__DUMP_TEXT)
      ok =
          store(&dump->by_text, number_at(&of), text_at(&of, sizeof(uint64_t)));
  at = sizeof(agpu__dump_header);
  for (record of; ok && next(dump, &at, &of);)
    if (of.head.kind == AGPU__DUMP_NAME)
      ok = read_name(dump, &of);
  at = sizeof(agpu__dump_header);
  for (record of; ok && next(dump, &at, &of);)
    if (of.head.kind == AGPU__DUMP_CODE)
      ok = read_code(dump, &of);
  size_t thread = dump->threads.count;
  at = sizeof(agpu__dump_header);
  for (record of; ok && next(dump, &at, &of);)
    ok = read_record(dump, &of, &thread);
  note_model(dump);
  return ok ? NULL : memory_out;
}

static const char *check_header(agpu__dump *dump) {
  agpu__dump_header header;
  if (!agpu__dump_is_one(dump->data.data, dump->data.count))
    return "it is no dump of a trace, as ASYNC_GPU_TRACE=FILE.trace writes it";
  if (dump->data.count < sizeof header)
    return damaged;
  memcpy(&header, dump->data.data, sizeof header);
  if (header.order != AGPU__DUMP_ORDER)
    return "it was written on a machine of another byte order; read it there";
  if (header.version != AGPU__DUMP_VERSION ||
      header.event_bytes != sizeof(agpu__trace_event))
    return "it is of another version of async-gpu, whose async-gpu-report "
           "reads it";
  dump->process = header.process;
  return NULL;
}

const char *agpu__dump_ended(const agpu__dump *dump) {
  return dump->ended ? dump->ended : "unknown";
}

bool agpu__dump_is_one(const void *data, size_t bytes) {
  size_t size = strlen(AGPU__DUMP_MAGIC);
  return bytes >= size && memcmp(data, AGPU__DUMP_MAGIC, size) == 0;
}

static const char *read_all(agpu__dump *dump, int file) {
  enum { STEP = 1 << 16 };
  for (;;) {
    if (!agpu__trace_array_reserve(&dump->data, 1, STEP))
      return memory_out;
    ssize_t got = read(file, (char *)dump->data.data + dump->data.count, STEP);
    if (got == 0)
      return NULL;
    if (got < 0 && errno != EINTR)
      return strerrordesc_np(errno);
    dump->data.count += got > 0 ? (size_t)got : 0;
    // What is no dump may have no end.
    if (dump->data.count >= sizeof(agpu__dump_header) &&
        !agpu__dump_is_one(dump->data.data, dump->data.count))
      return NULL;
  }
}

static const char *parse(agpu__dump *dump) {
  const char *error = check_header(dump);
  return error ? error : read_records(dump);
}

const char *agpu__dump_parse(agpu__dump *out_dump, const void *data,
                             size_t bytes) {
  *out_dump = (agpu__dump){.process = 0};
  if (!agpu__trace_array_reserve(&out_dump->data, 1, bytes))
    return memory_out;
  if (bytes)
    memcpy(out_dump->data.data, data, bytes);
  out_dump->data.count = bytes;
  return parse(out_dump);
}

const char *agpu__dump_read(agpu__dump *out_dump, const char *path) {
  *out_dump = (agpu__dump){.process = 0};
  int file = path ? open(path, O_RDONLY | O_CLOEXEC) : STDIN_FILENO;
  if (file < 0)
    return strerrordesc_np(errno);
  const char *error = read_all(out_dump, file);
  if (path)
    (void)close(file);
  return error ? error : parse(out_dump);
}

void agpu__dump_free(agpu__dump *dump) {
  agpu__trace_array_free(&dump->data, 1);
  agpu__trace_array_free(&dump->threads, sizeof(agpu__dump_thread));
  agpu__trace_array_free(&dump->tracks, sizeof(agpu__dump_track));
  agpu__trace_array_free(&dump->notes, sizeof(agpu__dump_note));
  agpu__trace_array_free(&dump->pieces, sizeof(agpu__dump_piece));
  agpu__trace_array_free(&dump->names, sizeof(agpu_trace_name));
  agpu__trace_array_free(&dump->codes, sizeof(agpu__code));
  agpu__trace_table_free(&dump->by_text);
  agpu__trace_table_free(&dump->by_name);
  agpu__trace_table_free(&dump->by_code);
}
