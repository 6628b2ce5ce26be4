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

#include <stdbool.h>
#include <stdint.h>

/// What is reported once for each place.
typedef enum agpu__emu_report_kind {
  AGPU__EMU_UNWRITTEN, ///< a read of what nothing has written
  AGPU__EMU_DIVISION,
  AGPU__EMU_ABSENT_LANE,
  AGPU__EMU_REPORT_KINDS,
} agpu__emu_report_kind;

/// Whether that has not been reported of this place; from now on it has. Places
/// beyond the first 64 are not reported. Any thread.
bool agpu__emu_report_is_new(agpu__emu_report_kind kind, const char *location);

/// Nothing has been reported: the device is started.
void agpu__emu_report_reset(void);

/// Reports what a thread of the block that the calling thread runs has done:
/// "LOCATION: error: kernel 'NAME', block X,Y,Z: thread X,Y,Z ...".
void agpu__emu_report(const char *location, uint32_t x, uint32_t y, uint32_t z,
                      const char *format, ...)
    __attribute__((format(printf, 5, 6)));

/// The check of lanes: a lane of the warp reads another in a shuffle that is
/// not there. Most do not use what they get, so that this is said where it is
/// asked for alone.
void agpu__emu_report_absent_lane(const agpu_native_thread *warp, uint32_t lane,
                                  uint32_t source);

#endif // ASYNC_GPU_RUNTIME_EMU_CHECK_REPORT_H
