//===- trace.c - Requests in a trace --------------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requests are numbered once their call of the library has returned, as calls
// that fail take no part in the order of messages. If two threads start
// messages of one channel at once, their order is not known.
//
//===----------------------------------------------------------------------===//

#include "mpi/trace.h"

#include "base/os/clock.h"
#include "base/os/write.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static agpu__mpi_world *const world = &agpu__the_mpi_world;

static _Atomic(uint64_t) requests;

static uint64_t pack(int32_t peer, int32_t tag) {
  return (uint64_t)(uint32_t)peer << 32 | (uint32_t)tag;
}

/// What identifies the machine's clock since it was started: "" if nothing
/// does.
static void read_boot(char *text, size_t size) {
  int file = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
  ssize_t got = file < 0 ? 0 : read(file, text, size - 1);
  text[got > 0 ? got : 0] = '\0';
  text[strcspn(text, "\n")] = '\0';
  if (file >= 0)
    (void)close(file);
}

/// What the process, its machine and its clock are called.
static void name_process(void) {
  char text[48], machine[64] = "", boot[40];
  (void)snprintf(text, sizeof text, "rank %d of %d, job %016" PRIx64,
                 world->rank, world->size, world->job);
  (void)agpu__trace_track("MPI", text);
  (void)gethostname(machine, sizeof machine - 1);
  (void)snprintf(text, sizeof text, "machine %.39s", machine);
  (void)agpu__trace_track("MPI", text);
  read_boot(boot, sizeof boot);
  (void)snprintf(text, sizeof text, "clock %.40s", boot);
  (void)agpu__trace_track("MPI", text);
}

/// The communicator's track; 0 where there can be none. Calls the library.
static uint32_t get_track(const agpu__mpi_request *request) {
  uint32_t track = agpu__mpi_comm_track(request->comm, 0);
  int rank, size;
  // MPI has ended, behind the last request.
  if (track || request->operation->is_last ||
      agpu__mpi_comm_place(request->comm, &rank, &size))
    return track;
  if (!request->comm)
    name_process();
  char text[48];
  (void)snprintf(text, sizeof text, "%016" PRIx64 " rank %d of %d",
                 agpu__mpi_comm_id(request->comm), rank, size);
  return agpu__mpi_comm_track(request->comm, agpu__trace_track("MPI", text));
}

/// The kind of its first event; MESSAGE_END: it has none.
static agpu__trace_kind get_kind(const agpu__mpi_request *request,
                                 agpu__mpi_started started) {
  const agpu__mpi_operation *operation = request->operation;
  bool runs = started == AGPU__MPI_RUNS;
  if (operation->end) // a piece of another one
    return AGPU__TRACE_MESSAGE_END;
  if (operation->has_peer && runs && request->peer != AGPU_MPI_PROC_NULL)
    return operation->is_receive ? AGPU__TRACE_RECEIVE : AGPU__TRACE_SEND;
  bool is_over = !runs && !request->failure && !request->end.code &&
                 (request->waits_for_all || operation->is_last);
  return !operation->has_peer && !operation->is_local && (runs || is_over)
             ? AGPU__TRACE_COLLECTIVE
             : AGPU__TRACE_MESSAGE_END;
}

void agpu__mpi_trace_hand(agpu__mpi_request *request) {
  // Before, it was the thread that it comes from.
  if (request->traced || request->operation->is_local)
    return;
  request->traced = atomic_fetch_add(&requests, 1) + 1;
  agpu__trace_record_at(AGPU__TRACE_OWN_TRACK, agpu__clock_now_ns(),
                        AGPU__TRACE_MESSAGE_HAND, request->traced, 0, NULL, 0,
                        0, 0);
}

void agpu__mpi_trace_start(agpu__mpi_request *request,
                           agpu__mpi_started started, int64_t time_ns) {
  agpu__trace_kind kind = get_kind(request, started);
  uint32_t track = kind == AGPU__TRACE_MESSAGE_END ? 0 : get_track(request);
  if (!track)
    return;
  if (!request->traced)
    request->traced = atomic_fetch_add(&requests, 1) + 1;
  request->track = track;
  bool is_collective = kind == AGPU__TRACE_COLLECTIVE;
  bool is_known = is_collective || (request->peer >= 0 && request->tag >= 0);
  request->number =
      is_known ? agpu__mpi_comm_count(request->comm, (int)kind,
                                      is_collective ? 0 : request->peer,
                                      is_collective ? 0 : request->tag)
               : UINT64_MAX;
  if (agpu__trace_on())
    agpu__trace_record_at(
        track, time_ns, kind, request->traced, request->number,
        request->operation->name, (uintptr_t)request->location,
        pack(request->peer, request->tag), request->waits_for_all);
}

void agpu__mpi_trace_end_counted(agpu__mpi_request *request) {
  const agpu__mpi_ended *end = &request->end;
  bool is_receive = request->operation->is_receive;
  uint64_t number = request->number;
  if (number == UINT64_MAX && !end->code)
    number = agpu__mpi_comm_count(request->comm, AGPU__TRACE_RECEIVE,
                                  end->source, end->tag);
  bool has_status = is_receive && !end->code;
  if (agpu__trace_on())
    agpu__trace_record_at(request->track, agpu__clock_now_ns(),
                          AGPU__TRACE_MESSAGE_END, request->traced, number,
                          NULL,
                          has_status ? pack(end->source, end->tag)
                                     : pack(request->peer, request->tag),
                          has_status && !request->pieces
                              ? (uint64_t)end->bytes
                              : (uint64_t)agpu__mpi_view_bytes(&request->from),
                          (uint64_t)(unsigned)end->code);
  request->track = 0;
}

/// Whether the name of a file has the process's number in it.
static bool has_number(const char *pattern) {
  for (; *pattern; ++pattern)
    if (pattern[0] == '%' && pattern[1] == 'p')
      return true;
    else if (pattern[0] == '%' && pattern[1] == '%')
      ++pattern;
  return false;
}

void agpu__mpi_trace_check_file(void) {
  const char *file = secure_getenv("ASYNC_GPU_TRACE");
  struct stat about;
  if (world->rank || world->size < 2 || !agpu__trace_on() || !file || !*file ||
      has_number(file) || (!stat(file, &about) && !S_ISREG(about.st_mode)))
    return;
  char line[512];
  int length = snprintf(
      line, sizeof line,
      "warning: %d ranks write their traces to one file, '%.256s', and the "
      "last one stays: put %%p, the process's number, into its name\n",
      world->size, file);
  agpu__write_stderr(line, (size_t)length);
}
