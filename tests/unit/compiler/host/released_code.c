//===- released_code.c - Programs compiled and released over and over -----===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program whose code lies where the code of one lay that has been released
// runs its own kernels, and what it had on the device is given back with it. No
// region may still be at its end then, so there is none here.
//
//===----------------------------------------------------------------------===//

#include "async_gpu/compiler.h"
#include "async_gpu/device.h"
#include "async_gpu/runtime.h"

#include "check.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

// What a program with kernels looks like, each of which adds 1 to a number.
static const char before[] = "func.func @number() -> i64 {\n"
                             "  %c0 = arith.constant 0 : index\n"
                             "  %c1 = arith.constant 1 : index\n"
                             "  %one = arith.constant 1 : i64\n"
                             "  %zero = arith.constant 0 : i64\n"
                             "  %h = memref.alloc() : memref<1xi64>\n"
                             "  %d = gpu.alloc() : memref<1xi64>\n"
                             "  gpu.memset %d, %zero : memref<1xi64>, i64\n";
static const char kernel[] =
    "  gpu.launch blocks(%a, %b, %c) in (%g = %c1, %i = %c1, %j = %c1)\n"
    "      threads(%x, %y, %z) in (%k = %c1, %l = %c1, %m = %c1) {\n"
    "    %n = memref.load %d[%c0] : memref<1xi64>\n"
    "    %o = arith.addi %n, %one : i64\n"
    "    memref.store %o, %d[%c0] : memref<1xi64>\n"
    "    gpu.terminator\n"
    "  }\n";
static const char behind[] =
    "  gpu.memcpy %h, %d : memref<1xi64>, memref<1xi64>\n"
    "  gpu.dealloc %d : memref<1xi64>\n"
    "  %r = memref.load %h[%c0] : memref<1xi64>\n"
    "  memref.dealloc %h : memref<1xi64>\n"
    "  return %r : i64\n"
    "}\n";

/// Lines of the log that contain `text`. The test has ASYNC_GPU_LOG=driver.
static int count_calls(int log, const char *text) {
  struct stat info;
  CHECK(fstat(log, &info) == 0);
  char *lines = calloc(1, (size_t)info.st_size + 1);
  CHECK(lines && pread(log, lines, (size_t)info.st_size, 0) == info.st_size);
  int count = 0;
  for (const char *at = lines; (at = strstr(at, text)); ++at)
    ++count;
  free(lines);
  return count;
}

static void check_ok(agpu_status status) {
  CHECK_STR(agpu_status_get_message(status), "ok");
}

static agpu_jit *compile(agpu_compiler *compiler, int kernels) {
  char text[8192] = "";
  strcat(text, before);
  for (int i = 0; i < kernels; ++i)
    strcat(text, kernel);
  strcat(text, behind);
  agpu_program *program;
  check_ok(agpu_program_parse(compiler, "number.mlir", text, strlen(text),
                              &program));
  check_ok(agpu_program_lower(program, "async-gpu-lower{gpu-targets=native}"));
  agpu_jit *jit;
  check_ok(agpu_jit_create(program, 1, &jit));
  agpu_program_release(program);
  return jit;
}

int main(void) {
  enum { ROUNDS = 12, MOST = 3 };
  FILE *file = tmpfile();
  CHECK(file);
  int log = fileno(file), real_stderr = dup(STDERR_FILENO);
  CHECK(dup2(log, STDERR_FILENO) >= 0);
  check_ok(agpu_runtime_set_device(AGPU_DEVICE_EMU));
  agpu_compiler *compiler;
  check_ok(agpu_compiler_create(&compiler));
  void *addresses[ROUNDS];
  bool again = false;
  for (int round = 0; round < ROUNDS; ++round) {
    int kernels = 1 + round % MOST;
    agpu_jit *jit = compile(compiler, kernels);
    check_ok(agpu_jit_lookup(jit, "number", &addresses[round]));
    for (int former = 0; former < round; ++former)
      again |= addresses[former] == addresses[round];
    // The device is used by all of them without a break, but for one.
    if (round == ROUNDS / 2)
      check_ok(agpu_runtime_shutdown());
    for (int call = 0; call < 2; ++call)
      CHECK_EQ(((int64_t (*)(void))(uintptr_t)addresses[round])(), kernels);
    agpu_jit_release(jit);
    int loads = count_calls(log, "cuModuleLoadDataEx");
    int unloads = count_calls(log, "cuModuleUnload");
    if (loads != unloads || loads < round + 1)
      (void)dup2(real_stderr, STDERR_FILENO); // for the message
    CHECK_EQ(unloads, loads);
    CHECK(loads >= round + 1);
  }
  CHECK(again); // or nothing has been tried
  agpu_compiler_release(compiler);
  check_ok(agpu_runtime_shutdown());
  CHECK(fclose(file) == 0);
  return 0;
}
