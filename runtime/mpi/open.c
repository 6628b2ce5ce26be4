//===- open.c - Which MPI library -----------------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Chosen when the program initializes MPI, in this order: what ASYNC_GPU_MPI
// says; a library that the process has loaded; that of the launcher, by the
// variables that it sets for the processes it starts; what is found.
//
//===----------------------------------------------------------------------===//

#include "mpi/library.h"

#include "base/report/settings.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// In the order of the setting's words.
typedef enum choice { AUTO, OPENMPI, MPICH } choice;

static const char *const openmpi_names[] = {"libmpi.so.40", "libmpi.so.80",
                                            "libmpi.so.20", "libmpi.so", NULL};
static const char *const mpich_names[] = {"libmpich.so.12", "libmpi.so.12",
                                          "libmpich.so", "libmpi.so", NULL};

/// Libraries of both kinds have the name libmpi.so.
static choice kind_of(void *library) {
  return dlsym(library, "ompi_mpi_comm_world") ? OPENMPI : MPICH;
}

/// The launcher is recognised by the names of its variables.
static choice get_launcher(void) {
  static const char *const openmpi[] = {"OMPI_COMM_WORLD_SIZE",
                                        "OMPI_UNIVERSE_SIZE", "PMIX_RANK"};
  static const char *const mpich[] = {"PMI_RANK", "PMI_FD", "PMI_PORT",
                                      "HYDI_CONTROL_FD"};
  for (size_t i = 0; i < sizeof openmpi / sizeof *openmpi; ++i)
    if (secure_getenv(openmpi[i]))
      return OPENMPI;
  for (size_t i = 0; i < sizeof mpich / sizeof *mpich; ++i)
    if (secure_getenv(mpich[i]))
      return MPICH;
  return AUTO;
}

/// The first of these libraries that is there and is of this kind, open with
/// its symbols global: its own plugins look for them.
static void *open_first(const char *const *names, choice kind) {
  for (; *names; ++names) {
    void *library = dlopen(*names, RTLD_LAZY | RTLD_LOCAL);
    if (!library)
      continue;
    if (dlsym(library, "MPI_Init_thread") && kind_of(library) == kind)
      return dlopen(*names, RTLD_LAZY | RTLD_GLOBAL);
    (void)dlclose(library);
  }
  return NULL;
}

static void *open_kind(choice kind) {
  return open_first(kind == OPENMPI ? openmpi_names : mpich_names, kind);
}

agpu_status agpu__mpi_library_open(agpu__mpi_library *out) {
  int word;
  agpu_status status = agpu__setting_word(AGPU__SETTING_MPI, &word);
  if (status)
    return status;
  choice wanted = (choice)word;
  bool was_there = dlsym(RTLD_DEFAULT, "PMPI_Init_thread") != NULL;
  void *library = NULL;
  if (wanted == AUTO && was_there) {
    library = dlopen(NULL, RTLD_LAZY);
    wanted = kind_of(library);
  }
  if (wanted == AUTO)
    wanted = get_launcher();
  if (!library && wanted != AUTO)
    library = open_kind(wanted);
  if (!library && wanted == AUTO) {
    wanted = OPENMPI;
    library = open_kind(OPENMPI);
    if (!library) {
      wanted = MPICH;
      library = open_kind(MPICH);
    }
  }
  if (!library)
    return agpu_status_create(
        AGPU_STATUS_NOT_FOUND, NULL,
        "%s: install it (Debian: openmpi-bin or mpich), or see where "
        "LD_LIBRARY_PATH leads",
        word == AUTO && get_launcher() == AUTO ? "no MPI library was found"
        : wanted == OPENMPI ? "Open MPI's library was not found"
                            : "MPICH's library was not found");
  const char *missing;
  bool complete = wanted == OPENMPI
                      ? agpu__mpi_openmpi_load(library, out, &missing)
                      : agpu__mpi_mpich_load(library, out, &missing);
  out->has_other_users = was_there;
  if (complete)
    return AGPU_OK;
  return agpu_status_create(AGPU_STATUS_UNSUPPORTED, NULL,
                            "the MPI library lacks %s: MPI 3.0 is needed",
                            missing);
}
