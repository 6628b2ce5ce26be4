//===- hooks.c - Who listens at the points of the host --------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The flag alone, so that those who only look at it, and the tests that replace
// who listens, need nothing else.
//
//===----------------------------------------------------------------------===//

#include "base/os/hooks.h"

uint8_t agpu__hooks;
