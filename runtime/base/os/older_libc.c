//===- older_libc.c - What older C libraries lack -------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Functions of glibc 2.30 to 2.34, for programs that are to run with an older
// one. They are weak, so that a program that is linked statically with a newer
// C library may have its own.
//
//===----------------------------------------------------------------------===//

#include <errno.h>
#include <semaphore.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#ifdef __GLIBC__

#if !__GLIBC_PREREQ(2, 30)
__attribute__((weak)) pid_t gettid(void) { return (pid_t)syscall(SYS_gettid); }

/// Looks each millisecond: nothing but the end of a process waits with a limit.
__attribute__((weak)) int sem_clockwait(sem_t *semaphore, clockid_t clock,
                                        const struct timespec *end) {
  while (sem_trywait(semaphore) != 0) {
    if (errno != EAGAIN)
      return -1;
    struct timespec now;
    if (clock_gettime(clock, &now) != 0)
      return -1;
    if (now.tv_sec > end->tv_sec ||
        (now.tv_sec == end->tv_sec && now.tv_nsec >= end->tv_nsec)) {
      errno = ETIMEDOUT;
      return -1;
    }
    const struct timespec pause = {.tv_nsec = 1000000};
    (void)nanosleep(&pause, NULL);
  }
  return 0;
}
#endif

#if !__GLIBC_PREREQ(2, 32)
/// In the user's language, other than glibc's.
__attribute__((weak)) const char *strerrordesc_np(int error) {
  return strerror(error);
}
#endif

#if !__GLIBC_PREREQ(2, 34)
/// Runs no handlers of pthread_atfork, as a signal handler may not.
__attribute__((weak)) pid_t _Fork(void) {
  return (pid_t)syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL);
}
#endif

#endif
