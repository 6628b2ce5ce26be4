//===- grid.c - Weak scaling of an exchange of halos, to simulate -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What bench/mpi_scaling.py has a model of, as a program of MPI, for SimGrid's
// smpicc and smpirun: ranks of a two-dimensional grid with a border, an
// interior and four neighbours, and a sum over all of them each tenth round.
// Computation is sleep, which SimGrid simulates. Prints the simulated time.
//
//   grid BORDER_US INTERIOR_US NOISE overlapped|blocking
//
//===----------------------------------------------------------------------===//

#include <mpi.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ROUNDS = 100, SUM_EVERY = 10, BYTES = 4096 };

/// A number of the exponential distribution with mean 1, by a seed.
static double draw(unsigned long long *state) {
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  return -log(((double)(*state >> 11) + 1) / 9007199254740993.0);
}

static void compute(double microseconds) {
  usleep((useconds_t)(microseconds + 0.5));
}

int main(int argc, char **argv) {
  if (argc != 5)
    return 2;
  MPI_Init(&argc, &argv);
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  double border = atof(argv[1]), interior = atof(argv[2]),
         noise = atof(argv[3]);
  int overlapped = !strcmp(argv[4], "overlapped");
  int rows = (int)sqrt((double)size);
  while (size % rows)
    --rows;
  int columns = size / rows, row = rank / columns, column = rank % columns;
  int peers[4] = {row ? rank - columns : MPI_PROC_NULL,
                  row + 1 < rows ? rank + columns : MPI_PROC_NULL,
                  column ? rank - 1 : MPI_PROC_NULL,
                  column + 1 < columns ? rank + 1 : MPI_PROC_NULL};
  char *buffers = calloc(8, BYTES);
  unsigned long long state = 1 + (unsigned long long)rank * 977;
  MPI_Barrier(MPI_COMM_WORLD);
  double begin = MPI_Wtime();
  for (int round = 1; round <= ROUNDS; ++round) {
    double slow = 1 + noise * draw(&state);
    MPI_Request requests[8];
    if (overlapped)
      compute(border * slow);
    for (int i = 0; i < 4; ++i)
      MPI_Irecv(buffers + i * BYTES, BYTES, MPI_BYTE, peers[i], 0,
                MPI_COMM_WORLD, &requests[i]);
    for (int i = 0; i < 4; ++i)
      MPI_Isend(buffers + (4 + i) * BYTES, BYTES, MPI_BYTE, peers[i], 0,
                MPI_COMM_WORLD, &requests[4 + i]);
    if (overlapped)
      compute(interior * slow);
    MPI_Waitall(8, requests, MPI_STATUSES_IGNORE);
    if (!overlapped)
      compute((border + interior) * slow);
    if (round % SUM_EVERY == 0) {
      double one = 1, all;
      MPI_Allreduce(&one, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0)
    printf("%.6f\n", MPI_Wtime() - begin);
  free(buffers);
  MPI_Finalize();
  return 0;
}
