//===- connection.c - The connections of a context ------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A connection is a pair of counters: places given, and places passed. No
// deadlock comes of it that streams alone would not have: of all work that has
// not begun, what was enqueued first waits for nothing, as events are waited
// for only once they are recorded.
//
//===----------------------------------------------------------------------===//

#include "emu/device/connection.h"

#include "base/report/assert.h"
#include "base/sync/mutex.h"
#include "emu/base/context.h"
#include "emu/base/settings.h"

#include <stdatomic.h>
#include <stdlib.h>

struct agpu__emu_connection {
  _Atomic(uint64_t) given, passed;
  // A waiter adds itself and reads `passed`; the one that passes changes that
  // and looks for waiters: sequentially consistent, so that one sees the other.
  atomic_uint waiting;
  agpu__mutex lock;
  agpu__condition changed; // `passed` has
};

// By those who create and free streams, one at a time.
static struct {
  agpu__emu_connection
      *connections[AGPU__EMU_MAX_CONTEXTS][AGPU__EMU_MAX_CONNECTIONS];
  unsigned next[AGPU__EMU_MAX_CONTEXTS];
} all;

agpu__emu_connection *agpu__emu_connection_choose(CUcontext context) {
  unsigned of = agpu__emu_context_number(context);
  unsigned number = all.next[of]++ % agpu__emu_get_settings()->connections;
  agpu__emu_connection **at = &all.connections[of][number];
  if (!*at && (*at = calloc(1, sizeof **at))) {
    agpu__mutex_init(&(*at)->lock, AGPU__RANK_EMU_CONNECTION);
    agpu__condition_init(&(*at)->changed);
  }
  return *at;
}

uint64_t agpu__emu_connection_enqueue(agpu__emu_connection *connection) {
  return atomic_fetch_add(&connection->given, 1);
}

void agpu__emu_connection_await(agpu__emu_connection *connection,
                                uint64_t place) {
  if (atomic_load(&connection->passed) == place)
    return;
  agpu__mutex_lock(&connection->lock);
  atomic_fetch_add(&connection->waiting, 1);
  while (atomic_load(&connection->passed) != place)
    agpu__condition_wait(&connection->changed, &connection->lock);
  atomic_fetch_sub(&connection->waiting, 1);
  agpu__mutex_unlock(&connection->lock);
}

void agpu__emu_connection_pass(agpu__emu_connection *connection,
                               uint64_t place) {
  AGPU__ASSERT(atomic_load(&connection->passed) == place);
  atomic_store(&connection->passed, place + 1);
  if (!atomic_load(&connection->waiting))
    return;
  agpu__mutex_lock(&connection->lock);
  agpu__condition_broadcast(&connection->changed);
  agpu__mutex_unlock(&connection->lock);
}

void agpu__emu_connections_end(CUcontext context) {
  unsigned of = agpu__emu_context_number(context);
  all.next[of] = 0;
  for (unsigned i = 0; i < AGPU__EMU_MAX_CONNECTIONS; ++i) {
    agpu__emu_connection *old = all.connections[of][i];
    all.connections[of][i] = NULL;
    if (!old)
      continue;
    agpu__condition_destroy(&old->changed);
    agpu__mutex_destroy(&old->lock);
    free(old);
  }
}
