//===- banks.c - Conflicts between banks of workgroup memory --------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A thread of a block runs to a barrier before the next one goes on, so what a
// warp accesses at once comes lane by lane: it is known by its place in the
// source and by its index among those of its thread there. The first ones of a
// place stand for all.
//
//===----------------------------------------------------------------------===//

#include "emu/model/banks.h"

#include <stdlib.h>

enum {
  SITES = 64,  // places; those beyond share one
  VISITS = 64, // of a thread to a site, the first ones, that stand for all
  LANES = 32,
  BANKS = 32,
  WORD = 4,  // bytes
  MOST = 16, // bytes that a lane accesses at once
};

/// A warp's access.
typedef struct visit {
  uint32_t warp, lanes; // its number, and a bit for each that takes part
  uint32_t from[LANES], to[LANES]; // words, the last one included
} visit;

typedef struct site {
  const char *location;
  unsigned part; // of an access of more bytes than MOST
  bool is_used, writes;
  uint32_t thread, next;           // the last thread, and its next visit
  double words, looked_at, clocks; // the last: of those looked at
  visit visits[VISITS];
} site;

struct agpu__emu_banks {
  site sites[SITES];
};

agpu__emu_banks *agpu__emu_banks_create(void) {
  return calloc(1, sizeof(agpu__emu_banks));
}

/// Whether all lanes of the warp's access have the same words as the lanes
/// whose numbers differ by `bit`.
static bool is_paired(const visit *of, unsigned bit) {
  for (unsigned i = 0; i < LANES; ++i)
    if (of->lanes >> i & 1 &&
        (!(of->lanes >> (i ^ bit) & 1) || of->from[i] != of->from[i ^ bit]))
      return false;
  return true;
}

/// The most words of one bank that lanes from `first` on, `count` of them,
/// access.
static unsigned count_clocks(const visit *of, unsigned first, unsigned count) {
  uint32_t words[BANKS][LANES];
  unsigned found[BANKS] = {0}, most = 0;
  for (unsigned i = first; i < first + count; ++i) {
    if (!(of->lanes >> i & 1))
      continue;
    for (uint32_t word = of->from[i]; word <= of->to[i]; ++word) {
      unsigned bank = word % BANKS, k = 0;
      while (k < found[bank] && words[bank][k] != word)
        ++k;
      if (k == found[bank] && k < LANES)
        words[bank][found[bank]++] = word;
      most = found[bank] > most ? found[bank] : most;
    }
  }
  return most;
}

/// No other lane comes to the access. Lanes count alike however many take part:
/// the emulated device has one thread alone do what a warp does by shuffles.
static void end_visit(site *at, visit *of) {
  unsigned registers = 1, clocks = 0, active = 0;
  for (unsigned i = 0; i < LANES; ++i) {
    if (!(of->lanes >> i & 1))
      continue;
    ++active;
    while (registers < of->to[i] - of->from[i] + 1 && registers < MOST / WORD)
      registers *= 2;
  }
  unsigned lanes = LANES / registers;
  if (registers > 1 && !at->writes && (is_paired(of, 1) || is_paired(of, 2)))
    lanes *= 2;
  for (unsigned first = 0; first < LANES; first += lanes)
    clocks += count_clocks(of, first, lanes);
  at->clocks += (double)clocks * active / (double)LANES;
  of->lanes = 0;
}

static site *find_site(agpu__emu_banks *banks, const char *location,
                       bool writes, unsigned part) {
  size_t hash = ((uintptr_t)location >> 3) * 2 + writes + 7 * (size_t)part;
  for (size_t i = 0; i < SITES; ++i) {
    site *found = &banks->sites[(hash + i) % SITES];
    if (!found->is_used) {
      found->is_used = true;
      found->location = location;
      found->writes = writes;
      found->part = part;
      found->thread = UINT32_MAX;
    }
    if (found->location == location && found->writes == writes &&
        found->part == part)
      return found;
  }
  return &banks->sites[hash % SITES];
}

static void access_part(site *at, uintptr_t place, uint64_t size,
                        uint32_t thread) {
  uint32_t from = (uint32_t)(place / WORD),
           to = (uint32_t)((place + size - 1) / WORD), lane = thread % LANES;
  at->next = thread == at->thread ? at->next + 1 : 0;
  at->thread = thread;
  at->words += to - from + 1;
  if (at->next >= VISITS)
    return;
  visit *of = &at->visits[at->next];
  if (of->lanes && (of->warp != thread / LANES || of->lanes >> lane))
    end_visit(at, of);
  of->warp = thread / LANES;
  of->lanes |= UINT32_C(1) << lane;
  of->from[lane] = from;
  of->to[lane] = to;
  at->looked_at += to - from + 1;
}

void agpu__emu_banks_access(agpu__emu_banks *banks, const char *location,
                            bool writes, uintptr_t place, uint64_t size,
                            uint32_t thread) {
  unsigned part = 0;
  for (uint64_t done = 0; done < size; done += MOST)
    access_part(find_site(banks, location, writes, part++), place + done,
                size - done < MOST ? size - done : MOST, thread);
}

double agpu__emu_banks_take(agpu__emu_banks *banks) {
  double words = 0;
  for (size_t i = 0; i < SITES; ++i) {
    site *at = &banks->sites[i];
    if (!(at->looked_at > 0))
      continue;
    for (size_t k = 0; k < VISITS; ++k)
      if (at->visits[k].lanes)
        end_visit(at, &at->visits[k]);
    words += (double)BANKS * at->clocks * at->words / at->looked_at;
    at->words = at->looked_at = at->clocks = 0;
    at->thread = UINT32_MAX;
  }
  return words;
}
