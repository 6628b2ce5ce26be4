//===- process.c - The begin and end of MPI -------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// MPI's begin and end, which the progress thread runs: a library that lets but
// one thread call it means the one that has initialized it.
//
// Errors are returned, not acted on by the library. A program that ends with
// one takes all ranks along: after the message the runtime calls MPI_Abort.
//
//===----------------------------------------------------------------------===//

#include "mpi/internal.h"

#include "base/os/clock.h"
#include "base/os/thread.h"
#include "base/os/write.h"
#include "base/report/fatal.h"
#include "base/sync/schedule.h"
#include "gpu/process/devices.h"
#include "mpi/deadlock.h"
#include "mpi/modelled.h"
#include "mpi/pieces.h"
#include "mpi/trace.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/// How long a launcher may take to read a message, and then to pass it on.
#define READ_NS (4 * AGPU__NS_PER_SECOND)
#define PASSED_ON_NS (200 * 1000 * 1000)
#define LOOK_NS (5 * 1000 * 1000)

static agpu__mpi_world *const world = &agpu__the_mpi_world;

/// Whether the other end of standard error has yet to read some of it. False
/// where it is no pipe or socket.
static bool has_unread(void) {
  struct stat about;
  int bytes = 0;
  if (fstat(STDERR_FILENO, &about))
    return false;
  if (S_ISFIFO(about.st_mode))
    return ioctl(STDERR_FILENO, FIONREAD, &bytes) == 0 && bytes > 0;
  return S_ISSOCK(about.st_mode) &&
         ioctl(STDERR_FILENO, TIOCOUTQ, &bytes) == 0 && bytes > 0;
}

static void pause_for(int64_t ns) {
  (void)nanosleep(&(struct timespec){.tv_nsec = ns}, NULL);
}

/// A launcher that ends ranks does not always read first what they have said.
static void wait_until_said(void) {
  for (int64_t waited = 0; has_unread() && waited < READ_NS; waited += LOOK_NS)
    pause_for(LOOK_NS);
  pause_for(PASSED_ON_NS);
}

/// The end of a program that failed. A single rank has nobody to take along.
static void abort_all(int exit_status) {
  if (!atomic_load(&world->has_others) ||
      atomic_load(&world->phase) == AGPU__MPI_AFTER)
    return;
  char line[96];
  int length =
      snprintf(line, sizeof line, "note: rank %d of %d ends the others too\n",
               world->rank, world->size);
  agpu__write_stderr(line, (size_t)length);
  wait_until_said();
  (void)world->library.abort(world->library.world, exit_status);
}

static agpu__mpi_started fail(agpu__mpi_request *request, int code) {
  request->end.code = code;
  return AGPU__MPI_DONE;
}

static agpu__mpi_started refuse(agpu__mpi_request *request, const char *why) {
  request->failure =
      agpu_status_create(AGPU_STATUS_PROGRAM, request->location, "%s: %s",
                         request->operation->name, why);
  return AGPU__MPI_DONE;
}

/// How many ranks of this machine come before this one.
static int get_local_rank(void) {
  agpu__mpi_handle local;
  int rank = 0;
  if (world->library.comm_split_shared(world->library.world, &local) == 0) {
    (void)world->library.comm_rank(local, &rank);
    (void)world->library.comm_free(local);
  }
  return rank;
}

static agpu__mpi_started start_init(agpu__mpi_request *request) {
  if (atomic_load(&world->phase) == AGPU__MPI_UP)
    return refuse(request, "MPI is initialized already");
  if (atomic_load(&world->phase) == AGPU__MPI_AFTER)
    return refuse(request, "MPI is finalized, and a process has it only once");
  agpu_status status = agpu__mpi_library_open(&world->library);
  if (status) {
    request->failure = agpu_status_create(
        agpu_status_get_code(status), request->location, "%s: %s",
        request->operation->name, agpu_status_get_message(status));
    agpu_status_release(status);
    return AGPU__MPI_DONE;
  }
  agpu__mpi_library *library = &world->library;
  int there = 0, over = 0, threads = 0;
  (void)library->initialized(&there);
  (void)library->finalized(&over);
  if (over)
    return refuse(request, "MPI is finalized, and a process has it only once");
  // Its own threads inherit the name, and are known from the runtime's by it.
  (void)pthread_setname_np(pthread_self(), "mpi-library");
  int code = there ? library->query_thread(&threads)
                   : library->init_thread(AGPU__MPI_THREAD_MULTIPLE, &threads);
  agpu__thread_trust_present();
  (void)pthread_setname_np(pthread_self(), "agpu-mpi");
  if (code)
    return fail(request, code);
  if (there && threads < AGPU__MPI_THREAD_SERIALIZED)
    return refuse(request, "the program has initialized MPI for one thread: "
                           "MPI_Init_thread with MPI_THREAD_SERIALIZED or "
                           "MPI_THREAD_MULTIPLE is needed");
  agpu__fatal_set_final_act(abort_all);
  atomic_store(&world->has_others, true);
  world->is_ours = !there;
  world->is_multiple = threads >= AGPU__MPI_THREAD_MULTIPLE;
  world->has_model = agpu__schedule_network() != NULL;
  (void)library->comm_set_errhandler(library->world, library->errors_return);
  code = library->comm_rank(library->world, &world->rank);
  if (!code)
    code = library->comm_size(library->world, &world->size);
  if (!code)
    code = library->make_own_reductions(library->reductions);
  if (!code)
    code = agpu__mpi_deadlock_init();
  if (!code)
    code = agpu__mpi_pieces_init(&request->failure);
  if (request->failure)
    return AGPU__MPI_DONE;
  if (code)
    return fail(request, code);
  agpu__devices_set_first(get_local_rank());
  atomic_store(&world->has_others, world->size > 1);
  code = agpu__mpi_modelled_init(request);
  if (request->failure)
    return AGPU__MPI_DONE;
  if (code)
    return fail(request, code);
  atomic_store_explicit(&world->phase, AGPU__MPI_UP, memory_order_release);
  request->waits_for_all = true; // in agpu__mpi_pieces_init
  agpu__mpi_trace_check_file();
  return AGPU__MPI_DONE;
}

const agpu__mpi_operation agpu__mpi_operation_init = {.name = "mpi.init",
                                                      .start = start_init};

static agpu__mpi_started start_begin(agpu__mpi_request *request) {
  if (atomic_load(&world->phase) == AGPU__MPI_UP)
    return AGPU__MPI_DONE;
  agpu__mpi_started started = start_init(request);
  atomic_store(&world->ends_with_runtime,
               atomic_load(&world->phase) == AGPU__MPI_UP && world->is_ours);
  return started;
}

const agpu__mpi_operation agpu__mpi_operation_begin = {.name = "shard.grid",
                                                       .start = start_begin};

/// No request is left, here: progress.c sees to that.
static agpu__mpi_started start_finalize(agpu__mpi_request *request) {
  if (!world->is_ours)
    return refuse(request, "the program has initialized MPI by itself, and has "
                           "to finalize it so");
  int code = world->library.finalize();
  if (!code)
    atomic_store(&world->phase, AGPU__MPI_AFTER);
  return fail(request, code);
}

const agpu__mpi_operation agpu__mpi_operation_finalize = {
    .name = "mpi.finalize",
    .start = start_finalize,
    .needs_mpi = true,
    .is_last = true};
