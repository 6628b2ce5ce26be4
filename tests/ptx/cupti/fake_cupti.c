//===- fake_cupti.c - CUPTI for the interpreter's devices ----------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A library with the functions of CUPTI's activity API that the runtime calls,
// for the driver beside it. Records have the layout of CUPTI 12's, written by
// offsets that stand here once more. Its clock is another one than the host's:
// it is ahead by a day. Records of work come before those of external ids, and
// after them, in turns, and the two may be in different buffers, which are
// small. The environment says what goes wrong:
//
//   FAKE_CUPTI_FAIL=NAME   cuptiNAME gives an error
//   FAKE_CUPTI_DROP=N      every N-th piece of work has no record
//
//===----------------------------------------------------------------------===//

#include "driver/observer.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define EXPORT __attribute__((visibility("default")))
// The prototypes of what is exported are NVIDIA's.
#pragma GCC diagnostic ignored "-Wmissing-prototypes"

enum { UNKNOWN_ERROR = 999, NO_MORE_RECORDS = 12, CUSTOM0 = 3 };
enum { MEMCPY = 1, MEMSET = 2, KERNEL = 10, EXTERNAL = 39, KINDS = 64 };
enum {
  KERNEL_BYTES = 208,
  COPY_BYTES = 88,
  FILL_BYTES = 80,
  EXTERNAL_BYTES = 24
};
enum { AHEAD_SECONDS = 86400, RECORDS_OF_A_BUFFER = 3 };

typedef void requested(uint8_t **buffer, size_t *size, size_t *max_records);
typedef void completed(void *context, uint32_t stream, uint8_t *buffer,
                       size_t size, size_t valid);

typedef struct activity {
  ptx_activity kind;
  uint64_t external, bytes, begin, end;
} activity;

static struct {
  pthread_mutex_t lock;
  bool enabled[KINDS];
  requested *request;
  completed *complete;
  activity *activities; // by correlation id, less 1
  size_t count, capacity, flushed, dropped;
} self = {.lock = PTHREAD_MUTEX_INITIALIZER};

static _Thread_local struct {
  uint64_t ids[8];
  unsigned count;
} stack;

static bool fails(const char *name) {
  const char *failing = getenv("FAKE_CUPTI_FAIL");
  return failing && strcmp(failing, name) == 0;
}

static uint64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return ((uint64_t)time.tv_sec + AHEAD_SECONDS) * 1000000000 +
         (uint64_t)time.tv_nsec;
}

static uint32_t note_enqueued(ptx_activity kind, uint64_t bytes) {
  pthread_mutex_lock(&self.lock);
  if (self.count == self.capacity) {
    self.capacity = self.capacity ? 2 * self.capacity : 64;
    self.activities =
        realloc(self.activities, self.capacity * sizeof *self.activities);
    if (!self.activities)
      abort();
  }
  self.activities[self.count] =
      (activity){.kind = kind,
                 .bytes = bytes,
                 .external = stack.count ? stack.ids[stack.count - 1] : 0};
  uint32_t correlation = (uint32_t)++self.count;
  pthread_mutex_unlock(&self.lock);
  return correlation;
}

static void note_begin(uint32_t correlation) {
  pthread_mutex_lock(&self.lock);
  self.activities[correlation - 1].begin = now();
  pthread_mutex_unlock(&self.lock);
}

static void note_end(uint32_t correlation) {
  pthread_mutex_lock(&self.lock);
  self.activities[correlation - 1].end = now();
  pthread_mutex_unlock(&self.lock);
}

//===----------------------------------------------------------------------===//
// Records
//===----------------------------------------------------------------------===//

static void put32(uint8_t *record, size_t offset, uint32_t value) {
  memcpy(record + offset, &value, sizeof value);
}

static void put64(uint8_t *record, size_t offset, uint64_t value) {
  memcpy(record + offset, &value, sizeof value);
}

static size_t record_bytes(uint32_t kind) {
  return kind == KERNEL     ? KERNEL_BYTES
         : kind == MEMCPY   ? COPY_BYTES
         : kind == EXTERNAL ? EXTERNAL_BYTES
                            : FILL_BYTES;
}

static size_t put_work(uint8_t *record, const activity *of,
                       uint32_t correlation) {
  uint32_t kind = of->kind == PTX_KERNEL ? KERNEL
                  : of->kind == PTX_COPY ? MEMCPY
                                         : MEMSET;
  if (!self.enabled[kind])
    return 0;
  memset(record, 0xee, record_bytes(kind));
  put32(record, 0, kind);
  put64(record, 16, of->begin);
  put64(record, 24, of->end);
  if (kind != KERNEL)
    put64(record, 8, of->bytes);
  put32(record, kind == KERNEL ? 92 : 44, correlation);
  return record_bytes(kind);
}

static size_t put_external(uint8_t *record, const activity *of,
                           uint32_t correlation) {
  if (!self.enabled[EXTERNAL] || !of->external)
    return 0;
  put32(record, 0, EXTERNAL);
  put32(record, 4, CUSTOM0);
  put64(record, 8, of->external);
  put32(record, 16, correlation);
  return EXTERNAL_BYTES;
}

/// Half of what there is to say of one.
static size_t put_half(uint8_t *record, size_t number, bool is_first) {
  const activity *of = &self.activities[number];
  uint32_t correlation = (uint32_t)number + 1;
  return (number % 2 == 0) == is_first ? put_external(record, of, correlation)
                                       : put_work(record, of, correlation);
}

static bool is_dropped(size_t number) {
  const char *every = getenv("FAKE_CUPTI_DROP");
  return every && (number + 1) % (size_t)atoi(every) == 0;
}

EXPORT int cuptiActivityFlushAll(uint32_t flag) {
  (void)flag;
  if (fails("ActivityFlushAll"))
    return UNKNOWN_ERROR;
  uint8_t *buffer = NULL;
  size_t size = 0, used = 0, records = 0, most;
  pthread_mutex_lock(&self.lock);
  for (size_t i = 2 * self.flushed; i < 2 * self.count; ++i) {
    if (is_dropped(i / 2)) {
      self.dropped += i % 2;
      continue;
    }
    if (!buffer)
      self.request(&buffer, &size, &most);
    used += put_half(buffer + used, i / 2, i % 2 == 0);
    if (++records % RECORDS_OF_A_BUFFER && i + 1 < 2 * self.count)
      continue;
    pthread_mutex_unlock(&self.lock);
    self.complete(NULL, 0, buffer, size, used);
    pthread_mutex_lock(&self.lock);
    buffer = NULL;
    used = 0;
  }
  self.flushed = self.count;
  pthread_mutex_unlock(&self.lock);
  if (buffer)
    self.complete(NULL, 0, buffer, size, used);
  return 0;
}

EXPORT int cuptiActivityGetNextRecord(uint8_t *buffer, size_t valid,
                                      uint8_t **record) {
  if (fails("ActivityGetNextRecord"))
    return UNKNOWN_ERROR;
  uint32_t kind = 0;
  if (*record)
    memcpy(&kind, *record, sizeof kind);
  uint8_t *next = *record ? *record + record_bytes(kind) : buffer;
  if (next >= buffer + valid)
    return NO_MORE_RECORDS;
  *record = next;
  return 0;
}

EXPORT int cuptiActivityGetNumDroppedRecords(void *context, uint32_t stream,
                                             size_t *dropped) {
  (void)context, (void)stream;
  pthread_mutex_lock(&self.lock);
  *dropped = self.dropped;
  self.dropped = 0;
  pthread_mutex_unlock(&self.lock);
  return 0;
}

//===----------------------------------------------------------------------===//
// The rest
//===----------------------------------------------------------------------===//

EXPORT int cuptiGetVersion(uint32_t *version) {
  *version = 26;
  return fails("GetVersion") ? UNKNOWN_ERROR : 0;
}

EXPORT int cuptiGetTimestamp(uint64_t *timestamp) {
  *timestamp = now();
  return fails("GetTimestamp") ? UNKNOWN_ERROR : 0;
}

EXPORT int cuptiActivityRegisterCallbacks(requested *request,
                                          completed *complete) {
  static const ptx_observer observer = {note_enqueued, note_begin, note_end};
  self.request = request;
  self.complete = complete;
  void *driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  void (*observe)(const ptx_observer *by);
  void *symbol = driver ? dlsym(driver, "ptx_device_observe") : NULL;
  memcpy(&observe, &symbol, sizeof symbol);
  if (!symbol || fails("ActivityRegisterCallbacks"))
    return UNKNOWN_ERROR;
  observe(&observer);
  return 0;
}

EXPORT int cuptiActivityEnable(uint32_t kind) {
  if (fails("ActivityEnable") || kind >= KINDS)
    return UNKNOWN_ERROR;
  self.enabled[kind] = true;
  return 0;
}

EXPORT int cuptiActivityDisable(uint32_t kind) {
  self.enabled[kind] = false;
  return 0;
}

EXPORT int cuptiActivityPushExternalCorrelationId(uint32_t kind, uint64_t id) {
  if (fails("ActivityPushExternalCorrelationId") || kind != CUSTOM0 ||
      stack.count == sizeof stack.ids / sizeof *stack.ids)
    return UNKNOWN_ERROR;
  stack.ids[stack.count++] = id;
  return 0;
}

EXPORT int cuptiActivityPopExternalCorrelationId(uint32_t kind, uint64_t *id) {
  (void)kind;
  if (!stack.count)
    return UNKNOWN_ERROR;
  *id = stack.ids[--stack.count];
  return 0;
}
