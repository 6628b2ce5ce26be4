//===- written.c - Bytes that something has been written to ---------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Eight bytes of memory to an element of bits; those of an allocation are in
// its record.
//
//===----------------------------------------------------------------------===//

#include "emu/check/written.h"

#include "emu/memory/memory.h"

#include <stdlib.h>

agpu__emu_written *agpu__emu_written_create(size_t bytes) {
  return calloc(bytes / 8 + 1, sizeof(agpu__emu_written));
}

/// The bits of [from, from + count) that lie in one element, and how many.
static unsigned char mask_of(size_t from, size_t count, size_t *out_bits) {
  size_t first = from % 8, bits = 8 - first < count ? 8 - first : count;
  *out_bits = bits;
  return (unsigned char)(((1u << bits) - 1) << first);
}

void agpu__emu_written_set(agpu__emu_written *bits, size_t from, size_t count) {
  for (size_t step; bits && count; from += step, count -= step) {
    agpu__emu_written *at = &bits[from / 8];
    unsigned char mask = mask_of(from, count, &step);
    // Most are set already, and a line that is only read can be shared.
    if ((atomic_load_explicit(at, memory_order_relaxed) & mask) != mask)
      atomic_fetch_or_explicit(at, mask, memory_order_relaxed);
  }
}

bool agpu__emu_written_is_set(const agpu__emu_written *bits, size_t from,
                              size_t count) {
  for (size_t step; bits && count; from += step, count -= step) {
    unsigned char mask = mask_of(from, count, &step);
    if ((atomic_load_explicit(&bits[from / 8], memory_order_relaxed) & mask) !=
        mask)
      return false;
  }
  return true;
}

static void copy_bit(agpu__emu_written *target, size_t to, bool is_set) {
  unsigned char bit = (unsigned char)(1u << to % 8);
  if (is_set)
    atomic_fetch_or_explicit(&target[to / 8], bit, memory_order_relaxed);
  else
    atomic_fetch_and_explicit(&target[to / 8], (unsigned char)~bit,
                              memory_order_relaxed);
}

void agpu__emu_written_copy(agpu__emu_written *target, size_t to,
                            const agpu__emu_written *source, size_t from,
                            size_t count) {
  if (!target)
    return;
  if (agpu__emu_written_is_set(source, from, count)) {
    agpu__emu_written_set(target, to, count);
    return;
  }
  // Where the ranges overlap, what is still to be read comes first.
  bool down = target == source && to > from;
  for (size_t i = 0; i < count; ++i) {
    size_t at = down ? count - 1 - i : i;
    copy_bit(target, to + at, agpu__emu_written_is_set(source, from + at, 1));
  }
}

//===----------------------------------------------------------------------===//
// Of allocations
//===----------------------------------------------------------------------===//

void agpu__emu_written_allocated(agpu__emu_record *record, size_t bytes) {
  record->written = agpu__emu_written_create(bytes);
}

void agpu__emu_written_drop(agpu__emu_record *record) {
  free(record->written);
  record->written = NULL;
}

/// The bits of an allocation and where `pointer` lies in it; NULL: not
/// followed.
static agpu__emu_written *find(CUdeviceptr pointer, size_t *out_from)
    AGPU__REQUIRES_SHARED(agpu__emu_memory_lock) {
  agpu__emu_allocation in = agpu__emu_memory_look(pointer);
  if (!in.record || pointer - in.base >= in.bytes)
    return NULL;
  *out_from = (size_t)(pointer - in.base);
  return in.record->written;
}

void agpu__emu_written_filled(CUdeviceptr target, size_t bytes) {
  size_t to = 0;
  agpu__emu_memory_hold();
  agpu__emu_written *bits = find(target, &to);
  agpu__emu_written_set(bits, to, bytes);
  agpu__emu_memory_let_go();
}

void agpu__emu_written_copied(CUdeviceptr target, CUdeviceptr source,
                              size_t bytes) {
  size_t to = 0, from = 0;
  agpu__emu_memory_hold();
  agpu__emu_written *bits = find(target, &to);
  const agpu__emu_written *read = find(source, &from);
  agpu__emu_written_copy(bits, to, read, from, bytes);
  agpu__emu_memory_let_go();
}
