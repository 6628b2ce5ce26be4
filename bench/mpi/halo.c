//===- halo.c - The exchange by hand ----------------------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What halo.mlir does, as one writes it in C: requests around the interior. It
// prints the median time of a round.
//
//===----------------------------------------------------------------------===//

#include <mpi.h>

#include <stdint.h>
#include <stdlib.h>

void compute_interior(int64_t microseconds);
double read_clock(void);
void report_round(double seconds);

enum { ROUNDS = 100, CELLS = 1024, INTERIOR_US = 3000 };

int main(int argc, char **argv) {
  static float from[CELLS], to[CELLS];
  int rank, threads;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &threads);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Barrier(MPI_COMM_WORLD);
  double begin = read_clock();
  for (int i = 0; i < ROUNDS; ++i) {
    MPI_Request requests[2];
    MPI_Irecv(to, CELLS, MPI_FLOAT, rank ^ 1, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(from, CELLS, MPI_FLOAT, rank ^ 1, 0, MPI_COMM_WORLD,
              &requests[1]);
    compute_interior(INTERIOR_US);
    MPI_Status statuses[2];
    MPI_Waitall(2, requests, statuses);
  }
  if (rank == 0)
    report_round((read_clock() - begin) / ROUNDS);
  MPI_Finalize();
  return 0;
}
