//===- kernel_fault.c - Accesses of addresses where nothing is ------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A handler of SIGSEGV, in which little may be called: it has the thread go on
// in a function that explains the access, as if the code had called it there.
//
//===----------------------------------------------------------------------===//

#include "emu/simt/kernel_fault.h"

#include "base/os/self.h"
#include "emu/base/client.h"
#include "emu/base/hooks.h"
#include "emu/base/settings.h"
#include "emu/memory/memory.h"
#include "emu/simt/block.h"
#include "emu/simt/fault_context.h"
#include "emu/simt/pageable.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>

static struct {
  pthread_once_t once;
  struct sigaction before; // for SIGSEGV
} handler = {.once = PTHREAD_ONCE_INIT};

_Noreturn static void explain(void) {
  char what[512];
  CUresult error = agpu__emu_pageable_describe(
      agpu__emu_runner_current()->launch, agpu__self.emu.fault.address, false,
      what, sizeof what);
  CUdeviceptr near = agpu__emu_memory_address_of(agpu__self.emu.fault.address);
  if (!error && near) {
    char where[320];
    agpu__emu_memory_describe(near, where, sizeof where);
    (void)snprintf(what, sizeof what,
                   "out of the bounds of an allocation, %s%s", where,
                   AGPU__EMU_CHECK_MEMORY_ADVICE);
  } else if (!error) {
    (void)snprintf(what, sizeof what, "0x%zx, where there is no memory",
                   (size_t)agpu__self.emu.fault.address);
  }
  agpu__emu_block_fail(error ? error : CUDA_ERROR_ILLEGAL_ADDRESS, NULL,
                       "a thread %s %s", agpu__self.emu.fault.verb, what);
}

/// True: the thread goes on, there or elsewhere.
static bool resolve(const void *info, void *data) {
  ucontext_t *context = data;
  uintptr_t address = (uintptr_t)((const siginfo_t *)info)->si_addr;
  void (*next)(void) = NULL;
  bool is_checked = agpu__emu_hooks_table.faulted &&
                    agpu__emu_hooks_table.faulted(address, &next);
  if (!is_checked && agpu__emu_runner_current())
    next = explain;
  if (next) {
    agpu__self.emu.fault.address = address;
    agpu__self.emu.fault.code = agpu__emu_fault_code(context);
    agpu__self.emu.fault.verb = agpu__emu_fault_verb(context);
    agpu__emu_fault_leave_for(next, context);
  }
  return next || is_checked;
}

static void on_fault(int number, siginfo_t *info, void *context) {
  if (resolve(info, context))
    return;
  if (handler.before.sa_flags & SA_SIGINFO)
    handler.before.sa_sigaction(number, info, context);
  else if (handler.before.sa_handler != SIG_DFL &&
           handler.before.sa_handler != SIG_IGN)
    handler.before.sa_handler(number);
  else
    (void)sigaction(SIGSEGV, &handler.before, NULL); // and fault again
}

static void watch(void) {
  struct sigaction action = {.sa_sigaction = on_fault,
                             .sa_flags = SA_SIGINFO | SA_ONSTACK};
  sigemptyset(&action.sa_mask);
  (void)sigaction(SIGSEGV, &action, &handler.before);
}

void agpu__emu_kernel_fault_watch(void) {
  (void)pthread_once(&handler.once, watch);
  agpu__emu_client_now->set_resolve_fault(resolve);
}
