//===- host_access.c - The host's accesses of device memory ---------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "emu/check/host_access.h"

#include "async_gpu/compiled/host_access.h"
#include "base/report/fatal.h"
#include "emu/check/guard.h"
#include "emu/check/host_races.h"
#include "emu/check/report.h"
#include "emu/simt/block.h"
#include "emu/simt/pageable.h"

#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <ucontext.h>
#include <unistd.h>

/// How long ending a process may take that holds locks where it stands.
#define SECONDS_TO_END 15

static struct sigaction previous; // for SIGSEGV
static pthread_once_t once = PTHREAD_ONCE_INIT;
static _Thread_local const char *call_location;

_Noreturn static void fail(uintptr_t address, uint64_t size, const char *verb,
                           const char *where, const char *location) {
  char bytes[48] = "", memory[384];
  if (size)
    (void)snprintf(bytes, sizeof bytes, "%llu bytes of ",
                   (unsigned long long)size);
  agpu__emu_memory_describe((CUdeviceptr)address, memory, sizeof memory);
  agpu_status status = agpu_status_create(
      AGPU_STATUS_PROGRAM, location,
      "the host %s %sdevice memory, %s%s: copy it to the host first "
      "(gpu.memcpy), or allocate it for both (gpu.alloc host_shared)",
      verb, bytes, memory, where);
  agpu__fatal(status, NULL, EXIT_FAILURE);
}

void agpu_check_host_access(const void *address, uint64_t size, uint32_t flags,
                            const char *location) {
  if (size && agpu__emu_guard_holds((uintptr_t)address))
    fail((uintptr_t)address, size,
         flags & AGPU_NATIVE_WRITES ? "writes" : "reads", "", location);
  if (size)
    agpu__emu_host_races_access((uintptr_t)address, size,
                                flags & AGPU_NATIVE_WRITES, location);
}

void agpu_check_host_free(void *memory, const char *location) {
  agpu__emu_host_races_free(memory, location);
}

void agpu_check_host_division(uint32_t fault, const char *location) {
  if (fault)
    agpu__fatal(agpu_status_create(AGPU_STATUS_PROGRAM, location,
                                   "the host divides %s",
                                   agpu__emu_division_fault(fault)),
                NULL, EXIT_FAILURE);
}

void agpu_note_host_call(const char *location) { call_location = location; }

//===----------------------------------------------------------------------===//
// Code that does not say what it accesses
//===----------------------------------------------------------------------===//

/// An access of the calling thread that is to be explained.
static _Thread_local struct {
  uintptr_t address, code; ///< code: 0 where the machine does not tell
  const char *verb;
} fault;

/// Writes ", in FUNCTION of FILE", or nothing.
static void print_function(uintptr_t code, char *out, size_t size) {
  Dl_info info;
  *out = '\0';
  if (!code || !dladdr((void *)code, &info) || !info.dli_fname)
    return;
  const char *file = info.dli_fname;
  if (info.dli_sname)
    (void)snprintf(out, size, ", in %s of %s", info.dli_sname, file);
  else
    (void)snprintf(out, size, ", at 0x%zx of %s",
                   (size_t)(code - (uintptr_t)info.dli_fbase), file);
}

static void end_late(int number) {
  (void)number;
  _exit(EXIT_FAILURE);
}

/// The thread stands at an access, so that what it holds are the locks of the
/// code around it: of stdio, which it may take again, or of malloc, where the
/// alarm ends the process.
_Noreturn static void explain(void) {
  (void)signal(SIGALRM, end_late);
  (void)alarm(SECONDS_TO_END);
  char where[512];
  print_function(fault.code, where, sizeof where);
  fail(fault.address, 0, fault.verb, where, call_location);
}

/// The same in a kernel, which fails.
_Noreturn static void explain_in_kernel(void) {
  char what[384];
  if (!agpu__emu_pageable_describe(agpu__emu_runner_current()->op,
                                   fault.address, false, what, sizeof what))
    (void)snprintf(what, sizeof what, "0x%zx, where there is no memory",
                   (size_t)fault.address);
  agpu__emu_block_fail(CUDA_ERROR_ILLEGAL_ADDRESS, NULL, "a thread %s %s",
                       fault.verb, what);
}

/// Has the thread go on in `next`, as if it had called it, rather than here,
/// where little may be called.
static void leave_for(void (*next)(void), uintptr_t address,
                      ucontext_t *context) {
  fault.address = address;
  fault.verb = "touches";
#if defined(__x86_64__)
  greg_t *registers = context->uc_mcontext.gregs;
  fault.code = (uintptr_t)registers[REG_RIP];
  fault.verb = registers[REG_ERR] & 2 ? "writes" : "reads";
  // Below the red zone, aligned as behind a call; strings go upwards.
  registers[REG_RSP] = ((registers[REG_RSP] - 128) & ~(greg_t)15) - 8;
  registers[REG_EFL] &= ~(greg_t)0x400;
  registers[REG_RIP] = (greg_t)(uintptr_t)next;
#elif defined(__aarch64__)
  fault.code = (uintptr_t)context->uc_mcontext.pc;
  context->uc_mcontext.sp &= ~(uint64_t)15;
  context->uc_mcontext.pc = (uint64_t)(uintptr_t)next;
#else
  (void)context;
  next();
#endif
}

static void on_fault(int number, siginfo_t *info, void *context) {
  uintptr_t address = (uintptr_t)info->si_addr;
  if (agpu__emu_guard_holds(address)) {
    if (agpu__emu_runner_current())
      agpu__emu_guard_open(address); // and try again
    else
      leave_for(explain, address, context);
    return;
  }
  if (agpu__emu_runner_current()) {
    leave_for(explain_in_kernel, address, context);
    return;
  }
  if (previous.sa_flags & SA_SIGINFO)
    previous.sa_sigaction(number, info, context);
  else if (previous.sa_handler != SIG_DFL && previous.sa_handler != SIG_IGN)
    previous.sa_handler(number);
  else
    (void)sigaction(SIGSEGV, &previous, NULL); // and fault again
}

static void watch(void) {
  struct sigaction action = {.sa_sigaction = on_fault,
                             .sa_flags = SA_SIGINFO | SA_ONSTACK};
  sigemptyset(&action.sa_mask);
  (void)sigaction(SIGSEGV, &action, &previous);
}

void agpu__emu_host_access_watch(void) { (void)pthread_once(&once, watch); }
