//===- kernel_fault.h - Accesses of addresses where nothing is -- -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel that touches such an address fails; what else faults goes to a check
// (hooks.h), and then to whoever handled such signals before.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_EMU_SIMT_KERNEL_FAULT_H
#define ASYNC_GPU_RUNTIME_EMU_SIMT_KERNEL_FAULT_H

#include <stdint.h>

/// From now on, faults are explained. Called before a kernel runs; again:
/// nothing happens.
void agpu__emu_kernel_fault_watch(void);

/// The calling thread's access, for whoever it goes on in.
typedef struct agpu__emu_fault_site {
  uintptr_t address, code; ///< code: 0 where the machine does not tell
  const char *verb;
} agpu__emu_fault_site;
const agpu__emu_fault_site *agpu__emu_get_fault_site(void);

#endif // ASYNC_GPU_RUNTIME_EMU_SIMT_KERNEL_FAULT_H
