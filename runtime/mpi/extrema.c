//===- extrema.c - Maxima and minima of floats ----------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// MPI does not say what its own give of a NaN, and libraries return either
// operand.
//
//===----------------------------------------------------------------------===//

#include "mpi/extrema.h"

#include <math.h>

/// Whether `a` comes in front of `b`, none of them a NaN. -0.0 is below 0.0.
static bool is_below(double a, double b) {
  return a < b || (a == b && signbit(a) > signbit(b));
}

static double choose(agpu_mpi_reduction reduction, double a, double b) {
  bool number = reduction == AGPU_MPI_MAXNUM || reduction == AGPU_MPI_MINNUM;
  if (isnan(a))
    return number ? b : a;
  if (isnan(b))
    return number ? a : b;
  bool least = reduction == AGPU_MPI_MINIMUM || reduction == AGPU_MPI_MINNUM;
  return is_below(a, b) == least ? a : b;
}

void agpu__mpi_reduce_floats(agpu_mpi_reduction reduction, const float *from,
                             float *to, int count) {
  for (int i = 0; i < count; ++i)
    to[i] = (float)choose(reduction, from[i], to[i]);
}

void agpu__mpi_reduce_doubles(agpu_mpi_reduction reduction, const double *from,
                              double *to, int count) {
  for (int i = 0; i < count; ++i)
    to[i] = choose(reduction, from[i], to[i]);
}
