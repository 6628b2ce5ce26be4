//===- interleave.c - All interleavings of a few threads ----------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Threads are contexts on one thread of the system. A run is told by the
// choices made at its steps. The next run repeats them up to the last one that
// has an alternative left, and takes that (depth-first search).
//
// Of a reduced search: what a thread has seen, and so does next, is told by
// which of its accesses came after which of others to the same object. A digest
// of that, of all threads, tells a state; where one comes again, with the same
// thread running and no more preemptions left, all that may follow has been or
// will be tried, and the run goes on to its end without alternatives (M.
// Musuvathi and S. Qadeer, "Partial-order reduction for context-bounded state
// exploration", MSR-TR-2007-12). An object that one thread alone accesses is no
// place for another to go on. Which ones those are is found by searching again
// with what the search before has found, until there is nothing new.
//
//===----------------------------------------------------------------------===//

#include "interleave.h"

#include "base/sync/schedule.h"
#include "base/trace/names.h"
#include "base/trace/trace.h"
#include "check.h"
#include "weak_memory.h"

#include <linux/futex.h>
#include <setjmp.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <ucontext.h>

#define THREADS 4
#define STACK (64 * 1024)
#define STEPS 20000

static const interleaving *test;
/// A context begins by swapcontext, and goes on by longjmp, which leaves the
/// signal mask alone: that is a system call less.
static ucontext_t begin_at, contexts[THREADS];
static jmp_buf scheduler, goes_on_at[THREADS];
static bool has_begun[THREADS];
static bool done[THREADS];
// What a thread that is blocked waits for.
static bool (*may_go[THREADS])(const void *);
static const void *goes_by[THREADS];
static int current = -1; // the thread that runs; -1 outside

// A choice is one of the threads that can go on, counted from the current one.
static int choices[STEPS], options[STEPS];
static int steps, preempted, known_steps;

/// Whether no alternatives are wanted for now, or for the rest of the run.
static bool is_alone, is_known;

/// To the scheduler and back.
static void leave(void) {
  if (_setjmp(goes_on_at[current]) == 0)
    _longjmp(scheduler, 1);
}

int interleave_thread(void) { return current; }

void interleave_alone(bool alone) { is_alone = alone; }

//===----------------------------------------------------------------------===//
// What threads have seen
//===----------------------------------------------------------------------===//

#define LOCATIONS (1 << 12)

/// An object that was accessed. `run` is the last one in which it was.
typedef struct location {
  const volatile void *address;
  long run;
  uint64_t written, read; ///< digests: of the last write, of reads since
  unsigned threads;       ///< that have accessed it, as bits
  bool is_shared;         ///< as the search before has found
} location;

static location locations[LOCATIONS];
static long run_number;
static uint64_t seen[THREADS]; // a digest for each thread

static uint64_t mix(uint64_t a, uint64_t b) {
  uint64_t x = a * 0x9E3779B97F4A7C15u + b + 0x632BE59BD9B4E019u;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  return x ^ (x >> 31);
}

static location *find_location(const volatile void *address) {
  size_t slot = mix((uintptr_t)address, 0) % LOCATIONS;
  for (int i = 0; locations[slot].address != address; ++i) {
    if (!locations[slot].address) {
      locations[slot].address = address;
      break;
    }
    CHECK(i < LOCATIONS);
    slot = (slot + 1) % LOCATIONS;
  }
  location *found = &locations[slot];
  if (found->run != run_number) {
    found->run = run_number;
    found->written = found->read = 0;
  }
  return found;
}

/// The current thread accesses the object, with nothing in between.
static void see(location *object, bool changes) {
  uint64_t *self = &seen[current];
  if (changes) {
    *self = mix(*self, mix(object->written, object->read));
    object->written = *self;
    object->read = 0;
  } else {
    *self = mix(*self, object->written);
    object->read += mix(*self, 1);
  }
}

/// It goes on from where nothing but its turn was missing.
static void pass(void) { seen[current] = mix(seen[current], 1); }

/// The same of what locks, conditions and futexes are known by.
static void see_place(const void *place) {
  if (current >= 0 && test->reduced)
    see(find_location(place), true);
}

/// Whether the threads' next search would be another one.
static bool learn(void) {
  bool any = false;
  for (location *object = locations; object < locations + LOCATIONS; ++object) {
    bool is_shared = (object->threads & (object->threads - 1)) != 0;
    any |= is_shared && !object->is_shared;
    object->is_shared |= is_shared;
  }
  return any;
}

/// States where there was a choice: digests, whose last bits are the number of
/// preemptions before.
static uint64_t *states;
static size_t state_count, state_room;
#define COUNT_MASK UINT64_C(7)

static bool add_state(uint64_t state, uint64_t before) {
  size_t slot = (state >> 3) % state_room;
  for (; states[slot]; slot = (slot + 1) % state_room)
    if (((states[slot] ^ state) & ~COUNT_MASK) == 0) {
      if ((states[slot] & COUNT_MASK) <= before)
        return false;
      break;
    }
  state_count += !states[slot];
  states[slot] = (state & ~COUNT_MASK) | before;
  return true;
}

static void forget_states(size_t room) {
  free(states);
  states = calloc(room, sizeof(*states));
  CHECK(states);
  state_room = room;
  state_count = 0;
}

/// Whether the state has not been there with as many preemptions left, or more.
static bool is_new_state(int last) {
  uint64_t state = (uint64_t)last + 1;
  for (int i = 0; i < test->threads; ++i)
    state = mix(state, seen[i]);
  state = mix(state, (uint64_t)weak_memory_stale());
  if (state_count * 2 >= state_room) {
    uint64_t *old = states;
    size_t old_room = state_room;
    states = NULL;
    forget_states(old_room * 2);
    for (size_t i = 0; i < old_room; ++i)
      if (old[i])
        (void)add_state(old[i], old[i] & COUNT_MASK);
    free(old);
  }
  return add_state(state, (uint64_t)preempted);
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

/// Whether the current thread goes on whatever the others could do.
static bool goes_on_anyway(void) {
  return is_alone ||
         (test->reduced && (is_known || preempted >= test->preemptions));
}

bool interleave_turn(const volatile void *object) {
  if (!test->reduced) {
    if (!test->coarse && !is_alone)
      leave();
    return false;
  }
  location *accessed = find_location(object);
  accessed->threads |= 1u << current;
  if (accessed->is_shared && !goes_on_anyway())
    leave();
  return accessed->is_shared;
}

void interleave_access(const volatile void *object, bool changes) {
  if (current >= 0 && interleave_turn(object))
    see(find_location(object), changes);
}

/// Whether what follows may have an alternative that was not there yet.
static bool is_new(int last) { return !test->reduced || is_new_state(last); }

int interleave_choose(int count) {
  if (count == 1 || is_alone || is_known)
    return 0;
  CHECK(steps < STEPS);
  CHECK(steps >= known_steps || options[steps] == count);
  if (steps >= known_steps) {
    // A state in the middle of a step is none between two.
    if (!is_new(THREADS + current)) {
      is_known = true;
      return 0;
    }
    choices[steps] = 0;
  }
  options[steps] = count;
  return choices[steps++];
}

uint64_t interleave_note(uint64_t digest) {
  return seen[current] = mix(seen[current], digest);
}

/// In what the scheduler itself calls accesses are nobody's.
static bool is_asking;

bool interleave_outside(void) { return current < 0 || is_asking; }

static bool ask(bool (*until)(const void *), const void *argument) {
  is_asking = true;
  bool answer = until(argument);
  is_asking = false;
  return answer;
}

void interleave_step(void) {
  static const char anything;
  if (current < 0)
    return;
  if (test->reduced)
    interleave_access(&anything, true);
  else if (!is_alone)
    leave();
  weak_memory_acquire(&anything);
  weak_memory_release(&anything);
}

void interleave_delay(int thread, bool (*until)(const void *),
                      const void *argument) {
  may_go[thread] = until;
  goes_by[thread] = argument;
}

void interleave_block(bool (*until)(const void *), const void *argument) {
  CHECK(current >= 0);
  if (!goes_on_anyway() || !ask(until, argument)) {
    may_go[current] = until;
    goes_by[current] = argument;
    leave();
  }
  pass();
  weak_memory_meet();
}

//===----------------------------------------------------------------------===//
// The scheduler
//===----------------------------------------------------------------------===//

/// Whether the thread can go on.
static bool is_ready(int thread) {
  return !done[thread] && (!may_go[thread] || may_go[thread](goes_by[thread]));
}

static void enter(void) {
  test->run(current);
  done[current] = true;
  _longjmp(scheduler, 1);
}

/// Lets the current thread go on to its next step.
static void go_on(void) {
  if (_setjmp(scheduler) != 0)
    return;
  if (has_begun[current])
    _longjmp(goes_on_at[current], 1);
  has_begun[current] = true;
  pass();
  CHECK(swapcontext(&begin_at, &contexts[current]) == 0);
}

/// Threads that have yielded, until another has gone on.
static bool yields[THREADS];

/// The `choice`-th thread that can go on, from `first`; -1 if there are not so
/// many.
static int pick(int first, int choice) {
  bool any = false;
  for (int i = 0; i < test->threads; ++i) {
    int thread = (first + i) % test->threads;
    if (!is_ready(thread) || yields[thread])
      continue;
    any = true;
    if (choice-- == 0)
      return thread;
  }
  // Where nobody else can go on, one that yields does.
  for (int i = 0; i < test->threads && !any; ++i) {
    int thread = (first + i) % test->threads;
    if (is_ready(thread) && choice-- == 0)
      return thread;
  }
  return -1;
}

static int count_options(int last) {
  int count = 0;
  while (pick(last, count) >= 0)
    ++count;
  // To go on with another thread although the last one could: a preemption.
  if (is_ready(last) && !yields[last] && preempted >= test->preemptions &&
      count > 1)
    count = 1;
  return count;
}

static int usual_steps = 100; // of a run

/// For a random walk.
static int draw_choice(int last, int count) {
  static uint64_t state = 88172645463325252u;
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  uint64_t drawn = state >> 20;
  bool goes_on = is_ready(last) && !yields[last];
  if (goes_on && drawn % (uint64_t)usual_steps >= (uint64_t)test->preemptions)
    return 0;
  return (int)(drawn / (uint64_t)usual_steps % (uint64_t)count);
}

void interleave_say_choices(void) {
  fprintf(stderr, "choices of the run, step and thread:");
  for (int i = 0; i < steps; ++i)
    if (choices[i])
      fprintf(stderr, " %d:+%d", i, choices[i]);
  fprintf(stderr, "\n");
}

static void say_who_is_left(void) {
  for (int i = 0; i < test->threads; ++i)
    if (!done[i])
      fprintf(stderr, "thread %d is left\n", i);
  interleave_say_choices();
}

static void run_once(void) {
  static char *stacks[THREADS];
  memset(may_go, 0, sizeof(may_go));
  test->begin();
  for (int i = 0; i < test->threads; ++i) {
    if (!stacks[i])
      stacks[i] = malloc(STACK);
    CHECK(stacks[i]);
    done[i] = false;
    yields[i] = false;
    CHECK(getcontext(&contexts[i]) == 0);
    contexts[i].uc_stack.ss_sp = stacks[i];
    contexts[i].uc_stack.ss_size = STACK;
    contexts[i].uc_link = NULL;
    has_begun[i] = false;
    makecontext(&contexts[i], enter, 0);
  }
  known_steps = steps; // choices that are given
  int last = 0, entered = -1;
  steps = 0;
  preempted = 0;
  is_alone = is_known = false;
  ++run_number;
  memset(seen, 0, sizeof(seen));
  weak_memory_begin(test->stale ? test->stale : 2);
  for (int count; (count = count_options(last)) > 0;) {
    CHECK(steps < STEPS);
    if (is_known || (is_alone && test->walks == 0))
      count = 1;
    // The way to a choice is the same each time.
    CHECK(!test->reduced || steps >= known_steps || options[steps] == count);
    if (steps >= known_steps && count > 1 && !is_new(last)) {
      is_known = true;
      count = 1;
    }
    if (steps >= known_steps)
      choices[steps] = test->walks > 0 ? draw_choice(last, count) : 0;
    options[steps] = count;
    int next = pick(last, choices[steps]);
    if (next != last && is_ready(last) && !yields[last])
      ++preempted;
    for (int i = 0; i < test->threads; ++i)
      yields[i] = false;
    last = current = next;
    may_go[next] = NULL;
    is_asking = true;
    if (test->enter && next != entered)
      test->enter(next);
    is_asking = false;
    entered = next;
    ++steps;
    go_on();
    current = -1;
  }
  usual_steps = steps > 0 ? steps : 1;
  for (int i = 0; i < test->threads; ++i)
    if (!done[i])
      say_who_is_left();
  for (int i = 0; i < test->threads; ++i)
    CHECK(done[i]); // the others wait for each other, or for what was lost
  test->end();
}

/// Makes the choices for the next run. False if there is none.
static bool advance(void) {
  while (steps > 0 && choices[steps - 1] + 1 == options[steps - 1])
    --steps;
  if (steps == 0)
    return false;
  ++choices[steps - 1];
  return true;
}

long interleave(const interleaving *all) {
#ifdef INTERLEAVE_WEAK
  interleaving weak = *all;
  weak.reduced = true;
  all = &weak;
#endif
  test = all;
  CHECK(all->threads <= THREADS);
  CHECK(!all->reduced || (!all->coarse && all->walks == 0 &&
                          all->preemptions <= (int)COUNT_MASK));
  memset(locations, 0, sizeof(locations));
  long runs = 0;
  do {
    if (all->reduced)
      forget_states(1 << 16);
    steps = 0;
    do {
      run_once();
      ++runs;
      if (all->walks > 0)
        steps = 0;
    } while (all->walks > 0 ? runs < all->walks : advance());
  } while (all->reduced && learn());
  return runs;
}

//===----------------------------------------------------------------------===//
// What is drawn from a seed elsewhere
//===----------------------------------------------------------------------===//

uint8_t agpu__hooks;

void agpu__schedule_pass(agpu__point point) {
  (void)point;
  // Between two accesses it makes no difference.
  if (test && test->coarse)
    interleave_step();
}

bool agpu__schedule_draw(agpu__point point) {
  (void)point;
  return false;
}

void agpu__schedule_sleep(const void *place) { (void)place; }

void agpu__trace_record(agpu__trace_kind kind, uint64_t id, uint64_t flow,
                        const void *name, uint64_t first, uint64_t second,
                        uint64_t third) {
  (void)kind, (void)id, (void)flow, (void)name;
  (void)first, (void)second, (void)third;
}

void agpu__trace_claim_last(void) {}

void agpu_trace_names_add(agpu_trace_names *table) { (void)table; }

const void *agpu__trace_take_here(void) { return NULL; }

const void *agpu__trace_code(void *handle, void (*resume)(void *handle)) {
  (void)handle, (void)resume;
  return NULL;
}

void agpu__schedule_wake(const void *place) { (void)place; }

//===----------------------------------------------------------------------===//
// Locks and futexes
//===----------------------------------------------------------------------===//

#define WORDS 32

/// Locks that are held. A lock is known by its address.
static const void *held[WORDS];

static int find_held(const void *lock) {
  for (int i = 0; i < WORDS; ++i)
    if (held[i] == lock)
      return i;
  return -1;
}

static bool is_free(const void *lock) { return find_held(lock) < 0; }

int interleave_lock(const void *lock) {
  if (current >= 0)
    interleave_block(is_free, lock);
  see_place(lock);
  int slot = find_held(NULL);
  CHECK(slot >= 0 && is_free(lock));
  held[slot] = lock;
  weak_memory_acquire(lock);
  return 0;
}

int interleave_unlock(const void *lock) {
  int slot = find_held(lock);
  CHECK(slot >= 0);
  held[slot] = NULL;
  weak_memory_release(lock);
  see_place(lock);
  // What follows until the next access is seen by nobody else.
  if (current >= 0 && !test->reduced && !test->coarse && !is_alone)
    leave();
  return 0;
}

/// For each thread in a condition, its address.
static const void *waits_for[THREADS];

static bool is_told(const void *place) {
  return *(const void *const *)place == NULL;
}

int interleave_wait(const void *condition, const void *lock) {
  // A condition that nobody else can tell of is not waited for outside.
  CHECK(current >= 0);
  see_place(condition);
  see_place(lock);
  weak_memory_release(lock);
  waits_for[current] = condition;
  held[find_held(lock)] = NULL;
  interleave_block(is_told, &waits_for[current]);
  return interleave_lock(lock);
}

int interleave_broadcast(const void *condition) {
  see_place(condition);
  for (int i = 0; i < THREADS; ++i)
    if (waits_for[i] == condition)
      waits_for[i] = NULL;
  return 0;
}

int interleave_yield(void) {
  if (current < 0)
    return 0;
  yields[current] = true;
  leave();
  pass();
  return 0;
}

/// For each thread in a futex, its address.
static const void *sleeps_on[THREADS];

static bool is_awake(const void *place) {
  return *(const void *const *)place == NULL;
}

long interleave_syscall(long number, const _Atomic(uint32_t) *word,
                        int operation, uint32_t value, ...) {
  CHECK(number == SYS_futex);
  interleave_access(word, true);
  see_place(word);
  if (operation == FUTEX_WAIT_PRIVATE) {
#ifdef INTERLEAVE_WEAK
    if (weak_memory_look(word) != value)
      return -1;
#else
    if (*word != value)
      return -1;
#endif
    sleeps_on[current] = word;
    interleave_block(is_awake, &sleeps_on[current]);
    return 0;
  }
  CHECK(operation == FUTEX_WAKE_PRIVATE && value == 1);
  for (int i = 0; i < THREADS; ++i)
    if (sleeps_on[i] == word) {
      sleeps_on[i] = NULL;
      return 1;
    }
  return 0;
}
