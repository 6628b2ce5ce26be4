//===- loan.c - Loans of streams, and waits between them ------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A loan gets its stream with the first work: what it is made to wait for
// before is kept, and what follows a single other region takes over that one's
// stream.
//
//===----------------------------------------------------------------------===//

#include "async_gpu/stream.h"

#include "async/object.h"
#include "base/memory/magazine.h"
#include "base/report/status_track.h"
#include "gpu/calls/loan.h"
#include "gpu/graph/record.h"
#include "gpu/process/devices.h"

#include <stdarg.h>
#include <stdio.h>

static void drop_end(agpu_stream *loan) {
  if (loan->end)
    agpu__event_release(loan->end);
  loan->end = NULL;
}

bool agpu__loan_enter(agpu_stream *loan) {
  if (loan->error)
    return false;
  agpu__device_enter_inline(loan->device);
  return true;
}

/// Makes the stream wait, which there is one of. The loan is not in error, and
/// the device has been entered.
static inline void wait_now(agpu_stream *loan, agpu__event *event) {
  if (agpu__event_is_past(event) || agpu__stream_is_behind(loan->stream, event))
    return;
  const agpu__op_name op = {.what = "wait for an event",
                            .location = loan->last.location};
  agpu__driver_set_origin(&op);
  loan->error = agpu__event_wait(loan->stream, event, op.location);
  if (!loan->error)
    agpu__loan_name_last(loan, &op);
}

/// Makes the stream wait for what the loan has waited for without one. False
/// where the loan is in error then.
static inline __attribute__((always_inline)) bool catch_up(agpu_stream *loan) {
  unsigned count = loan->wait_count;
  loan->wait_count = 0;
  for (unsigned i = 0; i < count; ++i) {
    if (!loan->error)
      wait_now(loan, loan->waits[i]);
    agpu__event_release(loan->waits[i]);
  }
  return !loan->error;
}

/// Gives the loan a stream, which waits for what the loan has waited for. False
/// where the loan is in error then.
static inline bool bind(agpu_stream *loan) {
  if (!loan->stream)
    loan->error = agpu__stream_pool_acquire(loan->device, loan->priority,
                                            loan->last.location, &loan->stream,
                                            &loan->number);
  return !loan->error && (!loan->wait_count || catch_up(loan));
}

bool agpu__loan_begin_slowly(agpu_stream *loan) {
  if (!agpu__loan_enter(loan) || !bind(loan))
    return false;
  agpu__event_settle(loan->stream);
  drop_end(loan);
  return true;
}

void agpu__loan_fail(agpu_stream *loan, agpu_status status) {
  loan->error = status;
}

void agpu__loan_fail_at(agpu_stream *loan, agpu_status status,
                        const char *location) {
  // The start of a device knows no location: this is the op that needed it.
  if (location && !*agpu_status_get_location(status)) {
    agpu_status located =
        agpu_status_create(agpu_status_get_code(status), location, "%s",
                           agpu_status_get_message(status));
    agpu_status_release(status);
    status = located;
  }
  agpu__loan_fail(loan, status);
}

void agpu__loan_reject(agpu_stream *loan, const char *location,
                       const char *what, ...) {
  char text[1024];
  va_list arguments;
  va_start(arguments, what);
  (void)vsnprintf(text, sizeof text, what, arguments);
  va_end(arguments);
  agpu__loan_fail(loan, agpu_status_create(AGPU_STATUS_INVALID_ARGUMENT,
                                           location, "%s", text));
}

/// The driver has refused work of the calling thread's round, which the loan is
/// of, after that was told it had it.
static inline bool fail_with_round(agpu_stream *loan) {
  const agpu__recorder *round = agpu__self.gpu.part;
  if (!round || !round->error || loan->device->driver != &round->driver)
    return false;
  agpu__loan_fail(loan, agpu_status_retain(round->error));
  return true;
}

void agpu__loan_fail_call(agpu_stream *loan, CUresult result,
                          const agpu__op_name *op, const char *what, ...) {
  const agpu__driver *driver = loan->device->driver;
  if (fail_with_round(loan))
    return;
  if (agpu__is_sticky(result)) {
    agpu__loan_fail(loan, agpu__driver_work_error(driver, result, &loan->last));
    return;
  }
  char text[1024];
  va_list arguments;
  va_start(arguments, what);
  (void)vsnprintf(text, sizeof text, what, arguments);
  va_end(arguments);
  agpu__loan_fail(loan,
                  agpu__driver_error(driver, result, op->location, "%s", text));
}

static __attribute__((noinline)) agpu__event *make_slowly(agpu_stream *loan) {
  agpu__event *event;
  loan->error =
      agpu__event_make(loan->stream, loan->number, &loan->last, &event);
  return event;
}

static inline agpu__event *record(agpu_stream *loan) {
  if (loan->error || fail_with_round(loan))
    return NULL;
  // What it has waited for is all there is: a stream would add nothing.
  if (!loan->stream && loan->wait_count == 1)
    return agpu__event_retain(loan->waits[0]);
  if (!loan->stream && !agpu__loan_begin_slowly(loan))
    return NULL;
  agpu__event *event =
      agpu__event_make_of_stream(loan->stream, loan->number, &loan->last);
  return event ? event : make_slowly(loan);
}

agpu__event *agpu__loan_record(agpu_stream *loan) { return record(loan); }

/// An event (one reference) that hands the loan's error on: a thread that gets
/// it may free what the work before it uses, memory of the host, too, on a
/// device that reaches that. So that work is over first; whether it has failed
/// as well does not matter any more. NULL where no work is left.
static agpu__event *hand_on_error(agpu_stream *loan) {
  loan->error_is_handed_on = true;
  if (!loan->stream)
    return NULL;
  agpu__event *event = NULL;
  agpu_status status = agpu__event_make_failed(
      loan->stream, loan->number, &loan->last, loan->error, &event);
  // A driver that has no event left has failed as a whole.
  if (status)
    (void)loan->device->driver->cuStreamSynchronize(loan->stream->handle);
  agpu_status_release(status);
  return event;
}

static inline void wait_for(agpu_stream *loan, agpu__event *event);

agpu_stream *agpu_stream_acquire(const char *location) {
  agpu_stream *loan =
      agpu__magazine_alloc(sizeof *loan, _Alignof(agpu_stream), "a stream");
  // All but `waits`, of which there are none.
  loan->stream = NULL;
  loan->priority = 0;
  loan->number = 0;
  loan->wait_count = 0;
  loan->end = NULL;
  loan->error = AGPU_OK;
  loan->error_is_handed_on = false;
  agpu__loan_name_last(
      loan, &(agpu__op_name){.what = "region's start", .location = location});
  if (agpu__self.gpu.capturing) {
    // Captured from its first work on, whatever the callee has it wait for.
    loan->device = agpu__self.gpu.capturing;
    agpu__event *begin = agpu__loan_record(agpu__hot.choices.stream);
    if (begin) {
      wait_for(loan, begin);
      agpu__event_release(begin);
    }
    return loan;
  }
  agpu_status status = agpu__devices_get_default(&loan->device);
  if (status)
    agpu__loan_fail_at(loan, status, location);
  return loan;
}

void agpu_stream_set_priority(agpu_stream *loan, int32_t priority) {
  const int greatest = AGPU__GREATEST_PRIORITY;
  loan->priority = priority > 0 ? 0 : priority < greatest ? greatest : priority;
  if (loan->stream && agpu__is_lane(loan->stream->handle))
    agpu__lane_from(loan->stream->handle)->priority = loan->priority;
}

void agpu_stream_release(agpu_stream *loan) {
  if (!loan)
    return;
  for (unsigned i = 0; i < loan->wait_count; ++i)
    agpu__event_release(loan->waits[i]);
  if (loan->end)
    agpu__event_release(loan->end);
  if (loan->stream)
    agpu__stream_pool_release(loan->stream, &loan->last);
  // An error that went nowhere must not get lost.
  if (loan->error && !loan->error_is_handed_on)
    agpu__status_report(loan->error);
  else if (loan->error)
    agpu_status_release(loan->error);
  if (loan->device)
    agpu__device_leave(loan->device);
  agpu__magazine_free_of(loan, sizeof *loan);
}

/// Puts the loan into error where the object has one: its own, or that of its
/// work, which is `failed` or NULL.
__attribute__((noinline)) static void
take_error(agpu_stream *loan, agpu_object *object, agpu__event *failed) {
  agpu_status status = failed ? agpu_status_retain(failed->error)
                              : agpu_object_get_status(object);
  if (status) {
    agpu__loan_fail(loan, status);
    loan->error_is_handed_on = true; // the object has it
  } else if (!agpu_object_is_ready(object)) {
    agpu__loan_reject(loan, loan->last.location,
                      "a stream was made to wait for an object that has no "
                      "work behind it yet");
  }
}

/// The work after `object` as an event, which the object keeps; NULL where
/// there is none: it is READY, or the loan is in error now.
static agpu__event *get_event(agpu_stream *loan, agpu_object *object) {
  agpu__work *work = agpu__object_get_work(object);
  agpu__event *event = work ? agpu__event_from_work(work) : NULL;
  if (event && !event->error)
    return event;
  take_error(loan, object, event);
  return NULL;
}

static __attribute__((noinline)) void enter_and_wait(agpu_stream *loan,
                                                     agpu__event *event) {
  // What the loan has waited for before it had a stream comes first.
  if (agpu__loan_begin_slowly(loan))
    wait_now(loan, event);
}

static inline void wait_for(agpu_stream *loan, agpu__event *event) {
  if (agpu__event_is_past(event))
    return;
  if (!loan->stream && loan->wait_count < AGPU__LOAN_WAITS)
    loan->waits[loan->wait_count++] = agpu__event_retain(event);
  else
    enter_and_wait(loan, event);
}

void agpu_stream_wait(agpu_stream *loan, agpu_object *object) {
  agpu__event *event = loan->error ? NULL : get_event(loan, object);
  if (event)
    wait_for(loan, event);
}

void agpu_stream_continue(agpu_stream *loan, agpu_object *object,
                          bool is_last) {
  agpu__event *event = loan->error ? NULL : get_event(loan, object);
  if (!event)
    return;
  if (!loan->stream && event->stream->device == loan->device &&
      !agpu__event_get_result(event) &&
      agpu__stream_pool_take_over(event->stream, event->loan, loan->priority,
                                  &loan->number)) {
    loan->stream = event->stream;
    // The reference of the object.
    agpu__event_elide_record(event, is_last ? 1 : 0);
    if (loan->wait_count)
      (void)agpu__loan_begin_slowly(loan);
  } else {
    wait_for(loan, event);
  }
}

/// Nothing enqueued, and nothing waited for that may be going on.
static bool has_no_work(const agpu_stream *loan) {
  return !loan->error && !loan->stream && !loan->wait_count;
}

agpu_object *agpu_stream_record(agpu_stream *loan) {
  if (has_no_work(loan))
    return agpu__token_create_ready();
  agpu__event *event = record(loan);
  if (!event)
    event = hand_on_error(loan);
  if (!event)
    return agpu__token_create_error(agpu_status_retain(loan->error));
  if (event->error || !agpu__event_is_past(event))
    return agpu__token_create_enqueued(&event->work);
  agpu__event_release(event);
  return agpu__token_create_ready();
}

void agpu_object_set_enqueued(agpu_object *object, agpu_stream *loan) {
  if (has_no_work(loan)) {
    agpu__object_emplace(object);
    return;
  }
  // All results of a region wait for the same work, whatever a region that
  // reuses its stream has enqueued since the first of them was told.
  if (!loan->end)
    loan->end = agpu__loan_record(loan);
  if (!loan->end)
    loan->end = hand_on_error(loan);
  if (loan->end) {
    if (loan->stream)
      atomic_store_explicit(&loan->stream->ended, loan->number,
                            memory_order_release);
    agpu__object_enqueue(object, &agpu__event_retain(loan->end)->work);
  } else {
    agpu__object_fail(object, agpu_status_retain(loan->error));
  }
}
