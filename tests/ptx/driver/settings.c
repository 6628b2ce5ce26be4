//===- settings.c - How the driver behaves -------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Environment variables PTX_DEVICE_…: CONTRIBUTING.md has them. They choose
// among what CUDA leaves open, so that programs meet more than one of it.
//
//===----------------------------------------------------------------------===//

#include "driver/state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static ptx_settings settings;

_Noreturn static void refuse(const char *name, const char *value) {
  fprintf(stderr, "ptx-device: %s=%s is malformed\n", name, value);
  _Exit(PTX_VIOLATION_STATUS);
}

static uint64_t number(const char *name, uint64_t missing) {
  const char *value = getenv(name);
  if (!value || !*value)
    return missing;
  char *end;
  uint64_t result = strtoull(value, &end, 10);
  if (*end || *value < '0' || *value > '9')
    refuse(name, value);
  return result;
}

/// "9.0" as 90.
static unsigned capability(void) {
  const char *name = "PTX_DEVICE_CAPABILITY", *value = getenv(name);
  if (!value || !*value)
    return 90;
  unsigned major, minor;
  char rest;
  if (sscanf(value, "%u.%u%c", &major, &minor, &rest) != 2 || minor > 9)
    refuse(name, value);
  return 10 * major + minor;
}

/// The position of the value among the words, the first of which is the
/// default.
static int word(const char *name, const char *const *words, int count) {
  const char *value = getenv(name);
  if (!value || !*value)
    return 0;
  for (int i = 0; i < count; ++i)
    if (strcmp(value, words[i]) == 0)
      return i;
  refuse(name, value);
}

static void read_settings(void) {
  static const char *const approximations[] = {"exact", "up", "down"};
  static const char *const pageable[] = {"blocks", "async"};
  static const char *const warp_ids[] = {"logical", "physical"};
  const char *diverge = getenv("PTX_DEVICE_DIVERGE");
  static const int directions[] = {0, 1, -1};
  settings = (ptx_settings){
      .options =
          {
              .is_random = diverge && *diverge,
              .seed = number("PTX_DEVICE_DIVERGE", 0),
              .approximate =
                  directions[word("PTX_DEVICE_APPROX", approximations, 3)],
              .resident_blocks = (unsigned)number("PTX_DEVICE_BLOCKS", 4),
              .seconds = (unsigned)number("PTX_DEVICE_SECONDS", 60),
              .multiprocessors =
                  (unsigned)number("PTX_DEVICE_MULTIPROCESSORS", 4),
              .capability = capability(),
              .is_lenient = number("PTX_DEVICE_LENIENT", 0) != 0,
              .has_physical_warp_ids =
                  word("PTX_DEVICE_WARPIDS", warp_ids, 2) == 1,
          },
      .devices = (int)number("PTX_DEVICE_DEVICES", 1),
      .driver_version = (int)number("PTX_DEVICE_DRIVER", 12080),
      .has_peers = number("PTX_DEVICE_PEERS", 1) != 0,
      .has_pools = number("PTX_DEVICE_POOLS", 1) != 0,
      .pageable_is_async = word("PTX_DEVICE_PAGEABLE", pageable, 2) == 1,
      .delay_us = (unsigned)number("PTX_DEVICE_DELAY", 0),
      .seed = number("PTX_DEVICE_SEED", 1),
      .memory_bytes = number("PTX_DEVICE_MEMORY_MIB", 16384) << 20,
      .log = getenv("PTX_DEVICE_LOG"),
  };
  if (settings.devices > PTX_MAX_DEVICES || !settings.options.resident_blocks ||
      !settings.options.multiprocessors || !settings.options.seconds)
    refuse("PTX_DEVICE_…", "0, or more devices than there can be,");
}

const ptx_settings *ptx_get_settings(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, read_settings);
  return &settings;
}
