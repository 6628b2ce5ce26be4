//===- select.c - What executes an instruction ---------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "machine/families.h"

#include <stdio.h>

static bool (*const families[])(ptx_insn *insn) = {
    ptx_select_integer, ptx_select_carry,         ptx_select_bits,
    ptx_select_float,   ptx_select_approximate,   ptx_select_convert,
    ptx_select_compare, ptx_select_move,          ptx_select_memory,
    ptx_select_atomic,  ptx_select_control,       ptx_select_exchange,
    ptx_select_barrier, ptx_select_async_copy,    ptx_select_mbarrier,
    ptx_select_tensor,  ptx_select_mma,           ptx_select_mma_quads,
    ptx_select_wmma,    ptx_select_convert_small, ptx_select_bulk,
    ptx_select_wgmma,
};

bool ptx_insn_select(ptx_insn *insn, char *message, size_t size) {
  *message = 0;
  for (size_t i = 0; i < sizeof families / sizeof *families; ++i)
    if (families[i](insn))
      return true;
  snprintf(message, size, "no family of instructions has '%s' so",
           insn->mnemonic);
  return false;
}
