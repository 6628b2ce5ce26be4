//===- cupti.c - When work ran, by CUPTI ----------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// CUPTI's library is opened at run time, and what is used of it declared here:
// the first fields of its records, which are the same in all releases from 9 to
// 13 (tests/unit/runtime/gpu/cupti_layout.c compares them with its headers).
//
// Each call that enqueues work is made with the work's number on CUPTI's stack
// of external ids. In the buffers that come back, a record of a kernel, copy or
// fill has a correlation id, and a record beside it says which external id goes
// with that; the two come in either order. Times are of a clock of CUPTI's,
// which is read between two looks at the host's when a buffer comes.
//
//===----------------------------------------------------------------------===//

#include "base/memory/memory.h"
#include "base/os/clock.h"
#include "base/sync/mutex.h"
#include "gpu/trace/cupti_api.h"
#include "gpu/trace/work_clock.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BUFFER_BYTES ((size_t)1 << 20)
#define ALIGNMENT_TRIES 8
/// Correlation ids whose other record has not come: a power of two.
#define FIRST_CAPACITY 1024
#define MOST_CAPACITY ((size_t)1 << 18)
/// Of a full table that may not grow, the newest ones stay.
#define KEPT (MOST_CAPACITY / 4)

typedef struct half {
  uint32_t correlation; // 0: a free place
  uint64_t work;        // 0: the external record is missing
  int64_t begin, end;   // else
} half;

static struct {
  agpu__cupti_functions cupti;
  agpu__work_ran *ran;
  agpu__mutex lock;
  half *halves AGPU__GUARDED_BY(lock);
  size_t capacity AGPU__GUARDED_BY(lock), used AGPU__GUARDED_BY(lock);
  int64_t offset AGPU__GUARDED_BY(lock); // host's clock minus CUPTI's
  bool is_aligned AGPU__GUARDED_BY(lock);
} self = {.lock = AGPU__MUTEX_INIT(AGPU__RANK_CUPTI)};

static void fail(const char *what, int code) {
  agpu__work_clock_lose(0, "%s: CUPTI error %d", what, code);
}

static void lose_records(uint64_t count) {
  if (count)
    agpu__work_clock_lose(count, "CUPTI dropped records, or gave half of them");
}

//===----------------------------------------------------------------------===//
// Records that belong together
//===----------------------------------------------------------------------===//

static size_t place_of(uint32_t correlation) AGPU__REQUIRES(self.lock) {
  size_t mask = self.capacity - 1;
  size_t at = correlation & mask; // they count up
  while (self.halves[at].correlation &&
         self.halves[at].correlation != correlation)
    at = (at + 1) & mask;
  return at;
}

/// Makes the table twice as large, as far as it may be. Ids beyond that have
/// waited so long that their other record is lost.
static void make_room(uint32_t newest) AGPU__REQUIRES(self.lock) {
  half *old = self.halves;
  size_t count = self.capacity;
  bool is_full = count == MOST_CAPACITY;
  if (!is_full)
    self.capacity = count ? 2 * count : FIRST_CAPACITY;
  size_t bytes = self.capacity * sizeof *self.halves;
  self.halves =
      agpu__memory_alloc((int64_t)bytes, _Alignof(half), "records of CUPTI's");
  memset(self.halves, 0, bytes);
  self.used = 0;
  for (size_t i = 0; i < count; ++i) {
    if (!old[i].correlation)
      continue;
    if (is_full && newest - old[i].correlation >= KEPT) {
      lose_records(!old[i].work);
      continue;
    }
    self.halves[place_of(old[i].correlation)] = old[i];
    ++self.used;
  }
  agpu__memory_free(old);
}

/// Closes the gap that a taken place leaves to those that were put after it.
static void take_out(size_t gap) AGPU__REQUIRES(self.lock) {
  size_t mask = self.capacity - 1;
  for (size_t at = (gap + 1) & mask; self.halves[at].correlation;
       at = (at + 1) & mask) {
    size_t wanted = self.halves[at].correlation & mask;
    if (((at - wanted) & mask) >= ((at - gap) & mask)) {
      self.halves[gap] = self.halves[at];
      gap = at;
    }
  }
  self.halves[gap].correlation = 0;
  --self.used;
}

/// One of the two records is there; tells of the work if the other one is too.
static void join(half added) AGPU__REQUIRES(self.lock) {
  if (!added.correlation)
    return;
  if (2 * self.used >= self.capacity)
    make_room(added.correlation);
  size_t at = place_of(added.correlation);
  half *found = &self.halves[at];
  if (!found->correlation) {
    *found = added;
    ++self.used;
    return;
  }
  if (!added.work == !found->work) // the same once more
    return;
  const half *times = added.work ? found : &added;
  self.ran(added.work ? added.work : found->work, 0, times->begin, times->end);
  take_out(at);
}

static uint32_t read_word(const agpu__cupti_record *record, size_t offset) {
  uint32_t word;
  memcpy(&word, (const char *)record + offset, sizeof word);
  return word;
}

static void take_work(const agpu__cupti_record *record, size_t correlation)
    AGPU__REQUIRES(self.lock) {
  agpu__cupti_work work;
  memcpy(&work, record, sizeof work);
  if (!work.start || work.end < work.start) {
    lose_records(1);
    return;
  }
  join((half){.correlation = read_word(record, correlation),
              .begin = (int64_t)work.start + self.offset,
              .end = (int64_t)work.end + self.offset});
}

static void take_record(const agpu__cupti_record *record)
    AGPU__REQUIRES(self.lock) {
  static const size_t correlations[] = {
      [CUPTI_KIND_CONCURRENT_KERNEL] = AGPU__CUPTI_KERNEL_CORRELATION,
      [CUPTI_KIND_MEMCPY] = AGPU__CUPTI_COPY_CORRELATION,
      [CUPTI_KIND_MEMCPY_PEER] = AGPU__CUPTI_PEER_COPY_CORRELATION,
      [CUPTI_KIND_MEMSET] = AGPU__CUPTI_FILL_CORRELATION};
  enum { KINDS = sizeof correlations / sizeof *correlations };
  agpu__cupti_external external = {0};
  if (record->kind == CUPTI_KIND_EXTERNAL_CORRELATION)
    memcpy(&external, record, sizeof external);
  if (record->kind < KINDS && correlations[record->kind])
    take_work(record, correlations[record->kind]);
  else if (external.external_kind == CUPTI_EXTERNAL_KIND_CUSTOM0)
    join((half){.correlation = external.correlation,
                .work = external.external_id});
}

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

/// Compares the clocks. What the difference has changed by since the last time
/// is an error, too.
static void align(void) AGPU__REQUIRES(self.lock) {
  int64_t best = INT64_MAX, offset = 0;
  for (int i = 0; i < ALIGNMENT_TRIES; ++i) {
    uint64_t stamp;
    int64_t before = agpu__clock_now_ns();
    CUptiResult result = self.cupti.GetTimestamp(&stamp);
    int64_t width = agpu__clock_now_ns() - before;
    if (result)
      fail("reading the clock", result);
    else if (width < best) {
      best = width;
      offset = before + width / 2 - (int64_t)stamp;
    }
  }
  if (best == INT64_MAX)
    return;
  int64_t drift = self.is_aligned ? offset - self.offset : 0;
  agpu__work_clock_is_off(best / 2 + (drift < 0 ? -drift : drift));
  self.offset = offset;
  self.is_aligned = true;
}

static void request_buffer(uint8_t **buffer, size_t *size,
                           size_t *max_records) {
  *buffer = agpu__memory_alloc((int64_t)BUFFER_BYTES, 8, "records of CUPTI's");
  *size = BUFFER_BYTES;
  *max_records = 0; // as many as fit
}

static void complete_buffer(void *context, uint32_t stream, uint8_t *buffer,
                            size_t size, size_t valid) {
  (void)size;
  agpu__mutex_lock(&self.lock);
  align();
  agpu__cupti_record *record = NULL;
  CUptiResult result = CUPTI_SUCCESS;
  while (valid &&
         !(result = self.cupti.ActivityGetNextRecord(buffer, valid, &record)))
    take_record(record);
  if (result && result != CUPTI_ERROR_MAX_LIMIT_REACHED)
    fail("reading records", result);
  size_t dropped = 0;
  if (!self.cupti.ActivityGetNumDroppedRecords(context, stream, &dropped))
    lose_records(dropped);
  agpu__mutex_unlock(&self.lock);
  agpu__memory_free(buffer);
}

//===----------------------------------------------------------------------===//
// The clock
//===----------------------------------------------------------------------===//

static void *before(uint64_t work, int device, CUstream stream) {
  (void)device, (void)stream;
  // Without its id, the work goes without times.
  CUptiResult result = self.cupti.ActivityPushExternalCorrelationId(
      CUPTI_EXTERNAL_KIND_CUSTOM0, work);
  return result ? NULL : &self;
}

static void after(void *token, int device, CUstream stream, bool enqueued) {
  (void)device, (void)stream, (void)enqueued;
  uint64_t id;
  if (token)
    (void)self.cupti.ActivityPopExternalCorrelationId(
        CUPTI_EXTERNAL_KIND_CUSTOM0, &id);
}

/// CUPTI has one list of records for all devices.
static void collect(int device, bool is_last) {
  (void)device, (void)is_last;
  CUptiResult result = self.cupti.ActivityFlushAll(CUPTI_FLUSH_FORCED);
  if (result)
    fail("flushing the records", result);
}

//===----------------------------------------------------------------------===//
// The library
//===----------------------------------------------------------------------===//

/// By its name, then where toolkits put it.
static void *open_library(int driver_version) {
  static const char *const folders[] = {"", "/usr/local/cuda/lib64/",
                                        "/usr/local/cuda/extras/CUPTI/lib64/",
                                        "/usr/local/cuda/lib/"};
  char path[128];
  // One for an older release works with the driver, a newer one may not.
  for (int major = driver_version / 1000; major >= 11; --major)
    for (size_t i = 0; i < sizeof folders / sizeof *folders; ++i) {
      // Those for 11 have the whole version in the name; the link has not.
      (void)snprintf(path, sizeof path,
                     major > 11 ? "%slibcupti.so.%d" : "%slibcupti.so",
                     folders[i], major);
      void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
      if (library)
        return library;
    }
  return NULL;
}

static bool find_functions(void *library, char *why, size_t why_size) {
  const struct {
    const char *name;
    size_t offset;
  } symbols[] = {
#define SYMBOL(name, parameters)                                               \
  {"cupti" #name, offsetof(agpu__cupti_functions, name)},
      AGPU__CUPTI_FUNCTIONS(SYMBOL)
#undef SYMBOL
  };
  for (size_t i = 0; i < sizeof symbols / sizeof *symbols; ++i) {
    void *address = dlsym(library, symbols[i].name);
    // POSIX gives functions the representation of object pointers.
    memcpy((char *)&self.cupti + symbols[i].offset, &address, sizeof address);
    if (address)
      continue;
    (void)snprintf(why, why_size, "the libcupti that was found lacks %s",
                   symbols[i].name);
    return false;
  }
  return true;
}

static const uint32_t kinds[] = {CUPTI_KIND_DRIVER,
                                 CUPTI_KIND_EXTERNAL_CORRELATION,
                                 CUPTI_KIND_CONCURRENT_KERNEL,
                                 CUPTI_KIND_MEMCPY,
                                 CUPTI_KIND_MEMCPY_PEER,
                                 CUPTI_KIND_MEMSET};

/// All kinds or none.
static CUptiResult enable(void) {
  CUptiResult result = CUPTI_SUCCESS;
  size_t done = 0;
  while (!result && done < sizeof kinds / sizeof *kinds)
    result = self.cupti.ActivityEnable(kinds[done++]);
  if (result)
    while (done)
      (void)self.cupti.ActivityDisable(kinds[--done]);
  return result;
}

static void set_on(bool on) {
  CUptiResult result = CUPTI_SUCCESS;
  if (on)
    result = enable();
  else
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; ++i)
      (void)self.cupti.ActivityDisable(kinds[i]);
  if (result)
    fail("measuring again", result);
}

const agpu__work_clock *agpu__cupti_start(int driver_version,
                                          agpu__work_ran *ran, char *why,
                                          size_t why_size) {
  static const agpu__work_clock clock = {
      .source = "CUPTI",
      .how =
          "CUPTI's activity records; its clock was read between two looks at "
          "the host's with each buffer of records",
      .before = before,
      .after = after,
      .collect = collect,
      .set_on = set_on};
  // It stays open: CUPTI has threads and exit handlers of its own.
  void *library = open_library(driver_version);
  if (!library) {
    (void)snprintf(why, why_size,
                   "there is no libcupti for CUDA %d: it comes with the "
                   "toolkit, and LD_LIBRARY_PATH may say where it is",
                   driver_version / 1000);
    return NULL;
  }
  if (!find_functions(library, why, why_size))
    return NULL;
  self.ran = ran;
  CUptiResult result =
      self.cupti.ActivityRegisterCallbacks(request_buffer, complete_buffer);
  if (!result)
    result = enable();
  if (result) {
    (void)snprintf(why, why_size, "CUPTI error %d%s", result,
                   result == CUPTI_ERROR_MULTIPLE_SUBSCRIBERS
                       ? ": another profiler has the device"
                       : "");
    return NULL;
  }
  agpu__mutex_lock(&self.lock);
  align();
  agpu__mutex_unlock(&self.lock);
  return &clock;
}
