//===- cache.c - What the modelled second-level cache holds ---------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "emu/model/cache.h"
#include "check.h"

#include <math.h>

// Of a cache of 1000 bytes.
static const agpu__emu_model model = {.l2_size = 1000};

/// Each test has memory of its own, so that nothing of another is in the cache.
static uintptr_t place;
static uintptr_t take_place(void) { return place += 1000000; }

static agpu__emu_touched range(uintptr_t from, double bytes) {
  return (agpu__emu_touched){from, from + (uintptr_t)bytes, bytes, bytes, 0};
}

static double touch(const agpu__emu_touched *ranges, size_t count) {
  agpu__mutex_lock(&agpu__emu_timeline_lock);
  double missed = agpu__emu_cache_touch(&model, ranges, count);
  agpu__mutex_unlock(&agpu__emu_timeline_lock);
  return missed;
}

static bool is_near(double a, double b) { return fabs(a - b) < 1e-6; }

static void what_fits_is_found_again(void) {
  agpu__emu_touched a = range(take_place(), 400), b = range(a.to, 300);
  agpu__emu_touched both[] = {a, b};
  CHECK(is_near(touch(both, 2), 700)); // cold
  CHECK(is_near(touch(both, 2), 0));
  CHECK(is_near(touch(&b, 1), 0));
}

static void what_does_not_fit_is_gone(void) {
  agpu__emu_touched a = range(take_place(), 1500);
  CHECK(is_near(touch(&a, 1), 1500));
  CHECK(is_near(touch(&a, 1), 1500));
}

static void much_other_memory_drives_it_out(void) {
  agpu__emu_touched a = range(take_place(), 200);
  agpu__emu_touched other = range(take_place(), 1400);
  (void)touch(&a, 1);
  (void)touch(&other, 1);
  CHECK(is_near(touch(&a, 1), 200));
  // Half of the way between all and nothing: 1075 bytes.
  agpu__emu_touched less = range(take_place(), 875);
  (void)touch(&less, 1);
  CHECK(is_near(touch(&a, 1), 100));
}

static void a_part_is_found(void) {
  uintptr_t at = take_place();
  agpu__emu_touched a = range(at, 200), more = range(at, 400);
  (void)touch(&a, 1);
  CHECK(is_near(touch(&more, 1), 200));
  CHECK(is_near(touch(&more, 1), 0));
  // Every other sector was touched.
  agpu__emu_touched half = range(take_place(), 400);
  half.bytes = half.traffic = 200;
  (void)touch(&half, 1);
  agpu__emu_touched whole = range(half.from, 400);
  CHECK(is_near(touch(&whole, 1), 200));
}

static void reads_and_writes_are_traffic(void) {
  agpu__emu_touched a = range(take_place(), 400);
  a.traffic = 800;
  CHECK(is_near(touch(&a, 1), 800));
  CHECK(is_near(touch(&a, 1), 0));
}

static void devices_have_caches_of_their_own(void) {
  agpu__emu_touched a = range(take_place(), 200);
  agpu__emu_touched other = range(take_place(), 1400);
  other.device = 1;
  (void)touch(&a, 1);
  (void)touch(&other, 1);
  CHECK(is_near(touch(&a, 1), 0));
}

static void many_ranges_need_no_more_room(void) {
  for (int i = 0; i < 1000; ++i) {
    agpu__emu_touched a = range(take_place(), 1);
    CHECK(is_near(touch(&a, 1), 1));
    CHECK(is_near(touch(&a, 1), 0));
  }
}

int main(void) {
  what_fits_is_found_again();
  what_does_not_fit_is_gone();
  much_other_memory_drives_it_out();
  a_part_is_found();
  reads_and_writes_are_traffic();
  devices_have_caches_of_their_own();
  many_ranges_need_no_more_room();
  return 0;
}
