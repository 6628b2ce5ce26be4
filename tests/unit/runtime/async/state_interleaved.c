//===- state_interleaved.c - Transitions and awaiters in all interleavings ===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "interleave.h"

#include "async/state.c"

#include "check.h"
#include "own_self.h"

// What state.c needs of the runtime: what it does is noted.

#define CONSUMERS 2

agpu_object agpu_ready_token;

static agpu_object object;
static int served[CONSUMERS]; // how often
static bool destroyed;
static int misuses;
static int written; // by the producer, before it ends or enqueues
static int requests;

void agpu__awaiter_release(agpu__awaiter *awaiter) { awaiter->object = NULL; }

static bool has_ended(void) {
  uintptr_t phase = object.state & AGPU__PHASE_MASK;
  return phase == AGPU__READY || phase == AGPU__ERROR;
}

static agpu__awaiter awaiters[CONSUMERS];
static const agpu__awaiter gone = {.target = 99};

/// The task may run now, and use its awaiter for something else.
void agpu__exec_submit_announced(agpu__task task) {
  int consumer = (int)(uintptr_t)task.handle;
  CHECK_EQ(written, 1);
  agpu__object_observe(&object);
  ++served[consumer];
  awaiters[consumer] = gone;
}

agpu__counter_cells *agpu__counter_register(void) {
  CHECK(0 && "nothing is counted here");
  return NULL;
}

void agpu__parker_signal(agpu__parker *parker, uint32_t bits) {
  (void)parker;
  (void)bits;
  CHECK(0 && "no thread waits here");
}

void agpu__object_retain(agpu_object *of, int64_t count) {
  CHECK(of == &object);
  atomic_fetch_add_explicit(&object.references, count, memory_order_relaxed);
}

void agpu__object_release(agpu_object *of, int64_t count) {
  CHECK(of == &object && !destroyed);
  if (atomic_fetch_sub_explicit(&object.references, count,
                                memory_order_acq_rel) == count)
    agpu__object_free(of);
}

void agpu__object_free(agpu_object *of) {
  CHECK(of == &object && !destroyed);
  destroyed = true;
}

agpu_object *agpu__object_create(agpu__object_kind kind, int64_t size,
                                 int64_t count) {
  (void)kind;
  (void)size;
  (void)count;
  CHECK(0 && "not used here");
  return NULL;
}

void agpu__object_misused(const char *what) {
  (void)what;
  ++misuses;
}

static int error; // a status, which who fails has written

agpu_status agpu_status_retain(agpu_status status) { return status; }
void agpu_status_release(agpu_status status) { (void)status; }
void agpu__status_observe(agpu_status status) {
  CHECK_EQ(*(const int *)(const void *)status, 1);
}
void agpu__status_track(agpu_status status) { (void)status; }

static void release_work(agpu__work *work) { (void)work; }

static void request(agpu__work *work, agpu_object *of) {
  (void)work;
  CHECK(of == &object);
  ++requests;
}

static const agpu__work_ops ops = {.release = release_work, .request = request};
static agpu__work work = {&ops};

//===----------------------------------------------------------------------===//

static agpu__need needs[CONSUMERS];

static void resume(void *unused) { (void)unused; }

static agpu__object_place place;

static void begin(void) {
  object = (agpu_object){
      .kind = AGPU__TOKEN,
      .place = (uint8_t)place,
      .references = 2, // the creator's, the producer's
  };
  destroyed = false;
  misuses = requests = written = 0;
  for (int i = 0; i < CONSUMERS; ++i)
    served[i] = 0;
}

static void await(int consumer) {
  agpu__awaiter *awaiter = &awaiters[consumer];
  *awaiter = (agpu__awaiter){.need = (uint8_t)needs[consumer],
                             .target = AGPU__TARGET_TASK,
                             .as.task = {(void *)(uintptr_t)consumer, resume},
                             .object = &object};
  agpu__object_add_awaiter(&object, awaiter);
}

/// Threads from 1 on are consumers; thread 0 is the producer. What came with a
/// frame has its reference until that is freed.
static void drop_frame(void) {
  if (place == AGPU__PLACE_ALONE)
    return;
  CHECK(!destroyed);
  agpu__object_release(&object, 1);
}

static void write_and_emplace(void) {
  written = 1;
  agpu__object_emplace_last(&object);
  drop_frame();
}

/// The last consumer waits only if it has to.
static void await_if_needed(int consumer) {
  if (consumer < CONSUMERS - 1 || !agpu__object_has_ended(&object)) {
    await(consumer);
    return;
  }
  CHECK_EQ(written, 1);
  ++served[consumer];
}

static void make_ready(int thread) {
  if (thread == 0)
    write_and_emplace();
  else
    await_if_needed(thread - 1);
}

/// The same with a producer that fails; a consumer sees that by looking, too.
static void make_error(int thread) {
  if (thread > 0) {
    agpu__object_observe(&object);
    await(thread - 1);
    return;
  }
  written = 1;
  error = 1;
  agpu__object_fail(&object, (agpu_status)&error);
  drop_frame();
}

/// The same where nobody has a reference any more when each has waited, as with
/// members of groups.
static void make_ready_and_drop(int thread) {
  if (thread == 0)
    write_and_emplace();
  if (thread == 1)
    for (int i = 0; i < CONSUMERS; ++i)
      await(i);
  if (thread == 1)
    agpu__object_release(&object, 1);
}

static bool is_requested(const void *unused) {
  (void)unused;
  return requests > 0;
}

/// The producer enqueues; the device completes when it is asked to.
static void enqueue(int thread) {
  if (thread > 0) {
    await(thread - 1);
    return;
  }
  written = 1;
  agpu__object_enqueue(&object, &work);
  bool asked = needs[0] == AGPU__NEED_READY || needs[1] == AGPU__NEED_READY;
  if (!asked)
    return;
  interleave_block(is_requested, NULL);
  agpu__object_complete(&object, AGPU_OK);
}

static void check_served(void) {
  for (int i = 0; i < CONSUMERS; ++i)
    CHECK_EQ(served[i], 1);
  CHECK_EQ(misuses, 0);
}

static void check_kept(void) {
  CHECK_EQ(object.references, 1); // the creator's
  CHECK(!destroyed);
}

static void end_dropped(void) {
  check_served();
  CHECK(destroyed);
  CHECK_EQ(object.state, AGPU__READY);
}

static void end_error(void) {
  check_served();
  check_kept();
  CHECK_EQ(object.state, AGPU__ERROR);
}

static void end_ready(void) {
  check_served();
  check_kept();
  CHECK_EQ(object.state, AGPU__READY);
  CHECK_EQ(requests, 0);
}

static void end_enqueued(void) {
  check_served();
  check_kept();
  bool asked = needs[0] == AGPU__NEED_READY || needs[1] == AGPU__NEED_READY;
  CHECK_EQ(requests, asked ? 1 : 0);
  CHECK_EQ(has_ended(), asked);
}

static void run_all(void (*run)(int), void (*end)(void)) {
  long runs = interleave(&(interleaving){.threads = 1 + CONSUMERS,
                                         .preemptions = 4,
                                         .begin = begin,
                                         .run = run,
                                         .end = end});
  printf("%ld runs\n", runs);
  CHECK(runs > 20);
}

int main(void) {
  static const agpu__object_place places[] = {
      AGPU__PLACE_ALONE, AGPU__PLACE_BESIDE_FRAME, AGPU__PLACE_IN_BLOCK};
  for (int i = 0; i < 3; ++i) {
    place = places[i];
    run_all(make_ready, end_ready);
    run_all(make_error, end_error);
    run_all(make_ready_and_drop, end_dropped);
  }
  place = AGPU__PLACE_ALONE;
  static const agpu__need pairs[][2] = {
      {AGPU__NEED_READY, AGPU__NEED_READY},
      {AGPU__NEED_READY, AGPU__NEED_ENQUEUED},
      {AGPU__NEED_ENQUEUED, AGPU__NEED_ENQUEUED},
  };
  for (int i = 0; i < 3; ++i) {
    needs[0] = pairs[i][0];
    needs[1] = pairs[i][1];
    run_all(enqueue, end_enqueued);
  }
  return 0;
}
