//===- outside_threads.c - A program called by threads of its host --------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//     outside_threads THREADS {FILE EXPECTED}...
//
// Compiles each FILE, one after the other, and calls its function `checksum`
// from so many threads at once, which the runtime has not started. All have to
// give EXPECTED. Half of them end before the others call.
//
//===----------------------------------------------------------------------===//

#include "async_gpu/compiler.h"
#include "async_gpu/runtime.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_THREADS = 64 };

static bool check(agpu_status status) {
  if (!status)
    return true;
  fprintf(stderr, "%s\n", agpu_status_get_message(status));
  agpu_status_release(status);
  return false;
}

typedef struct caller {
  int64_t (*function)(void);
  int64_t result;
} caller;

static void *call(void *data) {
  caller *self = data;
  self->result = self->function();
  return NULL;
}

/// Calls from threads `first` to `end`; false where one of them is wrong.
static bool call_all(int64_t (*function)(void), int first, int end,
                     int64_t expected) {
  pthread_t threads[MOST_THREADS];
  caller callers[MOST_THREADS];
  bool right = true;
  for (int i = first; i < end; ++i) {
    callers[i].function = function;
    if (pthread_create(&threads[i], NULL, call, &callers[i]) != 0)
      abort();
  }
  for (int i = first; i < end; ++i) {
    if (pthread_join(threads[i], NULL) != 0)
      abort();
    if (callers[i].result == expected)
      continue;
    printf("thread %d: %lld instead of %lld\n", i, (long long)callers[i].result,
           (long long)expected);
    right = false;
  }
  return right;
}

/// The contents of a file, for the caller to free.
static char *read_file(const char *path, size_t *out_size) {
  FILE *file = fopen(path, "rb");
  if (!file || fseek(file, 0, SEEK_END) != 0)
    abort();
  long size = ftell(file);
  char *text = malloc((size_t)size + 1);
  rewind(file);
  if (!text || fread(text, 1, (size_t)size, file) != (size_t)size)
    abort();
  fclose(file);
  *out_size = (size_t)size;
  return text;
}

static bool run(agpu_compiler *compiler, const char *path, int threads,
                int64_t expected) {
  size_t size;
  char *text = read_file(path, &size);
  agpu_program *program = NULL;
  agpu_jit *jit = NULL;
  void *address;
  bool ok = check(agpu_program_parse(compiler, path, text, size, &program)) &&
            check(agpu_program_lower(program, "async-gpu-lower")) &&
            check(agpu_jit_create(program, 1, &jit)) &&
            check(agpu_jit_lookup(jit, "checksum", &address));
  free(text);
  agpu_program_release(program);
  if (ok) {
    int64_t (*function)(void) = (int64_t (*)(void))(uintptr_t)address;
    ok = call_all(function, 0, threads / 2, expected);
    ok = call_all(function, threads / 2, threads, expected) && ok;
  }
  ok = check(agpu_runtime_shutdown()) && ok;
  agpu_jit_release(jit);
  return ok;
}

int main(int argc, char **argv) {
  int threads = argc > 1 ? atoi(argv[1]) : 0;
  if (threads < 1 || threads > MOST_THREADS || argc % 2 != 0) {
    fprintf(stderr, "usage: outside_threads THREADS {FILE EXPECTED}...\n");
    return EXIT_FAILURE;
  }
  agpu_compiler *compiler;
  if (!check(agpu_compiler_create(&compiler)))
    return EXIT_FAILURE;
  int failures = 0;
  for (int i = 2; i + 1 < argc; i += 2)
    if (!run(compiler, argv[i], threads, strtoll(argv[i + 1], NULL, 10))) {
      printf("%s fails\n", argv[i]);
      ++failures;
    }
  agpu_compiler_release(compiler);
  return failures ? EXIT_FAILURE : EXIT_SUCCESS;
}
