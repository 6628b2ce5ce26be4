//===- temporary.c - Files that are gone afterwards ---------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a signal handler has to know of a folder, or of a file beside another,
// is there before it is, in memory that is not freed before it is gone. Signals
// wait where one or a command begins to exist that nobody knows of yet.
//
//===----------------------------------------------------------------------===//

#include "lower/pass/temporary.h"

#include "lower/ir/ops.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

#define MAX_FILES 4
#define MAX_FOLDERS 16

struct agpu__temporary {
  char *folder; ///< NULL: the one file stands beside what it is to become
  char *files[MAX_FILES];
  atomic_int file_count;
  _Atomic(pid_t) child; ///< leads a process group of its own; 0: none runs
  int slot;             ///< in `folders`; -1 if all are taken
};

/// Those that a signal removes. What removes one frees it, or ends the process.
static _Atomic(agpu__temporary *) folders[MAX_FOLDERS];
static bool removes_on_signals;

static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
enum { SIGNAL_COUNT = AGPU__COUNT(signals) };

static void fill_mask(sigset_t *mask) {
  sigemptyset(mask);
  for (int i = 0; i < SIGNAL_COUNT; ++i)
    sigaddset(mask, signals[i]);
}

static void hold_signals(sigset_t *old) {
  sigset_t mask;
  fill_mask(&mask);
  (void)pthread_sigmask(SIG_BLOCK, &mask, old);
}

static void let_signals(const sigset_t *old) {
  (void)pthread_sigmask(SIG_SETMASK, old, NULL);
}

/// Calls only what a signal handler may.
static void remove_files(agpu__temporary *self) {
  int count = atomic_load(&self->file_count);
  for (int i = 0; i < count; ++i)
    if (self->files[i])
      (void)unlink(self->files[i]);
  if (self->folder)
    (void)rmdir(self->folder);
}

void agpu__temporary_remove_all(void) {
  for (int i = 0; i < MAX_FOLDERS; ++i) {
    agpu__temporary *self = atomic_exchange(&folders[i], NULL);
    if (!self)
      continue;
    // Its group has the programs that it runs in turn, and that write the
    // files.
    pid_t child = atomic_load(&self->child);
    if (child > 0 && kill(-child, SIGKILL) == 0)
      while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
        ;
    remove_files(self);
  }
}

static void end_by_signal(int number) {
  agpu__temporary_remove_all();
  // As if there had been no handler: a parent that waits for the process sees
  // the signal.
  (void)signal(number, SIG_DFL);
  (void)raise(number);
}

void agpu__temporary_remove_on_signals(void) {
  removes_on_signals = true;
  struct sigaction action = {.sa_handler = end_by_signal}, old;
  fill_mask(&action.sa_mask);
  for (int i = 0; i < SIGNAL_COUNT; ++i)
    if (sigaction(signals[i], NULL, &old) == 0 && old.sa_handler == SIG_DFL)
      (void)sigaction(signals[i], &action, NULL);
}

static char *concatenate(const char *first, const char *second) {
  size_t size = strlen(first) + strlen(second) + 1;
  char *text = malloc(size);
  if (text)
    (void)snprintf(text, size, "%s%s", first, second);
  return text;
}

static void register_folder(agpu__temporary *self) {
  self->slot = -1;
  for (int i = 0; i < MAX_FOLDERS && self->slot < 0; ++i) {
    agpu__temporary *none = NULL;
    if (atomic_compare_exchange_strong(&folders[i], &none, self))
      self->slot = i;
  }
}

agpu__temporary *agpu__temporary_create(agpu__text *error) {
  const char *base = secure_getenv("TMPDIR");
  agpu__temporary *self = calloc(1, sizeof *self);
  if (self)
    self->folder =
        concatenate(base && *base ? base : "/tmp", "/async-gpu-XXXXXX");
  if (!self || !self->folder) {
    agpu__text_puts(error, "no memory for a temporary folder");
    free(self);
    return NULL;
  }
  sigset_t old;
  hold_signals(&old);
  bool made = mkdtemp(self->folder) != NULL;
  int reason = errno;
  if (made)
    register_folder(self);
  let_signals(&old);
  if (made)
    return self;
  agpu__text_printf(error, "cannot make a folder '%s': %s", self->folder,
                    strerror(reason));
  free(self->folder);
  free(self);
  return NULL;
}

agpu__temporary *agpu__temporary_beside(const char *path, int *out_file) {
  agpu__temporary *self = calloc(1, sizeof *self);
  char *name = self ? concatenate(path, ".XXXXXX") : NULL;
  if (!name) {
    free(self);
    errno = ENOMEM;
    return NULL;
  }
  sigset_t old;
  hold_signals(&old);
  *out_file = mkstemp(name);
  int reason = errno;
  if (*out_file >= 0) {
    self->files[0] = name;
    atomic_store(&self->file_count, 1);
    register_folder(self);
  }
  let_signals(&old);
  if (*out_file >= 0)
    return self;
  free(name);
  free(self);
  errno = reason;
  return NULL;
}

bool agpu__temporary_become(agpu__temporary *self, const char *path) {
  assert(!self->folder);
  return rename(self->files[0], path) == 0;
}

const char *agpu__temporary_file(agpu__temporary *self, const char *name) {
  int count = atomic_load(&self->file_count);
  assert(count < MAX_FILES);
  size_t size = strlen(self->folder) + strlen(name) + 2;
  char *path = malloc(size);
  if (!path)
    agpu__out_of_memory();
  (void)snprintf(path, size, "%s/%s", self->folder, name);
  self->files[count] = path;
  atomic_store(&self->file_count, count + 1);
  return path;
}

int agpu__temporary_run(agpu__temporary *self, char *const *arguments,
                        const char *log, int *out_status) {
  sigset_t old;
  hold_signals(&old);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setsigmask(&attributes, &old);
  short flags = POSIX_SPAWN_SETSIGMASK;
  if (removes_on_signals)
    flags |= POSIX_SPAWN_SETPGROUP;
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes, flags);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  if (log) {
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, log,
                                     O_WRONLY | O_CREAT | O_TRUNC, 0600);
    posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
  }
  pid_t child;
  int failure = posix_spawnp(&child, arguments[0], &actions, &attributes,
                             arguments, environ);
  if (!failure && removes_on_signals)
    atomic_store(&self->child, child);
  let_signals(&old);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  if (failure)
    return failure;
  // Its number is free for others when it has been waited for, so that a signal
  // must not come between that and forgetting it.
  siginfo_t info;
  while (waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT) < 0)
    if (errno != EINTR)
      break;
  atomic_store(&self->child, 0);
  pid_t waited;
  do
    waited = waitpid(child, out_status, 0);
  while (waited < 0 && errno == EINTR);
  return waited < 0 ? errno : 0;
}

void agpu__temporary_destroy(agpu__temporary *self) {
  if (!self)
    return;
  remove_files(self);
  // The thread in the handler needs it for the rest of the process.
  if (self->slot >= 0 && !atomic_exchange(&folders[self->slot], NULL))
    return;
  for (int i = 0; i < atomic_load(&self->file_count); ++i)
    free(self->files[i]);
  free(self->folder);
  free(self);
}
