//===- embed_compiler.c - The compiler inside a program -------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lowers a module from memory, compiles it into this process and calls a
// function of it, which spawns tasks. With async-gpu installed:
//
//     cc embed_compiler.c $(pkg-config --cflags --libs async-gpu-compiler)
//
//===----------------------------------------------------------------------===//

#include "async_gpu/compiler.h"
#include "async_gpu/runtime.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char source[] =
    "func.func @fib(%n: i64) -> i64 {\n"
    "  %c1 = arith.constant 1 : i64\n"
    "  %c2 = arith.constant 2 : i64\n"
    "  %small = arith.cmpi slt, %n, %c2 : i64\n"
    "  %result = scf.if %small -> i64 {\n"
    "    scf.yield %n : i64\n"
    "  } else {\n"
    "    %token, %value = async.execute -> !async.value<i64> {\n"
    "      %a = arith.subi %n, %c1 : i64\n"
    "      %x = func.call @fib(%a) : (i64) -> i64\n"
    "      async.yield %x : i64\n"
    "    }\n"
    "    %b = arith.subi %n, %c2 : i64\n"
    "    %y = func.call @fib(%b) : (i64) -> i64\n"
    "    %x = async.await %value : !async.value<i64>\n"
    "    %sum = arith.addi %x, %y : i64\n"
    "    scf.yield %sum : i64\n"
    "  }\n"
    "  return %result : i64\n"
    "}\n";

/// Prints why a call failed, and consumes the status. True if it did not.
static bool check(agpu_status status) {
  if (!status)
    return true;
  fprintf(stderr, "%s\n", agpu_status_get_message(status));
  agpu_status_release(status);
  return false;
}

// CHECK: fib(20) = 6765
// CHECK: error at wrong.mlir:2:3
int main(void) {
  agpu_compiler *compiler = NULL;
  agpu_program *program = NULL;
  agpu_jit *jit = NULL;
  void *address = NULL;
  bool ok = check(agpu_compiler_create(&compiler)) &&
            check(agpu_program_parse(compiler, "fib.mlir", source,
                                     strlen(source), &program)) &&
            check(agpu_program_lower(program, "async-gpu-lower")) &&
            check(agpu_jit_create(program, 2, &jit)) &&
            check(agpu_jit_lookup(jit, "fib", &address));
  agpu_program_release(program);
  agpu_compiler_release(compiler);
  if (ok) {
    int64_t (*fib)(int64_t) = (int64_t(*)(int64_t))(uintptr_t)address;
    printf("fib(20) = %lld\n", (long long)fib(20));
  }

  // A module that is wrong says where.
  const char *wrong = "func.func @f() -> i64 {\n  return\n}\n";
  if (ok && check(agpu_compiler_create(&compiler))) {
    agpu_status status = agpu_program_parse(compiler, "wrong.mlir", wrong,
                                            strlen(wrong), &program);
    printf("error at %s\n",
           status ? agpu_status_get_location(status) : "no place");
    agpu_status_release(status);
    agpu_compiler_release(compiler);
  }

  // Tasks have ended when the code goes away.
  ok = check(agpu_runtime_shutdown()) && ok;
  agpu_jit_release(jit);
  return ok ? EXIT_SUCCESS : EXIT_FAILURE;
}
