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

/// Takes what was measured: the work of that number ran from `begin` to `end`;
/// both 0: that could not be had. Any thread.
typedef void agpu__work_ran(uint64_t work, int64_t begin, int64_t end);

/// How the times came about, for whoever reads them.
typedef struct agpu__work_clock_quality {
  const char *source; ///< "emulated device", "CUPTI", "events"; NULL: none
  char how[160];      ///< a sentence: how clocks were aligned
  int64_t error_ns;   ///< times may be off by that
  uint64_t lost;      ///< pieces of work whose times could not be had
  char why[160];      ///< what went wrong first, or ""
} agpu__work_clock_quality;

typedef struct agpu__work_clock {
  /// Around the call that enqueues the work of that number (not 0) on a stream
  /// of device `device`, whose context is current. `enqueued`: it has
  /// succeeded; `token` is what `before` gave.
  void *(*before)(uint64_t work, int device, CUstream stream);
  void (*after)(void *token, int device, CUstream stream, bool enqueued);
  /// Before the context of `device` goes, which is current; all its work is
  /// over. Tells of what has not been told of.
  void (*ending)(int device);
  /// NULL, or tells of what is over by now. The context of `device` is current.
  void (*collect)(int device);
  /// NULL, or measures from now on, or does not: what is enqueued meanwhile has
  /// no times.
  void (*set_on)(bool on);
  void (*describe)(agpu__work_clock_quality *out_quality);
  /// It tells the nodes of a graph apart, whose numbers follow each other in
  /// the order in which they were added. Else it has the launch as a whole.
  bool tells_nodes;
} agpu__work_clock;

/// The emulated device's own. NULL where `driver` is none.
const agpu__work_clock *agpu__emu_clock_start(const agpu__driver *driver,
                                              agpu__work_ran *ran);

/// Events of `driver`, which must outlive the clock. NULL where it has none
/// that take times.
const agpu__work_clock *agpu__timed_events_start(const agpu__driver *driver,
                                                 agpu__work_ran *ran);

/// CUPTI, whose library is looked for as one for `driver_version` (12040 is
/// 12.4). Before cuInit. NULL where it cannot be had, and `why` says why.
const agpu__work_clock *agpu__cupti_start(int driver_version,
                                          agpu__work_ran *ran, char *why,
                                          size_t why_size);

#endif // ASYNC_GPU_RUNTIME_GPU_TRACE_WORK_CLOCK_H
