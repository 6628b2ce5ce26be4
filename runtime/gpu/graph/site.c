//===- site.c - Parts of programs, from round to round --------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A part that has run as often as its mode asks for is recorded, and stays so
// unless that does not pay: it ends its recordings early, changes its shape
// again and again, or has too little work for a graph. What a part knows lasts
// as long as the program's module; recorders, as long as the device.
//
//===----------------------------------------------------------------------===//

#include "base/memory/memory.h"
#include "base/os/self.h"
#include "base/report/log.h"
#include "gpu/graph/record.h"

#include <inttypes.h>

/// Rounds without a graph, by the part's mode.
#define ROUNDS_AUTO 8
#define ROUNDS_ON 1
/// A graph of fewer nodes is no less work than its nodes. AUTO: most have them.
#define NODES_AUTO 3
/// Threads that run a part at the same time as graphs.
#define MOST_RECORDERS 16
/// Launches beside each other, and launches of one graph that are worth another
/// graph for that. Whether they do run by then is not asked: the answer would
/// cost a call, and make what is built depend on timing.
#define MOST_IN_FLIGHT 4
#define WORTH_ANOTHER 4

/// In the order of the setting.
enum { AS_COMPILED, NEVER, ALWAYS };

static struct {
  agpu__lock lock;
  LIST_HEAD(, agpu__site) sites AGPU__GUARDED_BY(lock);
  // One of these, with recorders of modules that are gone, while objects refer
  // to their events; NULL: there have been none.
  agpu__site *orphans AGPU__GUARDED_BY(lock);
} all = {.lock = AGPU__LOCK_INIT(AGPU__RANK_GRAPH_SITES)};

struct agpu__site {
  LIST_ENTRY(agpu__site) link;
  const agpu_module_desc *module;
  int64_t mode;
  atomic_bool is_off;       // relaxed: a hint
  _Atomic(uint64_t) rounds; // relaxed: so far, until there are enough
  LIST_HEAD(, agpu__recorder) recorders AGPU__GUARDED_BY(all.lock); // free ones
  unsigned count AGPU__GUARDED_BY(all.lock); // of recorders, taken ones, too
};

static _Atomic(void *) *get_cache(agpu_graph_site *part) {
  return (_Atomic(void *) *)&part->cache;
}

static agpu__site *add_site(agpu__site added) AGPU__REQUIRES(all.lock) {
  agpu__site *made =
      agpu__memory_alloc(sizeof *made, _Alignof(agpu__site), "a graph");
  *made = added;
  LIST_INSERT_HEAD(&all.sites, made, link);
  return made;
}

static agpu__site *find_site(agpu_graph_site *part,
                             const agpu__device *device) {
  agpu__site *found =
      atomic_load_explicit(get_cache(part), memory_order_acquire);
  if (found)
    return found;
  const int choice = device->shared->graphs;
  agpu__lock_acquire(&all.lock);
  found = atomic_load_explicit(get_cache(part), memory_order_relaxed);
  if (!found) {
    found = add_site(
        (agpu__site){.module = part->module,
                     .mode = choice == ALWAYS ? AGPU_GRAPH_ON : part->mode,
                     .is_off = choice == NEVER});
    atomic_store_explicit(get_cache(part), (void *)found, memory_order_release);
  }
  agpu__lock_release(&all.lock);
  return found;
}

/// The free recorder whose launch comes before one on `stream` anyway, or else
/// the one that was launched longest ago, unless another is worth it: NULL.
static agpu__recorder *take_free(agpu__site *site, const agpu__device *device,
                                 const agpu__pool_stream *stream,
                                 bool is_independent) AGPU__REQUIRES(all.lock) {
  agpu__recorder *at, *found = NULL;
  bool is_behind = false;
  LIST_FOREACH (at, &site->recorders, link)
    if (!is_behind && at->base == device) {
      found = at;
      is_behind = stream ? at->stream == stream : !is_independent;
    }
  if (found && !is_behind && site->count < MOST_IN_FLIGHT &&
      found->built.launches >= WORTH_ANOTHER)
    return NULL;
  if (found)
    LIST_REMOVE(found, link);
  return found;
}

bool agpu__site_is_due(agpu_graph_site *part, const agpu__device *device) {
  agpu__site *site = find_site(part, device);
  if (atomic_load_explicit(&site->is_off, memory_order_relaxed))
    return false;
  uint64_t before = atomic_load_explicit(&site->rounds, memory_order_relaxed);
  if (!(part->flags & AGPU_GRAPH_LOOP) &&
      before < (site->mode == AGPU_GRAPH_ON ? ROUNDS_ON : ROUNDS_AUTO)) {
    atomic_fetch_add_explicit(&site->rounds, 1, memory_order_relaxed);
    return false;
  }
  if (agpu__graph_is_supported(device->driver, part->flags))
    return true;
  atomic_store_explicit(&site->is_off, true, memory_order_relaxed);
  agpu__log(AGPU__LOG_DEVICE, "part at %s: no graph: the driver has none",
            part->location ? part->location : "?");
  return false;
}

agpu__recorder *agpu__site_take(agpu_graph_site *part,
                                const agpu__device *device,
                                const agpu__pool_stream *stream) {
  agpu__site *site = find_site(part, device);
  agpu__lock_acquire(&all.lock);
  agpu__recorder *taken =
      take_free(site, device, stream, part->flags & AGPU_GRAPH_INDEPENDENT);
  bool is_new = !taken && site->count < MOST_RECORDERS;
  site->count += is_new;
  agpu__lock_release(&all.lock);
  return is_new ? agpu__recorder_create(device, (uint64_t)part->rounds,
                                        part->flags & AGPU_GRAPH_FIXED)
                : taken;
}

/// Why the part had better run without graphs; NULL: it had not.
static const char *find_fault(const agpu__site *site,
                              const agpu__recorder *recorder) {
  if (recorder->why && !recorder->is_offered)
    return recorder->why;
  if (site->mode == AGPU_GRAPH_ON || recorder->built.is_loop)
    return NULL;
  uint64_t most = 4 + recorder->built.launches / 8;
  return recorder->small_rounds > 4 + recorder->built.launches / 2
             ? "it has too little work"
         : recorder->built.builds > most ? "it changes its shape"
         : recorder->offers > most
             ? "it waits for rounds of other threads again and again"
         : recorder->captured >
                 most * 2 + recorder->list.count * (1 + AGPU__MOST_OTHER_SHAPES)
             ? "its calls have new arguments again and again"
             : NULL;
}

void agpu__site_give(agpu_graph_site *part, agpu__recorder *recorder,
                     size_t nodes) {
  agpu__site *site = find_site(part, recorder->base);
  recorder->small_rounds += nodes && nodes < NODES_AUTO;
  const char *fault = find_fault(site, recorder);
  if (fault) {
    const char *name = NULL;
    if (recorder->refusal)
      (void)recorder->base->driver->cuGetErrorName(recorder->refusal, &name);
    atomic_store_explicit(&site->is_off, true, memory_order_relaxed);
    agpu__log(AGPU__LOG_DEVICE,
              "part at %s: no graph any more: %s%s%s (%" PRIu64
              " graphs built, %" PRIu64 " launched, %" PRIu64 " nodes changed)",
              part->location ? part->location : "?", fault, name ? ": " : "",
              name ? name : "", recorder->built.builds,
              recorder->built.launches, recorder->built.updates);
  }
  agpu__lock_acquire(&all.lock);
  LIST_INSERT_HEAD(&site->recorders, recorder, link);
  agpu__lock_release(&all.lock);
}

//===----------------------------------------------------------------------===//
// Giving back
//===----------------------------------------------------------------------===//

/// Recorders that have been taken off their lists.
typedef LIST_HEAD(recorder_list, agpu__recorder) recorder_list;

static void destroy_all(recorder_list *list, agpu__kept_work work) {
  while (!LIST_EMPTY(list)) {
    agpu__recorder *first = LIST_FIRST(list);
    LIST_REMOVE(first, link);
    agpu__recorder_destroy(first, work);
  }
}

bool agpu__sites_trim(const agpu__device *device) {
  recorder_list idle = LIST_HEAD_INITIALIZER(idle);
  bool is_idle = true;
  agpu__site *site;
  agpu__lock_acquire(&all.lock);
  LIST_FOREACH (site, &all.sites, link)
    for (agpu__recorder *at = LIST_FIRST(&site->recorders), *next; at;
         at = next) {
      next = LIST_NEXT(at, link);
      if (at->base != device)
        continue;
      bool is_unused = at->trimmed_at == at->round;
      at->trimmed_at = at->round;
      is_idle &= is_unused;
      if (!is_unused || agpu__recorder_is_in_use(at))
        continue;
      LIST_REMOVE(at, link);
      LIST_INSERT_HEAD(&idle, at, link);
      --site->count;
    }
  agpu__lock_release(&all.lock);
  destroy_all(&idle, AGPU__KEPT_PENDING);
  return is_idle;
}

void agpu__sites_release_module(const agpu_module_desc *module) {
  recorder_list gone = LIST_HEAD_INITIALIZER(gone);
  agpu__lock_acquire(&all.lock);
  for (agpu__site *site = LIST_FIRST(&all.sites), *next; site; site = next) {
    next = LIST_NEXT(site, link);
    if (site->module != module)
      continue;
    LIST_REMOVE(site, link);
    while (!LIST_EMPTY(&site->recorders)) {
      agpu__recorder *first = LIST_FIRST(&site->recorders);
      LIST_REMOVE(first, link);
      LIST_INSERT_HEAD(&gone, first, link);
    }
    agpu__memory_free(site);
  }
  agpu__lock_release(&all.lock);
  // Their graphs go without the lock. Until the recorders are in the list, too:
  // who closes the gate gives back what is in it.
  bool is_entered = agpu__driver_gate_enter();
  while (!LIST_EMPTY(&gone)) {
    agpu__recorder *first = LIST_FIRST(&gone);
    LIST_REMOVE(first, link);
    agpu__device_enter(first->base);
    agpu__recorder_drop(first);
    first->trimmed_at = first->round;
    agpu__lock_acquire(&all.lock);
    if (!all.orphans)
      all.orphans = add_site((agpu__site){.module = NULL});
    ++all.orphans->count;
    LIST_INSERT_HEAD(&all.orphans->recorders, first, link);
    agpu__lock_release(&all.lock);
  }
  if (is_entered)
    agpu__driver_gate_leave();
}

/// Calls `visit` for each recorder that has used the device, or where that is
/// NULL, any. It may take it off its list.
static void visit_all(const agpu__device *device,
                      void (*visit)(agpu__recorder *recorder, void *argument),
                      void *argument) AGPU__REQUIRES(all.lock) {
  agpu__site *site;
  LIST_FOREACH (site, &all.sites, link)
    for (agpu__recorder *at = LIST_FIRST(&site->recorders), *next; at;
         at = next) {
      next = LIST_NEXT(at, link);
      if (!device || agpu__recorder_has(at, device))
        visit(at, argument);
    }
}

static void move(agpu__recorder *recorder, void *argument) {
  recorder_list *list = argument;
  LIST_REMOVE(recorder, link);
  LIST_INSERT_HEAD(list, recorder, link);
}

static void abandon(agpu__recorder *recorder, void *unused) {
  (void)unused;
  agpu__recorder_abandon(recorder);
}

void agpu__sites_close(const agpu__device *device) {
  recorder_list gone = LIST_HEAD_INITIALIZER(gone);
  agpu__site *site;
  agpu__lock_acquire(&all.lock);
  visit_all(device, move, &gone);
  LIST_FOREACH (site, &all.sites, link)
    site->count = 0; // none is taken, and no device is another's
  agpu__lock_release(&all.lock);
  destroy_all(&gone, AGPU__KEPT_DONE);
}

void agpu__sites_abandon(void) {
  agpu__lock_acquire(&all.lock);
  visit_all(NULL, abandon, NULL);
  agpu__lock_release(&all.lock);
  // Other threads that are in a round may go on in it.
  if (agpu__self.gpu.part)
    agpu__recorder_abandon(agpu__self.gpu.part);
}

static void release_memory(agpu__recorder *recorder, void *any) {
  *(bool *)any |= agpu__kept_release(recorder, AGPU__KEPT_AWAITED);
}

bool agpu__sites_release_memory(const agpu__device *device) {
  bool any = false;
  agpu__lock_acquire(&all.lock);
  visit_all(device, release_memory, &any);
  agpu__lock_release(&all.lock);
  agpu__recorder *own = agpu__self.gpu.part;
  any = any || (own && agpu__recorder_has(own, device) &&
                agpu__recorder_release_memory(own));
  // Recorders of others had memory of it.
  agpu__device_enter(device);
  return any;
}

void agpu__sites_fork(void) {
  agpu__lock_init(&all.lock, AGPU__RANK_GRAPH_SITES);
  agpu__record_fork();
}
