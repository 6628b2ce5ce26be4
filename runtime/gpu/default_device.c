//===- default_device.c - The choice of a device
//-----------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "gpu/loan.h"

void agpu_set_default_device(agpu_stream *stream, int32_t device,
                             const char *location) {
  if (device == 0 || !agpu__loan_enter(stream))
    return;
  agpu__loan_fail(stream,
                  agpu_status_create(AGPU_STATUS_UNSUPPORTED, location,
                                     "device %d was asked for, and only device "
                                     "0 is used",
                                     device));
}
