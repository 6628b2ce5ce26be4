//===- image.c - Which image a device gets --------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Machine code before PTX, and of each the one made for the most of what the
// device has: one order, in which the first that runs is chosen.
//
//===----------------------------------------------------------------------===//

#include "gpu/kernel/module.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/// What the CUDA programming guide says of binary and PTX compatibility.
static bool runs_on(const agpu_image_desc *image, uint32_t chip) {
  bool same_major = image->chip / 10 == chip / 10;
  if (image->chip > chip)
    return false;
  switch (image->variant) {
  case 0: return image->format == AGPU_IMAGE_PTX || same_major;
  case 'a': return image->chip == chip;
  case 'f': return same_major;
  default: return false;
  }
}

/// Machine code before PTX, then the chip nearest to the device, then the one
/// that makes more use of it.
static bool is_better(const agpu_image_desc *a, const agpu_image_desc *b) {
  if (a->format != b->format)
    return a->format == AGPU_IMAGE_CUBIN;
  if (a->chip != b->chip)
    return a->chip > b->chip;
  return a->variant == 'a' || (a->variant == 'f' && !b->variant);
}

const agpu_image_desc *agpu__image_choose(const agpu_module_desc *module,
                                          uint32_t format, uint32_t chip) {
  const agpu_image_desc *best = NULL;
  for (uint32_t i = 0; i < module->image_count; ++i) {
    const agpu_image_desc *image = &module->images[i];
    bool native = image->format == AGPU_IMAGE_NATIVE;
    if (native != (format == AGPU_IMAGE_NATIVE))
      continue;
    if (!native && ((image->format != AGPU_IMAGE_PTX &&
                     image->format != AGPU_IMAGE_CUBIN) ||
                    !runs_on(image, chip)))
      continue;
    if (!best || is_better(image, best))
      best = image;
  }
  return best;
}

const void *agpu__image_data(const agpu_image_desc *image) {
  if (!(image->flags & AGPU_IMAGE_BY_FUNCTION))
    return image->data;
  const void *(*get)(void);
  memcpy(&get, &image->data, sizeof get);
  return get();
}

void agpu__image_list(const agpu_module_desc *module, char *out, size_t size) {
  size_t used = 0;
  *out = '\0';
  for (uint32_t i = 0; i < module->image_count && used < size; ++i) {
    const agpu_image_desc *image = &module->images[i];
    const char *separator = i ? ", " : "";
    char variant[] = {(char)image->variant, '\0'};
    bool cubin = image->format == AGPU_IMAGE_CUBIN;
    int length =
        cubin || image->format == AGPU_IMAGE_PTX
            ? snprintf(out + used, size - used, "%s%s for sm_%u%s", separator,
                       cubin ? "a cubin" : "PTX", image->chip, variant)
            : snprintf(out + used, size - used, "%s%s", separator,
                       image->format == AGPU_IMAGE_NATIVE
                           ? "native code"
                           : "an unknown format");
    used += length > 0 ? (size_t)length : 0;
  }
}
