//===- weak_memory.c - What weak memory orders allow ----------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The source under test is compiled for thread sanitizer, whose functions are
// these: so each atomic access comes here with the order that the source gives,
// and each plain one too. The memory is the operational form of C11's by views
// (O. Lahav et al., "Repairing sequential consistency in C/C++11", PLDI 2017;
// J. Kang et al., "A promising semantics for relaxed-memory concurrency", POPL
// 2017, without promises):
//
// - An atomic object is the list of what was written to it, oldest first. A
//   thread's view says for each object what it has seen at least: it reads that
//   or anything newer, which is a choice of the search.
// - A release puts the writer's view beside the value, an acquire that reads it
//   takes it over. A read-modify-write reads the newest, and passes on the view
//   beside it. A failed compare-and-swap is a read.
// - A sequentially consistent read sees the newest such write to the object at
//   least; they take place in the order of the run.
// - A view has a clock of each thread beside: accesses to plain objects, one of
//   them a write, of which no view orders one before the other, are a race, and
//   end the test. So are plain and atomic accesses to one object.
//
// What C11 allows beyond that, this does not see: a write takes place after all
// that were there in the run, a read gives nothing that is written later (load
// buffering), and a run has a bounded number of reads of what has been
// replaced. Of fences there is the one that a thread makes for all others
// (membarrier), as the sources have no other.
//
//===----------------------------------------------------------------------===//

#include "weak_memory.h"

#include "check.h"
#include "interleave.h"

#undef atomic_load_explicit

#define THREADS 4
#define OBJECTS 256     // atomic ones of a run
#define SLOTS (1 << 11) // of their table
#define CELLS (1 << 14) // of that of plain ones
#define MESSAGES 256    // of one object
#define LOCKS 64

typedef struct view {
  uint16_t at[OBJECTS];    ///< of each object, the index of a message
  uint32_t clock[THREADS]; ///< of each thread, how far
} view;

typedef struct message {
  uint64_t value, digest;
  view *released; ///< NULL: nothing
} message;

typedef struct object {
  const volatile void *address;
  int number, count, size;
  int consistent; ///< index of the newest sequentially consistent write
  bool is_plain;  ///< the newest is a plain write, whose value is in memory
  message messages[MESSAGES];
} object;

/// A plain object: by whom and when it was written and read last.
typedef struct cell {
  const volatile void *address;
  long run;
  int writer; ///< -1: nobody
  uint32_t written, read[THREADS];
} cell;

typedef struct lock {
  const void *address;
  view view;
} lock;

static struct {
  long run;
  view now[THREADS];
  object *objects[OBJECTS]; ///< by number; those of earlier runs are used again
  object *slots[SLOTS];
  int object_count;
  cell cells[CELLS];
  lock locks[LOCKS];
  int lock_count;
  view **views; ///< of messages
  size_t view_count, view_room;
  int stale, most_stale;
} memory = {.run = 0};

static view *mine(void) { return &memory.now[interleave_thread()]; }

static void join(view *into, const view *from) {
  for (int i = 0; i < memory.object_count; ++i)
    if (into->at[i] < from->at[i])
      into->at[i] = from->at[i];
  for (int i = 0; i < THREADS; ++i)
    if (into->clock[i] < from->clock[i])
      into->clock[i] = from->clock[i];
}

static view *copy_view(const view *from) {
  if (memory.view_count == memory.view_room) {
    memory.view_room = memory.view_room ? memory.view_room * 2 : 256;
    memory.views =
        realloc(memory.views, memory.view_room * sizeof(*memory.views));
    CHECK(memory.views);
    for (size_t i = memory.view_count; i < memory.view_room; ++i)
      CHECK((memory.views[i] = malloc(sizeof(view))));
  }
  view *copied = memory.views[memory.view_count++];
  *copied = *from;
  return copied;
}

void weak_memory_begin(int stale) {
  ++memory.run;
  memset(memory.slots, 0, sizeof(memory.slots));
  memory.object_count = memory.lock_count = 0;
  memory.view_count = 0;
  memory.stale = 0;
  memory.most_stale = stale;
  memset(memory.now, 0, sizeof(memory.now));
  for (int i = 0; i < THREADS; ++i)
    memory.now[i].clock[i] = 1;
}

int weak_memory_stale(void) { return memory.stale; }

//===----------------------------------------------------------------------===//
// Plain objects
//===----------------------------------------------------------------------===//

static size_t hash(const volatile void *address) {
  uint64_t x = (uintptr_t)address * UINT64_C(0x9E3779B97F4A7C15);
  return (size_t)(x >> 40);
}

static cell *find_cell(const volatile void *address) {
  size_t slot = hash(address) % CELLS;
  for (int i = 0; memory.cells[slot].address != address; ++i) {
    // One of an earlier run is nobody's.
    if (memory.cells[slot].run != memory.run) {
      memory.cells[slot].address = address;
      break;
    }
    CHECK(i < CELLS);
    slot = (slot + 1) % CELLS;
  }
  cell *found = &memory.cells[slot];
  if (found->run != memory.run)
    *found = (cell){.address = address, .run = memory.run, .writer = -1};
  return found;
}

static void report(const char *what, const volatile void *address, int other) {
  fprintf(stderr,
          "race at %p: thread %d %s, and nothing orders that and what "
          "thread %d has done\n",
          (const void *)(uintptr_t)address, interleave_thread(), what, other);
  interleave_say_choices();
  CHECK(0 && "a race");
}

static void check_cell(cell *at, bool writes, const char *what) {
  int self = interleave_thread();
  if (at->writer >= 0 && at->writer != self &&
      mine()->clock[at->writer] < at->written)
    report(what, at->address, at->writer);
  for (int i = 0; writes && i < THREADS; ++i)
    if (i != self && mine()->clock[i] < at->read[i])
      report(what, at->address, i);
}

//===----------------------------------------------------------------------===//
// Atomic objects
//===----------------------------------------------------------------------===//

static uint64_t peek(const volatile void *address, int size) {
  switch (size) {
  case 1: return *(const volatile uint8_t *)address;
  case 2: return *(const volatile uint16_t *)address;
  case 4: return *(const volatile uint32_t *)address;
  default: return *(const volatile uint64_t *)address;
  }
}

static void poke(volatile void *address, int size, uint64_t value) {
  switch (size) {
  case 1: *(volatile uint8_t *)address = (uint8_t)value; return;
  case 2: *(volatile uint16_t *)address = (uint16_t)value; return;
  case 4: *(volatile uint32_t *)address = (uint32_t)value; return;
  default: *(volatile uint64_t *)address = value; return;
  }
}

/// NULL where nothing atomic has been there in this run.
static object *look_up(const volatile void *address, size_t *out_slot) {
  size_t slot = hash(address) % SLOTS;
  for (; memory.slots[slot] && memory.slots[slot]->address != address;
       slot = (slot + 1) % SLOTS)
    continue;
  *out_slot = slot;
  return memory.slots[slot];
}

/// The object, at an atomic access of it.
static object *find_object(const volatile void *address, int size) {
  size_t slot;
  object *found = look_up(address, &slot);
  if (!found) {
    int number = memory.object_count++;
    CHECK(number < OBJECTS);
    if (!memory.objects[number])
      CHECK((memory.objects[number] = malloc(sizeof(object))));
    found = memory.slots[slot] = memory.objects[number];
    found->address = address;
    found->number = number;
    found->size = size;
    found->count = 1;
    found->consistent = 0;
    found->is_plain = false;
    found->messages[0] = (message){.value = peek(address, size)};
  }
  CHECK(found->size == size);
  if (found->is_plain)
    found->messages[found->count - 1].value = peek(address, size);
  found->is_plain = false;
  check_cell(find_cell(address), false, "accesses an atomic object");
  return found;
}

static message *newest(object *of) { return &of->messages[of->count - 1]; }

/// Adds a message. `before`, if not NULL, is what a read-modify-write has read.
static void append(object *of, uint64_t value, int order, const message *before,
                   bool is_shared) {
  CHECK(of->count < MESSAGES);
  view *self = mine();
  const view *passed_on = before ? before->released : NULL;
  self->at[of->number] = (uint16_t)of->count;
  message *added = &of->messages[of->count];
  *added = (message){.value = value};
  if (order >= __ATOMIC_RELEASE) {
    added->released = copy_view(self);
    if (passed_on)
      join(added->released, passed_on);
    ++self->clock[interleave_thread()];
  } else if (passed_on) {
    added->released = copy_view(passed_on);
    added->released->at[of->number] = (uint16_t)of->count;
  }
  if (order == __ATOMIC_SEQ_CST)
    of->consistent = of->count;
  if (is_shared)
    added->digest = interleave_note(of->messages[of->count - 1].digest);
  ++of->count;
}

static bool acquires(int order) {
  return order != __ATOMIC_RELAXED && order != __ATOMIC_RELEASE;
}

/// The current thread reads the message.
static void take(object *of, int index, int order, bool is_shared) {
  message *read = &of->messages[index];
  view *self = mine();
  if (self->at[of->number] < index)
    self->at[of->number] = (uint16_t)index;
  if (acquires(order) && read->released)
    join(self, read->released);
  if (is_shared)
    (void)interleave_note(read->digest);
}

/// The oldest message that the current thread may read.
static int oldest(const object *of, int order) {
  int seen = mine()->at[of->number];
  return order == __ATOMIC_SEQ_CST && of->consistent > seen ? of->consistent
                                                            : seen;
}

uint64_t weak_memory_load(const volatile void *address, int size, int order) {
  if (interleave_outside())
    return peek(address, size);
  bool is_shared = interleave_turn(address);
  object *of = find_object(address, size);
  int count = of->count - oldest(of, order);
  if (memory.stale == memory.most_stale)
    count = 1;
  int back = interleave_choose(count);
  memory.stale += back > 0;
  int index = of->count - 1 - back;
  take(of, index, order, is_shared);
  return of->messages[index].value;
}

void weak_memory_store(volatile void *address, int size, uint64_t value,
                       int order) {
  if (!interleave_outside()) {
    bool is_shared = interleave_turn(address);
    append(find_object(address, size), value, order, NULL, is_shared);
  }
  poke(address, size, value);
}

uint64_t weak_memory_replace(volatile void *address, int size, int order,
                             uint64_t (*change)(uint64_t, uint64_t),
                             uint64_t operand) {
  uint64_t before = peek(address, size);
  if (!interleave_outside()) {
    bool is_shared = interleave_turn(address);
    object *of = find_object(address, size);
    before = newest(of)->value;
    take(of, of->count - 1, order, is_shared);
    append(of, change(before, operand), order, newest(of), is_shared);
  }
  poke(address, size, change(before, operand));
  return before;
}

/// The value that was read; `*out_done` is whether it was the one expected.
uint64_t weak_memory_compare(volatile void *address, int size,
                             uint64_t expected, uint64_t value, int order,
                             int failure, bool is_weak, bool *out_done) {
  if (interleave_outside()) {
    uint64_t before = peek(address, size);
    *out_done = before == expected;
    if (*out_done)
      poke(address, size, value);
    return before;
  }
  bool is_shared = interleave_turn(address);
  object *of = find_object(address, size);
  // Ways to go on: the newest; older ones that it fails by; and, of a weak one,
  // to fail for no reason.
  int ways[MESSAGES + 1], count = 0;
  ways[count++] = of->count - 1;
  bool may_differ = memory.stale < memory.most_stale;
  for (int i = of->count - 2; may_differ && i >= oldest(of, failure); --i)
    if (of->messages[i].value != expected)
      ways[count++] = i;
  if (is_weak && may_differ && newest(of)->value == expected)
    ways[count++] = -1;
  int way = interleave_choose(count);
  memory.stale += way > 0;
  bool in_vain = ways[way] < 0;
  int index = in_vain ? of->count - 1 : ways[way];
  *out_done = !in_vain && of->messages[index].value == expected;
  take(of, index, *out_done ? order : failure, is_shared);
  if (in_vain && is_shared)
    (void)interleave_note(1);
  if (*out_done) {
    append(of, value, order, newest(of), is_shared);
    poke(address, size, value);
  }
  return of->messages[index].value;
}

//===----------------------------------------------------------------------===//
// Locks and the like
//===----------------------------------------------------------------------===//

static lock *find_lock(const void *address) {
  int i = 0;
  while (i < memory.lock_count && memory.locks[i].address != address)
    ++i;
  CHECK(i < LOCKS);
  if (i == memory.lock_count)
    memory.locks[memory.lock_count++] = (lock){.address = address};
  return &memory.locks[i];
}

void weak_memory_acquire(const void *address) {
  if (!interleave_outside())
    join(mine(), &find_lock(address)->view);
}

void weak_memory_release(const void *address) {
  if (interleave_outside())
    return;
  join(&find_lock(address)->view, mine());
  ++mine()->clock[interleave_thread()];
}

void weak_memory_meet(void) {
  for (int i = 0; i < THREADS; ++i) {
    join(mine(), &memory.now[i]);
    ++memory.now[i].clock[i];
  }
}

void weak_memory_barrier(void) {
  view before = *mine();
  weak_memory_meet();
  for (int i = 0; i < THREADS; ++i)
    join(&memory.now[i], &before);
}

uint32_t weak_memory_look(const volatile void *word) {
  object *of = find_object(word, 4);
  (void)interleave_note(newest(of)->digest);
  return (uint32_t)newest(of)->value;
}

//===----------------------------------------------------------------------===//
// Plain accesses
//===----------------------------------------------------------------------===//

static void read_word(const volatile void *address) {
  size_t slot;
  object *of = look_up(address, &slot);
  if (of && mine()->at[of->number] != of->count - 1)
    report("reads an atomic object", address, -1);
  cell *at = find_cell(address);
  check_cell(at, false, "reads");
  at->read[interleave_thread()] = mine()->clock[interleave_thread()];
}

static void write_word(const volatile void *address) {
  size_t slot;
  object *of = look_up(address, &slot);
  if (of) {
    if (mine()->at[of->number] != of->count - 1)
      report("writes an atomic object", address, -1);
    append(of, 0, __ATOMIC_RELAXED, NULL, true);
    of->is_plain = true;
  }
  cell *at = find_cell(address);
  check_cell(at, true, "writes");
  at->writer = interleave_thread();
  at->written = mine()->clock[at->writer];
}

/// What is thread-local each thread has for itself: `enter` of the test changes
/// it. It stands in front of where the thread pointer points to, on 64-bit ARM
/// behind.
static bool is_thread_local(const volatile void *address) {
  uintptr_t pointer = (uintptr_t)__builtin_thread_pointer();
#ifdef __aarch64__
  return (uintptr_t)address - pointer < 1 << 10; // the heap may come next
#else
  return pointer - (uintptr_t)address <= 1 << 14;
#endif
}

/// In whole words, as far as it has some.
static void access_range(const volatile void *address, size_t size,
                         void (*access)(const volatile void *)) {
  if (interleave_outside() || is_thread_local(address))
    return;
  const volatile char *at = address;
  const volatile char *end = at + size;
  if (size <= 8)
    access(at);
  else
    for (; at < end; at += 8)
      access(at);
}

void weak_memory_read(const volatile void *address, size_t size) {
  access_range(address, size, read_word);
}

void weak_memory_write(const volatile void *address, size_t size) {
  access_range(address, size, write_word);
}
