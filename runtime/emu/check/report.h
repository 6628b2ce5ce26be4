//===- report.h - What kernels do wrong and survive ---------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What CUDA leaves undefined but no device stops at: with a check
// (ASYNC_GPU_EMU_CHECK) it is an error of the program when it ends, once for
// each place, and the launch goes on.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_EMU_CHECK_REPORT_H
#define ASYNC_GPU_RUNTIME_EMU_CHECK_REPORT_H

#include "async_gpu/compiled/native_thread.h"
#include "base/sync/lock.h"

#include <stdbool.h>
#include <stdint.h>

/// Places of which one thing has been reported. Static, one for each thing; 0
/// at first.
typedef struct agpu__emu_reported {
  agpu__lock lock;
  /// What comes behind so many is not reported.
  const char *places[64] AGPU__GUARDED_BY(lock);
  unsigned count AGPU__GUARDED_BY(lock);
} agpu__emu_reported;

/// Whether nothing has been reported of this place, whose text lives as long as
/// the program; from now on something has. Any thread.
bool agpu__emu_report_is_new(agpu__emu_reported *reported,
                             const char *location);

/// Reports what a thread of the block that the calling thread runs has done:
/// "LOCATION: error: kernel 'NAME', block X,Y,Z: thread X,Y,Z ...".
void agpu__emu_report(const char *location, uint32_t x, uint32_t y, uint32_t z,
                      const char *format, ...)
    __attribute__((format(printf, 5, 6)));

/// What is wrong with a division: "an integer by zero". `fault` is one of
/// agpu_native_division, and not 0.
const char *agpu__emu_division_fault(uint32_t fault);

/// The check of lanes: a lane of the warp reads another in a shuffle that is
/// not there. Most do not use what they get, so that this is said where it is
/// asked for alone.
void agpu__emu_report_absent_lane(const agpu_native_thread *warp, uint32_t lane,
                                  uint32_t source);

#endif // ASYNC_GPU_RUNTIME_EMU_CHECK_REPORT_H
