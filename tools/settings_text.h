//===- settings_text.h - What settings are, in words --------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_TOOLS_SETTINGS_TEXT_H
#define ASYNC_GPU_TOOLS_SETTINGS_TEXT_H

#include "base/report/settings.h"

/// The variable.
const char *agpu__setting_name(agpu__setting setting);

/// One line about what it does.
const char *agpu__setting_meaning(agpu__setting setting);

/// What values it may have, into `buffer`, which is returned; and its default
/// where it has one of its own.
const char *agpu__setting_allowed(agpu__setting setting, char *buffer,
                                  size_t size);

#endif // ASYNC_GPU_TOOLS_SETTINGS_TEXT_H
