//===- hooks.c - Observers of the host's points ---------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The flag alone, so that code which only reads it, and tests that replace the
// observers, need nothing else.
//
//===----------------------------------------------------------------------===//

#include "base/os/hooks.h"

uint8_t agpu__hooks;
