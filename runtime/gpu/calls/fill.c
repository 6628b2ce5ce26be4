//===- fill.c - Fills of memory -------------------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Drivers fill with elements of up to 4 bytes. Of 8 bytes, both halves are the
// same, or each is a fill of its own.
//
//===----------------------------------------------------------------------===//

#include "gpu/calls/loan.h"
#include "gpu/calls/nest.h"
#include "gpu/device/pins.h"

/// Of the host's memory each part that the driver was told of is a fill of its
/// own.
static CUresult fill_parts(const agpu_stream *loan,
                           const CUDA_MEMSET_NODE_PARAMS *of) {
  agpu__pins *pins = loan->device->shared->pins;
  CUDA_MEMSET_NODE_PARAMS part = *of;
  CUresult result = CUDA_SUCCESS;
  part.height = 1;
  for (size_t y = 0; y < of->height; ++y) {
    size_t left = of->width * of->elementSize;
    part.dst = of->dst + y * of->pitch;
    for (size_t bytes; left && !result; left -= bytes, part.dst += bytes) {
      bytes = agpu__pins_get_part(pins, part.dst, left);
      part.width = bytes / of->elementSize;
      result =
          agpu__rows_fill(loan->device->driver, &part, loan->stream->handle);
    }
  }
  return result;
}

static CUresult fill_rows(const agpu_stream *loan,
                          const CUDA_MEMSET_NODE_PARAMS *of) {
  size_t span = (of->height - 1) * of->pitch + of->width * of->elementSize;
  return agpu__pins_split(loan->device->shared->pins, of->dst, span)
             ? fill_parts(loan, of)
             : agpu__rows_fill(loan->device->driver, of, loan->stream->handle);
}

static CUresult enqueue(const agpu_stream *loan, agpu__nest *of,
                        CUdeviceptr target, uint64_t pattern,
                        unsigned element_bytes) {
  const unsigned values[] = {(unsigned)pattern, (unsigned)(pattern >> 32)};
  unsigned fills = 1;
  if (element_bytes == 8) {
    element_bytes = 4;
    fills = 1 + (values[0] != values[1]);
  }
  if (fills == 2)
    agpu__nest_split(of, 8, 4);
  const agpu__box box = agpu__nest_take_box(of, false);
  CUDA_MEMSET_NODE_PARAMS fill = {.pitch = box.target_pitch,
                                  .elementSize = element_bytes,
                                  .width = box.width / element_bytes,
                                  .height = box.height};
  CUresult result = CUDA_SUCCESS;
  for (unsigned i = 0; i < fills && !result; ++i) {
    agpu__place at = agpu__nest_begin(of);
    fill.value = values[i];
    do {
      fill.dst = target + (uint64_t)at.target + (uint64_t)i * 4;
      result = fill_rows(loan, &fill);
    } while (!result && agpu__nest_advance(of, &at));
  }
  return result;
}

/// Fills the nest, which has `count` elements. The loan has been entered.
static void fill(agpu_stream *loan, agpu__nest *of, void *target,
                 uint64_t pattern, int64_t element_bytes, int64_t count,
                 const char *location) {
  const agpu__op_name op = {.what = "fill", .location = location};
  if (element_bytes != 1 && element_bytes != 2 && element_bytes != 4 &&
      element_bytes != 8) {
    agpu__loan_reject(loan, location,
                      "fill with elements of %lld bytes; 1, 2, 4 and 8 are "
                      "possible",
                      (long long)element_bytes);
    return;
  }
  if (!agpu__loan_begin(loan, &op))
    return;
  CUresult result = enqueue(loan, of, (CUdeviceptr)(uintptr_t)target, pattern,
                            (unsigned)element_bytes);
  if (result)
    agpu__loan_fail_call(loan, result, &op,
                         "fill of %lld elements of %lld bytes at %p",
                         (long long)count, (long long)element_bytes, target);
  else
    agpu__loan_enqueued(loan, &op);
}

void agpu_memset(agpu_stream *loan, void *target, uint64_t pattern,
                 int64_t element_bytes, int64_t count, const char *location) {
  int64_t bytes;
  if (!agpu__loan_enter(loan))
    return;
  if (count < 0) {
    agpu__loan_reject(loan, location, "fill with a negative size: %lld",
                      (long long)count);
    return;
  }
  // A size that does not fit is INT64_MAX.
  if (count == INT64_MAX ||
      __builtin_mul_overflow(count, element_bytes, &bytes) ||
      bytes == INT64_MAX) {
    agpu__loan_reject(loan, location, "fill larger than the address space");
    return;
  }
  agpu__nest row;
  agpu__nest_init(&row, bytes);
  if (count)
    fill(loan, &row, target, pattern, element_bytes, count, location);
}

void agpu_memset_strided(agpu_stream *loan, void *target, uint64_t pattern,
                         int64_t rank, const int64_t *sizes,
                         const int64_t *strides, int64_t element_bytes,
                         const char *location) {
  agpu__nest of;
  if (!agpu__loan_enter(loan) ||
      !agpu__nest_make(loan, "fill", rank, sizes, strides, strides,
                       element_bytes, location, &of))
    return;
  fill(loan, &of, target, pattern, element_bytes,
       of.rows * of.row_bytes / element_bytes, location);
}
