//===- work_clock.h - When work of devices ran --------------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Three ways to learn when a piece of work began and ended on its device: the
// emulated device says so itself, CUPTI does for CUDA where its library is
// there, and else an event before and one after each piece of work, which the
// driver gives the time of. All give times of the host's clock
// (base/os/clock.h), and say how far they may be off.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_GPU_TRACE_WORK_CLOCK_H
#define ASYNC_GPU_RUNTIME_GPU_TRACE_WORK_CLOCK_H

#include "gpu/driver/driver.h"

/// Takes what was measured: the work of that number ran from `begin` to `end`
/// (agpu__emu_ran); both 0: that could not be had. Any thread.
typedef agpu__emu_ran agpu__work_ran;

struct agpu__node_events;

/// Functions are called on any thread.
typedef struct agpu__work_clock {
  const char *source; ///< "emulated device", "CUPTI", "events"
  const char *how;    ///< a sentence: how its times become the host's
  /// Around the call that enqueues the work of that number (not 0) on a stream
  /// of device `device`, whose context is current. `enqueued`: it has
  /// succeeded; `token` is what `before` gave (of events NULL: it has told).
  void *(*before)(uint64_t work, int device, CUstream stream);
  void (*after)(void *token, int device, CUstream stream, bool enqueued);
  /// NULL, or between these takes over the events that a launch records behind
  /// its nodes (node_events.h), which are described.
  void (*take_nodes)(void *token, struct agpu__node_events *events);
  /// NULL, or tells of what is over by now. The context of `device` is current,
  /// and goes after this call if it `is_last`: then all work is over.
  void (*collect)(int device, bool is_last);
  /// NULL, or measures from now on, or does not: what is enqueued meanwhile has
  /// no times.
  void (*set_on)(bool on);
  /// It tells the nodes of a graph apart, whose numbers follow each other in
  /// the order in which they were added (agpu__emu_ran). Else it has the
  /// launch as a whole.
  bool tells_nodes;
} agpu__work_clock;

/// How good times have been so far, whichever clock's.
typedef struct agpu__work_clock_quality {
  int64_t error_ns; ///< they may be off by that
  uint64_t lost;    ///< pieces of work whose times could not be had
  char why[160];    ///< what went wrong first, or ""
} agpu__work_clock_quality;

agpu__work_clock_quality agpu__work_clock_get_quality(void);

// For clocks. Times may be off by so much; so many could not be had, which the
// text says, if it is the first.
void agpu__work_clock_is_off(int64_t error_ns);
void agpu__work_clock_lose(uint64_t count, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/// The emulated device's own. NULL where `driver` is none.
const agpu__work_clock *agpu__emu_clock_start(const agpu__driver *driver,
                                              agpu__work_ran *ran);

/// Events of `driver`, which must outlive the clock, with `has_nodes` those
/// that graphs record behind nodes, too, if the driver can do that. NULL where
/// it has none that take times.
const agpu__work_clock *agpu__timed_events_start(const agpu__driver *driver,
                                                 agpu__work_ran *ran,
                                                 bool has_nodes);

/// CUPTI, whose library is looked for as one for `driver_version` (12040 is
/// 12.4). Before cuInit. NULL where it cannot be had, and `why` says why.
const agpu__work_clock *agpu__cupti_start(int driver_version,
                                          agpu__work_ran *ran, char *why,
                                          size_t why_size);

#endif // ASYNC_GPU_RUNTIME_GPU_TRACE_WORK_CLOCK_H
