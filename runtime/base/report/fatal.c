//===- fatal.c - The end of a program that failed -----------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The end of a process that has failed, while its other threads run on. A
// thread that comes first has the end to itself: it prints, and has done what
// may never be over (flushing files, giving devices back) on a thread of its
// own, for a time. Nothing here needs memory to get the message out.
//
//===----------------------------------------------------------------------===//

#include "base/report/fatal.h"

#include "base/os/write.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

/// Something to do before the end that may never be over.
typedef struct act {
  void (*run)(void);
  sem_t done;
} act;

static struct {
  atomic_bool has_begun;
  _Atomic(void (*)(void)) last_act, trace;
  _Atomic(void (*)(int)) final_act;
  _Atomic(bool (*)(const void *info, void *context)) resolve_fault;
  int status;                     ///< for the final act
  act output, flush, last, final; ///< used once, never freed
} the_end;

static void *run_act(void *argument) {
  act *self = argument;
  self->run();
  (void)sem_post(&self->done);
  return NULL;
}

/// Runs `self`, which is never freed, on a thread of its own, and waits so many
/// seconds for it. False: it is not over, or there is no thread for it.
static bool run_for(act *self, int seconds) {
  struct timespec end;
  if (sem_init(&self->done, 0, 0) != 0 ||
      clock_gettime(CLOCK_MONOTONIC, &end) != 0)
    return false;
  end.tv_sec += seconds;
  pthread_t thread;
  if (pthread_create(&thread, NULL, run_act, self) != 0)
    return false;
  (void)pthread_detach(thread);
  while (sem_clockwait(&self->done, CLOCK_MONOTONIC, &end) != 0)
    if (errno != EINTR)
      return false;
  return true;
}

/// A thread that is blocked reading a file holds its lock for as long, and
/// fflush(NULL) takes all of them.
static void flush_all(void) { (void)fflush(NULL); }

static void claim_the_end(void) {
  if (!atomic_exchange(&the_end.has_begun, true))
    return;
  for (;;)
    (void)pause();
}

void agpu__fatal_set_last_act(void (*of)(void)) {
  atomic_store(&the_end.last_act, of);
}

void agpu__fatal_set_trace(void (*of)(void)) {
  atomic_store(&the_end.trace, of);
}

void agpu__fatal_set_final_act(void (*of)(int)) {
  atomic_store(&the_end.final_act, of);
}

static void run_final_act(void) {
  atomic_load (&the_end.final_act)(the_end.status);
}

void agpu__fatal_set_resolve_fault(bool (*of)(const void *info,
                                              void *context)) {
  atomic_store(&the_end.resolve_fault, of);
}

static void sleep_for_good(int number, siginfo_t *info, void *context) {
  bool (*resolve)(const void *, void *) = atomic_load(&the_end.resolve_fault);
  if (number == SIGSEGV && resolve && resolve(info, context))
    return;
  for (;;)
    (void)pause();
}

void agpu__fatal_ignore_faults(void) {
  struct sigaction action = {.sa_sigaction = sleep_for_good,
                             .sa_flags = SA_SIGINFO | SA_ONSTACK};
  sigemptyset(&action.sa_mask);
  (void)sigaction(SIGSEGV, &action, NULL);
  (void)sigaction(SIGBUS, &action, NULL);
}

bool agpu__fatal_has_begun(void) { return atomic_load(&the_end.has_begun); }

void agpu__fatal_wait_if_ending(void) {
  while (atomic_load(&the_end.has_begun))
    (void)pause();
}

void agpu__fatal_forget(void) { atomic_store(&the_end.has_begun, false); }

static void flush_output(void) {
  (void)fflush(stdout);
  (void)fflush(stderr);
}

/// False where the descriptor is a pipe without a reader, for as long as this.
/// A file that cannot be written to at all says so when it is.
static bool can_write(int descriptor, int milliseconds) {
  struct pollfd asked = {.fd = descriptor, .events = POLLOUT};
  return poll(&asked, 1, milliseconds) != 0;
}

/// What stands before the message is written where somebody reads it.
static void put_output_first(void) {
  the_end.output.run = flush_output;
  if (run_for(&the_end.output, 1) || ftrylockfile(stdout) != 0)
    return;
  // There is no thread for it, or the calling one holds the file: it fails
  // inside a call that prints.
  if (can_write(STDOUT_FILENO, 0))
    (void)fflush(stdout);
  funlockfile(stdout);
}

static _Noreturn void end(const char *location, const char *message,
                          int exit_status) {
  put_output_first();

  // One write where it fits, which a message of usual length does.
  char line[4096];
  const char *colon = *location ? ": " : "";
  int length =
      snprintf(line, sizeof(line), "%s%serror: %s\n", location, colon, message);
  if (!can_write(STDERR_FILENO, 1000)) {
    // The exit status is all that is left.
  } else if (length >= 0 && (size_t)length < sizeof(line)) {
    agpu__write_stderr(line, (size_t)length);
  } else {
    (void)fprintf(stderr, "%s%serror: %s\n", location, colon, message);
    (void)fflush(stderr);
  }
  the_end.flush.run = flush_all;
  (void)run_for(&the_end.flush, 1);
  the_end.last.run = atomic_load(&the_end.last_act);
  if (the_end.last.run)
    (void)run_for(&the_end.last, 5);
  void (*write_trace)(void) = atomic_load(&the_end.trace);
  if (write_trace)
    write_trace();
  the_end.status = exit_status;
  the_end.final.run = run_final_act;
  if (atomic_load(&the_end.final_act))
    (void)run_for(&the_end.final, 5);
  _exit(exit_status);
}

void agpu__fatal(agpu_status status, const char *fallback_location,
                 int exit_status) {
  claim_the_end();
  const char *location = agpu_status_get_location(status);
  if (!*location && fallback_location)
    location = fallback_location;
  end(location, agpu_status_get_message(status), exit_status);
}

void agpu__fatal_out_of_memory(const char *what, long long bytes) {
  claim_the_end();
  char message[160];
  (void)snprintf(message, sizeof(message),
                 "out of host memory: cannot allocate %lld bytes for %s", bytes,
                 what);
  end("", message, EXIT_FAILURE);
}
