//===- tensor_maps.c - Tensor maps of the emulated device -----------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each rule that cuda.h gives for a map is broken once; rows of boxes and
// columns of pixels are what counting finds; the patterns of swizzling are
// those that the PTX ISA draws.
//
//===----------------------------------------------------------------------===//

#include "check.h"
#include "emu/simt/tensor_map.h"

#include <string.h>

enum { ADDRESS = 0x10000 };

/// A tensor of floats that all rules allow, and changes of it.
typedef struct sample {
  agpu__emu_tensor tensor;
  uint64_t sizes[5], strides[4];
  uint32_t steps[5], box[5];
  int lower[3], upper[3];
  uint32_t channels, pixels;
} sample;

static sample good(uint32_t rank) {
  sample s = {.tensor = {.type = CU_TENSOR_MAP_DATA_TYPE_FLOAT32,
                         .rank = rank,
                         .address = ADDRESS},
              .sizes = {10, 7, 6, 5, 4},
              .strides = {48, 336, 2016, 10080},
              .steps = {1, 1, 1, 1, 1},
              .box = {8, 4, 3, 2, 1},
              .channels = 8,
              .pixels = 9};
  return s;
}

static CUresult encode(sample *s, bool pixels, agpu__emu_tensor_map *out) {
  s->tensor.sizes = s->sizes;
  s->tensor.strides = s->strides;
  s->tensor.steps = s->steps;
  if (!pixels)
    return agpu__emu_tensor_map_encode(out, &s->tensor, s->box);
  return agpu__emu_tensor_map_encode_im2col(out, &s->tensor, s->lower, s->upper,
                                            s->channels, s->pixels);
}

//===----------------------------------------------------------------------===//
// Rules
//===----------------------------------------------------------------------===//

#define REFUSED(rank, pixels, change)                                          \
  do {                                                                         \
    agpu__emu_tensor_map map;                                                  \
    sample s = good(rank);                                                     \
    CHECK_EQ(encode(&s, pixels, &map), CUDA_SUCCESS);                          \
    change;                                                                    \
    CHECK_EQ(encode(&s, pixels, &map), CUDA_ERROR_INVALID_VALUE);              \
  } while (0)

#define TAKEN(rank, pixels, change)                                            \
  do {                                                                         \
    agpu__emu_tensor_map map;                                                  \
    sample s = good(rank);                                                     \
    change;                                                                    \
    CHECK_EQ(encode(&s, pixels, &map), CUDA_SUCCESS);                          \
  } while (0)

static void check_common_rules(void) {
  for (int pixels = 0; pixels < 2; ++pixels)
    for (uint32_t rank = pixels ? 3 : 1; rank <= 5; ++rank) {
      REFUSED(rank, pixels, s.tensor.type = (CUtensorMapDataType)13);
      REFUSED(rank, pixels, s.tensor.rank = 6);
      REFUSED(rank, pixels, s.tensor.rank = 0);
      REFUSED(rank, pixels, s.tensor.address += 8);
      REFUSED(rank, pixels, s.sizes[rank - 1] = 0);
      REFUSED(rank, pixels, s.sizes[0] = (UINT64_C(1) << 31) + 1);
      TAKEN(rank, pixels, s.sizes[rank - 1] = UINT64_C(1) << 31);
      REFUSED(rank, pixels, s.steps[rank - 1] = 0);
      REFUSED(rank, pixels, s.steps[rank - 1] = 9);
      REFUSED(rank, pixels, s.tensor.interleave = (CUtensorMapInterleave)3);
      REFUSED(rank, pixels, s.tensor.swizzle = (CUtensorMapSwizzle)7);
      REFUSED(rank, pixels, s.tensor.promotion = (CUtensorMapL2promotion)4);
      REFUSED(rank, pixels, s.tensor.fill = (CUtensorMapFloatOOBfill)2);
      if (rank > 1) {
        REFUSED(rank, pixels, s.strides[rank - 2] += 8);
        REFUSED(rank, pixels, s.strides[rank - 2] = UINT64_C(1) << 40);
      }
      TAKEN(rank, pixels, s.tensor.fill = (CUtensorMapFloatOOBfill)1);
      REFUSED(rank, pixels, {
        s.tensor.fill = (CUtensorMapFloatOOBfill)1;
        s.tensor.type = CU_TENSOR_MAP_DATA_TYPE_INT32;
      });
      // A row of 32 bytes.
      TAKEN(rank, pixels, s.tensor.swizzle = CU_TENSOR_MAP_SWIZZLE_32B);
      REFUSED(rank, pixels, {
        s.tensor.swizzle = CU_TENSOR_MAP_SWIZZLE_32B;
        s.tensor.address += 64;
      });
      // Of 64 bytes, it is shorter than the pattern is wide.
      REFUSED(rank, pixels, s.tensor.swizzle = CU_TENSOR_MAP_SWIZZLE_64B);
      REFUSED(rank, pixels, {
        s.tensor.swizzle = CU_TENSOR_MAP_SWIZZLE_32B;
        s.box[0] = s.channels = 12;
      });
      REFUSED(rank, pixels, s.box[0] = s.channels = 9);
    }
}

static void check_interleaving(void) {
  for (int pixels = 0; pixels < 2; ++pixels) {
    TAKEN(3, pixels, s.tensor.interleave = CU_TENSOR_MAP_INTERLEAVE_16B);
    REFUSED(3, pixels, s.tensor.interleave = CU_TENSOR_MAP_INTERLEAVE_32B);
    REFUSED(3, pixels, {
      s.tensor.interleave = CU_TENSOR_MAP_INTERLEAVE_32B;
      s.tensor.swizzle = CU_TENSOR_MAP_SWIZZLE_32B; // but the strides
    });
    REFUSED(3, pixels, {
      s.tensor.interleave = CU_TENSOR_MAP_INTERLEAVE_32B;
      s.tensor.swizzle = CU_TENSOR_MAP_SWIZZLE_32B;
      s.strides[0] = 64;
      s.strides[1] = 448;
      s.tensor.address += 16;
    });
    TAKEN(3, pixels, {
      s.tensor.interleave = CU_TENSOR_MAP_INTERLEAVE_32B;
      s.tensor.swizzle = CU_TENSOR_MAP_SWIZZLE_32B;
      s.strides[0] = 64;
      s.strides[1] = 448;
    });
  }
  REFUSED(2, false, s.tensor.interleave = CU_TENSOR_MAP_INTERLEAVE_16B);
}

static void check_boxes(void) {
  for (uint32_t rank = 1; rank <= 5; ++rank) {
    REFUSED(rank, false, s.box[rank - 1] = 0);
    REFUSED(rank, false, s.box[rank - 1] = 260);
    TAKEN(rank, false, s.box[rank - 1] = 256);
    TAKEN(rank, false, s.steps[0] = 8); // which is ignored
  }
}

static void check_columns(void) {
  static const int limits[] = {32768, 128, 16};
  REFUSED(3, true, s.channels = 0);
  REFUSED(3, true, s.channels = 260);
  TAKEN(3, true, s.channels = 256);
  REFUSED(3, true, s.pixels = 0);
  REFUSED(3, true, s.pixels = 1025);
  TAKEN(3, true, s.pixels = 1024);
  for (uint32_t rank = 3; rank <= 5; ++rank) {
    int limit = limits[rank - 3];
    for (uint32_t d = 0; d < rank - 2; ++d) {
      TAKEN(rank, true, s.lower[d] = -limit);
      REFUSED(rank, true, s.lower[d] = -limit - 1);
      TAKEN(rank, true, s.upper[d] = limit - 1);
      REFUSED(rank, true, s.upper[d] = limit);
      // The last index of the dimension, and no further.
      int last = (int)good(rank).sizes[d + 1] - 1;
      TAKEN(rank, true, s.lower[d] = last);
      REFUSED(rank, true, s.lower[d] = last + 1);
      TAKEN(rank, true, s.upper[d] = -last);
      REFUSED(rank, true, s.upper[d] = -last - 1);
    }
  }
  agpu__emu_tensor_map map;
  for (uint32_t rank = 1; rank <= 2; ++rank) {
    sample s = good(rank);
    CHECK_EQ(encode(&s, true, &map), CUDA_ERROR_INVALID_VALUE);
  }
}

/// A map may be copied; where a byte of it changes, it is none.
static void check_marks(void) {
  sample s = good(3);
  agpu__emu_tensor_map map, copy;
  CHECK_EQ(encode(&s, true, &map), CUDA_SUCCESS);
  char bytes[sizeof(CUtensorMap)] = {0};
  CHECK(!agpu__emu_tensor_map_read(bytes, &copy));
  memcpy(bytes, &map, sizeof map);
  CHECK(agpu__emu_tensor_map_read(bytes, &copy));
  CHECK(memcmp(&copy, &map, sizeof map) == 0);
  for (size_t i = 0; i < sizeof map; ++i) {
    bytes[i] ^= 1;
    CHECK(!agpu__emu_tensor_map_read(bytes, &copy));
    bytes[i] ^= 1;
  }
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

/// What is at `index` of the sample's tensor, as a row that begins at channel
/// `first` and has `count`.
static void check_row(const sample *s, const agpu__emu_tensor_row *row,
                      const int64_t *index, uint32_t count) {
  bool inside = true;
  CUdeviceptr place = ADDRESS;
  for (uint32_t d = 1; d < s->tensor.rank; ++d) {
    inside = inside && index[d] >= 0 && index[d] < (int64_t)s->sizes[d];
    place += (uint64_t)index[d] * s->strides[d - 1];
  }
  uint32_t there = 0;
  for (uint32_t i = 0; i < count; ++i) {
    int64_t channel = index[0] + i;
    if (!inside || channel < 0 || channel >= (int64_t)s->sizes[0])
      continue;
    CHECK(i >= row->first && i < row->end);
    CHECK_EQ(row->address + 4 * (uint64_t)(i - row->first),
             place + 4 * (uint64_t)channel);
    ++there;
  }
  CHECK_EQ(row->end - row->first, there);
}

static void check_box_rows(void) {
  sample s = good(4);
  s.steps[1] = 3; // 2 of 4
  s.steps[3] = 2; // 1 of 2
  agpu__emu_tensor_map map;
  CHECK_EQ(encode(&s, false, &map), CUDA_SUCCESS);
  CHECK_EQ(agpu__emu_tensor_map_row_bytes(&map), 32);
  CHECK_EQ(agpu__emu_tensor_map_box_bytes(&map), 32 * 2 * 3 * 1);
  static const int32_t places[][5] = {
      {0, 0, 0, 0, 0}, {-3, -1, 2, 4, 0}, {5, 5, 4, -1, 0}, {10, 0, 0, 0, 0}};
  for (size_t p = 0; p < 4; ++p)
    for (uint32_t row = 0; row < 6; ++row) {
      agpu__emu_tensor_row found =
          agpu__emu_tensor_map_row(&map, places[p], NULL, row);
      const int64_t index[] = {places[p][0], places[p][1] + 3 * (int)(row % 2),
                               places[p][2] + (int)(row / 2), places[p][3]};
      check_row(&s, &found, index, 8);
    }
}

/// All pixels from one on, as nested loops meet them that begin in the middle.
static void check_pixels_of(sample *s, const int32_t *at,
                            const uint16_t *offsets) {
  agpu__emu_tensor_map map;
  CHECK_EQ(encode(s, true, &map), CUDA_SUCCESS);
  uint32_t row = 0;
  int64_t d = at[3], h = at[2], w = at[1];
  for (int64_t n = at[4]; row < s->pixels; n += s->steps[4]) {
    for (; d < (int64_t)s->sizes[3] + s->upper[2]; d += s->steps[3]) {
      for (; h < (int64_t)s->sizes[2] + s->upper[1]; h += s->steps[2]) {
        for (; w < (int64_t)s->sizes[1] + s->upper[0] && row < s->pixels;
             w += s->steps[1]) {
          const int64_t index[] = {at[0], w + offsets[0], h + offsets[1],
                                   d + offsets[2], n};
          agpu__emu_tensor_row found =
              agpu__emu_tensor_map_row(&map, at, offsets, row++);
          check_row(s, &found, index, s->channels);
        }
        w = s->lower[0];
      }
      h = s->lower[1];
    }
    d = s->lower[2];
  }
}

static void check_pixel_rows(void) {
  for (uint32_t steps = 0; steps < 81; ++steps) {
    sample s = good(5);
    s.pixels = 300;
    s.steps[1] = 1 + steps % 3;
    s.steps[2] = 1 + steps / 3 % 3;
    s.steps[3] = 1 + steps / 9 % 3;
    s.steps[4] = 1 + steps / 27;
    s.lower[0] = -2;
    s.upper[0] = -3;
    s.lower[1] = 1;
    s.upper[1] = 2;
    s.lower[2] = -1;
    check_pixels_of(&s, (const int32_t[]){0, -2, 1, -1, 0},
                    (const uint16_t[]){0, 0, 0});
    check_pixels_of(&s, (const int32_t[]){4, 1, 3, 2, -1},
                    (const uint16_t[]){2, 1, 5});
  }
}

//===----------------------------------------------------------------------===//
// Patterns
//===----------------------------------------------------------------------===//

/// Which piece of 16 bytes of a line of 128 lies at place `piece` of line
/// `line`.
static unsigned moved(unsigned swizzle, unsigned line, unsigned piece) {
  switch (swizzle) {
  case CU_TENSOR_MAP_SWIZZLE_32B: return piece ^ line % 2;
  case CU_TENSOR_MAP_SWIZZLE_64B: return piece ^ line % 4;
  case CU_TENSOR_MAP_SWIZZLE_128B: return piece ^ line % 8;
  case CU_TENSOR_MAP_SWIZZLE_128B_ATOM_32B:
  case CU_TENSOR_MAP_SWIZZLE_128B_ATOM_32B_FLIP_8B: return piece ^ line % 4 * 2;
  case CU_TENSOR_MAP_SWIZZLE_128B_ATOM_64B: return piece ^ line % 2 * 4;
  default: return piece;
  }
}

static void check_patterns(void) {
  for (unsigned swizzle = 0; swizzle < 7; ++swizzle)
    for (unsigned line = 0; line < 16; ++line)
      for (unsigned piece = 0; piece < 8; ++piece) {
        bool flipped;
        uintptr_t to = agpu__emu_swizzle(ADDRESS + line * 128 + piece * 16,
                                         swizzle, &flipped);
        CHECK_EQ(to, ADDRESS + line * 128 + moved(swizzle, line, piece) * 16);
        CHECK_EQ(flipped,
                 swizzle == CU_TENSOR_MAP_SWIZZLE_128B_ATOM_32B_FLIP_8B &&
                     line % 2);
        // The way back is the same.
        CHECK_EQ(agpu__emu_swizzle(to, swizzle, &flipped),
                 ADDRESS + line * 128 + piece * 16);
      }
}

int main(void) {
  check_common_rules();
  check_interleaving();
  check_boxes();
  check_columns();
  check_marks();
  check_box_rows();
  check_pixel_rows();
  check_patterns();
  return 0;
}
