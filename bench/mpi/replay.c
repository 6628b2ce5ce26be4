//===- replay.c - Rounds of a rank's messages, to simulate --------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What bench/scaling_ranks.py has found a rank to do in a round, as a program
// of MPI, for SimGrid's smpicc and smpirun. SimGrid progresses no message while
// a rank computes, so each rank is two: one computes, and its second half, on
// the same host, does the messages that the first one starts, one after the
// other. Prints the simulated microseconds of a round.
//
//   replay FILE      with twice as many ranks as are simulated, of which the
//                    second halves come last
//
// Lines of the file: "c MICROSECONDS" computes, "r NUMBER BYTES" starts a
// reduction of all ranks and "h NUMBER BYTES" an exchange with both neighbours,
// and "w NUMBER" waits for one, of the round before where none has begun yet.
//
//===----------------------------------------------------------------------===//

#include <mpi.h>

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { ROUNDS = 8, LINES = 1024, END = -1, BEGUN = 1, ENDED = 2 };

typedef struct line {
  char kind;
  double value;
  int number;
} line;

/// What a second half is told: the kind, the number, and the bytes.
typedef struct order {
  int kind, number, bytes;
} order;

static int read_lines(const char *path, line *lines) {
  FILE *file = fopen(path, "r");
  int count = 0;
  char kind;
  while (file && count < LINES && fscanf(file, " %c", &kind) == 1) {
    line *to = &lines[count++];
    to->kind = kind;
    if (kind == 'c'   ? fscanf(file, "%lf", &to->value) != 1
        : kind == 'w' ? fscanf(file, "%d", &to->number) != 1
                      : fscanf(file, "%d %lf", &to->number, &to->value) != 2)
      return -1;
  }
  if (file)
    fclose(file);
  return count;
}

static void compute(double microseconds) {
  struct timespec time = {0, (long)(microseconds * 1e3)};
  nanosleep(&time, NULL);
}

/// Does what `half`, on the same host, says.
static void serve(MPI_Comm all, MPI_Comm own, int half, int rank, int ranks) {
  static float from[1 << 22], to[1 << 22];
  for (;;) {
    order told;
    MPI_Recv(&told, 3, MPI_INT, half, BEGUN, all, MPI_STATUS_IGNORE);
    if (told.kind == END)
      return;
    if (told.kind == 'r') {
      MPI_Allreduce(from, to, told.bytes / 4, MPI_FLOAT, MPI_SUM, own);
    } else {
      int up = rank ? rank - 1 : MPI_PROC_NULL;
      int down = rank + 1 < ranks ? rank + 1 : MPI_PROC_NULL;
      int part = told.bytes / 2;
      MPI_Request requests[4];
      MPI_Irecv(to, part, MPI_BYTE, up, 0, own, &requests[0]);
      MPI_Irecv(to + (1 << 21), part, MPI_BYTE, down, 0, own, &requests[1]);
      MPI_Isend(from, part, MPI_BYTE, up, 0, own, &requests[2]);
      MPI_Isend(from, part, MPI_BYTE, down, 0, own, &requests[3]);
      MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    }
    MPI_Send(&told.number, 1, MPI_INT, half, ENDED, all);
  }
}

static double replay(const line *lines, int count, MPI_Comm own, int half) {
  double begin = 0;
  int has_begun[LINES] = {0}, has_ended[LINES] = {0};
  for (int round = 0; round < ROUNDS; ++round) {
    // The first half of the rounds is the way to the steady state.
    if (round == ROUNDS / 2) {
      MPI_Barrier(own);
      begin = MPI_Wtime();
    }
    for (const line *at = lines; at < lines + count; ++at)
      if (at->kind == 'c') {
        compute(at->value);
      } else if (at->kind == 'w') {
        while (has_begun[at->number] > has_ended[at->number]) {
          int number;
          MPI_Recv(&number, 1, MPI_INT, half, ENDED, MPI_COMM_WORLD,
                   MPI_STATUS_IGNORE);
          ++has_ended[number];
        }
      } else {
        order told = {at->kind, at->number, (int)at->value};
        ++has_begun[at->number];
        MPI_Send(&told, 3, MPI_INT, half, BEGUN, MPI_COMM_WORLD);
      }
  }
  MPI_Barrier(own);
  return (MPI_Wtime() - begin) * 1e6 / (ROUNDS - ROUNDS / 2);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  static line lines[LINES];
  int rank, size, count = argc == 2 ? read_lines(argv[1], lines) : -1;
  if (count < 0)
    return 2;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  int ranks = size / 2, is_first = rank < ranks;
  MPI_Comm own;
  MPI_Comm_split(MPI_COMM_WORLD, is_first, rank, &own);
  if (is_first) {
    double time = replay(lines, count, own, rank + ranks);
    order end = {.kind = END};
    MPI_Send(&end, 3, MPI_INT, rank + ranks, BEGUN, MPI_COMM_WORLD);
    if (rank == 0)
      printf("%.3f\n", time);
  } else {
    serve(MPI_COMM_WORLD, own, rank - ranks, rank - ranks, ranks);
  }
  MPI_Finalize();
  return 0;
}
