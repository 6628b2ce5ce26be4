//===- stream_track.c - What a stream did, as a track ---------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each stream has a queue of what is not in the trace yet. The first of it goes
// there once its times are known: those of work when its clock has told them,
// those of a record when all before it is there, and those of a wait when the
// record is, too. So a record that gets there may let items of other streams
// go: then all are looked at once more.
//
// Memory is bounded: where so much has come after an item that its times must
// have been lost, it goes without them.
//
//===----------------------------------------------------------------------===//

#include "gpu/trace/body_runs.h"

#include "base/memory/memory.h"
#include "base/os/clock.h"
#include "base/sync/mutex.h"
#include "base/trace/arena.h"
#include "base/trace/trace.h"

#include <stdio.h>
#include <sys/queue.h>

/// Items of a stream that wait for times, at most.
#define PENDING 65536

/// A record of an event, of which there is an item, those of its waits, and the
/// event until it is recorded anew: one reference each.
typedef struct record {
  unsigned references;
  bool is_reached;
  int64_t time; // when it was
} record;

typedef struct item {
  STAILQ_ENTRY(item) link;
  agpu__stream_item of;
  agpu__stream_track *track;
  record *record;               // of a record, and of a wait for one
  int64_t enqueued, begin, end; // begin 0: not known
  bool is_known;
  agpu__body_runs *runs; // of a conditional node, or NULL
} item;

struct agpu__stream_track {
  LIST_ENTRY(agpu__stream_track) link;
  int device;
  uint32_t track;
  STAILQ_HEAD(, item) items;
  unsigned count;
  int64_t reached; // when all that is in the trace was over
};

static struct {
  agpu__mutex lock;
  LIST_HEAD(, agpu__stream_track) tracks AGPU__GUARDED_BY(lock);
  // By their numbers: items of work, of which a conditional node has the
  // numbers of those inside, too; records that an event has.
  agpu__trace_table work AGPU__GUARDED_BY(lock), records AGPU__GUARDED_BY(lock);
  agpu__stream_track_losses lost AGPU__GUARDED_BY(lock);
} self = {.lock = AGPU__MUTEX_INIT(AGPU__RANK_STREAM_TRACKS)};

static bool is_work(const item *at) {
  return at->of.kind != AGPU__TRACE_RECORD &&
         at->of.kind != AGPU__TRACE_STREAM_WAIT;
}

static int64_t max(int64_t a, int64_t b) { return a > b ? a : b; }

/// True once the times of the stream's first item are known.
static bool find_times(const agpu__stream_track *track, item *at)
    AGPU__REQUIRES(self.lock) {
  if (is_work(at))
    return at->is_known;
  at->begin = at->end = max(track->reached, at->enqueued);
  if (at->of.kind == AGPU__TRACE_RECORD)
    return true;
  if (!at->record)
    return true; // memory was out
  at->end = max(at->end, at->record->time);
  return at->record->is_reached;
}

static void release(record *of) AGPU__REQUIRES(self.lock) {
  if (of && --of->references == 0)
    agpu__memory_free(of);
}

/// It is in no queue any more.
static void free_item(item *at) AGPU__REQUIRES(self.lock) {
  for (size_t i = 0; is_work(at) && i <= agpu__body_runs_inside(at->runs); ++i)
    agpu__trace_table_remove(&self.work, at->of.id + i);
  release(at->record);
  agpu__body_runs_free(at->runs);
  agpu__memory_free(at);
}

/// Writes the stream's first item. True if it is a record.
static bool write_first(agpu__stream_track *track) AGPU__REQUIRES(self.lock) {
  item *at = STAILQ_FIRST(&track->items);
  STAILQ_REMOVE_HEAD(&track->items, link);
  --track->count;
  bool is_record = at->of.kind == AGPU__TRACE_RECORD;
  bool is_timed = at->begin;
  self.lost.untimed += is_work(at) && !is_timed;
  if (!is_timed)
    at->begin = at->end = max(track->reached, at->enqueued);
  if (is_record && at->record) {
    at->record->is_reached = true;
    at->record->time = at->end;
  }
  track->reached = max(track->reached, at->end);
  uint64_t length = (uint64_t)(at->end - at->begin);
  uint64_t third = agpu__traced_third(&at->of, length);
  agpu__trace_kind kind = at->of.kind;
  if (at->runs) {
    agpu__body_runs_count(at->runs, is_timed, &at->of.second, &third);
    self.lost.left_out += third;
  }
  uint64_t flow = agpu__traced_flow(at->of.id, is_work(at));
  if (kind != AGPU__TRACE_STREAM_WAIT || length)
    agpu__trace_record_at(track->track, at->begin, kind, at->of.id, flow,
                          at->of.name, length, at->of.second, third);
  if (kind == AGPU__TRACE_STREAM_WAIT) // where it is over, an arrow ends
    agpu__trace_record_at(track->track, at->end, AGPU__TRACE_STREAM_WAITED,
                          at->of.id, flow, NULL, 0, 0, 0);
  if (at->runs && is_timed)
    agpu__body_runs_write(at->runs, track->track);
  free_item(at);
  return is_record;
}

/// Writes what can be of one stream. True if a record was among that.
static bool write_known(agpu__stream_track *track) AGPU__REQUIRES(self.lock) {
  bool any_record = false;
  for (item *first; (first = STAILQ_FIRST(&track->items));) {
    if (!find_times(track, first) && track->count <= PENDING)
      break;
    any_record |= write_first(track);
  }
  return any_record;
}

static void write_all_known(agpu__stream_track *track)
    AGPU__REQUIRES(self.lock) {
  bool any_record = write_known(track);
  while (any_record) {
    any_record = false;
    LIST_FOREACH (track, &self.tracks, link)
      any_record |= write_known(track);
  }
}

agpu__stream_track *agpu__stream_track_create(int device, unsigned number) {
  agpu__stream_track *track = agpu__memory_alloc(
      sizeof *track, _Alignof(agpu__stream_track), "a stream's trace");
  char group[32], name[32];
  (void)snprintf(group, sizeof group, "device %d", device);
  (void)snprintf(name, sizeof name, "driver stream %u", number + 1);
  *track = (agpu__stream_track){.device = device,
                                .track = agpu__trace_track(group, name)};
  STAILQ_INIT(&track->items);
  agpu__mutex_lock(&self.lock);
  LIST_INSERT_HEAD(&self.tracks, track, link);
  agpu__mutex_unlock(&self.lock);
  return track;
}

uint32_t agpu__stream_track_id(const agpu__stream_track *track) {
  return track->track;
}

/// The record of that number, one reference; a new one is the event's, too.
static record *get_record(uint64_t id, bool is_new) AGPU__REQUIRES(self.lock) {
  if (is_new) {
    uint64_t *entry = agpu__trace_table_add(&self.records, id);
    if (!entry)
      return NULL;
    record *created = agpu__memory_alloc(sizeof *created, _Alignof(record),
                                         "a record of a trace");
    *created = (record){.references = 2};
    *entry = (uint64_t)(uintptr_t)created;
    return created;
  }
  const uint64_t *entry = agpu__trace_table_find(&self.records, id);
  record *found = entry ? (record *)(uintptr_t)*entry : NULL;
  if (found)
    ++found->references;
  return found;
}

/// `runs` is taken over.
static void add(agpu__stream_track *track, const agpu__stream_item *of,
                agpu__body_runs *runs) {
  item *added =
      agpu__memory_alloc(sizeof *added, _Alignof(item), "an item of a trace");
  *added = (item){.of = *of,
                  .track = track,
                  .enqueued = agpu__clock_now_ns(),
                  .runs = runs};
  agpu__mutex_lock(&self.lock);
  if (!agpu__trace_on()) { // not any more, and all has been dropped
    free_item(added);
    agpu__mutex_unlock(&self.lock);
    return;
  }
  STAILQ_INSERT_TAIL(&track->items, added, link);
  ++track->count;
  if (!is_work(added))
    added->record = get_record(of->id, of->kind == AGPU__TRACE_RECORD);
  for (size_t i = 0; is_work(added) && i <= agpu__body_runs_inside(runs); ++i) {
    uint64_t *entry = agpu__trace_table_add(&self.work, of->id + i);
    if (entry)
      *entry = (uint64_t)(uintptr_t)added;
    else
      added->is_known = true; // without memory, it goes without times
  }
  write_all_known(track);
  agpu__mutex_unlock(&self.lock);
}

void agpu__stream_track_add(agpu__stream_track *track,
                            const agpu__stream_item *of) {
  add(track, of, NULL);
}

void agpu__stream_track_add_node(agpu__stream_track *track,
                                 const agpu__traced_node *nodes,
                                 uint64_t work) {
  agpu__stream_item of = nodes[0].item;
  of.id = work;
  add(track, &of, agpu__body_runs_create(nodes, work));
}

/// The item of a work that is not in the trace yet, or NULL.
static item *find_work(uint64_t work) AGPU__REQUIRES(self.lock) {
  const uint64_t *found = agpu__trace_table_find(&self.work, work);
  return found ? (item *)(uintptr_t)*found : NULL;
}

void agpu__stream_track_cancel(uint64_t work) {
  agpu__mutex_lock(&self.lock);
  item *at = find_work(work);
  if (at) {
    agpu__stream_track *track = at->track;
    STAILQ_REMOVE(&track->items, at, item, link);
    --track->count;
    free_item(at);
    write_all_known(track);
  }
  agpu__mutex_unlock(&self.lock);
}

void agpu__stream_track_forget(uint64_t number) {
  agpu__mutex_lock(&self.lock);
  const uint64_t *entry = agpu__trace_table_find(&self.records, number);
  if (entry) {
    release((record *)(uintptr_t)*entry);
    agpu__trace_table_remove(&self.records, number);
  }
  agpu__mutex_unlock(&self.lock);
}

void agpu__stream_track_ran(uint64_t work, uint64_t round, int64_t begin,
                            int64_t end) {
  agpu__mutex_lock(&self.lock);
  item *at = find_work(work);
  if (at && at->of.id != work) {
    agpu__body_runs_add(at->runs, work, round, begin, end);
  } else if (at) {
    at->begin = begin;
    at->end = end;
    at->is_known = true;
    write_all_known(at->track);
  }
  agpu__mutex_unlock(&self.lock);
}

void agpu__stream_track_flush(int device) {
  agpu__stream_track *track;
  item *at;
  agpu__mutex_lock(&self.lock);
  LIST_FOREACH (track, &self.tracks, link)
    STAILQ_FOREACH (at, &track->items, link)
      at->is_known |= track->device == device && is_work(at);
  LIST_FOREACH (track, &self.tracks, link)
    write_all_known(track);
  // What waits for other devices, which are not through.
  LIST_FOREACH (track, &self.tracks, link)
    while (track->device == device && !STAILQ_EMPTY(&track->items))
      (void)write_first(track);
  agpu__mutex_unlock(&self.lock);
}

void agpu__stream_track_drop_all(void) {
  agpu__stream_track *track;
  agpu__mutex_lock(&self.lock);
  LIST_FOREACH (track, &self.tracks, link)
    for (item *at; (at = STAILQ_FIRST(&track->items));) {
      STAILQ_REMOVE_HEAD(&track->items, link);
      --track->count;
      free_item(at);
    }
  agpu__mutex_unlock(&self.lock);
}

agpu__stream_track_losses agpu__stream_track_lost(void) {
  agpu__mutex_lock(&self.lock);
  agpu__stream_track_losses lost = self.lost;
  agpu__mutex_unlock(&self.lock);
  return lost;
}

//===----------------------------------------------------------------------===//
// Tracks of streams, by their handles
//===----------------------------------------------------------------------===//

/// The null stream of a device, as a key.
#define NULL_STREAM(device) ((uint64_t)(device) + 1)
/// Keys of lanes are no addresses.
#define LANE_KEY ((uint64_t)1 << 63)

agpu__traced_state agpu__traced = {.lock = AGPU__MUTEX_INIT(AGPU__RANK_TRACED)};

static uint64_t key_of(CUstream stream) {
  return stream ? (uint64_t)(uintptr_t)stream
                : NULL_STREAM(agpu__traced_device());
}

/// The track of that key; the first time, a new one.
static agpu__stream_track *get_track(uint64_t key) {
  agpu__mutex_lock(&agpu__traced.lock);
  agpu__stream_track *track =
      (agpu__stream_track *)(uintptr_t)agpu__traced_find(&agpu__traced.streams,
                                                         key);
  if (!track) {
    int device = agpu__traced_device();
    track =
        agpu__stream_track_create(device, agpu__traced.stream_counts[device]++);
    (void)agpu__traced_store(&agpu__traced.streams, key,
                             (uint64_t)(uintptr_t)track);
  }
  agpu__mutex_unlock(&agpu__traced.lock);
  return track;
}

agpu__stream_track *agpu__traced_stream(CUstream stream) {
  return get_track(key_of(stream));
}

agpu__stream_track *agpu__traced_lane(CUstream stream, unsigned lane) {
  return get_track(lane ? LANE_KEY | key_of(stream) << 8 | lane
                        : key_of(stream));
}
