//===- conditional_kernels.c - Kernels that set conditions ----------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An image of its own: drivers without conditional nodes could not load it.
//
//===----------------------------------------------------------------------===//

#include "conformance.h"

#include "async_gpu/compiled/native_thread.h"

/// count_down(condition, cell): --*cell, and the condition is what is left.
static void run_count_down(void *const *params,
                           const agpu_native_block *block) {
  (void)block;
  uint32_t *cell = *(uint32_t *const *)params[1];
  agpu_native_set_condition(*(const uint64_t *)params[0], --*cell);
}

/// set(condition, value)
static void run_set(void *const *params, const agpu_native_block *block) {
  (void)block;
  agpu_native_set_condition(*(const uint64_t *)params[0],
                            *(const uint32_t *)params[1]);
}

static const uint32_t two_u64[] = {8, 8}, u64_and_u32[] = {8, 4};
static const agpu_native_kernel kernels[] = {
    {.name = "count_down",
     .run = run_count_down,
     .param_sizes = two_u64,
     .param_count = 2},
    {.name = "set",
     .run = run_set,
     .param_sizes = u64_and_u32,
     .param_count = 2},
};
const agpu_native_image conditional_native = {
    .magic = AGPU_NATIVE_MAGIC, .kernel_count = 2, .kernels = kernels};

// The driver defines the function.
const char conditional_ptx[] =
    ".version 6.3\n"
    ".target sm_60\n"
    ".address_size 64\n"
    ".extern .func cudaGraphSetConditional(.param .b64 a, .param .b32 b);\n"
    ".visible .entry count_down(.param .u64 handle, .param .u64 cell) {\n"
    "  .reg .u32 %r<4>; .reg .u64 %rd<4>;\n"
    "  ld.param.u64 %rd1, [cell]; cvta.to.global.u64 %rd2, %rd1;\n"
    "  ld.global.u32 %r1, [%rd2]; sub.u32 %r2, %r1, 1;\n"
    "  st.global.u32 [%rd2], %r2;\n"
    "  ld.param.u64 %rd3, [handle];\n"
    "  { .param .b64 a; .param .b32 b;\n"
    "    st.param.b64 [a], %rd3; st.param.b32 [b], %r2;\n"
    "    call.uni cudaGraphSetConditional, (a, b); }\n"
    "  ret;\n"
    "}\n"
    ".visible .entry set(.param .u64 handle, .param .u32 value) {\n"
    "  .reg .u32 %r<2>; .reg .u64 %rd<2>;\n"
    "  ld.param.u64 %rd1, [handle]; ld.param.u32 %r1, [value];\n"
    "  { .param .b64 a; .param .b32 b;\n"
    "    st.param.b64 [a], %rd1; st.param.b32 [b], %r1;\n"
    "    call.uni cudaGraphSetConditional, (a, b); }\n"
    "  ret;\n"
    "}\n";
