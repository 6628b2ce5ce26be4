//===- threads.c - Threads that exchange, wait, part and call ------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a kernel of one block leaves in an array: each thread writes its word.
//
//===----------------------------------------------------------------------===//

#include "harness.h"

/// A kernel whose body has %t, the thread's number, and leaves %r.
#define KERNEL(body)                                                           \
  ".entry k(.param .u64 out) { .reg .pred %p, %q; .reg .b32 %r, %t, %u, %v; "  \
  ".reg .b64 %o, %a, %w; mov.u32 %t, %tid.x; mov.b32 %r, 0; " body             \
  " ld.param.u64 %o, [out]; mad.wide.u32 %a, %t, 8, %o; "                      \
  "cvt.u64.u32 %w, %r; st.global.u64 [%a], %w; ret; }"

/// Runs it with so many threads: thread i has to leave expected(i).
static void check(const char *kernel, unsigned threads,
                  uint64_t (*expected)(unsigned thread)) {
  uint64_t values[128] = {0};
  harness_open();
  CUresult result = harness_run(kernel, threads, values, threads);
  if (result)
    fprintf(stderr, "%s", harness_take_reports());
  CHECK_EQ((int)result, CUDA_SUCCESS);
  for (unsigned i = 0; i < threads; ++i)
    if (values[i] != expected(i)) {
      fprintf(stderr, "thread %u leaves %" PRIu64 ", not %" PRIu64 ": %s\n", i,
              values[i], expected(i), kernel);
      exit(1);
    }
  harness_close();
}

static uint64_t one(unsigned t) {
  (void)t;
  return 1;
}
static uint64_t own(unsigned t) { return t; }
static uint64_t below(unsigned t) { return t ? t - 1 : 0; }
static uint64_t above(unsigned t) { return t % 8 == 7 ? t : t + 1; }
static uint64_t across(unsigned t) { return t ^ 3; }
static uint64_t fifth(unsigned t) {
  (void)t;
  return 5;
}
static uint64_t evens(unsigned t) {
  (void)t;
  return 0x55555555;
}
static uint64_t same_parity(unsigned t) {
  return t % 2 ? 0xaaaaaaaa : 0x55555555;
}
static uint64_t sum(unsigned t) {
  (void)t;
  return 496;
}
static uint64_t is_last(unsigned t) { return t == 31; }
static uint64_t all_96(unsigned t) {
  (void)t;
  return 96;
}
static uint64_t reversed(unsigned t) { return 95 - t; }
static uint64_t squared(unsigned t) { return (uint64_t)t * t; }
static uint64_t factorial(unsigned t) {
  return t < 2 ? 1 : t * factorial(t - 1);
}
static uint64_t met(unsigned t) { return t < 40 ? 0 : 1; }

static void check_exchanges(void) {
  check(KERNEL("shfl.sync.up.b32 %r, %t, 1, 0, -1;"), 32, below);
  check(KERNEL("shfl.sync.down.b32 %r, %t, 1, 0x1807, -1;"), 32, above);
  check(KERNEL("shfl.sync.bfly.b32 %r, %t, 3, 31, -1;"), 32, across);
  check(KERNEL("shfl.sync.idx.b32 %r, %t, 5, 31, -1;"), 32, fifth);
  check(KERNEL("and.b32 %u, %t, 1; setp.eq.u32 %p, %u, 0; "
               "vote.sync.ballot.b32 %r, %p, -1;"),
        32, evens);
  check(KERNEL("and.b32 %u, %t, 1; match.any.sync.b32 %r, %u, -1;"), 32,
        same_parity);
  check(KERNEL("redux.sync.add.s32 %r, %t, -1;"), 32, sum);
  check(KERNEL("elect.sync _|%p, -1; selp.u32 %r, 1, 0, %p;"), 32, is_last);
  check(KERNEL("setp.lt.u32 %p, %t, 32; vote.sync.all.pred %q, %p, -1; "
               "selp.u32 %r, 1, 0, %q;"),
        20, one);
}

static void check_barriers(void) {
  check(KERNEL("setp.lt.u32 %p, %t, 500; bar.red.popc.u32 %r, 0, %p;"), 96,
        all_96);
  check(".shared .b32 s[96];" KERNEL(
            "shl.b32 %u, %t, 2; mov.u32 %v, s; add.u32 %u, %u, %v; "
            "st.shared.u32 [%u], %t; bar.sync 0; sub.u32 %u, 95, %t; "
            "shl.b32 %u, %u, 2; add.u32 %u, %u, %v; ld.shared.u32 %r, [%u];"),
        96, reversed);
  // Two warps wait for two, and the third does not take part.
  check(KERNEL("setp.ge.u32 %p, %t, 64; @%p bra over; bar.sync 1, 64; over: "
               "mov.b32 %r, %t;"),
        96, own);
  // The first warp says that it has come, and goes on.
  check(KERNEL("setp.lt.u32 %p, %t, 32; @%p bar.arrive 2, 64; @%p bra over; "
               "bar.sync 2, 64; over: mov.b32 %r, %t;"),
        64, own);
  // A barrier waits for no thread that has ended.
  check(".visible .global .align 4 .b32 flag;" KERNEL(
            "setp.lt.u32 %p, %t, 40; @%p bra end; bar.sync 0; mov.b32 %r, 1; "
            "end:"),
        64, met);
}

static void check_calls(void) {
  check(".func (.param .b32 y) square(.param .b32 x) { .reg .b32 %x; "
        "ld.param.b32 %x, [x]; mul.lo.s32 %x, %x, %x; st.param.b32 [y], %x; "
        "ret; }" KERNEL("{ .param .b32 in; .param .b32 back; st.param.b32 "
                        "[in], %t; call.uni (back), square, (in); ld.param.b32 "
                        "%r, [back]; }"),
        64, squared);
  // Recursion: each frame has registers of its own.
  check(
      ".func (.param .b32 y) f(.param .b32 x) { .reg .pred %p; .reg .b32 "
      "%x<3>; ld.param.b32 %x0, [x]; mov.b32 %x1, 1; setp.lt.u32 %p, %x0, 2; "
      "@%p bra done; sub.u32 %x2, %x0, 1; { .param .b32 in; .param .b32 back; "
      "st.param.b32 [in], %x2; call (back), f, (in); ld.param.b32 %x1, "
      "[back]; } mul.lo.u32 %x1, %x1, %x0; done: st.param.b32 [y], %x1; ret; "
      "}" KERNEL("{ .param .b32 in; .param .b32 back; st.param.b32 [in], %t; "
                 "call (back), f, (in); ld.param.b32 %r, [back]; }"),
      12, factorial);
  // Through an address.
  check(
      ".func (.param .b32 y) square(.param .b32 x) { .reg .b32 %x; "
      "ld.param.b32 %x, [x]; mul.lo.s32 %x, %x, %x; st.param.b32 [y], %x; "
      "ret; }" KERNEL(
          "{ .param .b32 in; .param .b32 back; st.param.b32 [in], %t; mov.u64 "
          "%w, square; proto: .callprototype (.param .b32 _) _ (.param .b32 "
          "_); call (back), %w, (in), proto; ld.param.b32 %r, [back]; }"),
      64, squared);
}

static void check_memory(void) {
  // Local memory through a generic address.
  check(KERNEL("{ .local .align 8 .b8 m[16]; .reg .b64 %x; mov.u64 %x, m; "
               "cvta.local.u64 %x, %x; st.u32 [%x+4], %t; ld.local.u32 %r, "
               "[m+4]; }"),
        32, own);
  check(
      ".global .align 4 .u32 g[2] = {3, 1};" KERNEL("ld.global.u32 %r, [g+4];"),
      1, one);
  check(".global .align 8 .u64 p[1] = {g+4}; .global .align 4 .u32 g[2] = {3, "
        "1};" KERNEL("ld.global.u64 %w, [p]; ld.global.u32 %r, [%w];"),
        1, one);
  check(".global .align 4 .u32 g;" KERNEL("atom.global.add.u32 %r, [g], 1;"), 1,
        (uint64_t (*)(unsigned))below);
  // Copies are there when they have been waited for.
  check(
      ".global .align 16 .u32 g[4] = {0, 0, 1, 0}; .shared .align 16 .b32 "
      "s[4];" KERNEL("mov.u32 %u, s; mov.u64 %w, g; cp.async.ca.shared.global "
                     "[%u], [%w], 16; cp.async.commit_group; "
                     "cp.async.wait_group 0; ld.shared.u32 %r, [s+8];"),
      1, one);
}

/// A lock that threads of one warp take one after the other, which needs
/// independent progress.
static void check_divergence(void) {
  check(
      ".shared .b32 lock; .shared .b32 n;" KERNEL(
          "setp.ne.u32 %p, %t, 0; @%p bra wait; st.shared.b32 [lock], 0; "
          "st.shared.b32 [n], 0; wait: bar.sync 0; again: atom.shared.cas.b32 "
          "%u, [lock], 0, 1; setp.ne.u32 %p, %u, 0; @%p bra again; "
          "ld.shared.b32 %v, [n]; add.u32 %v, %v, 3; st.shared.b32 [n], %v; "
          "atom.shared.exch.b32 %u, [lock], 0; bar.sync 0; ld.shared.b32 %v, "
          "[n]; mov.b32 %r, %v;"),
      32, all_96);
}

int main(void) {
  harness_start();
  check_exchanges();
  check_barriers();
  check_calls();
  check_memory();
  check_divergence();
  CHECK_STR(harness_take_reports(), "");
  return 0;
}
