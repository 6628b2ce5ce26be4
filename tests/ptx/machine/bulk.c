//===- bulk.c - cp.async.bulk and its tensors -----------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A copy to shared memory is made when a thread has asked an mbarrier in vain;
// one to global memory when its thread waits for its group, or its block ends.
// Elements of a box are copied one by one, and pixels are counted off, each
// from the first.
//
//===----------------------------------------------------------------------===//

#include "machine/bulk.h"
#include "machine/families.h"
#include "machine/tensor_map.h"

#include <stdlib.h>

enum { TO_SHARED, TO_CLUSTER, TO_GLOBAL };

struct ptx_bulk {
  struct ptx_bulk *next;
  const ptx_insn *insn;
  ptx_warp *warp;
  unsigned lane, group, mask; ///< mask 0: the block that `shared` names
  uint8_t kind;
  bool is_tensor, is_reduction;
  uint64_t shared, other, bytes, barrier;
  ptx_tensor_map map;
  int32_t at[5];
  uint16_t offsets[3]; ///< of pixels
  uint8_t *kept;       ///< a source that has been read
};

//===----------------------------------------------------------------------===//
// Boxes
//===----------------------------------------------------------------------===//

static unsigned count_of(const ptx_tensor_map *map, int i) {
  return (map->box[i] + map->step[i] - 1u) / map->step[i];
}

static uint64_t box_elements(const ptx_tensor_map *map) {
  uint64_t count = map->pixels ? map->pixels : 1;
  for (int i = 0; i < map->rank; ++i)
    count *= count_of(map, i);
  return count;
}

/// Goes on to the next pixel: along the width from corner to corner, then the
/// height, the depth, and the images.
static void next_pixel(const ptx_tensor_map *map, int64_t *at) {
  for (int i = 1; i < map->rank; ++i) {
    at[i] += map->step[i];
    if (i == map->rank - 1 ||
        at[i] < (int64_t)map->size[i] + map->corners[1][i - 1])
      return;
    at[i] = map->corners[0][i - 1];
  }
}

/// As place_of, of pixels.
static bool pixel_place(const ptx_bulk *b, uint64_t element, uint64_t *out) {
  const ptx_tensor_map *map = &b->map;
  int64_t at[5];
  for (int i = 0; i < map->rank; ++i)
    at[i] = b->at[i];
  for (uint64_t i = element / count_of(map, 0); i; --i)
    next_pixel(map, at);
  at[0] += (int64_t)(element % count_of(map, 0));
  *out = map->base;
  for (int i = 0; i < map->rank; ++i) {
    if (i && i < map->rank - 1)
      at[i] += b->offsets[i - 1];
    if (at[i] < 0 || (uint64_t)at[i] >= map->size[i])
      return false;
    *out += (uint64_t)at[i] * map->pitch[i];
  }
  return true;
}

/// Where in shared memory byte `offset` of a box lies that begins at `shared`:
/// bits of the address within the pattern's span change with those above it.
static uint64_t swizzled(const ptx_tensor_map *map, uint64_t shared,
                         uint64_t offset) {
  static const struct {
    unsigned bits, low;
  } patterns[] = {{0, 4}, {1, 4}, {2, 4}, {3, 4}, {2, 5}, {2, 5}, {1, 6}};
  uint64_t address = shared + offset;
  uint64_t above = address >> 7 & ((1u << patterns[map->swizzle].bits) - 1);
  if (map->swizzle == 5 && address >> 7 & 1)
    address ^= 8;
  return address ^ above << patterns[map->swizzle].low;
}

/// The global address of an element of a box; false where it is out of bounds.
static bool place_of(const ptx_bulk *b, uint64_t element, uint64_t *out) {
  const ptx_tensor_map *map = &b->map;
  if (map->pixels)
    return pixel_place(b, element, out);
  *out = map->base;
  for (int i = 0; i < map->rank; ++i) {
    int64_t index = b->at[i] + (int64_t)(element % count_of(map, i)) *
                                   (i ? map->step[i] : 1);
    element /= count_of(map, i);
    if (index < 0 || (uint64_t)index >= map->size[i])
      return false;
    *out += (uint64_t)index * map->pitch[i];
  }
  return true;
}

static uint64_t fill_of(const ptx_tensor_map *map) {
  return map->fill ? ptx_mask(8 * (unsigned)map->pitch[0] - 1) : 0;
}

static uint64_t combine(const ptx_bulk *b, uint64_t x, uint64_t y) {
  static const ptx_type types[] = {
      PTX_NO_TYPE, PTX_NO_TYPE, PTX_u32,  PTX_s32, PTX_u64, PTX_s64, PTX_f16,
      PTX_f32,     PTX_f64,     PTX_bf16, PTX_f32, PTX_f32, PTX_f32};
  const ptx_insn *insn = b->insn;
  ptx_type type = types[b->map.type];
  unsigned bits = ptx_type_bits(type);
  bool is_float = type >= PTX_f16;
  bool is_max = ptx_insn_has(insn, "max");
  if (ptx_insn_has(insn, "add"))
    return is_float ? ptx_float_sum(type, false, x, y) : x + y;
  if (is_max || ptx_insn_has(insn, "min")) {
    if (is_float)
      return ptx_float_least(type, 0, is_max, x, y);
    bool is_less = ptx_type_is_signed(type)
                       ? ptx_signed(x, bits) < ptx_signed(y, bits)
                       : x < y;
    return is_less == is_max ? y : x;
  }
  if (ptx_insn_has(insn, "inc"))
    return x < y ? x + 1 : 0;
  if (ptx_insn_has(insn, "dec"))
    return !x || x > y ? y : x - 1;
  if (ptx_insn_has(insn, "and"))
    return x & y;
  return ptx_insn_has(insn, "or") ? x | y : x ^ y;
}

//===----------------------------------------------------------------------===//
// Making a copy
//===----------------------------------------------------------------------===//

static void *at(const ptx_bulk *b, ptx_space space, uint64_t address,
                uint64_t bytes) {
  return ptx_memory_at(b->warp, b->insn, b->lane, space, address, bytes, 1);
}

static void load_box(const ptx_bulk *b, uint64_t shared) {
  unsigned bytes = (unsigned)b->map.pitch[0];
  uint64_t place;
  for (uint64_t i = 0; i < box_elements(&b->map); ++i) {
    uint64_t value = fill_of(&b->map);
    if (place_of(b, i, &place))
      memcpy(&value, at(b, PTX_GLOBAL, place, bytes), bytes);
    // Only the offset in its block is swizzled.
    uint64_t block = shared & ~ptx_mask(24);
    memcpy(at(b, PTX_SHARED,
              block | swizzled(&b->map, shared & ptx_mask(24), i * bytes),
              bytes),
           &value, bytes);
  }
}

static void read_source(ptx_bulk *b) {
  if (b->kept)
    return;
  b->kept = malloc(b->bytes);
  if (!b->kept)
    abort();
  unsigned bytes = b->is_tensor ? (unsigned)b->map.pitch[0] : 1;
  for (uint64_t i = 0; i < b->bytes; i += bytes)
    memcpy(b->kept + i,
           at(b, PTX_SHARED,
              b->is_tensor ? swizzled(&b->map, b->shared, i) : b->shared + i,
              bytes),
           bytes);
}

static void store(ptx_bulk *b) {
  read_source(b);
  if (!b->is_tensor) {
    uint8_t *to = at(b, PTX_GLOBAL, b->other, b->bytes);
    for (uint64_t i = 0; i < b->bytes; ++i)
      if (b->mask >> i % 16 & 1)
        to[i] = b->kept[i];
    return;
  }
  unsigned bytes = (unsigned)b->map.pitch[0];
  uint64_t place;
  for (uint64_t i = 0; i < box_elements(&b->map); ++i) {
    if (!place_of(b, i, &place))
      continue;
    uint64_t value = 0, old = 0;
    void *to = at(b, PTX_GLOBAL, place, bytes);
    memcpy(&value, b->kept + i * bytes, bytes);
    memcpy(&old, to, bytes);
    if (b->is_reduction)
      value = combine(b, old, value);
    memcpy(to, &value, bytes);
  }
}

static void load_to(const ptx_bulk *b, uint64_t shared, uint64_t barrier) {
  if (b->is_tensor)
    load_box(b, shared);
  else
    memmove(at(b, PTX_SHARED, shared, b->bytes),
            at(b, b->kind == TO_SHARED ? PTX_GLOBAL : PTX_SHARED, b->other,
               b->bytes),
            b->bytes);
  ptx_mbarrier_complete(b->warp, b->insn, b->lane, barrier, 0, b->bytes);
}

/// The same offset in the block of that rank.
static uint64_t in_block(uint64_t address, unsigned rank) {
  return (uint64_t)(rank + 1) << 24 | (address & ptx_mask(24));
}

static void load(const ptx_bulk *b) {
  if (!b->mask) {
    uint64_t block = b->shared & ~ptx_mask(24);
    load_to(b, b->shared, block | (b->barrier & ptx_mask(24)));
    return;
  }
  for (unsigned rank = 0; rank < 16; ++rank)
    if (b->mask >> rank & 1)
      load_to(b, in_block(b->shared, rank), in_block(b->barrier, rank));
}

static void drop(ptx_bulk **link) {
  ptx_bulk *b = *link;
  *link = b->next;
  free(b->kept);
  free(b);
}

bool ptx_bulk_end_some(ptx_block *block) {
  unsigned count = 0;
  for (ptx_bulk *b = block->bulks; b; b = b->next)
    count += b->kind != TO_GLOBAL;
  if (!count)
    return false;
  unsigned wanted = (unsigned)(ptx_random(block->run) % count);
  for (ptx_bulk **link = &block->bulks; *link; link = &(*link)->next) {
    if ((*link)->kind == TO_GLOBAL || wanted--)
      continue;
    load(*link);
    drop(link);
    return true;
  }
  return false;
}

void ptx_bulk_finish(ptx_block *block) {
  while (block->bulks) {
    ptx_bulk *b = block->bulks;
    if (b->kind != TO_GLOBAL)
      ptx_fault(b->warp, b->insn, b->lane, PTX_LAUNCH_FAILED,
                "the block ends before the copy");
    store(b);
    drop(&block->bulks);
  }
}

void ptx_bulk_free(ptx_block *block) {
  while (block->bulks)
    drop(&block->bulks);
}

static void commit(ptx_warp *warp, const ptx_insn *insn, unsigned lane) {
  (void)insn;
  ++warp->lanes[lane].bulk_group;
}

static void wait_for_groups(ptx_warp *warp, const ptx_insn *insn,
                            unsigned lane) {
  uint64_t pending = ptx_read(warp, insn, &insn->operands[0], lane);
  ptx_bulk **link = &warp->block->bulks;
  while (*link) {
    ptx_bulk *b = *link;
    if (b->kind != TO_GLOBAL || b->warp != warp || b->lane != lane ||
        b->group + pending >= warp->lanes[lane].bulk_group) {
      link = &b->next;
    } else if (ptx_insn_has(insn, "read")) {
      read_source(b);
      link = &b->next;
    } else {
      store(b);
      drop(link);
    }
  }
}

//===----------------------------------------------------------------------===//
// Beginning a copy
//===----------------------------------------------------------------------===//

static void add(ptx_warp *warp, unsigned lane, const ptx_bulk *copy) {
  ptx_bulk *b = malloc(sizeof *b);
  if (!b)
    abort();
  *b = *copy;
  b->group = warp->lanes[lane].bulk_group;
  ptx_bulk **link = &warp->block->bulks;
  while (*link)
    link = &(*link)->next;
  *link = b;
}

static void need(const ptx_bulk *b, bool holds, const char *what) {
  if (!holds)
    ptx_fault(b->warp, b->insn, b->lane, PTX_LAUNCH_FAILED, "%s", what);
}

static void begin(ptx_warp *warp, const ptx_insn *insn, unsigned lane) {
  const ptx_operand *o = insn->operands;
  bool to_global = insn->mode == TO_GLOBAL;
  uint64_t to = ptx_address_of(warp, insn, &o[0], lane);
  uint64_t from = ptx_address_of(warp, insn, &o[1], lane);
  ptx_bulk b = {.insn = insn,
                .warp = warp,
                .lane = lane,
                .kind = insn->mode,
                .shared = to_global ? from : to,
                .other = to_global ? to : from,
                .bytes = ptx_read(warp, insn, &o[2], lane)};
  if (!to_global)
    b.barrier = ptx_address_of(warp, insn, &o[3], lane);
  if (to_global)
    b.mask =
        ptx_insn_has(insn, "cp_mask")
            ? (unsigned)ptx_read(warp, insn, &o[insn->operand_count - 1], lane)
            : 0xffff;
  else if (ptx_insn_has(insn, "multicast::cluster"))
    b.mask = (unsigned)ptx_read(warp, insn, &o[4], lane) & 0xffff;
  need(&b, b.bytes % 16 == 0, "the size is no multiple of 16");
  (void)ptx_memory_at(warp, insn, lane, PTX_SHARED, b.shared, b.bytes, 16);
  (void)ptx_memory_at(warp, insn, lane,
                      b.kind == TO_CLUSTER ? PTX_SHARED : PTX_GLOBAL, b.other,
                      b.bytes, 16);
  add(warp, lane, &b);
}

/// [map, {coordinates}] and [shared], in one order or the other.
static void begin_tensor(ptx_warp *warp, const ptx_insn *insn, unsigned lane) {
  bool to_global = insn->mode == TO_GLOBAL;
  const ptx_operand *tensor = &insn->operands[!to_global];
  ptx_bulk b = {
      .insn = insn,
      .warp = warp,
      .lane = lane,
      .kind = insn->mode,
      .is_tensor = true,
      .is_reduction = strcmp(insn->parts[1], "reduce") == 0,
      .shared = ptx_address_of(warp, insn, &insn->operands[to_global], lane)};
  uint64_t place = ptx_address_of(warp, insn, tensor, lane);
  need(&b,
       place >= PTX_SHARED_WINDOW ||
           warp->block->run->launch->options->is_lenient ||
           ptx_has_fenced_map(warp->block, place),
       "no thread of the block has fenced the map in global memory");
  memcpy(&b.map, ptx_memory_at(warp, insn, lane, PTX_GENERIC, place, 128, 64),
         sizeof b.map);
  need(&b, b.map.key == PTX_TENSOR_MAP_KEY, "there is no tensor map");
  need(&b, tensor->count == b.map.rank, "the map has another rank");
  need(&b, !b.map.interleave, "interleaved tensors are not supported");
  for (size_t i = 0; i < tensor->count; ++i)
    b.at[i] = (int32_t)ptx_read(warp, insn, &tensor->elements[i], lane);
  b.bytes = box_elements(&b.map) * b.map.pitch[0];
  if (!to_global)
    b.barrier = ptx_address_of(warp, insn, &insn->operands[2], lane);
  bool has_offsets = ptx_insn_has(insn, "im2col");
  need(&b,
       !b.map.pixels == !(has_offsets || ptx_insn_has(insn, "im2col_no_offs")),
       "the map is of the other mode");
  const ptx_operand *offsets = &insn->operands[3];
  need(&b, !has_offsets || offsets->count + 2 == b.map.rank,
       "there are two fewer offsets than coordinates");
  for (size_t i = 0; has_offsets && i < offsets->count; ++i)
    b.offsets[i] = (uint16_t)ptx_read(warp, insn, &offsets->elements[i], lane);
  if (ptx_insn_has(insn, "multicast::cluster"))
    b.mask =
        (unsigned)ptx_read(warp, insn, &insn->operands[3 + has_offsets], lane) &
        0xffff;
  (void)ptx_memory_at(warp, insn, lane, PTX_SHARED, b.shared, b.bytes, 128);
  add(warp, lane, &b);
}

static void do_nothing(ptx_warp *warp, const ptx_insn *insn, unsigned lane) {
  (void)warp;
  (void)insn;
  (void)lane;
}

bool ptx_select_bulk(ptx_insn *insn) {
  size_t count = insn->operand_count;
  if (!ptx_insn_is(insn, "cp") || !ptx_insn_has(insn, "bulk"))
    return false;
  if (ptx_insn_has(insn, "prefetch"))
    return ptx_use_step(insn, do_nothing);
  if (ptx_insn_has(insn, "commit_group"))
    return ptx_use_step(insn, commit);
  if (ptx_insn_has(insn, "wait_group"))
    return count == 1 && ptx_use_step(insn, wait_for_groups);
  insn->mode = ptx_insn_has(insn, "bulk_group") ? TO_GLOBAL
               : ptx_insn_has(insn, "global")   ? TO_SHARED
                                                : TO_CLUSTER;
  insn->space = PTX_SHARED; // of the mbarrier
  if (!ptx_insn_has(insn, "tensor"))
    return count >= 3 && ptx_use_step(insn, begin);
  bool has_offsets = ptx_insn_has(insn, "im2col");
  return count >= 2 &&
         (!has_offsets || (insn->mode == TO_SHARED && count >= 4)) &&
         ptx_use_step(insn, begin_tensor);
}
