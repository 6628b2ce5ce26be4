//===- fault_context.c - Where a signal has come from ---------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// x86-64 says with the error code of the fault whether it was a write. On
// 64-bit ARM the kernel adds the syndrome register (ESR_EL1) to the signal's
// frame; where it does not, as under QEMU, the instruction itself says so.
//
//===----------------------------------------------------------------------===//

#include "emu/simt/fault_context.h"

#include <signal.h>
#include <stdbool.h>
#include <string.h>

#if defined(__x86_64__)

uintptr_t agpu__emu_fault_code(const ucontext_t *context) {
  return (uintptr_t)context->uc_mcontext.gregs[REG_RIP];
}

const char *agpu__emu_fault_verb(const ucontext_t *context) {
  return context->uc_mcontext.gregs[REG_ERR] & 2 ? "writes" : "reads";
}

void agpu__emu_fault_leave_for(void (*next)(void), ucontext_t *context) {
  greg_t *registers = context->uc_mcontext.gregs;
  // Below the red zone, aligned as after a call; strings go upwards.
  registers[REG_RSP] = ((registers[REG_RSP] - 128) & ~(greg_t)15) - 8;
  registers[REG_EFL] &= ~(greg_t)0x400;
  registers[REG_RIP] = (greg_t)(uintptr_t)next;
}

#elif defined(__aarch64__)

uintptr_t agpu__emu_fault_code(const ucontext_t *context) {
  return (uintptr_t)context->uc_mcontext.pc;
}

/// The syndrome, from the records behind the registers; 0: there is none.
static uint64_t syndrome_of(const ucontext_t *context) {
  const unsigned char *at = context->uc_mcontext.__reserved;
  const unsigned char *end = at + sizeof(context->uc_mcontext.__reserved);
  struct _aarch64_ctx head;
  struct esr_context found;
  for (; at + sizeof(head) <= end; at += head.size) {
    memcpy(&head, at, sizeof(head));
    if (head.magic == ESR_MAGIC && at + sizeof(found) <= end) {
      memcpy(&found, at, sizeof(found));
      return found.esr;
    }
    if (head.magic == 0 || head.size < sizeof(head))
      break;
  }
  return 0;
}

/// Of the group of loads and stores, what does both: compare and swap, and
/// other atomic operations, of which LDAPR alone is a load.
static bool is_atomic(uint32_t instruction) {
  return (instruction & 0x3fa00000u) == 0x08a00000u ||
         (instruction & 0xbfa00000u) == 0x08200000u ||
         ((instruction & 0x3f200c00u) == 0x38200000u &&
          (instruction & 0x3ffffc00u) != 0x38bfc000u);
}

/// Whether an instruction of that group stores (Arm Architecture Reference
/// Manual, "Loads and Stores").
static bool is_store(uint32_t instruction) {
  if (is_atomic(instruction))
    return true;
  if ((instruction & 0x3b000000u) == 0x18000000u)
    return false; // relative to the program counter
  // A bit says that it is a load. Of single registers there are two: 0 is a
  // store, and so is 2 of vector registers of 128 bits.
  unsigned kind = instruction >> 22 & 3;
  bool is_vector = instruction >> 26 & 1;
  if ((instruction & 0x3a000000u) == 0x38000000u)
    return kind == 0 || (is_vector && kind == 2 && instruction >> 30 == 0);
  return !(kind & 1);
}

const char *agpu__emu_fault_verb(const ucontext_t *context) {
  enum { DATA_ABORT = 0x24, WRITES = 1 << 6 };
  uint64_t syndrome = syndrome_of(context);
  if (syndrome >> 26 == DATA_ABORT)
    return syndrome & WRITES ? "writes" : "reads";
  uint32_t instruction;
  memcpy(&instruction, (const void *)agpu__emu_fault_code(context),
         sizeof(instruction));
  if ((instruction & 0x0a000000u) != 0x08000000u)
    return "touches";
  return is_store(instruction) ? "writes" : "reads";
}

void agpu__emu_fault_leave_for(void (*next)(void), ucontext_t *context) {
  context->uc_mcontext.sp &= ~(uint64_t)15;
  context->uc_mcontext.pc = (uint64_t)(uintptr_t)next;
}

#else
#error "the registers of this machine are not known"
#endif
