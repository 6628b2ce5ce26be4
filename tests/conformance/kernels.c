//===- kernels.c - The test kernels, for both kinds of driver -------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conformance.h"

#include <time.h>

static uint64_t count_threads(const agpu_native_block *block) {
  return (uint64_t)block->block_dim[0] * block->block_dim[1] *
         block->block_dim[2];
}

static void run_store(void *const *params, const agpu_native_block *block) {
  uint32_t *out = *(uint32_t *const *)params[0];
  uint32_t value = *(const uint32_t *)params[1];
  uint64_t threads = count_threads(block);
  uint64_t number = block->block_id[0] +
                    (uint64_t)block->grid_dim[0] *
                        (block->block_id[1] +
                         (uint64_t)block->grid_dim[1] * block->block_id[2]);
  for (uint64_t i = number * threads; i < (number + 1) * threads; ++i)
    out[i] = value + (uint32_t)i;
}

static void run_increment(void *const *params, const agpu_native_block *block) {
  (void)block;
  uint32_t *cell = *(uint32_t *const *)params[0];
  ++*cell;
}

static void run_pause(void *const *params, const agpu_native_block *block) {
  (void)block;
  uint32_t *cell = *(uint32_t *const *)params[0];
  uint64_t ns = *(const uint64_t *)params[1];
  struct timespec pause = {.tv_sec = (time_t)(ns / 1000000000),
                           .tv_nsec = (long)(ns % 1000000000)};
  nanosleep(&pause, NULL);
  ++*cell;
}

static void run_reverse(void *const *params, const agpu_native_block *block) {
  uint32_t *out = *(uint32_t *const *)params[0];
  uint32_t *shared = block->shared;
  uint32_t count = block->shared_bytes / (uint32_t)sizeof *shared;
  for (uint32_t i = 0; i < block->block_dim[0]; ++i)
    shared[i] = i;
  for (uint32_t i = 0; i < block->block_dim[0]; ++i)
    out[i] = shared[count - 1 - i];
}

static void run_fault(void *const *params, const agpu_native_block *block) {
  (void)params;
  (void)block;
  uint32_t *volatile nowhere = (uint32_t *)0x10;
  *nowhere = 1;
}

static const uint32_t pointer_and_u32[] = {8, 4};
static const uint32_t pointer_and_u64[] = {8, 8};
static const uint32_t pointer[] = {8};

static const agpu_native_pointer address[] = {{.kind = AGPU_NATIVE_ADDRESS}};

static const agpu_native_kernel kernels[] = {
    {.name = "store",
     .run = run_store,
     .param_sizes = pointer_and_u32,
     .param_count = 2},
    {.name = "increment",
     .run = run_increment,
     .param_sizes = pointer,
     .param_count = 1,
     .pointers = address,
     .pointer_count = 1},
    {.name = "pause",
     .run = run_pause,
     .param_sizes = pointer_and_u64,
     .param_count = 2},
    {.name = "reverse",
     .run = run_reverse,
     .most_shared_bytes = 64 << 10,
     .param_sizes = pointer,
     .param_count = 1},
    {.name = "fault",
     .run = run_fault,
     .param_sizes = pointer,
     .param_count = 1},
};

const agpu_native_image conformance_native = {.magic = AGPU_NATIVE_MAGIC,
                                              .kernel_count = sizeof kernels /
                                                              sizeof *kernels,
                                              .kernels = kernels};

const char conformance_ptx[] =
    ".version 6.3\n"
    ".target sm_60\n"
    ".address_size 64\n"
    ".extern .shared .align 16 .b8 dynamic[];\n"
    ".visible .entry store(.param .u64 out, .param .u32 value) {\n"
    "  .reg .u32 %r<24>; .reg .u64 %rd<8>;\n"
    "  mov.u32 %r1, %ctaid.z; mov.u32 %r2, %nctaid.y;\n"
    "  mov.u32 %r3, %ctaid.y; mad.lo.u32 %r4, %r1, %r2, %r3;\n"
    "  mov.u32 %r5, %nctaid.x; mov.u32 %r6, %ctaid.x;\n"
    "  mad.lo.u32 %r7, %r4, %r5, %r6;\n"
    "  mov.u32 %r8, %ntid.x; mov.u32 %r9, %ntid.y; mov.u32 %r10, %ntid.z;\n"
    "  mov.u32 %r11, %tid.z; mov.u32 %r12, %tid.y; mov.u32 %r13, %tid.x;\n"
    "  mad.lo.u32 %r14, %r11, %r9, %r12;\n"
    "  mad.lo.u32 %r15, %r14, %r8, %r13;\n"
    "  mul.lo.u32 %r16, %r8, %r9; mul.lo.u32 %r16, %r16, %r10;\n"
    "  mad.lo.u32 %r17, %r7, %r16, %r15;\n"
    "  ld.param.u64 %rd1, [out]; ld.param.u32 %r18, [value];\n"
    "  cvta.to.global.u64 %rd2, %rd1;\n"
    "  mul.wide.u32 %rd3, %r17, 4; add.u64 %rd4, %rd2, %rd3;\n"
    "  add.u32 %r19, %r18, %r17; st.global.u32 [%rd4], %r19;\n"
    "  ret;\n"
    "}\n"
    ".visible .entry increment(.param .u64 cell) {\n"
    "  .reg .u32 %r<4>; .reg .u64 %rd<4>;\n"
    "  ld.param.u64 %rd1, [cell]; cvta.to.global.u64 %rd2, %rd1;\n"
    "  ld.global.u32 %r1, [%rd2]; add.u32 %r2, %r1, 1;\n"
    "  st.global.u32 [%rd2], %r2;\n"
    "  ret;\n"
    "}\n"
    ".visible .entry pause(.param .u64 cell, .param .u64 ns) {\n"
    "  .reg .u32 %r<4>; .reg .u64 %rd<8>; .reg .pred %p<2>;\n"
    "  ld.param.u64 %rd1, [cell]; cvta.to.global.u64 %rd2, %rd1;\n"
    "  ld.param.u64 %rd3, [ns];\n"
    "  mov.u64 %rd4, %globaltimer; add.u64 %rd5, %rd4, %rd3;\n"
    "again:\n"
    "  mov.u64 %rd6, %globaltimer; setp.lt.u64 %p1, %rd6, %rd5;\n"
    "  @%p1 bra again;\n"
    "  ld.global.u32 %r1, [%rd2]; add.u32 %r2, %r1, 1;\n"
    "  st.global.u32 [%rd2], %r2;\n"
    "  ret;\n"
    "}\n"
    ".visible .entry reverse(.param .u64 out) {\n"
    "  .reg .u32 %r<12>; .reg .u64 %rd<6>;\n"
    "  mov.u32 %r1, %tid.x; mov.u32 %r2, %dynamic_smem_size;\n"
    "  mov.u32 %r3, dynamic; shl.b32 %r4, %r1, 2;\n"
    "  add.u32 %r5, %r3, %r4; st.shared.u32 [%r5], %r1;\n"
    "  bar.sync 0;\n"
    "  sub.u32 %r6, %r2, %r4; sub.u32 %r6, %r6, 4;\n"
    "  add.u32 %r7, %r3, %r6; ld.shared.u32 %r8, [%r7];\n"
    "  ld.param.u64 %rd1, [out]; cvta.to.global.u64 %rd2, %rd1;\n"
    "  mul.wide.u32 %rd3, %r1, 4; add.u64 %rd4, %rd2, %rd3;\n"
    "  st.global.u32 [%rd4], %r8;\n"
    "  ret;\n"
    "}\n"
    ".visible .entry fault(.param .u64 cell) {\n"
    "  .reg .u32 %r<2>; .reg .u64 %rd<2>;\n"
    "  mov.u64 %rd1, 16; mov.u32 %r1, 1; st.global.u32 [%rd1], %r1;\n"
    "  ret;\n"
    "}\n";
