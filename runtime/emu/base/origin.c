//===- origin.c - What a call is for, to keep -----------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Texts are constants of the program's code; those that are kept are never
// freed (base/memory/memory.h).
//
//===----------------------------------------------------------------------===//

#include "emu/base/origin.h"

#include "base/memory/memory.h"
#include "emu/base/client.h"

agpu__op_name agpu__emu_origin_keep(agpu__op_name origin) {
  origin.kernel = agpu__text_keep(origin.kernel);
  origin.location = agpu__text_keep(origin.location);
  return origin;
}

agpu__op_name agpu__emu_origin_now(void) {
  return agpu__emu_origin_keep(agpu__emu_get_origin());
}
