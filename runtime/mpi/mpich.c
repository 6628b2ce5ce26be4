//===- mpich.c - MPICH ----------------------------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The table from MPICH, and from the libraries that have its binary interface
// (Intel's, MVAPICH, Cray's): handles are numbers.
//
//===----------------------------------------------------------------------===//

#include "mpi/extrema.h"
#include "mpi/internal.h"

#include <dlfcn.h>
#include <string.h>

typedef int native;

typedef struct native_status {
  int count_low, count_high_and_cancelled;
  int MPI_SOURCE, MPI_TAG, MPI_ERROR;
} native_status;

#define OWN(openmpi, mpich) mpich
#define WORLD 0x44000000
#define SHARED 1
#define IN_PLACE ((const void *)-1)
#define UNDEFINED (-32766)
#define INFO_NULL 0x1c000000

static native to_native(agpu__mpi_handle handle) { return (native)handle; }
static agpu__mpi_handle from_native(native handle) {
  return (agpu__mpi_handle)(unsigned)handle;
}

static int64_t bytes_of(const native_status *status) {
  // The lowest bit of the second word is not of the count.
  return (int64_t)(((uint64_t)(unsigned)status->count_high_and_cancelled >> 1)
                       << 32 |
                   (unsigned)status->count_low);
}

#include "mpi/abi.h"

bool agpu__mpi_mpich_load(void *library, agpu__mpi_library *out,
                          const char **out_missing) {
  if (!find_functions(library, out_missing))
    return false;
  fill(library, out);
  static const agpu__mpi_handle types[] = {
#define TYPE(name, bytes, openmpi, mpich) mpich,
      AGPU_MPI_TYPES(TYPE)
#undef TYPE
  };
  static const agpu__mpi_handle reductions[] = {
#define REDUCTION(name, openmpi, mpich) mpich,
      AGPU_MPI_REDUCTIONS(REDUCTION)
#undef REDUCTION
  };
  memcpy(out->types, types, sizeof types);
  memcpy(out->reductions, reductions, sizeof reductions);
  out->name = "MPICH";
  out->errors_return = 0x54000001;
  out->any_source = -2;
  out->any_tag = -1;
  out->proc_null = -1;
  return true;
}
