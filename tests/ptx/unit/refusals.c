//===- refusals.c - What the interpreter refuses -------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each rule is broken once: the launch ends with the result that a card would
// give, or might, and a line that says why.
//
//===----------------------------------------------------------------------===//

#include "driver_api/values.h"
#include "harness.h"

#define KERNEL(body)                                                           \
  ".entry k(.param .u64 out) { .reg .pred %p; .reg .b32 %r, %t, %u; .reg "     \
  ".b64 "                                                                      \
  "%o, %a; mov.u32 %t, %tid.x; ld.param.u64 %o, [out]; " body " ret; }"

enum { ILLEGAL = 700, ASSERTION = 710, MISALIGNED = 716, FAILED = 719 };

static const struct {
  const char *kernel;
  unsigned threads;
  int result;
  const char *reason;
} cases[] = {
    // Bounds, of each space. The array has 8 words.
    {KERNEL("ld.global.u32 %r, [%o+64];"), 1, ILLEGAL, "offset 64 of live"},
    {KERNEL("st.global.u64 [%o+60], %a;"), 1, MISALIGNED, "multiple of 8"},
    {KERNEL("ld.global.u32 %r, [%o+-4];"), 1, ILLEGAL, "4 bytes at global"},
    {KERNEL("mov.u64 %a, 0; ld.global.u32 %r, [%a];"), 1, ILLEGAL,
     "a null pointer"},
    {".shared .align 4 .b8 s[8];" KERNEL("ld.shared.u32 %r, [s+8];"), 1,
     ILLEGAL, "of shared memory"},
    {KERNEL("{ .local .align 4 .b8 m[8]; ld.local.u32 %r, [m+8]; }"), 1,
     ILLEGAL, "of local memory"},
    {KERNEL("ld.param.u32 %r, [out+8];"), 1, ILLEGAL, "of parameter memory"},
    {".global .align 4 .u32 g; .global .align 4 .u32 h;" KERNEL(
         "ld.global.u32 %r, [g+4];"),
     1, ILLEGAL, "variable memory"},
    // Alignment: of the whole of a vector, and in each space.
    {KERNEL("ld.global.v4.u32 {%r, %u, %r, %u}, [%o+8];"), 1, MISALIGNED,
     "no multiple of 16"},
    {".shared .align 8 .b8 x[8]; .shared .align 8 .b8 s[16];" KERNEL(
         "st.shared.v2.u64 [s], {%a, %a};"),
     1, MISALIGNED, "no multiple of 16"},
    {".global .align 4 .b8 g[16];" KERNEL("ld.global.v2.u32 {%r, %u}, [g];"), 1,
     MISALIGNED, "no multiple of 8"},
    {".shared .align 4 .b8 s[8];" KERNEL("atom.shared.add.u32 %r, [s+2], 1;"),
     1, MISALIGNED, "no multiple of 4"},
    // Addresses of another space.
    {KERNEL("{ .local .b32 m; mov.u64 %a, m; cvta.local.u64 %a, %a; "
            "cvta.to.global.u64 %a, %a; }"),
     1, ILLEGAL, "not of that space"},
    // Masks.
    {KERNEL("shfl.sync.idx.b32 %r, %t, 0, 31, 0xfe;"), 8, FAILED,
     "lane 0 is not in the mask"},
    {KERNEL("setp.eq.u32 %p, %t, 0; @%p bra over; bar.warp.sync -1; bra end; "
            "over: vote.sync.any.pred %p, %p, -1; end:"),
     32, FAILED, "cannot go on"},
    // Barriers.
    {KERNEL("setp.eq.u32 %p, %t, 0; @%p bra over; bar.sync 0; bra end; over: "
            "bar.sync 0; end:"),
     32, FAILED, "by different instructions"},
    {KERNEL("setp.lt.u32 %p, %t, 32; @%p bra over; bar.sync 1; over:"), 64,
     FAILED, ""},
    {KERNEL("bar.sync 0, 33;"), 64, FAILED, "a barrier for 33 threads"},
    {KERNEL("bar.sync 0, 128;"), 64, FAILED, "a barrier for 128 threads"},
    {KERNEL("bar.sync 16;"), 32, FAILED, "no barrier 16"},
    {KERNEL("setp.lt.u32 %p, %t, 32; @%p bar.sync 1, 64;"), 64, FAILED,
     "cannot go on"},
    // Copies that nobody waits for.
    {".shared .align 4 .b32 s;" KERNEL(
         "mov.u32 %u, s; cp.async.ca.shared.global [%u], [%o], 4;"),
     1, FAILED, "has not waited for"},
    // Tensor maps in global memory that nothing has fenced.
    {".shared .align 128 .b8 s[128]; .shared .align 8 .b64 m;" KERNEL(
         "cp.async.bulk.tensor.1d.shared::cluster.global.mbarrier::complete_tx:"
         ":bytes [s], [%o, {%r}], [m];"),
     1, FAILED, "no thread of the block has fenced the map"},
    // Formats and what they are given.
    {".extern .func (.param .b32 r) vprintf (.param .b64 f, .param .b64 a); "
     ".global .align 1 .b8 f[3] = {37, 100, 0};" KERNEL(
         "{ .local .align 8 .b8 m[8]; .param .b64 x; .param .b64 y; .param "
         ".b32 "
         "z; .reg .b16 %h; mov.b16 %h, 1; st.local.u8 [m], %h; mov.u64 %a, f; "
         "cvta.global.u64 %a, %a; st.param.b64 [x], %a; mov.u64 %a, m; "
         "cvta.local.u64 %a, %a; st.param.b64 [y], %a; call (z), vprintf, (x, "
         "y); }"),
     1, FAILED, "of which 3 were not written"},
    // Ends.
    {KERNEL("trap;"), 1, FAILED, "trapped"},
    {KERNEL("brx.idx %t, x; x: .branchtargets y; y:"), 2, 718, "target 1 of 1"},
    {KERNEL("{ mov.u64 %a, 12; x: .callprototype _ (); call %a, (), x; }"), 1,
     718, "no function"},
};

/// Texts that must not load, and why.
static const struct {
  const char *kernels, *reason;
} texts[] = {
    {KERNEL("tcgen05.wait::ld.sync.aligned;"), "not supported"},
    {KERNEL("add.s32 %r, %x, 1;"), "unknown register '%x'"},
    {KERNEL("bra nowhere;"), "unknown label 'nowhere'"},
    {KERNEL("call f, ();"), "unknown name 'f'"},
    {KERNEL("cvt.s32.f32 %r, %t;"), "not supported"},
    {KERNEL("ld.v2.u32 %r, [%o];"), "not supported"},
    {".extern .func f();" KERNEL("call f, ();"), "'f' is declared"},
    {".entry k() { .reg .b32 %a, %a; }", "declared twice"},
    {".entry k() {", "the text ends"},
};

/// Values that nothing has written are poison: of registers, of each memory, of
/// lanes that are not there, and of divisions by zero.
static void check_poison(void) {
  static const char *const sources[] = {
      "", "ld.shared.u32 %r, [s];", "{ .local .b32 m; ld.local.u32 %r, [m]; }",
      "mov.b32 %r, 7; shfl.sync.idx.b32 %r, %r, 9, 31, 1;",
      "mov.b32 %u, 0; div.u32 %r, %t, %u;"};
  for (size_t i = 0; i < sizeof sources / sizeof *sources; ++i) {
    char text[512];
    snprintf(
        text, sizeof text,
        ".shared .align 4 .b32 s; .entry k(.param .u64 out) { .reg .b32 %%r, "
        "%%t, %%u; .reg .b64 %%o; mov.u32 %%t, 0; ld.param.u64 %%o, [out]; "
        "%s st.global.u32 [%%o], %%r; ret; }",
        sources[i]);
    uint64_t value = 0;
    harness_open();
    CHECK_EQ((int)harness_run(text, 1, &value, 1), CUDA_SUCCESS);
    CHECK_EQ(value, PTX_POISON & ptx_mask(32));
    harness_close();
  }
}

int main(void) {
  harness_start();
  size_t failed = 0;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    uint64_t values[8] = {0};
    harness_open();
    int result = (int)harness_run(cases[i].kernel, cases[i].threads, values, 8);
    const char *reports = harness_take_reports();
    // Threads that have ended are waited for by nobody.
    int expected = *cases[i].reason ? cases[i].result : 0;
    if (result != expected || !strstr(reports, cases[i].reason)) {
      fprintf(stderr, "result %d, not %d with '%s': %s\n%s\n", result, expected,
              cases[i].reason, cases[i].kernel, reports);
      ++failed;
    }
    harness_close();
    (void)harness_take_reports();
  }
  harness_open();
  for (size_t i = 0; i < sizeof texts / sizeof *texts; ++i) {
    CUmodule module;
    int result = (int)harness_try_load(texts[i].kernels, &module);
    const char *reports = harness_take_reports();
    if (result != CUDA_ERROR_INVALID_PTX || !strstr(reports, texts[i].reason)) {
      fprintf(stderr, "loading gives %d without '%s': %s\n%s\n", result,
              texts[i].reason, texts[i].kernels, reports);
      ++failed;
    }
  }
  harness_close();
  check_poison();
  return failed ? 1 : 0;
}
