//===- executor_programs.h - Small programs for the executor -----*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What executor_interleaved.c runs in all interleavings, of which it is a part:
// tasks that open gates, and threads that wait for these.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_TESTS_EXECUTOR_PROGRAMS_H
#define ASYNC_GPU_TESTS_EXECUTOR_PROGRAMS_H

typedef struct program {
  const char *name;
  int seats;
  int tasks; ///< that it runs, each once
  void (*run)(void);
  int preemptions; ///< that it runs with every choice of, every day
  /// What another thread does that is not the executor's; NULL: there is none.
  void (*run_beside)(void);
  uint32_t (*source)(bool leaves); ///< or NULL
} program;

/// The one that runs.
static const program *current;

static int ran[8];

/// Something that is waited for as objects are.
typedef struct gate {
  agpu__parker parker;
} gate;

static gate gates[8];

static void open_gate(int number) {
  agpu__parker_signal(&gates[number].parker, AGPU__EXEC_DONE);
}

static void wait_gate(int number) {
  agpu__exec_wait(&gates[number].parker, (agpu__wanted){0});
}

/// As code does that the runtime does not know.
static bool gate_is_open(const void *open) {
  return (((const gate *)open)->parker.word & AGPU__EXEC_DONE) != 0;
}

static void block_at_gate(int number) {
  interleave_block(gate_is_open, &gates[number]);
}

/// A task's handle is its number, shifted since handles are even.
static int number_of(void *handle) { return (int)((uintptr_t)handle / 2); }

static agpu__task task(int number, void (*resume)(void *)) {
  return (agpu__task){(void *)((uintptr_t)number * 2), resume};
}

static void submit(int number, void (*resume)(void *)) {
  agpu__exec_submit(task(number, resume));
}

/// Opens the gate of its number.
static void just_run(void *handle) {
  ++ran[number_of(handle)];
  open_gate(number_of(handle));
}

// Two from outside.
static void run_two(void) {
  submit(0, just_run);
  submit(1, just_run);
  wait_gate(0);
  wait_gate(1);
}

// A task that waits for one that it spawns, and does not end before.
static void spawn_and_wait(void *handle) {
  submit(1, just_run);
  wait_gate(1);
  just_run(handle);
}

static void run_spawner(void) {
  submit(0, spawn_and_wait);
  wait_gate(0);
}

// Two that wait for each other in turn, without spawning.
static void wait_then_open(void *handle) {
  wait_gate(3);
  just_run(handle);
}

static void open_then_wait(void *handle) {
  open_gate(3);
  wait_gate(0);
  just_run(handle);
}

static void run_crossed(void) {
  submit(0, wait_then_open);
  submit(1, open_then_wait);
  wait_gate(1);
}

// A chain that is handed on, and a task from outside that waits for its end.
static void hand_on(void *handle) {
  int number = number_of(handle);
  if (number < 2) {
    agpu__exec_announce();
    agpu__exec_submit_next(task(number + 1, hand_on));
  }
  just_run(handle);
}

static void wait_for_chain(void *handle) {
  wait_gate(2);
  just_run(handle);
}

static void run_chain(void) {
  submit(0, hand_on);
  submit(3, wait_for_chain);
  wait_gate(3);
}

// The same where the task from outside blocks for itself: another worker is
// there to run the chain.
static void block_for_chain(void *handle) {
  block_at_gate(2);
  just_run(handle);
}

static void run_chain_beside(void) {
  submit(0, hand_on);
  submit(3, block_for_chain);
  wait_gate(3);
}

// A task that keeps its worker until the other has run one that it has spawned.
static void spawn_and_block(void *handle) {
  submit(1, just_run);
  block_at_gate(1);
  just_run(handle);
}

static void run_stolen(void) {
  submit(0, spawn_and_block);
  wait_gate(0);
}

// Two of the batch that one worker takes need a worker each.
static void block_for_other(void *handle) {
  int number = number_of(handle);
  open_gate(4 + number);
  block_at_gate(4 + 1 - number);
  just_run(handle);
}

static void run_side_by_side(void) {
  submit(0, block_for_other);
  submit(1, block_for_other);
  wait_gate(0);
  wait_gate(1);
}

// Of a batch that a worker takes, the first needs the second, while the other
// worker has looked for work in between.
static void stay_for_batch(void *handle) {
  block_at_gate(5);
  just_run(handle);
}

static void block_for_second(void *handle) {
  block_at_gate(2);
  just_run(handle);
}

static void run_batch(void) {
  submit(0, stay_for_batch);
  submit(1, block_for_second);
  submit(2, just_run);
  submit(3, just_run);
  open_gate(5);
  for (int i = 0; i < 4; ++i)
    wait_gate(i);
}

// Nobody waits for them but the drain.
static void run_drained(void) {
  submit(0, spawn_and_wait);
  agpu__exec_drain();
  CHECK_EQ(ran[0] + ran[1], 2);
}

// A waker finds that those whom it saw asleep are awake. Meanwhile another
// thread submits, and leaves the waking to the first.
static void run_submit(void) {
  submit(0, just_run);
  block_at_gate(0);
}

static void run_submit_two(void) {
  for (int i = 1; i < 3; ++i) {
    submit(i, just_run);
    block_at_gate(i);
  }
}

static bool all_sleep(const void *unused) {
  (void)unused;
  return agpu__the_executor.sleeping == current->seats;
}

// Who sleeps in a task is woken for another, and at the same time by what it
// waits for. Whoever is woken next depends on its having passed that on.
static void run_in_vain(void) {
  submit(0, wait_then_open);
  interleave_block(all_sleep, NULL);
  submit(1, just_run);
  open_gate(3);
  wait_gate(0);
  wait_gate(1);
  interleave_block(all_sleep, NULL);
  submit(2, just_run);
  wait_gate(2);
}

// Who sleeps in a task is woken for another, and gives its seat away.
static void run_handed_over(void) {
  submit(0, wait_then_open);
  interleave_block(all_sleep, NULL);
  submit(1, just_run);
  wait_gate(1);
  interleave_block(all_sleep, NULL);
  submit(2, just_run);
  wait_gate(2);
  open_gate(3);
  wait_gate(0);
}

// The thread outside may run what it waits for, which waits itself, and the
// drain counts that.
static void run_wanted(void) {
  submit(2, wait_then_open);
  agpu__hot.exec.names = agpu__names(1, 1);
  submit(0, spawn_and_wait);
  agpu__exec_wait(&gates[0].parker, (agpu__wanted){.name = 1});
  open_gate(3);
}

// A message comes while a worker that has nothing to do goes to sleep and a
// task is pushed. Threads that wait submit what it brings; once one of them
// does so no more, a thread beside does.
static _Atomic(int) message; // 0: none yet; 1: it has come; 2: it was seen
static _Atomic(int) leavers;

static uint32_t ask_for_message(bool leaves) {
  int come = 1;
  if (leaves)
    atomic_fetch_add(&leavers, 1);
  if (leaves || atomic_load(&message) == 2)
    return 0;
  if (atomic_compare_exchange_strong(&message, &come, 2))
    submit(0, just_run);
  return 4;
}

static bool is_seen_or_left(const void *unused) {
  (void)unused;
  return message == 2 || leavers > 0;
}

static void bring_message(void) {
  atomic_store(&message, 1);
  interleave_block(is_seen_or_left, NULL);
  (void)ask_for_message(/*leaves=*/false);
}

static void run_message(void) {
  submit(1, just_run);
  block_at_gate(0);
  wait_gate(1);
}

static const program programs[] = {
    {"message", 1, 2, run_message, 2, bring_message, ask_for_message},
    {"message, two workers", 2, 2, run_message, 1, bring_message,
     ask_for_message},
    {"two submitters", 1, 3, run_submit, 2, run_submit_two, NULL},
    {"one", 1, 1, run_submit, 3, NULL, NULL},
    {"two", 1, 2, run_two, 3, NULL, NULL},
    {"two, two workers", 2, 2, run_two, 2, NULL, NULL},
    {"in vain", 1, 3, run_in_vain, 2, NULL, NULL},
    {"handed over", 1, 3, run_handed_over, 2, NULL, NULL},
    {"spawner", 1, 2, run_spawner, 2, NULL, NULL},
    {"spawner, two workers", 2, 2, run_spawner, 1, NULL, NULL},
    {"crossed", 1, 2, run_crossed, 2, NULL, NULL},
    {"chain", 1, 4, run_chain, 2, NULL, NULL},
    {"chain, two workers", 2, 4, run_chain, 1, NULL, NULL},
    {"chain beside", 2, 4, run_chain_beside, 2, NULL, NULL},
    {"stolen", 2, 2, run_stolen, 2, NULL, NULL},
    {"side by side", 2, 2, run_side_by_side, 2, NULL, NULL},
    {"batch", 2, 4, run_batch, 1, NULL, NULL},
    {"drained", 1, 2, run_drained, 2, NULL, NULL},
    {"wanted", 1, 3, run_wanted, 2, NULL, NULL},
    {"wanted, two workers", 2, 3, run_wanted, 1, NULL, NULL},
};

#endif // ASYNC_GPU_TESTS_EXECUTOR_PROGRAMS_H
