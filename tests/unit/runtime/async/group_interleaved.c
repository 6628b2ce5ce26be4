//===- group_interleaved.c - Members of groups in all interleavings -------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One thread adds members to a group and drops it, while two others complete
// them, or have them fail: whoever waits is served once, by the last member,
// sees the first error, and the group is freed once, when nobody has it any
// more. Memory that is freed is written to, so that uses by others that nothing
// orders before are races.
//
//===----------------------------------------------------------------------===//

#include "interleave.h"

#include "async/group.c"
#include "async/object.c"
#include "async/state.c"

#include "check.h"
#include "own_self.h"

#include <stdarg.h>

agpu__runtime agpu__the_runtime;
atomic_bool agpu__lifecycle_started = true;

void agpu__lifecycle_start_slowly(void) {}

agpu__counter_cells *agpu__counter_register(void) {
  static agpu__counter_cells cells;
  return &cells;
}

//===----------------------------------------------------------------------===//
// Memory, which is looked at when it has been freed
//===----------------------------------------------------------------------===//

#define MEMBERS 2

static _Alignas(AGPU__CACHE_LINE) char memory[2 + MEMBERS][128];
static bool used[2 + MEMBERS];
static int given;

void *agpu__magazine_alloc_slowly(int64_t size, int64_t alignment,
                                  const char *what) {
  (void)alignment;
  (void)what;
  CHECK(given < 2 + MEMBERS && size <= (int64_t)sizeof(memory[0]));
  used[given] = true;
  return memory[given++];
}

void agpu__magazine_free_slowly(void *block) {
  int number = (int)(((char *)block - memory[0]) / (int)sizeof(memory[0]));
  CHECK(used[number]);
  used[number] = false;
  // Each byte, as accesses are known by where they begin.
  for (volatile char *at = block; at < memory[number + 1]; ++at)
    *at = 0;
}

static agpu__awaiter awaiters[MEMBERS + 1];
static int awaiters_given;

agpu__awaiter *agpu__awaiter_create(agpu_object *object) {
  agpu__awaiter *awaiter = &awaiters[awaiters_given++];
  *awaiter = (agpu__awaiter){.object = object};
  return awaiter;
}

void agpu__awaiter_release(agpu__awaiter *awaiter) { awaiter->object = NULL; }

//===----------------------------------------------------------------------===//
// What else the files need
//===----------------------------------------------------------------------===//

static int served;
static void note_served(void);

void agpu__exec_submit_announced(agpu__task task) {
  (void)task;
  ++served;
  note_served();
}

void agpu__parker_signal(agpu__parker *parker, uint32_t bits) {
  (void)parker;
  (void)bits;
  CHECK(0 && "no thread waits here");
}

bool agpu__log_enabled(agpu__log_category category) {
  (void)category;
  return false;
}

void agpu__log(agpu__log_category category, const char *format, ...) {
  (void)category;
  (void)format;
}

agpu_status agpu_status_create(agpu_status_code code, const char *location,
                               const char *format, ...) {
  (void)code;
  (void)location;
  (void)format;
  CHECK(0 && "nothing fails here");
  return NULL;
}

const char *agpu_status_get_message(agpu_status status) {
  (void)status;
  return "";
}

/// A status is a number, which who fails has written.
static int errors[MEMBERS];

agpu_status agpu_status_retain(agpu_status status) { return status; }
void agpu_status_release(agpu_status status) { (void)status; }
void agpu__status_observe(agpu_status status) {
  CHECK_EQ(*(const int *)(const void *)status, 1);
}
void agpu__status_report(agpu_status status) {
  (void)status;
  CHECK(0 && "no rule is broken here");
}
void agpu__status_track(agpu_status status) { (void)status; }

//===----------------------------------------------------------------------===//

static agpu_object *group, *members[MEMBERS];

typedef struct program {
  int declared;
  int ready;  ///< members that are complete when they are added
  bool owned; ///< added by who has the only reference, and says so
  bool awaited;
  int failing; ///< members that fail
  bool shared; ///< thread 1 adds one, too, and drops a reference of its own
} program;

static const program *current;

static void resume(void *unused) { (void)unused; }

/// By who completes a member, before that.
static int written[MEMBERS];

/// The waiter's reference is there as long as the group has not ended.
static void note_served(void) {
  for (int i = 0; i < MEMBERS; ++i)
    CHECK_EQ(written[i], 1);
  uintptr_t state = atomic_load_explicit(&group->state, memory_order_relaxed);
  CHECK_EQ(state & AGPU__PHASE_MASK,
           current->failing > 0 ? AGPU__ERROR : AGPU__READY);
  agpu__object_observe(group);
}

static void begin(void) {
  memset(used, 0, sizeof(used));
  memset(written, 0, sizeof(written));
  given = awaiters_given = served = 0;
  group = agpu__group_create(current->declared);
  if (current->shared)
    agpu__object_retain(group, 1);
  for (int i = 0; i < MEMBERS; ++i)
    members[i] = agpu__object_create(AGPU__TOKEN, 0, 2);
}

static void add_member(agpu_object *member) {
  if (current->owned)
    (void)agpu__group_add_owned(group, member);
  else
    (void)agpu__group_add(group, member);
}

/// Thread 0 adds and drops; each other completes a member.
static void work(int thread) {
  if (thread == 1 && current->shared) {
    (void)agpu__group_add(group, &agpu_ready_token);
    agpu__object_release(group, 1);
  }
  if (thread > 0)
    written[thread - 1] = 1;
  if (thread > current->failing) {
    agpu__object_emplace(members[thread - 1]);
    return;
  }
  if (thread > 0) {
    errors[thread - 1] = 1;
    agpu__object_fail(members[thread - 1], (agpu_status)&errors[thread - 1]);
    return;
  }
  for (int i = 0; i < current->ready; ++i)
    add_member(&agpu_ready_token);
  for (int i = 0; i < MEMBERS; ++i) {
    add_member(members[i]);
    agpu__object_release(members[i], 1);
  }
  if (current->awaited) {
    agpu__awaiter *awaiter = agpu__awaiter_create(group);
    awaiter->target = AGPU__TARGET_TASK;
    awaiter->as.task = (agpu__task){NULL, resume};
    agpu__object_add_awaiter(group, awaiter);
  }
  // By any that has failed so far.
  agpu__object_observe(group);
  agpu__object_release(group, 1);
}

static void end(void) {
  CHECK_EQ(served, current->awaited);
  for (int i = 0; i < given; ++i)
    CHECK(!used[i]);
}

int main(void) {
  static const program programs[] = {
      {MEMBERS, 0, true, true, 0, false},
      {MEMBERS, 0, false, true, 0, false},
      {MEMBERS + 1, 1, true, true, 0, false},
      {MEMBERS, 0, true, false, 0, false},
      {MEMBERS + 1, 0, true, false, 0, false},
      {MEMBERS + 2, 1, true, false, 0, false},
      {MEMBERS + 1, 1, false, false, 0, false},
      {MEMBERS, 0, false, true, 1, false},
      {MEMBERS, 0, true, true, 2, false},
      {MEMBERS, 0, true, false, 2, false},
      {MEMBERS + 1, 0, true, true, 0, true},
  };
  for (size_t i = 0; i < sizeof(programs) / sizeof(programs[0]); ++i) {
    current = &programs[i];
    long runs =
        interleave(&(interleaving){.threads = 1 + MEMBERS,
                                   .preemptions = INTERLEAVE_BOUND(3, 2),
                                   .stale = 1,
                                   .begin = begin,
                                   .run = work,
                                   .end = end});
    printf("%ld runs\n", runs);
    CHECK(runs > 100);
  }
  return 0;
}
