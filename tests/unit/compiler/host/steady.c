//===- steady.c - A process that compiles for ever ------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Programs that differ, compiled, run and released one after the other by one
// compiler: what the process has allocated does not grow with their number.
//
//===----------------------------------------------------------------------===//

#include "async_gpu/compiler.h"
#include "async_gpu/device.h"
#include "async_gpu/runtime.h"

#include "check.h"

#include <malloc.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

static void check_ok(agpu_status status) {
  CHECK_STR(agpu_status_get_message(status), "ok");
}

/// A region that adds up numbers, and stores one by a kernel: names, numbers
/// and places as no other round has them. For the caller to free.
static char *write_program(int round, int64_t *out_sum) {
  enum { SIZE = 1 << 16, NUMBERS = 100 };
  char *text = malloc(SIZE);
  CHECK(text);
  int at = snprintf(text, SIZE,
                    "func.func @sum_%d() -> i64 {\n"
                    "  %%c0 = arith.constant 0 : index\n"
                    "  %%c1 = arith.constant 1 : index\n"
                    "  %%h = memref.alloc() : memref<1xi64>\n"
                    "  %%d = gpu.alloc() : memref<1xi64>\n"
                    "  %%t, %%v = async.execute -> !async.value<i64> {\n"
                    "    %%s0 = arith.constant %d : i64\n",
                    round, round);
  *out_sum = round;
  for (int i = 0; i < NUMBERS; ++i) {
    int64_t number = (int64_t)round * 1000003 + i;
    *out_sum += number;
    at += snprintf(text + at, (size_t)(SIZE - at),
                   "    %%n%d = arith.constant %lld : i64\n"
                   "    %%s%d = arith.addi %%s%d, %%n%d : i64\n",
                   i, (long long)number, i + 1, i, i);
  }
  at += snprintf(
      text + at, (size_t)(SIZE - at),
      "    gpu.launch blocks(%%a, %%b, %%c) in (%%g = %%c1, %%i = %%c1, "
      "%%j = %%c1)\n"
      "        threads(%%x, %%y, %%z) in (%%k = %%c1, %%l = %%c1, "
      "%%m = %%c1) {\n"
      "      memref.store %%s%d, %%d[%%c0] : memref<1xi64>\n"
      "      gpu.terminator\n"
      "    }\n"
      "    gpu.memcpy %%h, %%d : memref<1xi64>, memref<1xi64>\n"
      "    %%r = memref.load %%h[%%c0] : memref<1xi64>\n"
      "    async.yield %%r : i64\n"
      "  }\n"
      "  %%y = async.await %%v : !async.value<i64>\n"
      "  gpu.dealloc %%d : memref<1xi64>\n"
      "  memref.dealloc %%h : memref<1xi64>\n"
      "  return %%y : i64\n"
      "}\n",
      NUMBERS);
  CHECK(at < SIZE);
  return text;
}

static void run_round(agpu_compiler *compiler, int round) {
  int64_t sum;
  char *text = write_program(round, &sum);
  char name[32], function[32];
  (void)snprintf(name, sizeof name, "program_%d.mlir", round);
  (void)snprintf(function, sizeof function, "sum_%d", round);
  agpu_program *program;
  check_ok(agpu_program_parse(compiler, name, text, strlen(text), &program));
  free(text);
  check_ok(agpu_program_lower(program, "async-gpu-lower{gpu-targets=native}"));
  agpu_jit *jit;
  check_ok(agpu_jit_create(program, 0, &jit));
  agpu_program_release(program);
  void *address;
  check_ok(agpu_jit_lookup(jit, function, &address));
  CHECK_EQ(((int64_t (*)(void))(uintptr_t)address)(), sum);
  check_ok(agpu_runtime_shutdown()); // its tasks have ended then
  agpu_jit_release(jit);
}

int main(void) {
  enum { WARM = 40, MORE = 64, KIB = 1024 };
  check_ok(agpu_runtime_set_device(AGPU_DEVICE_EMU));
  agpu_compiler *compiler;
  check_ok(agpu_compiler_create(&compiler));
  int round = 0;
  for (; round < WARM; ++round)
    run_round(compiler, round);
  // The least of several rounds: some of them are behind a clean-up.
  size_t before = SIZE_MAX, after = SIZE_MAX;
  for (int i = 0; i < MORE; ++i, ++round) {
    run_round(compiler, round);
    size_t now = mallinfo2().uordblks;
    if (i < MORE / 2)
      before = now < before ? now : before;
    else
      after = now < after ? now : after;
  }
  // A tenth of what 32 programs add where nothing is given back.
  if (after > before + 128 * KIB)
    fprintf(stderr, "%zu KiB more after %d rounds\n", (after - before) / KIB,
            MORE / 2);
  CHECK(after <= before + 128 * KIB);
  agpu_compiler_release(compiler);
  check_ok(agpu_runtime_shutdown());
  return 0;
}
