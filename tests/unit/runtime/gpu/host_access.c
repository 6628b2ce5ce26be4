//===- host_access.c - Device memory is closed to the host ----------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The test has ASYNC_GPU_EMU_CHECK=memory. What ends the process runs in one of
// its own.
//
//===----------------------------------------------------------------------===//

#include "support.h"

#include "async_gpu/compiled/host_access.h"
#include "async_gpu/compiled/native_thread.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CELLS = 4 };
static int64_t host[CELLS];
static volatile int64_t *cells; // of the device

static void begin(void) {
  agpu_stream *stream = agpu_stream_acquire(NULL);
  cells = agpu_alloc(stream, sizeof host, false, "h.mlir:1:1");
  agpu_memset(stream, (void *)(uintptr_t)cells, 0, 8, CELLS, NULL);
  // A kernel that checks nothing gets at the memory all the same.
  launch_increment(stream, (void *)(uintptr_t)(cells + 1));
  agpu_memcpy(stream, host, (void *)(uintptr_t)cells, sizeof host, NULL);
  await_and_drop(agpu_stream_record(stream));
  agpu_stream_release(stream);
}

static void end(void) {
  agpu_stream *stream = agpu_stream_acquire(NULL);
  agpu_dealloc(stream, (void *)(uintptr_t)cells, NULL);
  agpu_stream_release(stream);
  check_end();
}

static void fine(void) {
  int64_t *shared;
  agpu_stream *stream = agpu_stream_acquire(NULL);
  shared = agpu_alloc(stream, 8, true, NULL);
  *shared = 41;
  launch_increment(stream, shared);
  await_and_drop(agpu_stream_record(stream));
  CHECK_EQ(*shared, 42);
  agpu_check_host_access(shared, 8, AGPU_NATIVE_READS, "x.mlir:1:1");
  agpu_check_host_access(host, 8, AGPU_NATIVE_WRITES, "x.mlir:1:1");
  agpu_dealloc(stream, shared, NULL);
  agpu_stream_release(stream);
}

static void read_it(void) { host[0] = cells[2]; }
static void write_it(void) { cells[3] = 1; }
static void write_it_in_a_call(void) {
  agpu_note_host_call("c.mlir:2:2");
  cells[3] = 1;
}
static void print_it(void) {
  printf("%s", (const char *)(uintptr_t)cells); // holds the lock of stdout
}
static void say_so(void) {
  agpu_check_host_access((const void *)(uintptr_t)(cells + 1), 8,
                         AGPU_NATIVE_WRITES, "s.mlir:3:3");
}

static void on_own_fault(int number) {
  (void)number;
  static const char text[] = "the program's own handler\n";
  if (write(2, text, sizeof text - 1) != sizeof text - 1)
    _exit(2);
  _exit(1);
}

static void fault_elsewhere(void) {
  volatile int *closed =
      mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  *closed = 1;
}

/// Runs `program` in a process that has to end with status 1 and `part` in its
/// message.
static void check(void (*program)(void), const char *part) {
  int pipes[2];
  CHECK(!pipe(pipes));
  fflush(NULL);
  pid_t child = fork();
  if (child == 0) {
    alarm(60);
    dup2(pipes[1], 2);
    signal(SIGSEGV, on_own_fault); // before the device starts
    begin();
    program();
    _exit(3); // it went on
  }
  close(pipes[1]);
  char text[4096] = "";
  size_t size = 0;
  ssize_t got;
  while (size < sizeof text - 1 &&
         (got = read(pipes[0], text + size, sizeof text - 1 - size)) > 0)
    size += (size_t)got;
  close(pipes[0]);
  int status;
  CHECK(child > 0 && waitpid(child, &status, 0) == child);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 1 && strstr(text, part))
    return;
  fprintf(stderr, "status 0x%x, \"%s\" has no \"%s\"\n", (unsigned)status, text,
          part);
  exit(1);
}

int main(void) {
  check(read_it, "error: the host reads device memory, at byte 16 of the 32 "
                 "allocated at h.mlir:1:1, ");
  check(write_it, "gpu-host_access: copy it to the host first");
  check(write_it_in_a_call,
        "c.mlir:2:2: error: the host writes device memory, at byte 24 of ");
  check(print_it, "error: the host reads device memory, at byte 0 of the 32");
  check(say_so, "s.mlir:3:3: error: the host writes 8 bytes of device memory, "
                "at byte 8 of the 32 allocated at h.mlir:1:1: copy it");
  check(fault_elsewhere, "the program's own handler");
  begin();
  CHECK_EQ(host[0], 0);
  CHECK_EQ(host[1], 1);
  fine();
  end();
  return 0;
}
