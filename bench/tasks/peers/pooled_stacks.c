//===- pooled_stacks.c - The floor with a stack for each task -------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// As inline_runtime.c, but what is spawned runs on a stack of its own, out of a
// pool of such with a guard page each, so that the spawner could go on while a
// task waits. Here none does. What that adds to the floor is what a switch of
// stacks costs: the best case of a runtime that has them. One CPU, ns a task:
//
//                       async-gpu   floor   this   libgomp
//   fan-out-opaque           68.3    30.1   25.4      8.98
//   chain-opaque             32.9    27.6   34.2       252
//   tree-opaque              47.8    42.3   47.1      41.3
//   round-trip-opaque          50      25   26.2      35.7
//
//   bench/tasks.py --realtime --quiet-only --rounds 7 --budget 60
//     --only fan-out-opaque,chain-opaque,tree-opaque,round-trip-opaque
//
// It would be unsafe, too: foreign code may hold thread-local addresses or
// locks, so only the same thread can continue the task and the spawning code
// below it. If the task blocks in the kernel for something that its spawner
// does later, neither continues. Nor would a deque for threads outside of tasks
// help: programs whose tasks a worker spawns take the same time, within 5 %, as
// those that go through the outbox (runtime/exec/queue/outbox.h).
//
//===----------------------------------------------------------------------===//

#define BENCH_SPAWN spawn_on_stack

#include <stdlib.h>
#include <sys/mman.h>

typedef struct stack {
  void *pointer;      ///< where it was left
  void *spawner;      ///< whoever runs on it
  struct stack *next; ///< in the pool
  void (*resume)(void *frame);
  void *frame;
} stack;

#define STACK_BYTES (64 << 10)
#define PAGE 4096

static stack *pool;

/// Leaves the stack that it is called on at `*from`, and goes on at `to`. In
/// place, and by a jump: a call and a return would no longer be a pair for the
/// CPU, which predicts where returns go.
static inline __attribute__((always_inline)) void switch_to(void **from,
                                                            void *to) {
  __asm__ volatile("lea 1f(%%rip), %%rax\n"
                   "push %%rbp\n"
                   "push %%rax\n"
                   "mov %%rsp, (%0)\n"
                   "mov %1, %%rsp\n"
                   "pop %%rax\n"
                   "pop %%rbp\n"
                   "jmp *%%rax\n"
                   "1:"
                   : "+D"(from), "+S"(to)
                   :
                   : "rax", "rbx", "rcx", "rdx", "r8", "r9", "r10", "r11",
                     "r12", "r13", "r14", "r15", "xmm0", "xmm1", "xmm2", "xmm3",
                     "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10",
                     "xmm11", "xmm12", "xmm13", "xmm14", "xmm15", "memory",
                     "cc");
}

static void run_tasks(void) {
  for (;;) {
    stack *self = pool; // whose turn it is
    pool = self->next;
    self->resume(self->frame);
    self->next = pool;
    pool = self;
    switch_to(&self->pointer, self->spawner);
  }
}

static stack *make_stack(void) {
  char *memory = mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
  if (memory == MAP_FAILED || mprotect(memory, PAGE, PROT_NONE) != 0)
    abort();
  stack *made = (stack *)(memory + STACK_BYTES) - 1;
  // Where to begin, a register, and what that would return to.
  void **top = (void **)((size_t)made & ~(size_t)15) - 3;
  *top = (void *)run_tasks;
  made->pointer = top;
  made->next = NULL;
  return made;
}

static void spawn_on_stack(void *frame, void (*resume)(void *frame)) {
  if (!pool)
    pool = make_stack();
  stack *on = pool;
  on->frame = frame;
  on->resume = resume;
  switch_to(&on->spawner, on->pointer);
}

#include "inline_runtime.c"
