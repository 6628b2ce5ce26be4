//===- memory.c - Loads, stores and addresses ----------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA, "Data Movement and Conversion Instructions": ld, st, cvta, isspacep,
// prefetch, st.bulk. Every access lies in one allocation and at a multiple of
// its size, of all elements of a vector together ("Operands": alignment).
//
//===----------------------------------------------------------------------===//

#include "machine/families.h"
#include "machine/host.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static ptx_space space_of(uint64_t *address) {
  static const struct {
    uint64_t first;
    ptx_space space;
  } windows[] = {{PTX_SHARED_WINDOW, PTX_SHARED},
                 {PTX_LOCAL_WINDOW, PTX_LOCAL},
                 {PTX_PARAM_WINDOW, PTX_PARAM}};
  for (size_t i = 0; i < sizeof windows / sizeof *windows; ++i)
    if (*address - windows[i].first < PTX_WINDOW_BYTES) {
      *address -= windows[i].first;
      return windows[i].space;
    }
  return PTX_GLOBAL;
}

/// `bytes` at `offset` of memory that begins at `base` and has `size`.
static void *inside(ptx_warp *warp, const ptx_insn *insn, unsigned lane,
                    const char *what, uint8_t *base, uint64_t size,
                    uint64_t offset, uint64_t bytes) {
  if (offset > size || bytes > size - offset)
    ptx_fault(warp, insn, lane, PTX_ILLEGAL_ADDRESS,
              "%llu bytes at offset 0x%llx of %s memory of %llu bytes",
              (unsigned long long)bytes, (unsigned long long)offset, what,
              (unsigned long long)size);
  return base + offset;
}

static void *in_global(ptx_warp *warp, const ptx_insn *insn, unsigned lane,
                       uint64_t address, uint64_t bytes) {
  ptx_run *run = warp->block->run;
  uint64_t version = ptx_memory_version();
  if (version != run->memory_version) {
    memset(run->translations, 0, sizeof run->translations);
    run->memory_version = version;
  }
  for (unsigned i = 0; i < PTX_TRANSLATIONS; ++i) {
    const ptx_translation *t = &run->translations[i];
    if (address >= t->first && address < t->end && bytes <= t->end - address)
      return t->host + (address - t->first);
  }
  ptx_translation *t =
      &run->translations[run->next_translation++ % PTX_TRANSLATIONS];
  if (!ptx_memory_translate(run->launch->device, address, bytes, t)) {
    char what[300];
    ptx_memory_describe(address, what, sizeof what);
    ptx_fault(warp, insn, lane, PTX_ILLEGAL_ADDRESS,
              "%llu bytes at global address 0x%llx: %s",
              (unsigned long long)bytes, (unsigned long long)address, what);
  }
  return t->host + (address - t->first);
}

/// Addresses of shared memory below 2^24 are the block's own; above, they are
/// of the block of its cluster whose rank, plus one, their upper bits are.
enum { CLUSTER_SHIFT = 24 };

static uint32_t rank_of(const ptx_block *block) {
  const uint32_t *size = block->run->launch->cluster, *id = block->id;
  return id[0] % size[0] +
         size[0] * (id[1] % size[1] + size[1] * (id[2] % size[2]));
}

/// The block that an address is of, which becomes an offset in its memory.
static ptx_block *peer(ptx_warp *warp, const ptx_insn *insn, unsigned lane,
                       uint64_t *address) {
  ptx_run *run = warp->block->run;
  uint64_t rank = (*address >> CLUSTER_SHIFT) - 1;
  *address &= ptx_mask(CLUSTER_SHIFT);
  for (unsigned i = 0; i < run->block_count; ++i) {
    ptx_block *block = &run->blocks[i];
    if (block->warps && ptx_is_same_cluster(warp->block, block) &&
        rank_of(block) == rank)
      return block;
  }
  ptx_fault(warp, insn, lane, PTX_ILLEGAL_ADDRESS,
            "there is no block of rank %llu in the cluster, or it has ended",
            (unsigned long long)rank);
}

static void map_address(ptx_warp *warp, const ptx_insn *insn, unsigned lane) {
  uint64_t address = ptx_read(warp, insn, &insn->operands[1], lane);
  uint64_t rank = ptx_read(warp, insn, &insn->operands[2], lane);
  uint64_t window = insn->space == PTX_SHARED ? 0 : PTX_SHARED_WINDOW;
  const uint32_t *size = warp->block->run->launch->cluster;
  if (rank >= (uint64_t)size[0] * size[1] * size[2])
    ptx_fault(warp, insn, lane, PTX_LAUNCH_FAILED,
              "the cluster has no block of rank %llu",
              (unsigned long long)rank);
  address = (address - window) & ptx_mask(CLUSTER_SHIFT);
  ptx_write(warp, &insn->operands[0], lane,
            window + ((rank + 1) << CLUSTER_SHIFT | address));
}

void *ptx_memory_at(ptx_warp *warp, const ptx_insn *insn, unsigned lane,
                    ptx_space space, uint64_t address, uint64_t bytes,
                    unsigned align) {
  if (space == PTX_GENERIC)
    space = space_of(&address);
  if (align && address % align)
    ptx_fault(warp, insn, lane, PTX_MISALIGNED,
              "address 0x%llx is no multiple of %u",
              (unsigned long long)address, align);
  ptx_block *block = warp->block;
  ptx_lane *l = &warp->lanes[lane];
  switch (space) {
  case PTX_SHARED:
    if (address >> CLUSTER_SHIFT)
      block = peer(warp, insn, lane, &address);
    return inside(warp, insn, lane, "shared", block->shared,
                  block->shared_bytes, address, bytes);
  case PTX_LOCAL:
    return inside(warp, insn, lane, "local", l->local.bytes, l->local.top,
                  address, bytes);
  case PTX_PARAM: {
    ptx_frame *frame = ptx_top(warp, lane);
    return inside(warp, insn, lane, "parameter",
                  l->params.bytes + frame->param_base,
                  frame->function->param_bytes, address, bytes);
  }
  default: return in_global(warp, insn, lane, address, bytes);
  }
}

uint64_t ptx_load(const void *from, unsigned bytes) {
  switch (bytes) {
  case 1: return __atomic_load_n((const uint8_t *)from, __ATOMIC_ACQUIRE);
  case 2: return __atomic_load_n((const uint16_t *)from, __ATOMIC_ACQUIRE);
  case 4: return __atomic_load_n((const uint32_t *)from, __ATOMIC_ACQUIRE);
  default: return __atomic_load_n((const uint64_t *)from, __ATOMIC_ACQUIRE);
  }
}

void ptx_store(void *to, unsigned bytes, uint64_t value) {
  switch (bytes) {
  case 1:
    __atomic_store_n((uint8_t *)to, (uint8_t)value, __ATOMIC_RELEASE);
    break;
  case 2:
    __atomic_store_n((uint16_t *)to, (uint16_t)value, __ATOMIC_RELEASE);
    break;
  case 4:
    __atomic_store_n((uint32_t *)to, (uint32_t)value, __ATOMIC_RELEASE);
    break;
  default: __atomic_store_n((uint64_t *)to, value, __ATOMIC_RELEASE); break;
  }
}

static const ptx_operand *element(const ptx_operand *o, unsigned i) {
  return o->kind == PTX_VECTOR ? &o->elements[i] : o;
}

/// A load into a wider register extends by the type ("Operand Size Exceeding
/// Instruction-Type Size").
static void load(ptx_warp *warp, const ptx_insn *insn, unsigned lane) {
  unsigned bits = ptx_type_bits(insn->type), bytes = bits / 8;
  unsigned count = insn->vector ? insn->vector : 1;
  uint64_t address = ptx_address_of(warp, insn, &insn->operands[1], lane);
  const char *from = ptx_memory_at(warp, insn, lane, insn->space, address,
                                   (uint64_t)bytes * count, bytes * count);
  for (unsigned i = 0; i < count; ++i) {
    uint64_t value = ptx_load(from + i * bytes, bytes);
    if (ptx_type_is_signed(insn->type))
      value = (uint64_t)ptx_signed(value, bits);
    ptx_write(warp, element(&insn->operands[0], i), lane, value);
  }
}

static void store(ptx_warp *warp, const ptx_insn *insn, unsigned lane) {
  unsigned bytes = ptx_type_bits(insn->type) / 8;
  unsigned count = insn->vector ? insn->vector : 1;
  uint64_t address = ptx_address_of(warp, insn, &insn->operands[0], lane);
  char *to = ptx_memory_at(warp, insn, lane, insn->space, address,
                           (uint64_t)bytes * count, bytes * count);
  for (unsigned i = 0; i < count; ++i)
    ptx_store(to + i * bytes, bytes,
              ptx_read(warp, insn, element(&insn->operands[1], i), lane));
}

static uint64_t window_of(ptx_space space) {
  return space == PTX_SHARED  ? PTX_SHARED_WINDOW
         : space == PTX_LOCAL ? PTX_LOCAL_WINDOW
         : space == PTX_PARAM ? PTX_PARAM_WINDOW
                              : 0;
}

/// cvta.to gives what is undefined where the address is of another space.
static void convert_address(ptx_warp *warp, const ptx_insn *insn,
                            unsigned lane) {
  uint64_t value = ptx_read(warp, insn, &insn->operands[1], lane);
  uint64_t window = window_of(insn->space);
  if (!(insn->flags & PTX_TO)) {
    ptx_write(warp, &insn->operands[0], lane, value + window);
    return;
  }
  uint64_t address = value;
  if (window ? value - window >= PTX_WINDOW_BYTES
             : space_of(&address) != PTX_GLOBAL)
    ptx_fault(warp, insn, lane, PTX_ILLEGAL_ADDRESS,
              "address 0x%llx is not of that space", (unsigned long long)value);
  ptx_write(warp, &insn->operands[0], lane, value - window);
}

static uint64_t is_in_space(const ptx_insn *insn, const uint64_t *s) {
  uint64_t address = s[0];
  return space_of(&address) == insn->space;
}

/// st.bulk: zeros.
static void store_bulk(ptx_warp *warp, const ptx_insn *insn, unsigned lane) {
  uint64_t address = ptx_address_of(warp, insn, &insn->operands[0], lane);
  uint64_t bytes = ptx_read(warp, insn, &insn->operands[1], lane);
  if (bytes % 8 || ptx_read(warp, insn, &insn->operands[2], lane))
    ptx_fault(warp, insn, lane, PTX_LAUNCH_FAILED,
              "st.bulk writes zeros, a multiple of 8 bytes");
  memset(ptx_memory_at(warp, insn, lane, insn->space, address, bytes, 8), 0,
         bytes);
}

static void do_nothing(ptx_warp *warp, const ptx_insn *insn, unsigned lane) {
  (void)warp;
  (void)insn;
  (void)lane;
}

static void fence(ptx_warp *warp, const ptx_insn *insn, unsigned lane) {
  (void)warp;
  (void)insn;
  (void)lane;
  // As a fence for all that does the same; thread sanitizer knows no fences.
  static _Atomic(unsigned) fences;
  atomic_fetch_add(&fences, 1);
}

bool ptx_has_fenced_map(const ptx_block *block, uint64_t address) {
  for (size_t i = 0; i < block->fenced_count; ++i)
    if (block->fenced_maps[i] == address)
      return true;
  return false;
}

/// fence.proxy.tensormap, which acquires [map], 128.
static void fence_map(ptx_warp *warp, const ptx_insn *insn, unsigned lane) {
  ptx_block *block = warp->block;
  uint64_t address = ptx_address_of(warp, insn, &insn->operands[0], lane);
  (void)ptx_memory_at(warp, insn, lane, PTX_GLOBAL, address, 128, 64);
  if (ptx_read(warp, insn, &insn->operands[1], lane) != 128)
    ptx_fault(warp, insn, lane, PTX_LAUNCH_FAILED, "a map has 128 bytes");
  if (ptx_has_fenced_map(block, address))
    return;
  block->fenced_maps =
      realloc(block->fenced_maps,
              (block->fenced_count + 1) * sizeof *block->fenced_maps);
  if (!block->fenced_maps)
    abort();
  block->fenced_maps[block->fenced_count++] = address;
}

static bool vector_fits(const ptx_insn *insn, const ptx_operand *o) {
  return insn->vector ? o->kind == PTX_VECTOR && o->count == insn->vector
                      : o->kind != PTX_VECTOR;
}

bool ptx_select_memory(ptx_insn *insn) {
  unsigned bits = ptx_type_bits(insn->type);
  if (ptx_insn_is(insn, "ld") || ptx_insn_is(insn, "ldu"))
    return insn->operand_count == 2 && bits >= 8 && bits <= 64 &&
           vector_fits(insn, &insn->operands[0]) && ptx_use_step(insn, load);
  if (ptx_insn_is(insn, "st") && ptx_insn_has(insn, "bulk"))
    return insn->operand_count == 3 && ptx_use_step(insn, store_bulk);
  if (ptx_insn_is(insn, "st"))
    return insn->operand_count == 2 && bits >= 8 && bits <= 64 &&
           insn->space != PTX_CONST && vector_fits(insn, &insn->operands[1]) &&
           ptx_use_step(insn, store);
  if (ptx_insn_is(insn, "cvta"))
    return insn->operand_count == 2 && ptx_use_step(insn, convert_address);
  if (ptx_insn_is(insn, "isspacep")) {
    insn->type = PTX_u64;
    return ptx_use(insn, is_in_space, 1);
  }
  if (ptx_insn_is(insn, "mapa"))
    return insn->operand_count == 3 && ptx_use_step(insn, map_address);
  if (ptx_insn_is(insn, "fence") && ptx_insn_has(insn, "tensormap::generic") &&
      ptx_insn_has(insn, "acquire"))
    return insn->operand_count == 2 && ptx_use_step(insn, fence_map);
  if (ptx_insn_is(insn, "membar") || ptx_insn_is(insn, "fence"))
    return ptx_use_step(insn, fence);
  if (ptx_insn_is(insn, "prefetch") || ptx_insn_is(insn, "prefetchu") ||
      ptx_insn_is(insn, "nanosleep") || ptx_insn_is(insn, "pmevent") ||
      ptx_insn_is(insn, "griddepcontrol") || ptx_insn_is(insn, "setmaxnreg"))
    return ptx_use_step(insn, do_nothing);
  return false;
}
