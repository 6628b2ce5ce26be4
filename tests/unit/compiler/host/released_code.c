//===- released_code.c - Programs compiled and released over and over -----===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Programs are made code, called and released, a thousand times over. One whose
// code lies where that of another lay runs its own kernels, what it had on the
// device is given back with it, and the process does not grow. No region may
// still be at its end when code is released, so there is none here.
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

/// Bytes that the process has of malloc's, or of the sanitizer's in its place,
/// and of code that is in no file.
typedef struct memory {
  size_t allocated, code;
} memory;

extern size_t __sanitizer_get_current_allocated_bytes(void)
    __attribute__((weak));

static memory get_memory(void) {
  memory result = {.allocated = __sanitizer_get_current_allocated_bytes
                                    ? __sanitizer_get_current_allocated_bytes()
                                    : mallinfo2().uordblks};
  FILE *maps = fopen("/proc/self/maps", "r");
  CHECK(maps);
  char line[4096], access[8];
  size_t from, to, inode;
  while (fgets(line, sizeof line, maps))
    if (sscanf(line, "%zx-%zx %7s %*x %*s %zu", &from, &to, access, &inode) ==
            4 &&
        access[2] == 'x' && inode == 0)
      result.code += to - from;
  CHECK(fclose(maps) == 0);
  return result;
}

/// How often the log has `text`. The test has ASYNC_GPU_LOG=driver.
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

/// A program of so many kernels.
static agpu_program *lower(agpu_compiler *compiler, int kernels) {
  char text[8192] = "";
  strcat(text, before);
  for (int i = 0; i < kernels; ++i)
    strcat(text, kernel);
  strcat(text, behind);
  agpu_program *program;
  check_ok(agpu_program_parse(compiler, "number.mlir", text, strlen(text),
                              &program));
  check_ok(agpu_program_lower(program, "async-gpu-lower{gpu-targets=native}"));
  return program;
}

/// Makes code of a program of so many kernels, calls and releases it. Where it
/// lay.
static void *run_round(agpu_program *program, int kernels, bool restart) {
  agpu_jit *jit;
  void *address;
  check_ok(agpu_jit_create(program, 0, &jit));
  check_ok(agpu_jit_lookup(jit, "number", &address));
  if (restart)
    check_ok(agpu_runtime_shutdown());
  for (int call = 0; call < 2; ++call)
    CHECK_EQ(((int64_t (*)(void))(uintptr_t)address)(), kernels);
  agpu_jit_release(jit);
  return address;
}

int main(void) {
  enum { ROUNDS = 1000, SPAN = 100, MOST = 3, KIB = 1024 };
  FILE *file = tmpfile();
  CHECK(file);
  int log = fileno(file), real_stderr = dup(STDERR_FILENO);
  check_ok(agpu_runtime_set_device(AGPU_DEVICE_EMU));
  agpu_compiler *compiler;
  check_ok(agpu_compiler_create(&compiler));
  agpu_program *programs[MOST];
  for (int i = 0; i < MOST; ++i)
    programs[i] = lower(compiler, i + 1);
  static void *addresses[ROUNDS];
  int again = 0;
  memory warm = {SIZE_MAX, SIZE_MAX}, end = warm;
  for (int round = 0; round < ROUNDS; ++round) {
    CHECK(ftruncate(log, 0) == 0 && lseek(log, 0, SEEK_SET) == 0);
    CHECK(dup2(log, STDERR_FILENO) >= 0);
    // The device is used by all of them without a break, but for some.
    void *address =
        run_round(programs[round % MOST], 1 + round % MOST, round % 250 == 249);
    CHECK(dup2(real_stderr, STDERR_FILENO) >= 0);
    for (int former = 0; former < round; ++former)
      if (addresses[former] == address && former % MOST != round % MOST) {
        ++again;
        break;
      }
    addresses[round] = address;
    // One was unloaded by the restart, if any; none is left.
    CHECK_EQ(count_calls(log, "cuModuleLoadDataEx"), 1);
    CHECK_EQ(count_calls(log, "cuModuleUnload"), 1);
    // The least of many rounds, as long after a restart at first and at last:
    // some are behind a clean-up.
    memory now = get_memory();
    memory *least = round < ROUNDS / 2 ? &warm : &end;
    if (round % (ROUNDS / 2) >= ROUNDS / 2 - 2 * SPAN &&
        round % (ROUNDS / 2) < ROUNDS / 2 - SPAN)
      *least = (memory){now.allocated < least->allocated ? now.allocated
                                                         : least->allocated,
                        now.code < least->code ? now.code : least->code};
  }
  printf("%d rounds at the address of another program; at least %zu and %zu "
         "bytes, then %zu and %zu\n",
         again, warm.allocated, warm.code, end.allocated, end.code);
  CHECK(again > ROUNDS / 10); // or little has been tried
  // A page of code, or a hundred bytes of anything, in each round is more.
  CHECK(end.allocated <= warm.allocated + (size_t)48 * KIB);
  CHECK(end.code <= warm.code + (size_t)64 * KIB);
  for (int i = 0; i < MOST; ++i)
    agpu_program_release(programs[i]);
  agpu_compiler_release(compiler);
  check_ok(agpu_runtime_shutdown());
  CHECK(fclose(file) == 0);
  return 0;
}
