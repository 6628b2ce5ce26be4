//===- released_text.c - What is said of code that has been released ------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Device memory that is not freed is reported at the end with the place that
// allocated it, also where the code that says the place is gone by then. The
// test has ASYNC_GPU_EMU_CHECK=memory.
//
//===----------------------------------------------------------------------===//

#include "async_gpu/compiler.h"
#include "async_gpu/runtime.h"

#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char text[] = "func.func @leak() {\n"
                           "  %d = gpu.alloc() : memref<16xi64>\n"
                           "  return\n"
                           "}\n";

static void check_ok(agpu_status status) {
  CHECK_STR(agpu_status_get_message(status), "ok");
}

int main(void) {
  agpu_compiler *compiler;
  agpu_program *program;
  agpu_jit *jit;
  void *address;
  check_ok(agpu_runtime_set_device(AGPU_DEVICE_EMU));
  check_ok(agpu_compiler_create(&compiler));
  check_ok(agpu_program_parse(compiler, "leak.mlir", text, sizeof text - 1,
                              &program));
  check_ok(agpu_program_lower(program, "async-gpu-lower{gpu-targets=native}"));
  check_ok(agpu_jit_create(program, 1, &jit));
  check_ok(agpu_jit_lookup(jit, "leak", &address));
  ((void (*)(void))(uintptr_t)address)();
  agpu_jit_release(jit);
  agpu_program_release(program);
  agpu_compiler_release(compiler);

  FILE *said = tmpfile();
  int real_stderr = dup(STDERR_FILENO);
  CHECK(said && dup2(fileno(said), STDERR_FILENO) >= 0);
  agpu_status status = agpu_runtime_shutdown();
  CHECK(dup2(real_stderr, STDERR_FILENO) >= 0);
  char report[4096] = "";
  (void)pread(fileno(said), report, sizeof report - 1, 0);
  strncat(report, agpu_status_get_message(status),
          sizeof report - 1 - strlen(report));
  if (!strstr(report, "leak.mlir:2:8"))
    fputs(report, stderr);
  CHECK(strstr(report, "leak.mlir:2:8"));
  agpu_status_release(status);
  (void)fclose(said);
  return 0;
}
