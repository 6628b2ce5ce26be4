//===- hooks.c - What checks are notified of ------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The table, which stays empty until the device is chosen and check/checks.c
// fills it.
//
//===----------------------------------------------------------------------===//

#include "emu/base/hooks.h"

agpu__emu_hooks agpu__emu_hooks_table;
