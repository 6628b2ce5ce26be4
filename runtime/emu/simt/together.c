//===- together.c - What a whole warp does together -----------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Instructions that all 32 lanes of a warp have to execute (.sync.aligned), on
// registers of all of them: chooses what does one, and ends a block that has no
// whole warp for it.
//
//===----------------------------------------------------------------------===//

#include "emu/simt/together.h"

#include "async_gpu/compiled/native_matrix.h"
#include "emu/matrix/product.h"
#include "emu/matrix/rows.h"
#include "emu/simt/block.h"

enum { WARP_SIZE = 32 };

const char *agpu__emu_describe_collective(const agpu_native_site *site) {
  switch (AGPU_NATIVE_COLLECTIVE_OF(site->mode)) {
  case AGPU_NATIVE_MEET: return "a load or store of a matrix";
  case AGPU_NATIVE_MMA:
  case AGPU_NATIVE_WMMA: return "a product of matrices";
  case AGPU_NATIVE_FROM_ROWS: return "a load of matrices";
  case AGPU_NATIVE_TO_ROWS: return "a store of matrices";
  }
  return "an operation of its warp";
}

_Noreturn static void fail_operands(const agpu_native_site *site,
                                    uint32_t thread, const char *why) {
  uint32_t id[3];
  agpu__emu_number_id(agpu__emu_runner_current(), thread, id);
  agpu__emu_block_fail(CUDA_ERROR_LAUNCH_FAILED, site->location,
                       "thread %u,%u,%u %s", id[0], id[1], id[2], why);
}

static uint32_t element_bits(agpu_native_element of) {
  switch (of) {
#define X(name, text, bits)                                                    \
  case AGPU_NATIVE_##name: return bits;
    AGPU_NATIVE_ELEMENTS(X)
#undef X
  }
  return 0;
}

void agpu__emu_do_together(const agpu_native_site *site, uint32_t first_thread,
                           char *const *lanes) {
  switch (AGPU_NATIVE_COLLECTIVE_OF(site->mode)) {
  case AGPU_NATIVE_MEET: return;
  case AGPU_NATIVE_MMA:
  case AGPU_NATIVE_WMMA: {
    agpu__emu_bad_lane bad = agpu__emu_product(site->mode, lanes);
    if (bad.lane >= 0)
      fail_operands(site, first_thread + (uint32_t)bad.lane, bad.why);
    uint32_t products = AGPU_NATIVE_M_OF(site->mode) *
                        AGPU_NATIVE_N_OF(site->mode) *
                        AGPU_NATIVE_K_OF(site->mode);
    if (AGPU_NATIVE_PROPERTIES_OF(site->mode) & AGPU_NATIVE_SPARSE)
      products /= 2;
    AGPU__EMU_TELL(multiplied, (agpu__emu_runner_current(), products,
                                element_bits(AGPU_NATIVE_A_OF(site->mode))));
    return;
  }
  case AGPU_NATIVE_FROM_ROWS:
  case AGPU_NATIVE_TO_ROWS: agpu__emu_rows(site->mode, lanes); return;
  }
}

_Noreturn void agpu__emu_fail_incomplete(const agpu_native_site *site,
                                         uint32_t first_thread,
                                         uint32_t present) {
  const agpu__emu_runner *runner = agpu__emu_runner_current();
  uint32_t number = first_thread + (uint32_t)__builtin_ctz(present);
  uint32_t missing = (uint32_t)__builtin_ctz(~present), id[3];
  agpu__emu_number_id(runner, number, id);
  agpu__emu_block_fail(
      CUDA_ERROR_LAUNCH_FAILED, site->location,
      "thread %u,%u,%u is at %s, which takes all 32 lanes of its warp: lane %u "
      "%s",
      id[0], id[1], id[2], agpu__emu_describe_collective(site), missing,
      first_thread + missing < runner->thread_count ? "has ended"
                                                    : "is none of the block's");
}

void agpu_native_together(const agpu_native_site *site, void *operands,
                          uint64_t stride) {
  uint32_t count = agpu__emu_runner_current()->thread_count;
  for (uint32_t first = 0; first < count; first += WARP_SIZE) {
    char *lanes[WARP_SIZE];
    if (count - first < WARP_SIZE)
      agpu__emu_fail_incomplete(site, first, (1u << (count - first)) - 1);
    for (uint32_t lane = 0; lane < WARP_SIZE; ++lane)
      lanes[lane] = (char *)operands + (first + lane) * stride;
    agpu__emu_do_together(site, first, lanes);
  }
}
