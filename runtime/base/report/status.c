//===- status.c - The outcome of an operation ---------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A record is one allocation: the header, the location, the message. Records
// are immutable but for the reference count and two sticky marks.
//
//===----------------------------------------------------------------------===//

#include "async_gpu/status.h"

#include "base/report/status_track.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct agpu_status_record {
  /// Negative in the static record, which is never freed.
  atomic_int references;
  agpu_status_code code;
  int result; // of who has created it, or 0
  atomic_bool tracked;
  atomic_bool observed;
  const char *location; // in the same allocation, or a constant
  const char *message;
};

/// Tracked errors that agpu__status_find_unobserved looks at, at most.
#define LISTED 16

static struct {
  struct agpu_status_record out_of_memory;
  _Atomic(agpu_status) reported;
  /// Tracked, no references: each leaves when it dies.
  _Atomic(agpu_status) tracked[LISTED];
} process = {.out_of_memory = {.references = -1,
                               .code = AGPU_STATUS_OUT_OF_RESOURCES,
                               .location = "",
                               .message = "out of host memory"}};

static bool is_static(agpu_status status) {
  return status == &process.out_of_memory;
}

agpu_status agpu_status_create(agpu_status_code code, const char *location,
                               const char *format, ...) {
  if (!location)
    location = "";

  va_list arguments;
  va_start(arguments, format);
  int message_length = vsnprintf(NULL, 0, format, arguments);
  va_end(arguments);
  // The only failure vsnprintf has here is a malformed wide string.
  if (message_length < 0)
    message_length = 0;

  size_t message_size = (size_t)message_length + 1;
  size_t location_size = strlen(location) + 1;
  agpu_status status = malloc(sizeof(*status) + message_size + location_size);
  if (!status)
    return &process.out_of_memory;

  char *message = (char *)(status + 1);
  message[0] = '\0';
  va_start(arguments, format);
  (void)vsnprintf(message, message_size, format, arguments);
  va_end(arguments);
  char *location_copy = message + message_size;
  memcpy(location_copy, location, location_size);

  atomic_init(&status->references, 1);
  atomic_init(&status->tracked, false);
  atomic_init(&status->observed, false);
  status->code = code == AGPU_STATUS_OK ? AGPU_STATUS_INTERNAL : code;
  status->result = 0;
  status->location = location_copy;
  status->message = message;
  return status;
}

void agpu__status_set_result(agpu_status status, int result) {
  if (!is_static(status))
    status->result = result;
}

int agpu__status_get_result(agpu_status status) { return status->result; }

agpu_status agpu_status_retain(agpu_status status) {
  if (status && !is_static(status))
    atomic_fetch_add_explicit(&status->references, 1, memory_order_relaxed);
  return status;
}

/// Puts `to` in the place of `from`, where there is one.
static void change_listed(agpu_status from, agpu_status to) {
  for (int i = 0; i < LISTED; ++i) {
    agpu_status expected = from;
    if (atomic_compare_exchange_strong_explicit(&process.tracked[i], &expected,
                                                to, memory_order_acq_rel,
                                                memory_order_relaxed))
      return;
  }
}

void agpu_status_release(agpu_status status) {
  if (!status || is_static(status))
    return;
  // acq_rel: the thread that frees has seen all uses by the others.
  if (atomic_fetch_sub_explicit(&status->references, 1, memory_order_acq_rel) !=
      1)
    return;
  if (atomic_load_explicit(&status->tracked, memory_order_relaxed) &&
      !atomic_load_explicit(&status->observed, memory_order_relaxed)) {
    // Its last reference becomes the process's.
    atomic_store_explicit(&status->references, 1, memory_order_relaxed);
    agpu__status_report(status);
    return;
  }
  if (atomic_load_explicit(&status->tracked, memory_order_relaxed))
    change_listed(status, NULL);
  free(status);
}

agpu_status_code agpu_status_get_code(agpu_status status) {
  return status ? status->code : AGPU_STATUS_OK;
}

const char *agpu_status_get_message(agpu_status status) {
  return status ? status->message : "ok";
}

const char *agpu_status_get_location(agpu_status status) {
  return status ? status->location : "";
}

void agpu__status_track(agpu_status status) {
  if (status &&
      !atomic_exchange_explicit(&status->tracked, true, memory_order_relaxed) &&
      !is_static(status))
    change_listed(NULL, status);
}

agpu_status agpu__status_find_unobserved(void) {
  for (int i = 0; i < LISTED; ++i) {
    agpu_status status =
        atomic_load_explicit(&process.tracked[i], memory_order_acquire);
    if (status && !agpu__status_is_observed(status))
      return agpu_status_retain(status);
  }
  return NULL;
}

void agpu__status_observe(agpu_status status) {
  if (status)
    atomic_store_explicit(&status->observed, true, memory_order_relaxed);
}

bool agpu__status_is_observed(agpu_status status) {
  return status &&
         atomic_load_explicit(&status->observed, memory_order_relaxed);
}

void agpu__status_report(agpu_status status) {
  if (!status)
    return;
  agpu_status expected = NULL;
  if (atomic_compare_exchange_strong_explicit(&process.reported, &expected,
                                              status, memory_order_acq_rel,
                                              memory_order_acquire))
    return;
  // Another error came first. Observing this one makes its release final.
  agpu__status_observe(status);
  agpu_status_release(status);
}

agpu_status agpu__status_take_reported(void) {
  agpu_status status =
      atomic_exchange_explicit(&process.reported, NULL, memory_order_acq_rel);
  // The caller that takes it answers for it.
  agpu__status_observe(status);
  return status;
}
