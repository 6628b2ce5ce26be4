//===- thread_order.c - What orders threads, and what a cell remembers ----===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "emu/check/thread_order.h"
#include "check.h"
#include "emu/check/shadow.h"

#include "async_gpu/compiled/native_thread.h"

static bool is_before(const agpu__emu_moment *moment, uint16_t thread) {
  return agpu__emu_threads_is_before(moment, thread);
}

static void barriers_order_blocks_of_threads(void) {
  agpu__emu_threads_begin_launch(2);
  agpu__emu_threads_begin_block(0, 4);
  agpu__emu_moment first = agpu__emu_threads_now(0);
  CHECK(is_before(&first, 0));
  CHECK(!is_before(&first, 1));
  agpu__emu_threads_barrier();
  CHECK(is_before(&first, 1));
  // The next block has its own barriers.
  agpu__emu_threads_begin_block(1, 4);
  CHECK(!is_before(&first, 0));
  agpu__emu_threads_barrier();
  CHECK(!is_before(&first, 0));
}

static void meetings_order_who_meets_and_hand_on(void) {
  agpu__emu_threads_begin_launch(1);
  agpu__emu_threads_begin_block(0, 4);
  agpu__emu_moment zero = agpu__emu_threads_now(0);
  agpu__emu_threads_meet((const uint16_t[]){0, 1}, 2);
  CHECK(is_before(&zero, 1));
  CHECK(!is_before(&zero, 2));
  // What comes behind a meeting is not ordered by it.
  agpu__emu_moment later = agpu__emu_threads_now(0);
  CHECK(!is_before(&later, 1));
  // 1 hands on what it knows of 0.
  agpu__emu_threads_meet((const uint16_t[]){1, 2}, 2);
  CHECK(is_before(&zero, 2));
  CHECK(!is_before(&later, 2));
  CHECK(!is_before(&zero, 3));
  agpu__emu_threads_barrier();
  CHECK(is_before(&zero, 3) && is_before(&later, 3));
  agpu__emu_moment behind = agpu__emu_threads_now(0);
  CHECK(!is_before(&behind, 1));
}

static void atomics_order_the_earlier_before_the_later(void) {
  agpu__emu_threads_begin_launch(2);
  agpu__emu_threads_begin_block(0, 4);
  agpu__emu_moment zero = agpu__emu_threads_now(0);
  agpu__emu_threads_atomic(1, false); // too early to see 0's
  agpu__emu_threads_atomic(0, false);
  CHECK(!is_before(&zero, 1));
  agpu__emu_threads_atomic(1, false);
  CHECK(is_before(&zero, 1));
  CHECK(!is_before(&zero, 2));
  // Between blocks, those on memory that both see.
  agpu__emu_threads_atomic(2, true);
  agpu__emu_threads_begin_block(1, 4);
  CHECK(!is_before(&zero, 3));
  agpu__emu_threads_atomic(0, false);
  CHECK(!is_before(&zero, 3));
  agpu__emu_threads_atomic(0, true);
  CHECK(is_before(&zero, 3));
}

static agpu__emu_access access_of(uint32_t block, uint16_t thread,
                                  uint8_t flags) {
  return (agpu__emu_access){
      .when = {.block = block, .thread = thread}, .mask = 0xf, .flags = flags};
}

/// Whether the cell has an access of that kind by another thread than this one.
static bool has_other(const agpu__emu_cell *cell, uint32_t block,
                      uint16_t thread, uint8_t flags) {
  for (uint32_t i = 0; i < cell->count; ++i)
    if (cell->accesses[i].flags == flags &&
        (cell->accesses[i].when.block != block ||
         cell->accesses[i].when.thread != thread))
      return true;
  return false;
}

/// However many threads do the same, whoever it is that comes next meets one
/// that is another.
static void a_cell_keeps_someone_for_everyone(void) {
  agpu__emu_cell cell = {0};
  agpu__emu_cell_open(&cell, 1);
  for (uint32_t block = 0; block < 3; ++block)
    for (uint16_t thread = 0; thread < 40; ++thread) {
      agpu__emu_access read = access_of(block, thread, AGPU_NATIVE_READS);
      agpu__emu_cell_add(&cell, &read);
      if (block + thread)
        CHECK(has_other(&cell, block, thread, AGPU_NATIVE_READS) &&
              has_other(&cell, 0, 0, AGPU_NATIVE_READS));
    }
  // A write is kept beside all those reads, and they with it.
  agpu__emu_access write = access_of(2, 7, AGPU_NATIVE_WRITES);
  agpu__emu_cell_add(&cell, &write);
  CHECK(has_other(&cell, 2, 8, AGPU_NATIVE_WRITES));
  CHECK(has_other(&cell, 2, 7, AGPU_NATIVE_READS));
  agpu__emu_access read = access_of(2, 9, AGPU_NATIVE_READS);
  agpu__emu_cell_add(&cell, &read);
  CHECK(has_other(&cell, 2, 9, AGPU_NATIVE_WRITES));
  agpu__emu_cell_open(&cell, 2);
  CHECK(cell.count == 0);
}

static void pages_are_found_again(void) {
  enum { PAGES = 500 };
  for (uintptr_t i = 1; i <= PAGES; ++i)
    agpu__emu_shadow_page(i * 4096, 1)[511].generation = (uint32_t)i;
  for (uintptr_t i = PAGES; i > 0; --i)
    CHECK(agpu__emu_shadow_page(i * 4096, 1)[511].generation == i);
  agpu__emu_shadow_trim(); // there are few
  CHECK(agpu__emu_shadow_page(4096, 1)[511].generation == 1);
  agpu__emu_shadow_reset();
  CHECK(agpu__emu_shadow_page(4096, 1)[511].generation == 0);
  agpu__emu_shadow_reset();
}

/// A copy is behind what its thread knew when it began, and before what those
/// do that have waited for it, and for no other.
static void check_copies(void) {
  agpu__emu_threads_begin_launch(1);
  agpu__emu_threads_begin_block(0, 4);
  agpu__emu_moment own = agpu__emu_threads_now(0);
  agpu__emu_moment others = agpu__emu_threads_now(1);
  agpu__emu_clock *begun = NULL, *one = NULL, *other = NULL;
  agpu__emu_threads_leave(&begun, 0);
  agpu__emu_threads_act(begun, AGPU__EMU_AGENT(1));
  CHECK(agpu__emu_threads_is_before(&own, AGPU__EMU_AGENT(1)));
  CHECK(!agpu__emu_threads_is_before(&others, AGPU__EMU_AGENT(1)));
  agpu__emu_moment first = agpu__emu_threads_now(AGPU__EMU_AGENT(1));
  agpu__emu_threads_leave(&one, AGPU__EMU_AGENT(1));
  agpu__emu_threads_act(begun, AGPU__EMU_AGENT(2));
  agpu__emu_moment second = agpu__emu_threads_now(AGPU__EMU_AGENT(2));
  agpu__emu_threads_leave(&other, AGPU__EMU_AGENT(2));
  agpu__emu_threads_take(other, 3);
  CHECK(agpu__emu_threads_is_before(&second, 3));
  CHECK(agpu__emu_threads_is_before(&own, 3));
  CHECK(!agpu__emu_threads_is_before(&first, 3));
  agpu__emu_threads_take(one, 3);
  CHECK(agpu__emu_threads_is_before(&first, 3));
  // An agent that makes another copy forgets the last one.
  agpu__emu_threads_act(other, AGPU__EMU_AGENT(3));
  CHECK(agpu__emu_threads_is_before(&second, AGPU__EMU_AGENT(3)));
  agpu__emu_threads_act(NULL, AGPU__EMU_AGENT(3));
  CHECK(!agpu__emu_threads_is_before(&second, AGPU__EMU_AGENT(3)));
  agpu__emu_clock_free(begun);
  agpu__emu_clock_free(one);
  agpu__emu_clock_free(other);
}

int main(void) {
  check_copies();
  barriers_order_blocks_of_threads();
  meetings_order_who_meets_and_hand_on();
  atomics_order_the_earlier_before_the_later();
  a_cell_keeps_someone_for_everyone();
  pages_are_found_again();
  agpu__emu_threads_reset();
  return 0;
}
