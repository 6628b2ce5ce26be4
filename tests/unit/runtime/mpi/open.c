//===- open.c - Tests of which MPI library is opened ----------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// On a machine without any: dlopen is this file's.
//
//===----------------------------------------------------------------------===//

#include "mpi/library.h"

#include "check.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

static char asked[400]; // names, one behind the other

void *dlopen(const char *name, int flags);

void *dlopen(const char *name, int flags) {
  (void)flags;
  if (name && strlen(asked) + strlen(name) + 2 < sizeof asked) {
    strcat(asked, name);
    strcat(asked, " ");
  }
  return NULL;
}

static void check_missing(const char *names, const char *message) {
  agpu__mpi_library library;
  asked[0] = '\0';
  agpu_status status = agpu__mpi_library_open(&library);
  CHECK_EQ(agpu_status_get_code(status), AGPU_STATUS_NOT_FOUND);
  CHECK_STR(agpu_status_get_message(status), message);
  CHECK_STR(asked, names);
  agpu_status_release(status);
}

#define OPENMPI "libmpi.so.40 libmpi.so.80 libmpi.so.20 libmpi.so "
#define MPICH "libmpich.so.12 libmpi.so.12 libmpich.so libmpi.so "
#define WHAT_TO_DO                                                             \
  ": install it (Debian: openmpi-bin or mpich), or see where LD_LIBRARY_PATH " \
  "leads"

int main(void) {
  static const char *const launchers[] = {"OMPI_COMM_WORLD_SIZE",
                                          "OMPI_UNIVERSE_SIZE",
                                          "PMIX_RANK",
                                          "PMI_RANK",
                                          "PMI_FD",
                                          "PMI_PORT",
                                          "HYDI_CONTROL_FD",
                                          "ASYNC_GPU_MPI"};
  for (size_t i = 0; i < sizeof launchers / sizeof *launchers; ++i)
    (void)unsetenv(launchers[i]);
  check_missing(OPENMPI MPICH, "no MPI library was found" WHAT_TO_DO);
  (void)setenv("PMI_RANK", "0", 1);
  check_missing(MPICH, "MPICH's library was not found" WHAT_TO_DO);
  (void)setenv("OMPI_COMM_WORLD_SIZE", "2", 1);
  check_missing(OPENMPI, "Open MPI's library was not found" WHAT_TO_DO);
  (void)setenv("ASYNC_GPU_MPI", "mpich", 1);
  check_missing(MPICH, "MPICH's library was not found" WHAT_TO_DO);
  return 0;
}
