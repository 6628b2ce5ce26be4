//===- run_packed.c - Programs one after the other in a process -----------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   run_packed [keep] OUTPUT ERRORS
//
// Each line of standard input names a library, followed by settings: it is
// loaded, the settings are put into the environment, its main runs, the runtime
// ends, and the library is unloaded. What it prints goes to the file OUTPUT,
// its standard error to ERRORS. A line on standard output then says its status:
// 0, or 1 where the runtime ends with an error. A program that exits ends this
// process. With `keep` the GPU's context stays between programs: to make one
// takes seconds.
//
//===----------------------------------------------------------------------===//

#include <async_gpu/runtime.h>
#include <async_gpu/status.h>

#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void fail(const char *what) {
  fprintf(stderr, "run_packed: error: %s\n", what);
  _exit(2);
}

/// Retains the primary context of the first device for as long as the process
/// lives.
static void keep_context(void) {
  void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  int (*init)(unsigned), (*retain)(void **, int);
  void *context;
  if (!library)
    fail(dlerror());
  *(void **)&init = dlsym(library, "cuInit");
  *(void **)&retain = dlsym(library, "cuDevicePrimaryCtxRetain");
  if (!init || !retain || init(0) || retain(&context, 0))
    fail("no context of device 0");
}

static void redirect(int descriptor, const char *path) {
  int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
  if (file < 0 || dup2(file, descriptor) < 0)
    fail("a file cannot be written");
  close(file);
}

/// Runs the program in `path`.
static int run(const char *path) {
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library)
    fail(dlerror());
  void (*function)(void);
  *(void **)&function = dlsym(library, "main");
  if (!function)
    fail("it has no main");
  function();
  agpu_status status = agpu_runtime_shutdown();
  if (status)
    fprintf(stderr, "%s\n", agpu_status_get_message(status));
  int result = status != NULL;
  agpu_status_release(status);
  fflush(NULL);
  dlclose(library);
  return result;
}

int main(int count, char **arguments) {
  bool keeps = count == 4 && !strcmp(arguments[1], "keep");
  if (count != 3 + keeps)
    fail("usage: run_packed [keep] OUTPUT ERRORS");
  FILE *answers = fdopen(dup(1), "w");
  if (!answers)
    fail("no standard output");
  if (keeps)
    keep_context();
  fprintf(answers, "ready\n");
  fflush(answers);
  char line[4096];
  while (fgets(line, sizeof line, stdin)) {
    redirect(1, arguments[1 + keeps]);
    redirect(2, arguments[2 + keeps]);
    char *path = strtok(line, " \n"), *settings[16];
    int last = 0;
    while (last < 16 && (settings[last] = strtok(NULL, " \n"))) {
      char *value = strchr(settings[last], '=');
      if (!value)
        fail("a setting has no value");
      *value = 0;
      setenv(settings[last++], value + 1, 1);
    }
    int status = run(path);
    while (last)
      unsetenv(settings[--last]);
    fprintf(answers, "%d\n", status);
    fflush(answers);
  }
  return 0;
}
