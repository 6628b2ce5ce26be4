//===- host_access.c - The host's accesses of device memory ---------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What compiled host code says before it accesses memory, and what becomes of
// other host code that runs into closed addresses.
//
//===----------------------------------------------------------------------===//

#include "emu/check/host_access.h"

#include "base/os/self.h"
#include "emu/base/client.h"
#include "emu/base/settings.h"
#include "emu/check/host_races.h"
#include "emu/memory/guard.h"
#include "emu/memory/memory.h"
#include "emu/simt/block.h"

#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/// How long ending a process may take that holds locks where it stands.
#define SECONDS_TO_END 15

_Noreturn static void fail(uintptr_t address, uint64_t size, const char *verb,
                           const char *where, const char *location) {
  char bytes[48] = "", memory[384];
  if (size)
    (void)snprintf(bytes, sizeof bytes, "%llu bytes of ",
                   (unsigned long long)size);
  agpu__emu_memory_describe((CUdeviceptr)address, memory, sizeof memory);
  bool is_managed = agpu__emu_memory_is_open_to_host((CUdeviceptr)address);
  agpu_status status = agpu_status_create(
      AGPU_STATUS_PROGRAM, location, "the host %s %s%s memory, %s%s: %s%s",
      verb, bytes, is_managed ? "managed" : "device", memory, where,
      is_managed
          ? "kernels of the device have been launched, and the host has not "
            "waited for all of them since "
            "(CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS is 0)"
          : "copy it to the host first (gpu.memcpy), or allocate it for both "
            "(gpu.alloc host_shared)",
      location || is_managed ? "" : AGPU__EMU_CHECK_MEMORY_ADVICE);
  agpu__emu_end(status);
}

void agpu__emu_check_host_access(const void *address, uint64_t size,
                                 uint32_t flags, const char *location) {
  if (agpu__emu_guard_holds((uintptr_t)address))
    fail((uintptr_t)address, size,
         flags & AGPU_NATIVE_WRITES ? "writes" : "reads", "", location);
  agpu__emu_host_races_access((uintptr_t)address, size, flags, location);
}

//===----------------------------------------------------------------------===//
// Code that does not say what it accesses
//===----------------------------------------------------------------------===//

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
  print_function(agpu__self.emu.fault.code, where, sizeof where);
  fail(agpu__self.emu.fault.address, 0, agpu__self.emu.fault.verb, where,
       agpu__emu_client_now->get_host_call());
}

bool agpu__emu_host_access_faulted(uintptr_t address, void (**out_next)(void)) {
  if (!agpu__emu_guard_holds(address))
    return false;
  if (agpu__emu_runner_current())
    agpu__emu_guard_open(address); // and try again
  else
    *out_next = explain;
  return true;
}
