//===- thread.c - The threads of the process ------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Threads that the runtime has created are counted while they run. Those that
// the process has beside them are told by the list in /proc: a thread of the
// program may act at any time, one of a library that is known by its name does
// not.
//
//===----------------------------------------------------------------------===//

#include "base/os/thread.h"

#include "base/os/self.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

typedef struct start {
  void *(*run)(void *);
  void *argument;
  char name[16];
  bool is_driver;
} start;

/// Whether threads of the driver call into nothing but the runtime.
enum { NOT_YET, TRUSTED, DISTRUSTED };

enum { MOST_TRUSTED = 64 };

static struct {
  /// Threads of the runtime that have begun and not ended. One that is on its
  /// way in or out is taken for a stranger, which errs on the safe side.
  atomic_int own;
  atomic_int driver; ///< one of the above
  /// Set before `driver` is TRUSTED.
  bool (*_Atomic driver_is_shared)(void);
  /// Threads of a library, by what the system calls them; 0: none.
  atomic_int trusted[MOST_TRUSTED];
} threads;

/// A handler that asks for a stack of its own finds none on a new thread: at a
/// stack overflow the process would end without a word. Threads of the runtime
/// have one where the process has such a handler when they begin; the runtime
/// itself installs none for that. NULL: none.
static void *give_signal_stack(size_t *out_size) {
  struct sigaction handler;
  if (sigaction(SIGSEGV, NULL, &handler) != 0 ||
      !(handler.sa_flags & SA_ONSTACK))
    return NULL;
  *out_size = (size_t)sysconf(_SC_MINSIGSTKSZ) + (64 << 10);
  void *memory = mmap(NULL, *out_size, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
  if (memory == MAP_FAILED)
    return NULL;
  const stack_t stack = {.ss_sp = memory, .ss_size = *out_size};
  if (sigaltstack(&stack, NULL) == 0)
    return memory;
  (void)munmap(memory, *out_size);
  return NULL;
}

static void take_signal_stack(void *memory, size_t size) {
  if (!memory)
    return;
  const stack_t none = {.ss_flags = SS_DISABLE};
  (void)sigaltstack(&none, NULL);
  (void)munmap(memory, size);
}

static void *run_own(void *data) {
  start begin = *(start *)data;
  free(data);
  size_t size = 0;
  void *signal_stack = give_signal_stack(&size);
  (void)pthread_setname_np(pthread_self(), begin.name);
  if (!begin.is_driver)
    atomic_fetch_add(&threads.own, 1);
  void *result = begin.run(begin.argument);
  if (!begin.is_driver)
    atomic_fetch_sub(&threads.own, 1);
  take_signal_stack(signal_stack, size);
  return result;
}

/// Signals for the process are the program's own threads' business. Those that
/// a thread raises by what it does stay with the thread, and so do those that
/// profilers count time by.
static void block_signals(sigset_t *out_before) {
  sigset_t blocked;
  sigfillset(&blocked);
  static const int own[] = {SIGSEGV, SIGBUS, SIGFPE,  SIGILL,  SIGTRAP,
                            SIGABRT, SIGSYS, SIGPIPE, SIGXFSZ, SIGPROF};
  for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); ++i)
    sigdelset(&blocked, own[i]);
  pthread_sigmask(SIG_SETMASK, &blocked, out_before);
}

static int create(pthread_t *out_thread, const char *name, void *(*run)(void *),
                  void *argument, bool is_driver) {
  start *begin = malloc(sizeof(*begin));
  if (!begin)
    return ENOMEM;
  *begin = (start){.run = run, .argument = argument, .is_driver = is_driver};
  (void)snprintf(begin->name, sizeof(begin->name), "%s", name);
  sigset_t before;
  block_signals(&before);
  int failed = pthread_create(out_thread, NULL, run_own, begin);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  if (failed)
    free(begin);
  return failed;
}

int agpu__thread_create(pthread_t *out_thread, const char *name,
                        void *(*run)(void *), void *argument) {
  return create(out_thread, name, run, argument, /*is_driver=*/false);
}

int agpu__thread_create_driver(pthread_t *out_thread, const char *name,
                               void *(*run)(void *), void *argument) {
  return create(out_thread, name, run, argument, /*is_driver=*/true);
}

/// What the block of a thread says of it.
enum { UNKNOWN, YES, NO };

bool agpu__thread_is_main(void) {
  if (agpu__self.main == UNKNOWN)
    agpu__self.main = gettid() == getpid() ? YES : NO;
  return agpu__self.main == YES;
}

void agpu__thread_forget(void) {
  agpu__self.main = UNKNOWN;
  atomic_store(&threads.own, 0);
}

void agpu__thread_trust_driver(bool (*is_shared)(void)) {
  int before = NOT_YET;
  atomic_store(&threads.driver_is_shared, is_shared);
  (void)atomic_compare_exchange_strong(&threads.driver, &before, TRUSTED);
}

void agpu__thread_distrust_driver(void) {
  // On the path of each call that enqueues: does not take the line away.
  if (atomic_load_explicit(&threads.driver, memory_order_relaxed) != DISTRUSTED)
    atomic_store(&threads.driver, DISTRUSTED);
}

static bool has_prefix(const char *name, const char *prefix) {
  return strncmp(name, prefix, strlen(prefix)) == 0;
}

void agpu__thread_trust_present(void) {
  DIR *listed = opendir("/proc/self/task");
  if (!listed)
    return;
  const struct dirent *entry;
  int count = 0;
  while ((entry = readdir(listed)) && count < MOST_TRUSTED) {
    long id = strtol(entry->d_name, NULL, 10);
    if (id > 0 && id != getpid())
      atomic_store(&threads.trusted[count++], (int)id);
  }
  (void)closedir(listed);
}

/// Whether it was there when others were trusted. The runtime's own threads
/// are among these, and known by their names.
static bool is_trusted(const char *thread_id, const char *name) {
  long id = strtol(thread_id, NULL, 10);
  for (int i = 0; i < MOST_TRUSTED; ++i)
    if (atomic_load(&threads.trusted[i]) == (int)id)
      return !has_prefix(name, "agpu");
  return false;
}

/// Whether the thread has a name that other libraries give to threads which
/// never call into a program.
static bool is_harmless(const char *thread_id) {
  char path[64];
  (void)snprintf(path, sizeof(path), "/proc/self/task/%.16s/comm", thread_id);
  char name[32] = "";
  FILE *file = fopen(path, "re");
  if (!file)
    return false;
  if (!fgets(name, sizeof(name), file))
    name[0] = '\0';
  (void)fclose(file);
  return has_prefix(name, "llvm-worker") || is_trusted(thread_id, name) ||
         ((has_prefix(name, "cuda") || has_prefix(name, AGPU__DRIVER_THREAD)) &&
          atomic_load(&threads.driver) == TRUSTED);
}

/// Another user of the driver may have come since it was opened.
static void review_driver(void) {
  if (atomic_load(&threads.driver) == TRUSTED &&
      atomic_load(&threads.driver_is_shared)())
    agpu__thread_distrust_driver();
}

bool agpu__thread_only_known(void) {
  review_driver();
  DIR *listed = opendir("/proc/self/task");
  if (!listed)
    return false;
  int others = -1; // the caller
  const struct dirent *entry;
  while ((entry = readdir(listed)))
    if (entry->d_name[0] != '.' && !is_harmless(entry->d_name))
      ++others;
  (void)closedir(listed);
  return others == atomic_load(&threads.own);
}
