//===- ring.c - Traces that end while threads record ----------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A thread that has stopped a trace reads events that are no longer written:
// also where the kernel refuses membarrier, as it does under some sandboxes,
// from the beginning or from a filter on that the process installs later.
//
//===----------------------------------------------------------------------===//

#include "base/trace/ring.h"

#include "base/os/hooks.h"
#include "base/trace/trace.h"

#include "check.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/membarrier.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREADS = 3, ROUNDS = 100, MOST = 4096 };

static atomic_bool is_over;
static atomic_ulong recorded;

static void *record(void *argument) {
  for (uint64_t i = 1; !atomic_load(&is_over); ++i) {
    agpu__trace_record(AGPU__TRACE_QUEUE, i, i, NULL, i, i, i);
    atomic_fetch_add_explicit(&recorded, 1, memory_order_relaxed);
  }
  return argument;
}

/// How many events there are; each is whole.
static size_t read_events(void) {
  size_t count = 0;
  for (agpu__trace_ring *ring = agpu__trace_rings(); ring;
       ring = ring->next_ring)
    for (const agpu__trace_chunk *chunk = ring->oldest; chunk;
         chunk = chunk->newer) {
      size_t here = agpu__trace_chunk_count(ring, chunk);
      for (size_t i = 0; i < here; ++i) {
        const agpu__trace_event *event = &chunk->events[i];
        CHECK(event->id != 0);
        CHECK_EQ(event->flow, event->id);
        CHECK_EQ(event->args[2], event->id);
      }
      count += here;
    }
  return count;
}

static void begin(void) {
  agpu__trace_rings_open(MOST);
  agpu__hooks_set(AGPU__HOOK_TRACE, true);
  unsigned long before = atomic_load(&recorded);
  while (atomic_load(&recorded) < before + 100)
    sched_yield();
}

static void end(void) {
  agpu__trace_stop();
  size_t count = read_events();
  CHECK(count > 0);
  sched_yield();
  CHECK_EQ(read_events(), count);
  agpu__trace_rings_clear();
  CHECK_EQ(read_events(), 0);
}

/// From now on the kernel has no membarrier for this process.
static void refuse(void) {
  struct sock_filter lines[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_membarrier, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  struct sock_fprog filter = {.len = sizeof(lines) / sizeof(*lines),
                              .filter = lines};
  CHECK(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
  if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC,
              &filter) != 0)
    _exit(77); // a kernel without filters
  CHECK(syscall(SYS_membarrier, MEMBARRIER_CMD_QUERY, 0, 0) == -1);
  CHECK_EQ(errno, EPERM);
}

/// `refused`: the round from which membarrier is refused, if it has begun;
/// `late`: in the middle of that round.
static void run(int refused, bool late) {
  if (refused == 0 && !late)
    refuse();
  pthread_t threads[THREADS];
  for (int i = 0; i < THREADS; ++i)
    CHECK(pthread_create(&threads[i], NULL, record, NULL) == 0);
  for (int i = 0; i < ROUNDS; ++i) {
    begin();
    if (i == refused && late)
      refuse();
    end();
  }
  atomic_store(&is_over, true);
  for (int i = 0; i < THREADS; ++i)
    CHECK(pthread_join(threads[i], NULL) == 0);
}

int main(void) {
  static const struct {
    int refused;
    bool late;
  } runs[] = {{-1, false}, {0, false}, {0, true}, {ROUNDS / 2, true}};
  for (size_t i = 0; i < sizeof(runs) / sizeof(*runs); ++i) {
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
      run(runs[i].refused, runs[i].late);
      _exit(0);
    }
    int status = 0;
    CHECK(waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status));
    if (WEXITSTATUS(status) != 0)
      return WEXITSTATUS(status);
  }
  return 0;
}
