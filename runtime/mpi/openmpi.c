//===- openmpi.c - Open MPI -----------------------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The table from Open MPI, of any version since 2: handles are addresses, and
// those that MPI has names for are the addresses of objects in the library.
//
//===----------------------------------------------------------------------===//

#include "mpi/extrema.h"
#include "mpi/internal.h"

#include <dlfcn.h>
#include <string.h>

typedef void *native;

typedef struct native_status {
  int MPI_SOURCE, MPI_TAG, MPI_ERROR, cancelled;
  size_t bytes;
} native_status;

#define OWN(openmpi, mpich) openmpi
#define WORLD find(mpi.library, "ompi_mpi_comm_world")
#define SHARED 0
#define IN_PLACE ((const void *)1)
#define UNDEFINED (-32766)
#define INFO_NULL find(mpi.library, "ompi_mpi_info_null")

static agpu__mpi_handle find(void *library, const char *name) {
  return (agpu__mpi_handle)dlsym(library, name);
}

static native to_native(agpu__mpi_handle handle) { return (native)handle; }
static agpu__mpi_handle from_native(native handle) {
  return (agpu__mpi_handle)handle;
}

static int64_t bytes_of(const native_status *status) {
  return (int64_t)status->bytes;
}

#include "mpi/abi.h"

bool agpu__mpi_openmpi_load(void *library, agpu__mpi_library *out,
                            const char **out_missing) {
  if (!find_functions(library, out_missing))
    return false;
  fill(library, out);
  static const char *const types[] = {
#define TYPE(name, bytes, openmpi, mpich) openmpi,
      AGPU_MPI_TYPES(TYPE)
#undef TYPE
  };
  static const char *const reductions[] = {
#define REDUCTION(name, openmpi, mpich) openmpi,
      AGPU_MPI_REDUCTIONS(REDUCTION)
#undef REDUCTION
  };
  for (int i = 0; i < AGPU_MPI_TYPE_COUNT; ++i)
    out->types[i] = find(library, types[i]);
  for (size_t i = 0; i < sizeof reductions / sizeof *reductions; ++i)
    out->reductions[i] = find(library, reductions[i]);
  out->name = "Open MPI";
  out->request_empty = find(library, "ompi_request_empty");
  out->errors_return = find(library, "ompi_mpi_errors_return");
  out->any_source = -1;
  out->any_tag = -1;
  out->proc_null = -2;
  // Where ranks share CPUs, or the user says so.
  out->yields = dlsym(library, "opal_progress_yield_when_idle");
  *out_missing = "ompi_mpi_comm_world";
  return out->world && out->errors_return;
}
