//===- captured.c - Whether anything is captured --------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In a file of its own: streams, events and calls ask, and what captures them
// needs all of these.
//
//===----------------------------------------------------------------------===//

#include "emu/device/capture.h"

atomic_uint agpu__emu_captured;
agpu__emu_capture_table agpu__emu_capturing;
