//===- released_early.c - Code released while a task leaves it ------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Whoever has waited for a call's token may release the code at once, although
// the thread that made it ready has not left that code yet. While tasks run all
// the time, the code is kept, and freed when they have ended.
//
//===----------------------------------------------------------------------===//

#include "async_gpu/compiled/mlir_async_runtime.h"
#include "async_gpu/compiler.h"
#include "async_gpu/object.h"
#include "async_gpu/parallel.h"
#include "async_gpu/runtime.h"

#include "check.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

// What a task calls, so that the compiler does not see through it, is a
// function of the process.
static const char text[] = "func.func private @sched_yield() -> i32\n"
                           "func.func @begin() -> !async.token {\n"
                           "  %t = async.execute {\n"
                           "    func.call @sched_yield() : () -> i32\n"
                           "    async.yield\n"
                           "  }\n"
                           "  return %t : !async.token\n"
                           "}\n";

static void check_ok(agpu_status status) {
  CHECK_STR(agpu_status_get_message(status), "ok");
}

/// Bytes of code that is of no file.
static size_t measure_code(void) {
  FILE *maps = fopen("/proc/self/maps", "r");
  CHECK(maps);
  char line[4096], access[8];
  size_t from, to, inode, size = 0;
  while (fgets(line, sizeof line, maps))
    if (sscanf(line, "%zx-%zx %7s %*x %*s %zu", &from, &to, access, &inode) ==
            4 &&
        access[2] == 'x' && inode == 0)
      size += to - from;
  CHECK(fclose(maps) == 0);
  return size;
}

static agpu_jit *run(agpu_program *program) {
  agpu_jit *jit;
  void *address;
  check_ok(agpu_jit_create(program, 0, &jit));
  check_ok(agpu_jit_lookup(jit, "begin", &address));
  agpu_object *token = ((agpu_object * (*)(void))(uintptr_t)address)();
  while (!mlirAsyncRuntimeIsTokenError(token) && !agpu_object_is_ready(token))
    (void)sched_yield();
  mlirAsyncRuntimeDropRef(token, 1);
  return jit;
}

static atomic_bool is_over;

static void be_at_work(void *data, int64_t begin, int64_t end) {
  (void)data, (void)begin, (void)end;
  while (!atomic_load(&is_over))
    (void)sched_yield();
}

static void *keep_busy(void *unused) {
  agpu_parallel_for(2, 1, be_at_work, NULL);
  return unused;
}

int main(void) {
  enum { ROUNDS = 40, KEPT = 3 };
  agpu_compiler *compiler;
  agpu_program *program;
  check_ok(agpu_compiler_create(&compiler));
  check_ok(
      agpu_program_parse(compiler, "early.mlir", text, strlen(text), &program));
  check_ok(agpu_program_lower(program, "async-gpu-lower"));
  for (int round = 0; round < ROUNDS; ++round)
    agpu_jit_release(run(program));
  CHECK(agpu_runtime_settle(INT64_MAX / 2));
  size_t before = measure_code();

  pthread_t other;
  CHECK(!pthread_create(&other, NULL, keep_busy, NULL));
  while (agpu_runtime_settle(0))
    ;
  for (int round = 0; round < KEPT; ++round)
    agpu_jit_release(run(program));
  size_t meanwhile = measure_code();
  atomic_store(&is_over, true);
  CHECK(!pthread_join(other, NULL));
  CHECK(meanwhile > before);
  agpu_jit_release(run(program));
  CHECK_EQ(measure_code(), before);

  agpu_program_release(program);
  agpu_compiler_release(compiler);
  return 0;
}
