//===- image.c - The image that a device gets -----------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "check.h"

#include "gpu/kernel/module.h"

#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

static const agpu_image_desc images[] = {
    {.format = AGPU_IMAGE_PTX, .chip = 75},
    {.format = AGPU_IMAGE_CUBIN, .chip = 80},
    {.format = AGPU_IMAGE_PTX, .chip = 80},
    {.format = AGPU_IMAGE_CUBIN, .chip = 86},
    {.format = AGPU_IMAGE_PTX, .chip = 90, .variant = 'a'},
    {.format = AGPU_IMAGE_PTX, .chip = 90},
    {.format = AGPU_IMAGE_NATIVE},
    {.format = AGPU_IMAGE_CUBIN, .chip = 100, .variant = 'f'},
    {.format = AGPU_IMAGE_CUBIN, .chip = 100, .variant = 'a'},
    {.format = 77, .chip = 90},
    {.format = AGPU_IMAGE_CUBIN, .chip = 90, .variant = 'z'},
};
static const agpu_module_desc module = {
    .image_count = COUNT(images), .name = "m", .images = images};

static const void *get_module(void) { return &module; }

static void check_data(void) {
  agpu_image_desc image = {.format = AGPU_IMAGE_NATIVE, .data = images};
  CHECK(agpu__image_data(&image) == images);
  const void *(*get)(void) = get_module;
  memcpy(&image.data, &get, sizeof get);
  image.flags = AGPU_IMAGE_BY_FUNCTION;
  CHECK(agpu__image_data(&image) == &module);
}

static void check(uint32_t format, uint32_t chip, int expected) {
  const agpu_image_desc *image = agpu__image_choose(&module, format, chip);
  CHECK_EQ(image ? (int)(image - images) : -1, expected);
}

int main(void) {
  // PTX runs on its chip and on all later ones; the nearest is best.
  check(AGPU_IMAGE_PTX, 70, -1);
  check(AGPU_IMAGE_PTX, 75, 0);
  // Machine code goes before PTX of the same chip, on chips of its generation.
  check(AGPU_IMAGE_PTX, 80, 1);
  check(AGPU_IMAGE_PTX, 86, 3);
  check(AGPU_IMAGE_PTX, 89, 3);
  // Code for one chip, on that chip alone.
  check(AGPU_IMAGE_PTX, 90, 4);
  check(AGPU_IMAGE_PTX, 100, 8);
  // Code for a family, on its later members.
  check(AGPU_IMAGE_PTX, 103, 7);
  // Another generation: no machine code.
  check(AGPU_IMAGE_PTX, 120, 5);
  // The emulated device takes native code, whatever else there is.
  check(AGPU_IMAGE_NATIVE, 0, 6);

  check_data();
  char text[512];
  agpu__image_list(&module, text, sizeof text);
  CHECK(strstr(text, "PTX for sm_75, a cubin for sm_80, "));
  CHECK(strstr(text, "PTX for sm_90a, "));
  CHECK(strstr(text, "native code"));
  CHECK(strstr(text, "an unknown format"));
  // Cut off, and terminated.
  agpu__image_list(&module, text, 10);
  CHECK(strlen(text) == 9);
  return 0;
}
