//===- group.c - Members of groups --------------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A group is in ERROR as soon as one member is, and complete once as many
// members as it was declared for are. `status` is the first error; it is set
// before the member is counted, so a complete group has it.
//
// Members that are not complete have no reference of the group. They are
// counted in `open`, as declared from the beginning, and keep it as well as
// references do: the thread that counts the last one completes the group, and
// then the last to leave frees it, be it that one or the last reference. Where
// that is dropped before all members are added, those that lack are taken off
// with it.
//
// Of members that are complete when they are added, an owner that is alone only
// counts how many there were (`settled`), and takes them off at the last one.
//
//===----------------------------------------------------------------------===//

#include "async/awaiter.h"

#include "base/report/log.h"

#include <inttypes.h>

agpu_object *agpu__group_create(int64_t size) {
  agpu_object *group =
      agpu__object_create(AGPU__GROUP, sizeof(agpu__group_end), 1);
  group->size = size;
  // Nothing that a task gives, as is nothing before it.
  agpu__hot.async.unnamed = agpu__hot.async.next_number;
  if (size < 0)
    agpu__group_fail(
        group, agpu_status_create(AGPU_STATUS_INVALID_ARGUMENT, NULL,
                                  "a group was created for %" PRId64 " members",
                                  size));
  bool is_complete = size <= 0;
  atomic_init(&agpu__group_get_end(group)->open,
              is_complete ? 1 : 2 * (agpu__group_declared(group) + 1) + 1);
  if (is_complete)
    agpu__group_finish(group);
  return group;
}

/// What there is to say about one more than the group has room for.
static void add_surplus(agpu_object *group, int64_t rank) {
  agpu_status status = agpu_status_create(AGPU_STATUS_INVALID_ARGUMENT, NULL,
                                          "a group created for %" PRId64
                                          " members was given %" PRId64,
                                          group->size, rank + 1);
  agpu__log(AGPU__LOG_ASYNC, "%s", agpu_status_get_message(status));
  agpu__group_fail(group, status);
}

static void add_waiting(agpu_object *group, agpu_object *member) {
  agpu__awaiter *awaiter = agpu__awaiter_create(member);
  awaiter->need = AGPU__NEED_READY;
  awaiter->target = AGPU__TARGET_GROUP;
  awaiter->as.group = group;
  awaiter->location = NULL;
  agpu__object_add_awaiter(member, awaiter);
}

/// Of a group are known, as one word, the ticket of the first member with one,
/// and in the lower bits how many members have those that follow it: all of a
/// loop that submits a task each time and adds what it gives. Other members are
/// waited for like anything else.
#define COUNT_BITS (64 - AGPU__TICKET_BITS)
#define COUNT_MASK ((UINT64_C(1) << COUNT_BITS) - 1)

/// `alone`: nobody else adds members.
static void note_ticket(agpu_object *group, const agpu_object *member,
                        bool alone) {
  bool is_last = agpu__is_named(agpu__hot.exec.last_names, member->number);
  uint64_t ticket = is_last ? agpu__hot.exec.last_ticket : 0;
  uint64_t known = atomic_load_explicit(&group->tickets, memory_order_relaxed);
  uint64_t count = known & COUNT_MASK, next;
  if (!known && ticket)
    next = ticket << COUNT_BITS | 1;
  else if (known && ticket == (known >> COUNT_BITS) + count &&
           count < COUNT_MASK)
    next = known + 1;
  else
    return;
  // Where another thread is faster, its member is known, and this one is not.
  if (alone)
    atomic_store_explicit(&group->tickets, next, memory_order_relaxed);
  else
    (void)atomic_compare_exchange_strong_explicit(&group->tickets, &known, next,
                                                  memory_order_relaxed,
                                                  memory_order_relaxed);
}

agpu__wanted agpu__group_get_wanted(agpu_object *group) {
  uint64_t known = atomic_load_explicit(&group->tickets, memory_order_relaxed);
  return (agpu__wanted){.first = known >> COUNT_BITS,
                        .count = known & COUNT_MASK};
}

/// The last declared member has been added: those that were not counted as
/// complete are now.
static void count_settled(agpu_object *group) {
  int64_t settled =
      atomic_exchange_explicit(&group->settled, 0, memory_order_relaxed);
  if (settled > 0)
    agpu__group_count_done(group, settled);
}

/// Adds the member with that rank.
static int64_t add(agpu_object *group, agpu_object *member, int64_t rank) {
  // With `open` for the member, the group stays until it is counted.
  if (rank + 1 == group->size)
    count_settled(group);
  if (rank >= group->size)
    add_surplus(group, rank);
  else if (agpu__object_has_ended(member))
    agpu__group_member_done(group, member);
  else
    add_waiting(group, member);
  return rank;
}

int64_t agpu__group_add(agpu_object *group, agpu_object *member) {
  int64_t rank =
      atomic_fetch_add_explicit(&group->added, 1, memory_order_relaxed);
  note_ticket(group, member, /*alone=*/false);
  return add(group, member, rank);
}

/// Other threads that know a group have references. With the caller's alone,
/// nobody else adds members; what the others did, they did before they dropped
/// theirs.
static bool is_alone(agpu_object *group) {
  return atomic_load_explicit(&group->references, memory_order_acquire) == 1;
}

static __attribute__((noinline)) int64_t add_owned(agpu_object *group,
                                                   agpu_object *member) {
  if (!is_alone(group))
    return agpu__group_add(group, member);
  int64_t rank = atomic_load_explicit(&group->added, memory_order_relaxed);
  atomic_store_explicit(&group->added, rank + 1, memory_order_relaxed);
  note_ticket(group, member, /*alone=*/true);
  return add(group, member, rank);
}

int64_t agpu__group_add_owned(agpu_object *group, agpu_object *member) {
  // Before it is alone another may change what is looked at here.
  if ((atomic_load_explicit(&member->state, memory_order_acquire) &
       AGPU__PHASE_MASK) != AGPU__READY ||
      !is_alone(group))
    return add_owned(group, member);
  int64_t rank = atomic_load_explicit(&group->added, memory_order_relaxed);
  if (rank + 1 >= group->size)
    return add_owned(group, member);
  atomic_store_explicit(&group->added, rank + 1, memory_order_relaxed);
  int64_t settled = atomic_load_explicit(&group->settled, memory_order_relaxed);
  atomic_store_explicit(&group->settled, settled + 1, memory_order_relaxed);
  return rank;
}
