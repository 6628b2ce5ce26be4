//===- fail_calls.c - Calls of the system that fail -----------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A library for LD_PRELOAD. FAIL_CALL=KIND:N lets the N-th call of a kind fail,
// FAIL_CALL=KIND:N+ all from that on, as where memory, descriptors or threads
// are out. FAIL_CALL=KIND:0 lets none fail. With FAIL_COUNT=FILE the number of
// calls is written there when the process ends, if it ends by exit.
//
//===----------------------------------------------------------------------===//

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

typedef enum kind { MALLOC, MMAP, OPEN, THREAD, KINDS } kind;

static const char *const names[KINDS] = {"malloc", "mmap", "open", "thread"};

static struct {
  kind kind;
  long from, to;
  atomic_long count;
  bool is_on;
} fail;

// glibc's own, which nobody interposes.
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

static void __attribute__((constructor)) read_settings(void) {
  const char *text = getenv("FAIL_CALL");
  const char *colon = text ? strchr(text, ':') : NULL;
  for (kind k = MALLOC; colon && k < KINDS; ++k)
    if (strncmp(text, names[k], (size_t)(colon - text)) == 0) {
      char *end;
      fail.kind = k;
      fail.from = strtol(colon + 1, &end, 10);
      fail.to = *end == '+' ? 1L << 40 : fail.from;
      fail.is_on = true;
    }
}

static void __attribute__((destructor)) write_count(void) {
  const char *path = getenv("FAIL_COUNT");
  char line[32];
  int size = snprintf(line, sizeof line, "%ld\n", atomic_load(&fail.count));
  int file =
      path ? (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT, 0666)
           : -1;
  if (file >= 0)
    (void)syscall(SYS_write, file, line, (size_t)size);
}

/// Whether this call of kind `k` is one that fails, with `error`.
static bool fails(kind k, int error) {
  if (!fail.is_on || k != fail.kind)
    return false;
  long number = 1 + atomic_fetch_add(&fail.count, 1);
  if (number < fail.from || number > fail.to)
    return false;
  errno = error;
  return true;
}

// What stands in for the C library's.
#pragma GCC visibility push(default)

void *malloc(size_t size) {
  return fails(MALLOC, ENOMEM) ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
  return fails(MALLOC, ENOMEM) ? NULL : __libc_calloc(count, size);
}

void *realloc(void *memory, size_t size) {
  return fails(MALLOC, ENOMEM) ? NULL : __libc_realloc(memory, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
  return fails(MALLOC, ENOMEM) ? NULL : __libc_memalign(alignment, size);
}

int posix_memalign(void **out_memory, size_t alignment, size_t size) {
  if (fails(MALLOC, ENOMEM))
    return ENOMEM;
  *out_memory = __libc_memalign(alignment, size);
  return *out_memory ? 0 : ENOMEM;
}

void *mmap(void *at, size_t size, int protection, int flags, int file,
           off_t offset) {
  return fails(MMAP, ENOMEM) ? MAP_FAILED
                             : (void *)syscall(SYS_mmap, at, size, protection,
                                               flags, file, offset);
}

int open(const char *path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  mode_t mode = flags & O_CREAT ? va_arg(arguments, mode_t) : 0;
  va_end(arguments);
  return fails(OPEN, EMFILE)
             ? -1
             : (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

FILE *fopen(const char *path, const char *mode) {
  static FILE *(*next)(const char *, const char *);
  if (!next)
    *(void **)&next = dlsym(RTLD_NEXT, "fopen");
  return fails(OPEN, EMFILE) ? NULL : next(path, mode);
}

int pthread_create(pthread_t *out_thread, const pthread_attr_t *attributes,
                   void *(*run)(void *), void *argument) {
  static int (*next)(pthread_t *, const pthread_attr_t *, void *(*)(void *),
                     void *);
  if (!next)
    *(void **)&next = dlsym(RTLD_NEXT, "pthread_create");
  return fails(THREAD, EAGAIN) ? EAGAIN
                               : next(out_thread, attributes, run, argument);
}
