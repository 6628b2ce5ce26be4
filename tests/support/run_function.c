//===- run_function.c - A program of which any function can run -----------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// To be linked with --wrap=main and -rdynamic to an object of async-gpu-opt:
// the program runs the function that its argument names, which takes nothing
// and gives nothing, as async-gpu-runner does with --entry-point.
//
//===----------------------------------------------------------------------===//

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>

int __wrap_main(int count, char **arguments); // NOLINT: the linker's name

int __wrap_main(int count, char **arguments) { // NOLINT
  void (*function)(void) = 0;
  if (count == 2)
    *(void **)&function = dlsym(RTLD_DEFAULT, arguments[1]);
  if (!function) {
    fprintf(stderr, "usage: %s FUNCTION of the program\n", arguments[0]);
    return 2;
  }
  function();
  return 0;
}
