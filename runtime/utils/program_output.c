//===- program_output.c - What a program prints is not lost ---------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An executable of --emit=exe links this by the name below, and no other
// program does: standard output is its own. The C library would ignore that the
// last of it could not be written. It is looked at when all handlers of the end
// have run, since tasks, kernels and a trace that end then may print, too.
//
//===----------------------------------------------------------------------===//

#include "utils.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char agpu__program_output = 1;

static void __attribute__((destructor)) check_output(void) {
  errno = 0;
  if (fflush(stdout) == 0 && !ferror(stdout))
    return;
  // What failed earlier has left no reason.
  fprintf(stderr, "error: cannot write to <stdout>: %s\n",
          errno ? strerror(errno) : "an output failed");
  _exit(EXIT_FAILURE);
}
