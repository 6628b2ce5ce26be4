//===- lock.c - The lock of modelled time ---------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// It is in a file of its own, as work and what kernels count need it and know
// nothing else of each other.
//
//===----------------------------------------------------------------------===//

#include "emu/model/lock.h"

agpu__mutex agpu__emu_timeline_lock = AGPU__MUTEX_INIT(AGPU__RANK_EMU_TIMELINE);
