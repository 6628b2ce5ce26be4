//===- marker.h - Positions in streams -------------------------- -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A position in a stream: reached once, by the stream's thread. Reference
// counted, so that an event can be recorded again or destroyed while streams
// still wait for what it recorded before.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_EMU_DEVICE_MARKER_H
#define ASYNC_GPU_RUNTIME_EMU_DEVICE_MARKER_H

#include "emu/base/stamp.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct agpu__emu_marker agpu__emu_marker;

/// One that knows when it is reached, if `is_timed`. NULL: out of memory.
agpu__emu_marker *agpu__emu_marker_create(bool is_timed);
void agpu__emu_marker_retain(agpu__emu_marker *marker);
void agpu__emu_marker_release(agpu__emu_marker *marker);
void agpu__emu_marker_reach(agpu__emu_marker *marker);
void agpu__emu_marker_wait(agpu__emu_marker *marker);
bool agpu__emu_marker_is_reached(agpu__emu_marker *marker);
/// When it was reached (base/os/clock.h, or in modelled time). 0: it has not
/// been, or is not timed.
int64_t agpu__emu_marker_get_time(agpu__emu_marker *marker);

/// When it is reached in modelled time (emu/model/timeline.h); negative: that
/// is not known yet, or there is no such time. Whether a host function comes
/// next on its stream, which may tell of it.
void agpu__emu_marker_set_modelled(agpu__emu_marker *marker, int64_t time,
                                   bool is_announced);
bool agpu__emu_marker_is_announced(const agpu__emu_marker *marker);
int64_t agpu__emu_marker_get_modelled(const agpu__emu_marker *marker);

/// The stamp of the op that records it, a reference to which is taken. Set
/// before anyone else can see the marker.
void agpu__emu_marker_set_stamp(agpu__emu_marker *marker,
                                agpu__emu_stamp *stamp);
const agpu__emu_stamp *
agpu__emu_marker_get_stamp(const agpu__emu_marker *marker);

#endif // ASYNC_GPU_RUNTIME_EMU_DEVICE_MARKER_H
